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
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// integersOf is a constant of integers between two numbers.
func integersOf(d dtype.DType, seed uint64, least, most int64, dims ...int64) *relax.Constant {
	x := tensor.MustNew(d, dims...)
	bytes := tensor.MustNew(dtype.UInt32T, dims...)
	bytes.Random(seed)
	for i := range x.Len() {
		v := least + int64(uint32(bytes.Int(i))*2654435761>>8)%(most-least+1)
		if i < 2 { // the ends
			v = []int64{most, least}[i]
		}
		x.SetInt(i, v)
	}
	return &relax.Constant{Data: must(ir.NewBlob(d, dims, x.Data))}
}

// quantizedProduct is main with a product by weights that are computed from integers, and what is added to it.
func quantizedProduct(t *rapid.T) *ir.Module {
	n := func(least, most int, what string) int64 { return int64(rapid.IntRange(least, most).Draw(t, what)) }
	yes := func(what string) bool { return rapid.Bool().Draw(t, what) }
	rows, count := n(1, 5, "rows of a block"), n(1, 4, "blocks")
	columns, depth := n(1, 6, "columns")*n(1, 8, "and times"), rows*count
	a := &relax.Var{Name: "a", SInfo: relax.TensorOf(dtype.Float32T, tir.Int(n(0, 12, "rows")), tir.Int(depth))}
	bb := op.NewBlockBuilder(nil)
	emit := func(c *relax.Call) relax.Expr { return must(bb.Emit(c, "w")) }
	bb.BeginFunction("main", []*relax.Var{a}, relax.FuncOpts{})
	bb.BeginDataflow()
	d := rapid.SampledFrom([]dtype.DType{dtype.Int8T, dtype.UInt8T}).Draw(t, "type")
	least, most := int64(0), int64(15)
	if d.IsInt() {
		least, most = -8, 7
	}
	switch n(0, 3, "bits") {
	case 0: // a little more than four
		most++
	case 1:
		least, most = least*16, most*16+15
	}
	// The matrix has its blocks along axis 0, or along axis 1 of one that is transposed.
	turned, blocks := yes("transposed"), yes("in blocks")
	order := func(k, n int64) []int64 {
		if turned {
			return []int64{n, k}
		}
		return []int64{k, n}
	}
	shape, of := order(depth, columns), func(k, n int64) []int64 { return order(min(k, 1), n) }
	if blocks {
		split := func(k, r, n int64) []int64 {
			if turned {
				return []int64{n, k, r}
			}
			return []int64{k, r, n}
		}
		shape, of = split(count, rows, columns), func(k, n int64) []int64 { return split(k, 1, n) }
	}
	operand := func(what string) []int64 {
		k, n := count, columns
		if yes(what + " for all blocks") {
			k = 1
		}
		if yes(what + " for all columns") {
			n = 1
		}
		return of(k, n)
	}
	data, zero, scale := relax.Expr(integersOf(d, 5, least, most, shape...)), relax.Expr(nil), relax.Expr(floatsOf(7, operand("scale")...))
	real := false
	switch n(0, 3, "zero") {
	case 0:
		zero = integersOf(d, 9, least, most, operand("zero")...)
	case 1: // the same everywhere
		zero = integersOf(d, 9, most, most, operand("zero")...)
	case 2: // real
		zero, real = floatsOf(9, operand("zero")...), true
	}
	var w relax.Expr
	switch one := shape[0]; {
	case !blocks && !real && yes("operator"):
		var z relax.Expr = must(op.Scalar(d, 3))
		if zero != nil {
			z = integersOf(d, 9, least, most, one)
		}
		w = emit(must(op.New("relax.dequantize", []relax.Expr{data, floatsOf(7, shape[1]), integersOf(d, 9, least, most, shape[1])}, ir.NewAttrs("axis", int64(1)))))
		if yes("along the rows") {
			w = emit(must(op.New("relax.dequantize", []relax.Expr{data, must(op.Scalar(dtype.Float32T, 0.5)), z}, ir.NewAttrs("axis", int64(0)))))
		}
	case real:
		w = emit(op.Multiply(emit(op.Subtract(emit(op.AsType(data, dtype.Float32T)), zero)), scale))
	default:
		x := emit(op.AsType(data, dtype.Int32T))
		if zero != nil {
			x = emit(op.Subtract(x, emit(op.AsType(zero, dtype.Int32T))))
		}
		w = emit(op.Multiply(emit(op.AsType(x, dtype.Float32T)), scale))
	}
	if blocks {
		w = emit(op.Reshape(w, relax.Ints(order(depth, columns))...))
	}
	if turned {
		w = emit(op.PermuteDims(w, 1, 0))
	}
	x := must(bb.Emit(op.Matmul(a, w, dtype.DType{}), "x"))
	y := must(bb.EmitOutput(op.Add(x, floatsOf(3, columns)), "y"))
	bb.EndDataflow()
	must(bb.EndFunction(y))
	return bb.Module()
}

// TestPackQuantizedWeightsKeepsMeaning multiplies by weights of all kinds, in shapes that fit and that do not.
func TestPackQuantizedWeightsKeepsMeaning(t *testing.T) {
	seen := map[string]int{}
	seed.Check(t, func(t *rapid.T) {
		m := quantizedProduct(t)
		p := must(transform.PackQuantizedWeights.With(ir.NewAttrs("block", rapid.SampledFrom([]int64{4, 8, 16}).Draw(t, "block"))))
		want := outputs(t, m, 2, false)
		out, _ := check(t, passtest.NewContext(), p, m)
		sameOutputs(t, want, outputs(t, out, 2, false))
		switch text := passtest.Text(out); {
		case strings.Contains(text, "T.shift_right"):
			seen["two to a byte"]++
		case strings.Contains(text, "dequantize_matmul"):
			seen["one to a byte"]++
		default:
			seen["kept"]++
		}
	})
	if len(seen) < 3 && !testing.Short() { // few examples may have one of them only
		t.Errorf("products were %v", seen)
	}
}

