package transform_test

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/relaxtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

const weighted = `
@R.function
def main(x: R.Tensor((16,), "float32"), weight: R.Tensor((32, 16), "float32")) -> R.Tensor((32,), "float32"):
    out: R.Tensor((32,), "float32") = R.matmul(weight, x)
    return out
`

const symbolicCast = `
@R.function
def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    a: R.Tensor((n,), "float32") = R.add(x, x)
    b = R.match_cast(a, R.Tensor((n,), "float32"))
    d = R.call_pure_packed("copy", b, sinfo_args=R.Tensor((n,), "float32"))
    e: R.Tensor((n,), "float32") = R.maximum(a, b)
    g: R.Tensor((n,), "float32") = R.maximum(d, e)
    return g
`

const weightedMore = `
@R.function
def main(x: R.Tensor((16,), "float32"), weight: R.Tensor((64, 16), "float32")) -> R.Tensor((64,), "float32"):
    out: R.Tensor((64,), "float32") = R.matmul(weight, x)
    return out
`

const symbolicWeight = `
@R.function
def main(x: R.Tensor((16,), "float32"), weight: R.Tensor(("n", 16), "float32")) -> R.Tensor(("n * 2",), "float32"):
    n = T.int64()
    out = R.matmul(weight, x)
    two = R.concat((out, out))
    return two
`

func TestUpdateParamStructInfoPairs(t *testing.T) {
	to := func(name string, kv ...any) *ir.Attrs {
		return ir.NewAttrs("sinfo_func", ir.NewAttrs(name, ir.NewAttrs(kv...)))
	}
	shape := func(dims ...ir.Value) []ir.Value { return dims }
	runPairs(t, transform.UpdateParamStructInfo,
		pair{name: "shape", before: weighted, args: to("weight", "shape", shape(int64(64), int64(16))), after: weightedMore},
		pair{name: "the same shape", before: weighted, args: to("weight", "shape", shape(int64(32), int64(16)))},
		pair{name: "element type", before: symbolicWeight, args: ir.NewAttrs("sinfo_func", ir.NewAttrs("weight", ir.NewAttrs("dtype", "float16"), "x", ir.NewAttrs("dtype", "float16"))), after: `
@R.function
def main(x: R.Tensor((16,), "float16"), weight: R.Tensor(("n", 16), "float16")) -> R.Tensor(("n * 2",), "float16"):
    n = T.int64()
    out = R.matmul(weight, x)
    two = R.concat((out, out))
    return two
`},
		pair{name: "a symbolic variable that is not there any more", before: symbolicWeight, args: to("weight", "shape", shape(int64(5), int64(16))), after: `
@R.function
def main(x: R.Tensor((16,), "float32"), weight: R.Tensor((5, 16), "float32")) -> R.Tensor((10,), "float32"):
    out = R.matmul(weight, x)
    two = R.concat((out, out))
    return two
`},
		pair{name: "one that is elsewhere", before: symbolicWeight, args: to("x", "shape", shape(int64(16), "n")), after: `
@R.function
def main(x: R.Tensor((16, "n"), "float32"), weight: R.Tensor(("n", 16), "float32")) -> R.Tensor(("n * 2", "n"), "float32"):
    n = T.int64()
    out = R.matmul(weight, x)
    two = R.concat((out, out))
    return two
`},
		pair{name: "what a match_cast and the result of a kernel say", before: symbolicCast, args: to("x", "shape", shape(int64(2))), after: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        a: R.Tensor((2,), "float32") = R.add(x, x)
        b = R.match_cast(a, R.Tensor((2,), "float32"))
        d = R.call_pure_packed("copy", b, sinfo_args=R.Tensor((2,), "float32"))
        e: R.Tensor((2,), "float32") = R.maximum(a, b)
        g: R.Tensor((2,), "float32") = R.maximum(d, e)
        return g
`},
		pair{name: "nothing", before: weighted},
		pair{name: "no such parameter", before: weighted, args: to("w"), err: "sinfo_func: no function has a parameter called w"},
		pair{name: "no such field", before: weighted, args: to("weight", "ndim", 2), err: "sinfo_func: weight: ndim: there is dtype and shape"},
		pair{name: "no type", before: weighted, args: to("weight", "dtype", "real"), err: `sinfo_func: weight: dtype is "real", want an element type`},
		pair{name: "no shape", before: weighted, args: to("weight", "shape", 2), err: `sinfo_func: weight: shape is 2, want a list of extents`},
		pair{name: "no extent", before: weighted, args: to("weight", "shape", shape(-2)), err: `sinfo_func: weight: shape: the extent -2, want a whole number of 0 or more, or the name of a symbolic variable`},
		pair{name: "no such variable", before: weighted, args: to("weight", "shape", shape("k")), err: `sinfo_func: weight: shape: the function has no symbolic variable called k; there are none`},
		pair{name: "a variable that nothing defines", before: symbolicWeight, args: to("weight", "shape", shape(int64(16))), err: "the parameters do not define the symbolic variable n any more"},
		pair{name: "a product that does not fit", before: weighted, args: to("weight", "shape", shape(int64(32), int64(15))), err: "expected 15 as extent of the reduction, as in the shape (32, 15) of x1, got (16,)"},
		pair{name: "a function that is called", args: to("A", "shape", shape(int64(4))), before: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        y = Module.part(x)
        return y

    @R.function(private=True)
    def part(A: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        return A
`, err: "part is called by main, with arguments for the parameters that it has now; inline it first"},
	)
	by := transform.UpdateParamStructInfoBy(func(p *relax.Var) (relax.StructInfo, error) {
		if p.Name == "weight" {
			return relax.StaticTensor(dtype.Float32T, 64, 16), nil
		}
		return nil, nil
	})
	runPairs(t, by, pair{name: "by a function", before: weighted, after: weightedMore})
}

// TestUpdateParamStructInfoMeaning makes the extents of random programs that are symbolic known, as BindSymbolicVars does.
func TestUpdateParamStructInfoMeaning(t *testing.T) {
	seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
		m := relaxtest.Module(r)
		want := outputs(t, m, 2, false)
		p := transform.UpdateParamStructInfoBy(func(p *relax.Var) (relax.StructInfo, error) {
			return relax.Subst{Prims: twos(p.SInfo)}.SInfo(p.SInfo), nil
		})
		out, err := passtest.NewContext().Run(p, m)
		if err != nil {
			t.Fatalf("%v\n%s", err, passtest.Text(m))
		}
		passtest.WellFormed(t, "after UpdateParamStructInfo", out)
		sameOutputs(t, want, outputs(t, out, 2, false))
	})
}

// twos gives all symbolic variables of a struct info the value 2.
func twos(info relax.StructInfo) map[*tir.Var]tir.Expr {
	out := map[*tir.Var]tir.Expr{}
	for _, v := range relax.FreeSymbolicVars(info) {
		out[v] = tir.Int(2)
	}
	return out
}
