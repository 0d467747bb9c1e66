package execute_test

import (
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/check/execute"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// network has what the seeded faults need: constants, a subtraction, a relu, a softmax over a square, and a result that is a tuple.
const network = `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((6, 6), "float32"), y: R.Tensor((6, 6), "float32")) -> R.Tuple(R.Tensor((6, 6), "float32"), R.Tensor((6, 6), "float32")):
        with R.dataflow():
            a = R.matmul(x, y)
            b = R.subtract(a, y)
            c = R.nn.relu(b)
            d = R.multiply(c, R.const(2.5, "float32"))
            e = R.nn.softmax(d, axis=-1)
            f = R.matmul(e, x)
            g = R.exp(f)
            h = R.permute_dims(g, axes=[1, 0])
            i = R.add(h, d)
            out = (i, e)
            R.output(out)
        return out
`

func parsed(tb testing.TB, text string) *ir.Module {
	tb.Helper()
	mods, diags := parse.File("test.py", text, parse.Options{})
	if len(diags) > 0 {
		tb.Fatal(diags[0].Format())
	}
	return mods[0].Module
}

func imported(tb testing.TB, m gallery.Model) *ir.Module {
	tb.Helper()
	mods, _, err := frontend.Load(tb.Context(), m.Name+".onnx", m.Bytes, frontend.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return mods[0].Module
}

// lowered returns m with kernels in place of operators.
func lowered(tb testing.TB, m *ir.Module) *ir.Module {
	tb.Helper()
	return through(tb, m, transform.LegalizeOps)
}

// through returns m after a pass.
func through(tb testing.TB, m *ir.Module, p *pass.Pass) *ir.Module {
	tb.Helper()
	res, err := compiler.Passes(tb.Context(), compiler.Request{Module: m, Pipeline: pass.NewSequential("one", p)})
	if err != nil {
		tb.Fatal(err)
	}
	return res.Module
}

// inputs returns random inputs of main, where symbolic extents are n.
func inputs(tb testing.TB, m *ir.Module, n int64) []*tensor.Tensor {
	tb.Helper()
	values, err := graphrun.Inputs(ir.MustLookup[*relax.Function](m, "main"), n, 7)
	if err != nil {
		tb.Fatal(err)
	}
	var out []*tensor.Tensor
	for _, v := range values {
		out = append(out, graphrun.Tensors(v)...)
	}
	return out
}

func kind(tb testing.TB, name string) target.Target {
	tb.Helper()
	t, err := target.Parse(name)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// behind returns the default pipeline with p right behind the pass of a name.
func behind(tb testing.TB, t target.Target, name string, p *pass.Pass) *pass.Pass {
	tb.Helper()
	whole, err := pipeline.Lookup("default", t)
	if err != nil {
		tb.Fatal(err)
	}
	done := false
	var with func(q *pass.Pass) *pass.Pass
	with = func(q *pass.Pass) *pass.Pass {
		if q.Kind != pass.Sequential {
			return q
		}
		out := *q
		out.Children = nil
		for _, c := range q.Children {
			out.Children = append(out.Children, with(c))
			if c.Name == name && !done {
				done = true
				out.Children = append(out.Children, p)
			}
		}
		return &out
	}
	whole = with(whole)
	if !done {
		tb.Fatalf("the pipeline has no %s", name)
	}
	return whole
}

// checked runs a pipeline, nil for the default one, under a checker.
func checked(tb testing.TB, c *execute.Checker, m *ir.Module, t target.Target, p *pass.Pass) *check.Report {
	tb.Helper()
	level := 3
	_, err := compiler.Passes(tb.Context(), compiler.Request{
		Module: m, Target: t, Pipeline: p, OptLevel: &level, Instruments: []*pass.Instrument{c.Instrument(tb.Context())},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return c.Report()
}

// graphFault returns a pass that rewrites the first expression of Relax functions that f changes.
func graphFault(f func(relax.Expr) relax.Expr) *pass.Pass {
	return moduleFault(func(fn ir.Function, done *bool) ir.Function {
		g, ok := fn.(*relax.Function)
		if !ok {
			return fn
		}
		r := &relax.Mapper{}
		r.Expr = func(e relax.Expr) relax.Expr {
			e = r.MapExpr(e)
			if out := f(e); out != e && !*done {
				*done = true
				return out
			}
			return e
		}
		return r.MapFunction(g)
	})
}

// loopFault returns a pass that rewrites the first node of a PrimFunc that stmt or expr changes; either may be nil.
func loopFault(name string, stmt func(tir.Stmt) tir.Stmt, expr func(tir.Expr) tir.Expr) *pass.Pass {
	return moduleFault(func(fn ir.Function, done *bool) ir.Function {
		g, ok := fn.(*tir.PrimFunc)
		if !ok || ir.GlobalSymbol(g) != name && g.Attrs.Str(ir.AttrGlobalSymbol, "") != name && name != "" {
			return fn
		}
		return g.WithBody(tir.RewriteStmt(g.Body, func(s tir.Stmt) tir.Stmt {
			if stmt == nil || *done {
				return s
			}
			out := stmt(s)
			*done = *done || out != s
			return out
		}, func(e tir.Expr) tir.Expr {
			if expr == nil || *done {
				return e
			}
			out := expr(e)
			*done = *done || out != e
			return out
		}))
	})
}

// moduleFault returns a pass that changes one function.
func moduleFault(change func(fn ir.Function, done *bool) ir.Function) *pass.Pass {
	return &pass.Pass{Name: "Wrong", Kind: pass.Module, Doc: "Changes what a module computes.", Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		for gv, fn := range m.Funcs() {
			done := false
			if out := change(fn, &done); done {
				return m.With(gv.Name, out), nil
			}
		}
		return m, nil
	}}
}
