package bisect_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/bisect"
	"github.com/irscope/irscope/instruments/fault"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

const model = `from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function(private=True)
    def gate(x: R.Tensor((6, 6), "float32"), y: R.Tensor((6, 6), "float32")) -> R.Tensor((6, 6), "float32"):
        with R.dataflow():
            a: R.Tensor((6, 6), "float32") = R.sigmoid(x)
            b: R.Tensor((6, 6), "float32") = R.divide(a, R.const(2.0, "float32"))
            c: R.Tensor((6, 6), "float32") = R.multiply(b, y)
            R.output(c)
        return c
    @R.function
    def main(x: R.Tensor((6, 6), "float32"), w: R.Tensor((6, 6), "float32")) -> R.Tuple(R.Tensor((6, 6), "float32"), R.Tensor((6,), "float32")):
        cls = Module
        a: R.Tensor((6, 6), "float32") = R.matmul(x, w)
        b: R.Tensor((6, 6), "float32") = R.nn.relu(a)
        c: R.Tensor((6, 6), "float32") = R.subtract(b, w)
        d: R.Tensor((6, 6), "float32") = R.permute_dims(c, axes=[1, 0])
        e: R.Tensor((6, 6), "float32") = R.nn.softmax(d, axis=1)
        f: R.Tensor((6, 6), "float32") = R.maximum(e, x)
        g: R.Tensor((6, 6), "float32") = cls.gate(f, w)
        h: R.Tensor((6, 6), "float32") = R.add(g, R.const(-1.25, "float32"))
        k: R.Tensor((6, 6), "float32") = R.exp(h)
        l: R.Tensor((6,), "float32") = R.sum(k, axis=[1])
        m: R.Tensor((6, 6), "float32") = R.tanh(k)
        n: R.Tensor((6, 6), "float32") = R.subtract(m, c)
        return (n, l)
`

// calls returns a pass that replaces calls of an operator.
func calls(name, operator string, f func(*relax.ExprMutator, *relax.Call) relax.Expr) *pass.Pass {
	return &pass.Pass{Name: name, Kind: pass.Function, Doc: "Wrong.", Foreign: true, Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, fn *relax.Function) (*relax.Function, error) {
		mu := op.NewExprMutator(c.Step().Input)
		mu.Rewrote = func(b relax.Binding, list []relax.Binding) {
			nodes := make([]ir.Node, len(list))
			for i, x := range list {
				nodes[i] = x
			}
			c.RewriteAll("replace "+operator, []ir.Node{b}, nodes)
		}
		mu.Call = func(call *relax.Call) relax.Expr {
			if _, ok := op.Is(call, operator); ok {
				return f(mu, call)
			}
			return call
		}
		return mu.Function(fn)
	})}
}

// loops returns a pass over the PrimFuncs whose name holds a part. The functions may be nil.
func loops(name, part string, stmt func(tir.Stmt) tir.Stmt, expr func(tir.Expr) tir.Expr) *pass.Pass {
	return &pass.Pass{Name: name, Kind: pass.PrimFunc, Doc: "Wrong.", Foreign: true, Run: pass.EachPrimFunc(func(c *pass.Context, gv *ir.GlobalVar, fn *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !strings.Contains(gv.Name, part) {
			return fn, nil
		}
		report := func(before, after ir.Node) { c.Rewrite("rewrite", before, after) }
		var fs func(tir.Stmt) tir.Stmt
		var fe func(tir.Expr) tir.Expr
		if stmt != nil {
			fs = func(s tir.Stmt) tir.Stmt { out := stmt(s); report(s, out); return out }
		}
		if expr != nil {
			fe = func(e tir.Expr) tir.Expr { out := expr(e); report(e, out); return out }
		}
		return fn.WithBody(tir.RewriteStmt(fn.Body, fs, fe)), nil
	})}
}

// put returns the default pipeline with a pass behind the first one of a name.
func put(t *testing.T, behind string, p *pass.Pass) *pass.Pass {
	t.Helper()
	pl, err := pipeline.Lookup("", tgt(t))
	if err != nil {
		t.Fatal(err)
	}
	done := false
	var in func(q *pass.Pass) *pass.Pass
	in = func(q *pass.Pass) *pass.Pass {
		if q.Kind != pass.Sequential || q.Name == "FuseTIR" {
			return q
		}
		out := *q
		out.Children = nil
		for _, c := range q.Children {
			out.Children = append(out.Children, in(c))
			if c.Name == behind && !done {
				done = true
				out.Children = append(out.Children, p)
			}
		}
		return &out
	}
	if pl = in(pl); !done {
		t.Fatalf("no pass %s", behind)
	}
	return pl
}

