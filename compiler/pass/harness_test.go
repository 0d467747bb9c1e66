package pass_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// registry is a Registry over a list.
type registry []*pass.Pass

func (r registry) Lookup(name string) *pass.Pass {
	for _, p := range r {
		if p.Name == name || name == "alias of "+p.Name {
			return p
		}
	}
	return nil
}

func (r registry) Nearest(name string) string {
	for _, p := range r {
		if strings.HasPrefix(p.Name, name[:1]) {
			return p.Name
		}
	}
	return ""
}

// trace collects what happened, in order.
type trace []string

func (t *trace) add(s string) { *t = append(*t, s) }

func (t *trace) want(tb testing.TB, want string) {
	tb.Helper()
	if got := strings.Join(*t, " "); got != want {
		tb.Errorf("happened:\n  %s\nwant:\n  %s", got, want)
	}
}

// instrument logs every callback to t; fail names the callback that fails.
func (t *trace) instrument(name, fail string) *pass.Instrument {
	log := func(what string) error {
		t.add(what + name)
		if what == fail {
			return errBoom
		}
		return nil
	}
	return &pass.Instrument{
		Name:         name,
		EnterPassCtx: func() error { return log("enter") },
		ExitPassCtx:  func() error { return log("exit") },
		ShouldRun: func(_ *ir.Module, _ *pass.Step) (bool, error) {
			return fail != "veto", log("should")
		},
		RunBeforePass: func(_ *ir.Module, _ *pass.Step) error { return log("before") },
		RunAfterPass:  func(_ *ir.Module, _ *pass.Step) error { return log("after") },
	}
}

// pass returns a module pass that logs its name and changes nothing.
func (t *trace) pass(name string, level int, required ...string) *pass.Pass {
	p, err := pass.NewModulePass(name, level, func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		t.add(name)
		return m, nil
	}, required...)
	if err != nil {
		panic(err)
	}
	return p
}

var errBoom = errors.New("boom")

func newContext(tb testing.TB, opts ...pass.ContextOption) *pass.Context {
	tb.Helper()
	c, err := pass.NewContext(context.Background(), opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func run(tb testing.TB, c *pass.Context, p *pass.Pass, m *ir.Module) *ir.Module {
	tb.Helper()
	out, err := c.Run(p, m)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// testModule has two Relax functions, of which one is kept from function passes, and a kernel.
func testModule() *ir.Module {
	x := &relax.Var{Name: "x", SInfo: relax.StaticTensor(dtype.Float32T, 2)}
	fn := func(attrs *ir.Attrs) *relax.Function {
		return &relax.Function{Params: []*relax.Var{x}, Body: &relax.SeqExpr{Body: x}, Ret: x.SInfo, Pure: true, Attrs: attrs}
	}
	kernel := &tir.PrimFunc{RetType: ir.VoidType(), Body: &tir.Evaluate{Value: tir.Int(0)}}
	return ir.NewModule().With("main", fn(nil)).With("skipped", fn(ir.NewAttrs(pass.AttrSkipOptimization, 1))).With("kernel", kernel)
}

func wantAs[E error](tb testing.TB, err error, parts ...string) {
	tb.Helper()
	var e E
	if !errors.As(err, &e) {
		tb.Fatalf("error is %v (%T), want a %T", err, err, e)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			tb.Errorf("error %q does not mention %q", err, p)
		}
	}
}

func names(list []string, want ...string) bool { return slices.Equal(list, want) }
