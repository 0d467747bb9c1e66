package relaypass_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/target"
)

func quantizedProducts(t passtest.Failer) *pass.Pass {
	t.Helper()
	p, err := relaypass.QuantizedProducts.With(ir.NewAttrs("products", "all"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestQuantizedProducts: lines of a dataflow block with a result y, and what the pass leaves of them or why it leaves them.
func TestQuantizedProducts(t *testing.T) {
	const (
		s    = `, R.const(0.5, "float32")`
		zero = `, R.const(0, "int32"))`
		a    = "a = R.dequantize(x" + s + `, R.const(3, "int32"))` + "\n"
		b    = "b = R.dequantize(w" + s + zero + "\n"
	)
	type row struct {
		name, params, lines string
		calls               string // operators behind the pass, in order
		why                 string
	}
	matrices := func(depth int) string {
		return fmt.Sprintf(`x: R.Tensor((20, %[1]d), "uint8"), w: R.Tensor((%[1]d, 6), "int8")`, depth)
	}
	image := func(groups int) string {
		return fmt.Sprintf(`x: R.Tensor((1, %d, 5, 5), "int8"), w: R.Tensor((6, 4, 3, 3), "int8")`, 4*groups)
	}
	const product = "y = R.matmul(a, b)\n"
	rounded := func(x string) string { // a quantization as importers write it
		return "u0 = R.divide(" + x + `, R.const(0.125, "float32"))
u1 = R.round(u0)
u2 = R.add(u1, R.const(3.0, "float32"))
u3 = R.clip(u2, R.prim_value(T.float32(0)), R.prim_value(T.float32(255)))
y = R.astype(u3, "uint8")
`
	}
	for _, c := range []row{
		{"a product", matrices(8), a + b + product, "matmul astype sum multiply subtract astype multiply", ""},
		{"a product as importers write it", matrices(8), `a0 = R.astype(x, "int32")
a1 = R.astype(a0, "float32")
a = R.multiply(a1` + s + ")\n" + b + product, "matmul astype multiply", ""},
		{"one factor", matrices(8), a + "b = R.astype(w, \"float32\")\n" + product, "dequantize astype matmul", "a factor is not dequantized from bytes by constant scales, or not by one for all elements or for each output channel"},
		{"a scale for each column", matrices(8), a + "b = R.dequantize(w, R.const([0.5, 0.25, 0.5, 0.25, 0.5, 0.25], \"float32\")" + zero + "\n" + product, "matmul astype sum multiply subtract astype multiply", ""},
		{"a scale for each row", matrices(6), a + "b = R.dequantize(w, R.const([0.5, 0.25, 0.5, 0.25, 0.5, 0.25], \"float32\"), R.const(0, \"int32\"), axis=0)\n" + product, "dequantize dequantize matmul", "a factor is not dequantized from bytes by constant scales, or not by one for all elements or for each output channel"},
		{"a negative scale", matrices(8), a + "b = R.dequantize(w, R.const(-0.5, \"float32\")" + zero + "\n" + product, "dequantize dequantize matmul", "a factor is not dequantized from bytes by constant scales, or not by one for all elements or for each output channel"},
		{"a scale that is not known", matrices(8) + `, s: R.Tensor((), "float32")`, a + "b = R.dequantize(w, s" + zero + "\n" + product, "dequantize dequantize matmul", "a factor is not dequantized from bytes by constant scales, or not by one for all elements or for each output channel"},
		{"room for the sums", matrices(66576), a + b + product, "matmul astype sum multiply subtract astype multiply", ""}, // 66576 * 252 * 128 is 2147475456
		{"no room for the sums", matrices(66577), a + b + product, "dequantize dequantize matmul", "its sums may be as large as 2147507712, for which int32 has no room"},
		{
			"a bias", matrices(8) + `, v: R.Tensor((6,), "int32")`, a + b + "c = R.dequantize(v, R.const(0.25, \"float32\")" + zero + "\nd = R.matmul(a, b)\ne = R.add(d, c)\ny = R.quantize(e" + s + zero + "\n",
			"dequantize matmul astype sum multiply subtract astype multiply add quantize", "its sums may be as large as 2147741696, for which int32 has no room",
		},
		{
			"a constant bias", matrices(8), a + b + "c = R.dequantize(R.const([1, 2, 3, 4, 5, 6], \"int32\"), R.const(0.25, \"float32\")" + zero + "\nd = R.matmul(a, b)\ne = R.add(d, c)\ny = R.quantize(e" + s + zero + "\n",
			"matmul astype sum multiply subtract add astype multiply quantize", "",
		},
		{
			"a bias of another scale", matrices(8), a + b + "c = R.dequantize(R.const(1, \"int32\"), R.const(0.3, \"float32\")" + zero + "\nd = R.matmul(a, b)\ne = R.add(d, c)\ny = R.quantize(e" + s + zero + "\n",
			"dequantize matmul astype sum multiply subtract astype multiply add quantize", "the scales of what is added are not those of the sums",
		},
		{
			"a bias and limits", matrices(8), a + b + "c = R.dequantize(R.const([1, 2, 3, 4, 5, 6], \"int32\"), R.const(0.25, \"float32\")" + zero + "\nd = R.matmul(a, b)\ne = R.add(d, c)\nf = R.clip(e, R.prim_value(T.float32(0)), R.prim_value(T.float32(6)))\n" + rounded("f"),
			"matmul astype sum multiply subtract add astype multiply clip round astype add astype", "",
		},
		{
			"a bias where the sums of weights are known", `x: R.Tensor((20, 4), "uint8")`, a + "b = R.dequantize(R.const([[1, -2], [3, 4], [5, 6], [7, 8]], \"int8\")" + s + zero + "\nc = R.dequantize(R.const([1, 2], \"int32\"), R.const(0.25, \"float32\")" + zero + "\nd = R.matmul(a, b)\ne = R.add(d, c)\n" + rounded("e"),
			"matmul multiply subtract add astype multiply clip round astype add astype", "",
		},
		{"a convolution", image(1), a + b + "y = R.nn.conv2d(a, b)\n", "conv2d astype sum reshape multiply subtract astype multiply", ""},
		{"padding is zero", image(1), a + b + "y = R.nn.conv2d(a, b, padding=1)\n", "pad conv2d astype sum reshape multiply subtract astype multiply", ""},
		{"a layout", image(1), a + b + "y = R.nn.conv2d(R.permute_dims(a, [0, 2, 3, 1]), b, data_layout=\"NHWC\")\n", "dequantize permute_dims astype subtract astype multiply conv2d", "its layouts are not NCHW and OIHW"},
		{"groups", image(2), a + b + "y = R.nn.conv2d(a, b, groups=2)\n", "dequantize dequantize conv2d", "bytes of groups of channels make no words: blocks of channels of real numbers are faster"},
		{"a row", `x: R.Tensor((1, 4, 5), "int8"), w: R.Tensor((6, 4, 3), "int8")`, a + b + "y = R.nn.conv1d(a, b)\n", "expand_dims expand_dims conv2d astype sum reshape multiply subtract squeeze astype multiply", ""},
		{"moves", `x: R.Tensor((8, 20), "uint8"), w: R.Tensor((8, 6), "int8")`, a + b + "c = R.permute_dims(a)\nd = R.nn.relu(c)\ny = R.matmul(d, b)\n", "permute_dims maximum matmul astype sum multiply subtract astype multiply", ""},
		{
			"moves of channels", `x: R.Tensor((20, 6), "uint8"), w: R.Tensor((8, 6), "int8")`, a + "b = R.dequantize(w, R.const([0.5, 0.25, 0.5, 0.25, 0.5, 0.25, 0.5, 0.25], \"float32\"), R.const(0, \"int32\"), axis=0)\nc = R.permute_dims(b)\ny = R.matmul(a, c)\n",
			"permute_dims matmul astype sum multiply subtract astype multiply", "",
		},
		{"moves that nothing needs", matrices(8), a + "c = R.permute_dims(a)\ny = R.exp(c)\n", "dequantize permute_dims exp", ""},
		{"no change", matrices(8), a + "c = R.reshape(a, R.shape([160]))\ny = R.quantize(c" + s + `, R.const(3, "int32"), out_dtype="uint8")` + "\n", "reshape", ""},
		{"another zero point", matrices(8), a + "c = R.reshape(a, R.shape([160]))\ny = R.quantize(c" + s + `, R.const(4, "int32"), out_dtype="uint8")` + "\n", "reshape astype subtract astype multiply quantize", ""},
		{"parts", matrices(8), a + "p = R.split(a, 2, axis=0)\nq = p[0]\nr = p[1]\nc = R.concat((r, q), axis=0)\ny = R.quantize(c" + s + `, R.const(3, "int32"), out_dtype="uint8")` + "\n", "split concat", ""},
		{"windows of padding", `x: R.Tensor((1, 4, 5, 5), "int8")`, "a = R.dequantize(x" + s + zero + "\nc = R.nn.max_pool2d(a, pool_size=[1, 1], padding=[1, 1, 1, 1])\ny = R.quantize(c" + s + zero + "\n", "dequantize max_pool2d quantize", "windows may hold padding alone"},
		{"the largest", `x: R.Tensor((1, 4, 5, 5), "int8")`, "a = R.dequantize(x" + s + zero + "\nc = R.nn.max_pool2d(a, pool_size=[2, 2], padding=[1, 1, 1, 1])\ny = R.quantize(c" + s + zero + "\n", "max_pool2d", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "@R.function\ndef main(" + c.params + "):\n    with R.dataflow():\n        " + strings.ReplaceAll(c.lines, "\n", "\n        ") + "R.output(y)\n    return y\n"
			m, found := parse.Module("test.py", text, parse.Options{})
			if m == nil {
				t.Fatalf("%v\n%s", found, text)
			}
			l := &passtest.Listener{}
			out, _ := passtest.Check(t, passtest.NewContext(pass.Observe(l)), quantizedProducts(t), m)
			var calls []string
			for line := range strings.Lines(passtest.Text(out)) {
				if _, call, ok := strings.Cut(line, " = R."); ok {
					name, _, _ := strings.Cut(call, "(")
					calls = append(calls, strings.TrimPrefix(name, "nn."))
				}
			}
			if got := strings.Join(calls, " "); got != c.calls {
				t.Errorf("calls %s\nwant  %s\n%s", got, c.calls, passtest.Text(out))
			}
			why := ""
			if len(l.Decisions) > 0 { // those of the second run are others
				why = l.Decisions[0].Reason
			}
			if why != c.why {
				t.Errorf("the reason is %q, want %q", why, c.why)
			}
		})
	}
}

// TestQuantizedProductsTargets: bytes are multiplied where the target has instructions for words of them.
func TestQuantizedProductsTargets(t *testing.T) {
	const text = `@R.function
def main(x: R.Tensor((32, 8), "uint8"), w: R.Tensor((8, 16), "int8")):
    with R.dataflow():
        a = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "int32"))
        b = R.dequantize(w, R.const(0.25, "float32"), R.const(0, "int32"))
        c = R.matmul(a, b)
        R.output(c)
    return c
`
	for name, want := range map[string]bool{"x86 -mattr=+avx512vnni": true, "x86 -mattr=+avx2": true, "x86 -mattr=+avx512f": false, "wasm": false, "interp": false, "cuda": false} {
		m, _ := parse.Module("test.py", text, parse.Options{})
		tg, err := target.Parse(name)
		if err == nil {
			tg, err = tg.Explicit(nil)
		}
		if m == nil || err != nil {
			t.Fatal(err)
		}
		out, _ := passtest.Check(t, passtest.NewContext(pass.WithTarget(tg)), relaypass.QuantizedProducts, m)
		if got := out != m; got != want {
			t.Errorf("%s: changed is %v", name, got)
		}
	}
}
