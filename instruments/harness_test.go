package instruments_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/dtype"
)

// sink keeps events and texts.
type sink struct {
	events []event.Event
	texts  map[string]string
}

func (s *sink) Emit(e event.Event) error { s.events = append(s.events, e); return nil }

func (s *sink) Text(_, text string) (string, error) {
	if s.texts == nil {
		s.texts = map[string]string{}
	}
	h := event.HashText(text)
	s.texts[h] = text
	return h, nil
}

// HashedText implements event.HashedSink, and trusts nobody.
func (s *sink) HashedText(language, hash, text string) error {
	h, err := s.Text(language, text)
	if err == nil && h != hash {
		err = fmt.Errorf("a text with hash %s is said to have %s", h, hash)
	}
	return err
}

// mlp is a module with main: one convolution or matmul, a bias and a relu.
func mlp(tb testing.TB) *ir.Module {
	tb.Helper()
	x := &relax.Var{Name: "x", SInfo: relax.StaticTensor(dtype.Float32T, 3, 8)}
	w := &relax.Constant{Data: ir.Float32Blob([]int64{8, 4}, make([]float32, 32)...)}
	return build(tb, x, func(b *relax.BlockBuilder) relax.Expr {
		m, err := b.Emit(op.Matmul(x, w, dtype.Void), "fc1")
		if err != nil {
			tb.Fatal(err)
		}
		return op.Relu(m)
	})
}

func conv(tb testing.TB) *ir.Module {
	tb.Helper()
	x := &relax.Var{Name: "x", SInfo: relax.StaticTensor(dtype.Float32T, 1, 4, 6, 6)}
	w := &relax.Constant{Data: ir.Float32Blob([]int64{5, 4, 3, 3}, make([]float32, 180)...)}
	return build(tb, x, func(*relax.BlockBuilder) relax.Expr { return op.Conv2D(x, w, op.Conv2DAttrs{}) })
}

func build(tb testing.TB, x *relax.Var, body func(*relax.BlockBuilder) relax.Expr) *ir.Module {
	tb.Helper()
	b := op.NewBlockBuilder(nil)
	b.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	b.BeginDataflow()
	out, err := b.EmitOutput(body(b), "out")
	if err != nil {
		tb.Fatal(err)
	}
	b.EndDataflow()
	if _, err := b.EndFunction(out); err != nil {
		tb.Fatal(err)
	}
	return b.Module()
}

func runPass(tb testing.TB, p *pass.Pass, m *ir.Module, list ...*pass.Instrument) (*ir.Module, error) {
	tb.Helper()
	c, err := pass.NewContext(context.Background(), pass.Instruments(list...))
	if err != nil {
		tb.Fatal(err)
	}
	var s pass.Stack
	out := m
	err = s.With(c, func(c *pass.Context) error {
		r, err := c.Run(p, m)
		if err == nil {
			out = r
		}
		return err
	})
	return out, err
}

func mustRun(tb testing.TB, p *pass.Pass, m *ir.Module, list ...*pass.Instrument) *ir.Module {
	tb.Helper()
	out, err := runPass(tb, p, m, list...)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// legalized is a pipeline of two passes that change something and one that does not.
func legalized() *pass.Pass {
	return pass.NewSequential("zero", transform.LegalizeOps, transform.AnnotateTIROpPattern, transform.DeadCodeElimination)
}

// touch is a pass that changes the attributes of one function.
func touch(name string) *pass.Pass {
	n := 0
	return &pass.Pass{Name: "Touch", Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		n++
		f := m.Lookup(name)
		return m.With(name, f.WithFuncAttrs(f.FuncAttrs().With("touched", n))), nil
	}}
}

// large is a module of n kernels of about 50 lines each.
func large(n int) *ir.Module {
	e := ir.NewModule().Edit()
	for i := range n {
		b := tir.NewBuffer("A", dtype.Float32T, []tir.Expr{tir.Int(1024)}, "")
		var stores []tir.Stmt
		for k := range 46 {
			stores = append(stores, tir.Store(b, tir.Add(tir.Load(b, tir.Int(int64(k))), &tir.FloatImm{Type: dtype.Float32T, Value: float64(i)}), tir.Int(int64(k+1))))
		}
		p := tir.NewVar("a", dtype.HandleT)
		e.Set("kernel"+strconv.Itoa(i), &tir.PrimFunc{
			Params: []*tir.Var{p}, Buffers: []*tir.Buffer{b}, RetType: ir.VoidType(), Body: tir.Seq(stores...), Attrs: ir.NewAttrs("global_symbol", fmt.Sprint("kernel", i)),
		})
	}
	return e.Done()
}

func contains(tb testing.TB, text string, parts ...string) {
	tb.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			tb.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}