// TestPackQuantizedWeightsWhere lists what stays as it is, and why.
func TestPackQuantizedWeightsWhere(t *testing.T) {
	const (
		bytes = `R.const([[1, 2, 3, 4], [5, 6, 7, 100]], "int8")`
		scale = `R.const([[0.5, 0.25, 1, 2]], "float32")`
	)
	for name, c := range map[string]struct{ left, weights, want string }{
		"packed":                     {`(3, 2), "float32"`, `w = R.multiply(R.astype(` + bytes + `, "float32"), ` + scale + `)`, ""},
		"operator":                   {`(3, 2), "float32"`, `w = R.dequantize(` + bytes + `, R.const([0.5, 0.25, 1, 2], "float32"), R.const(3, "int8"), axis=1)`, ""},
		"any number of rows":         {`("n", 2), "float32"`, `w = R.multiply(` + scale + `, R.astype(` + bytes + `, "float32"))`, ""},
		"part":                       {`(3, 1), "float32"`, `w = R.strided_slice(R.multiply(R.astype(` + bytes + `, "float32"), ` + scale + `), axes=[0], begin=[0], end=[1])`, ""},
		"part from behind the start": {`(3, 1), "float32"`, `w = R.strided_slice(R.multiply(R.astype(` + bytes + `, "float32"), ` + scale + `), axes=[0], begin=[1], end=[2])`, "-"},
		"a scale for each row":       {`(3, 2), "float32"`, `w = R.multiply(R.astype(` + bytes + `, "float32"), R.const([[0.5], [2]], "float32"))`, "-"},
		"large zeros":                {`(3, 2), "float32"`, `w = R.dequantize(` + bytes + `, R.const([0.5, 0.25, 1, 2], "float32"), R.const([1, 2, 3, 100000000], "int32"), axis=1)`, "-"},
		"wide data":                  {`(3, 2), "float32"`, `w = R.multiply(R.astype(R.astype(` + bytes + `, "int16"), "float32"), ` + scale + `)`, "-"},
		"a sum":                      {`(3, 2), "float32"`, `w = R.add(R.astype(` + bytes + `, "float32"), ` + scale + `)`, "-"},
		"three columns":              {`(3, 2), "float32"`, `w = R.multiply(R.astype(R.const([[1, 2, 3], [4, 5, 6]], "int8"), "float32"), R.const(0.5, "float32"))`, "it has 3 columns, which blocks of 4 do not divide"},
		"a sum of unknown length":    {`(3, "k"), "float32"`, `w = R.multiply(R.astype(` + bytes + `, "float32"), ` + scale + `)`, "the shape of its left factor is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			m := read(t, fmt.Sprintf(`
@R.function
def main(a: R.Tensor(%s)):
    with R.dataflow():
        %s
        c = R.matmul(a, w)
        R.output(c)
    return c
`, c.left, c.weights))
			p := must(transform.PackQuantizedWeights.With(ir.NewAttrs("block", int64(4))))
			w := &why{}
			out, _ := check(t, passtest.NewContext(pass.Observe(w)), p, m)
			if packed := strings.Contains(passtest.Text(out), "dequantize_matmul"); packed != (c.want == "") {
				t.Errorf("packed is %v:\n%s", packed, passtest.Text(out))
			}
			if got := strings.Join(w.reasons, "; "); got != strings.TrimPrefix(c.want, "-") {
				t.Errorf("the reason is %q, want %q", got, c.want)
			}
		})
	}
}

// TestPackQuantizedWeightsFor acts for short vectors on one row by large weights alone.
func TestPackQuantizedWeightsFor(t *testing.T) {
	for _, c := range []struct {
		target        string
		rows, columns int64
		packs         bool
	}{{"x86 -mattr=+avx2,+fma -max-simd-width=256", 1, 64, true}, {"x86 -mattr=+avx2,+fma -max-simd-width=256", 9, 64, true}, {"wasm", 1, 64, false}, {"wasm", 1, 1024, true}, {"wasm", 9, 1024, false}} {
		a := &relax.Var{Name: "a", SInfo: relax.TensorOf(dtype.Float32T, tir.Int(c.rows), tir.Int(1024))}
		bb := op.NewBlockBuilder(nil)
		bb.BeginFunction("main", []*relax.Var{a}, relax.FuncOpts{})
		bb.BeginDataflow()
		w := must(bb.Emit(op.AsType(integersOf(dtype.Int8T, 5, -8, 7, 1024, c.columns), dtype.Float32T), "w"))
		w = must(bb.Emit(op.Multiply(w, floatsOf(7, c.columns)), "w"))
		y := must(bb.EmitOutput(op.Matmul(a, w, dtype.DType{}), "y"))
		bb.EndDataflow()
		must(bb.EndFunction(y))
		out, _ := check(t, passtest.NewContext(pass.WithTarget(must(target.Parse(c.target)))), transform.PackQuantizedWeights, bb.Module())
		if packs := strings.Contains(passtest.Text(out), "dequantize_matmul"); packs != c.packs {
			t.Errorf("%s, %d rows, %d columns: packed is %v", c.target, c.rows, c.columns, packs)
		}
	}
}