func tgt(t *testing.T) target.Target {
	t.Helper()
	x, err := target.Parse("interp")
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func subject(t *testing.T, pl *pass.Pass) bisect.Subject {
	t.Helper()
	m, found := parse.Module("model.py", model, parse.Options{})
	for _, d := range found {
		t.Fatal(d.Format())
	}
	return bisect.Subject{Module: m, Pipeline: pl, Request: compiler.Request{Target: tgt(t)}}
}

// seeded is a miscompile: a wrong pass at its place, what shows it, and what is to be found.
type seeded struct {
	behind    string
	pass      *pass.Pass
	predicate string
	function  string // a part of the only function's name, "" where any will do
	rewrites  int    // number of rewrites at fault, 0 for any
	how       fault.How
	lines     int // the most that the smallest module may have
}

func float(v float64) tir.Expr { return tir.FloatConst(dtype.Float32T, v) }

// extent returns a statement mapper that changes the extents of loops.
func extent(change func(int64) int64) func(tir.Stmt) tir.Stmt {
	return func(s tir.Stmt) tir.Stmt {
		if f, ok := s.(*tir.For); ok {
			if n, ok := tir.AsInt(f.Extent); ok && n > 1 {
				return f.WithExtent(tir.Const(f.Extent.DType(), change(n)))
			}
		}
		return s
	}
}

// binary returns an expression mapper that changes float operations.
func binary(from, to tir.BinaryOp) func(tir.Expr) tir.Expr {
	return func(e tir.Expr) tir.Expr {
		if b, ok := e.(*tir.Binary); ok && b.Op == from && b.OperandType().IsFloat() {
			return b.WithOp(to)
		}
		return e
	}
}

// store returns a statement mapper that changes what is stored.
func store(change func(*tir.BufferStore) tir.Stmt) func(tir.Stmt) tir.Stmt {
	return func(s tir.Stmt) tir.Stmt {
		if b, ok := s.(*tir.BufferStore); ok {
			return change(b)
		}
		return s
	}
}

// inBlocks returns a statement mapper that changes blocks.
func inBlocks(change func(*tir.Block) tir.Stmt) func(tir.Stmt) tir.Stmt {
	return func(s tir.Stmt) tir.Stmt {
		if b, ok := s.(*tir.Block); ok {
			return change(b)
		}
		return s
	}
}

// argument returns a mapper of calls to one of their arguments.
func argument(i int) func(*relax.ExprMutator, *relax.Call) relax.Expr {
	return func(_ *relax.ExprMutator, c *relax.Call) relax.Expr { return c.Args[i] }
}

// swapped swaps the arguments of a call.
func swapped(_ *relax.ExprMutator, c *relax.Call) relax.Expr {
	return c.WithArgs([]relax.Expr{c.Args[1], c.Args[0]})
}

// TestSeededMiscompiles finds each wrong pass, the function that it spoils, and the rewrite, and reduces the module to a few lines.
func TestSeededMiscompiles(t *testing.T) {
	for _, s := range seeds {
		t.Run(s.pass.Name, func(t *testing.T) {
			t.Parallel()
			p, err := bisect.Parse(s.predicate)
			if err != nil {
				t.Fatal(err)
			}
			f, err := bisect.Find(t.Context(), subject(t, put(t, s.behind, s.pass)), p, hooks(), bisect.Options{})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, l := range strings.Split(f.Source, "\n") {
				if strings.TrimSpace(l) != "" {
					n++
				}
			}
			t.Logf("%s: %v (%s)\n%d tests\n%s\n%s\n%+v %s\n%s", f.Step, f.Functions, f.Detail, f.Tests, f.Passes, f.Source, f.Rewrites, f.How, f.Stopped)
			if f.Pass != s.pass.Name || len(f.Candidates) != 1 || f.Candidates[0] != f.Step {
				t.Errorf("found %s of %v, want %s", f.Pass, f.Candidates, s.pass.Name)
			}
			if len(f.Functions) != 1 || !strings.Contains(f.Functions[0], s.function) {
				t.Errorf("found the functions %v, want one with %s", f.Functions, s.function)
			}
			if s.rewrites > 0 && len(f.Rewrites) != s.rewrites || s.how != "" && f.How != s.how {
				t.Errorf("found %d rewrites (%s), want %d (%s)", len(f.Rewrites), f.How, s.rewrites, s.how)
			}
			if n > s.lines || n >= 30 || f.Stopped != "" {
				t.Errorf("%d lines, want at most %d; stopped: %q", n, s.lines, f.Stopped)
			}
			if !slices.ContainsFunc(f.Pipeline, func(p *pass.Pass) bool { return p.Name == s.pass.Name }) || len(f.Pipeline) > 4 {
				t.Errorf("the shortest pipeline is %s", f.Passes)
			}
		})
	}
}

// TestNoFault refuses what does not show, or shows from the start.
func TestNoFault(t *testing.T) {
	pl, err := pipeline.Lookup("", tgt(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ predicate, want string }{
		{"crash", "no pass fails"},
		{"invalid", "well-formed after each pass"},
		{"contains=nothing_has_it", "does not show it after any pass"},
		{"contains=R.matmul", "shows before the first pass"},
		{"wrong", "does not show it"},
	} {
		p, err := bisect.Parse(c.predicate)
		if err != nil {
			t.Fatal(err)
		}
		var not *bisect.NotHeldError
		if _, err := bisect.Find(context.Background(), subject(t, pl), p, hooks(), bisect.Options{}); !errors.As(err, &not) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.predicate, err, c.want)
		}
	}
}
