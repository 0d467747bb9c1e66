package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// bytesOf is a constant of bytes, extreme ones among them.
func bytesOf(d dtype.DType, seed uint64, dims ...int64) *relax.Constant {
	x := tensor.MustNew(d, dims...)
	x.Random(seed)
	for i := range x.Data {
		if i%5 == 0 {
			x.Data[i] = byte([]int{0, 0xff, 0x80, 0x7f}[i/5%4])
		}
	}
	return &relax.Constant{Data: must(ir.NewBlob(d, dims, x.Data))}
}

// byteProduct is main with a product of bytes and a subtraction behind it.
func byteProduct(t *rapid.T) *ir.Module {
	n := func(least, most int, what string) int64 { return int64(rapid.IntRange(least, most).Draw(t, what)) }
	types := []dtype.DType{dtype.Int8T, dtype.UInt8T}
	da, db := rapid.SampledFrom(types).Draw(t, "left"), rapid.SampledFrom(types).Draw(t, "right")
	left, right := []int64{n(1, 20, "rows"), n(4, 13, "depth")}, []int64{0, rapid.SampledFrom([]int64{1, 2, 3, 5, 8, 13, 16, 17, 32, 48}).Draw(t, "columns")}
	right[0] = left[1]
	if batch := n(0, 2, "batch"); batch > 0 {
		left = append([]int64{2}, left...)
		if batch > 1 {
			right = append([]int64{2}, right...)
		}
	}
	bb := op.NewBlockBuilder(nil)
	param := func(name string, d dtype.DType, dims []int64) *relax.Var {
		return &relax.Var{Name: name, SInfo: relax.TensorOf(d, relax.Ints(dims)...)}
	}
	a, b := param("a", da, left), param("b", db, right)
	w := relax.Expr(b)
	if rapid.Bool().Draw(t, "constant") {
		w = bytesOf(db, 7, right...)
	}
	bb.BeginFunction("main", []*relax.Var{a, b}, relax.FuncOpts{})
	bb.BeginDataflow()
	x := must(bb.Emit(op.Matmul(a, w, dtype.Int32T), "x"))
	y := must(bb.EmitOutput(op.Subtract(x, must(op.Scalar(dtype.Int32T, 3))), "y"))
	bb.EndDataflow()
	must(bb.EndFunction(y))
	return bb.Module()
}

// byteConv is main with a convolution of bytes by constant weights.
func byteConv(t *rapid.T) *ir.Module {
	n := func(least, most int, what string) int64 { return int64(rapid.IntRange(least, most).Draw(t, what)) }
	types := []dtype.DType{dtype.Int8T, dtype.UInt8T}
	dx, dw := rapid.SampledFrom(types).Draw(t, "data"), rapid.SampledFrom(types).Draw(t, "weights")
	channels, k := n(3, 9, "channels"), n(1, 3, "kernel")
	x := &relax.Var{Name: "x", SInfo: relax.TensorOf(dx, relax.Ints([]int64{n(1, 2, "batch"), channels, n(3, 6, "height"), n(3, 6, "width")})...)}
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	bb.BeginDataflow()
	conv := must(op.New("relax.nn.conv2d", []relax.Expr{x, bytesOf(dw, 5, n(1, 20, "features"), channels, k, 1)}, ir.NewAttrs(
		"out_dtype", dtype.Int32T, "padding", []int64{n(0, 2, "above"), n(0, 1, "left"), n(0, 1, "below"), n(0, 2, "right")}, "strides", []int64{n(1, 2, "down"), 1})))
	y := must(bb.EmitOutput(op.Subtract(must(bb.Emit(conv, "c")), must(op.Scalar(dtype.Int32T, 3))), "y"))
	bb.EndDataflow()
	must(bb.EndFunction(y))
	return bb.Module()
}

// TestPackByteProductsKeepsMeaning multiplies random shapes of bytes of all kinds.
func TestPackByteProductsKeepsMeaning(t *testing.T) {
	packed := 0
	seed.Check(t, func(t *rapid.T) {
		m := byteProduct(t)
		if rapid.Bool().Draw(t, "convolution") {
			m = byteConv(t)
		}
		p := must(transform.PackByteProducts.With(ir.NewAttrs("signs", rapid.SampledFrom([]string{"any", "mixed"}).Draw(t, "signs"))))
		want := outputs(t, m, 2, false)
		out, _ := check(t, passtest.NewContext(), p, m)
		sameOutputs(t, want, outputs(t, out, 2, false))
		if strings.Contains(passtest.Text(out), "T.dp4a") {
			packed++
		}
	})
	if packed == 0 {
		t.Error("no product became one of words")
	}
}

// TestPackByteProductsWhere lists what stays as it is, and why.
func TestPackByteProductsWhere(t *testing.T) {
	for _, c := range []struct{ left, right, out, want string }{
		{`(8, 8), "int8"`, `(8, 8), "int8"`, "int32", "8 rows are too few for a right factor that is no constant: it would be brought into words each time"},
		{`(32, 8), "int8"`, `(8, 8), "int8"`, "int32", ""},
		{`("n", 8), "uint8"`, `(8, 8), "int8"`, "int32", ""},
		{`("n", 16, 8), "uint8"`, `("n", 8, 8), "int8"`, "int32", ""},
		{`(32, 3), "int8"`, `(3, 8), "int8"`, "int32", "3 products make no word of four"},
		{`(32, "n"), "int8"`, `("n", 8), "int8"`, "int32", "how many products are summed up is not known"},
		{`(32, 8), "int8"`, `(8, "n"), "int8"`, "int32", "how many columns the right factor has is not known"},
		{`(32, 8), "int8"`, `(8,), "int8"`, "int32", "a factor is a vector"},
		{`(32, 8), "int8"`, `(8, 8), "int8"`, "int64", "it multiplies int8 by int8, and the products of bytes are summed up as int32"},
		{`(32, 8), "float32"`, `(8, 8), "float32"`, "float32", "-"},
	} {
		t.Run(c.left+c.right+c.out, func(t *testing.T) {
			m := read(t, fmt.Sprintf(`
@R.function
def main(a: R.Tensor(%s), b: R.Tensor(%s)):
    with R.dataflow():
        c = R.matmul(a, b, out_dtype="%s")
        R.output(c)
    return c
`, c.left, c.right, c.out))
			p := must(transform.PackByteProducts.With(ir.NewAttrs("signs", "any")))
			w := &why{}
			out, _ := check(t, passtest.NewContext(pass.Observe(w)), p, m)
			if packed := strings.Contains(passtest.Text(out), "T.dp4a"); packed != (c.want == "") {
				t.Errorf("packed is %v:\n%s", packed, passtest.Text(out))
			}
			if got := strings.Join(w.reasons, "; "); got != strings.TrimPrefix(c.want, "-") {
				t.Errorf("the reason is %q, want %q", got, c.want)
			}
		})
	}
}

// why notes the reasons of decisions.
type why struct{ reasons []string }

func (w *why) Rewrite(*pass.Step, pass.Rewrite) {}

func (w *why) Decision(_ *pass.Step, d pass.Decision) { w.reasons = append(w.reasons, d.Reason) }
