//go:build linux && amd64

package x86_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
)

// meaningful reports whether the interpreter runs f, and gives the same whatever elements hold that nobody wrote.
func meaningful(f *tir.PrimFunc, args []any) bool {
	want, zeroed := cloneArgs(args), cloneArgs(args)
	if interp.Run(context.Background(), f, want, nil) != nil || interp.Run(context.Background(), f, zeroed, &interp.Options{Zeroed: true}) != nil {
		return false
	}
	return different(zeroed, want, false) == ""
}

// TestRandomPrograms compares generated code with the interpreter, bit for bit.
func TestRandomPrograms(t *testing.T) {
	h := newHost(t)
	seed.Each(t, seed.Cases(150, 1000), func(t *testing.T, r *rand.Rand) {
		f, args := tirtest.Lowered(r)
		if r.IntN(2) == 0 {
			f = contracted(t, f)
		}
		bad := func(f *tir.PrimFunc) bool {
			if !meaningful(f, args) {
				return false
			}
			s, _ := wrong(h, f, pack(t, f), args)
			return s != ""
		}
		if bad(f) {
			small := tirtest.Shrink(f, bad)
			s, lib := wrong(h, small, pack(t, small), args)
			t.Errorf("%s\nreduced to\n%s", s, script.Node(small, script.Options{}))
			if lib != nil && len(lib.Kernels) > 0 {
				t.Log(lib.Kernels[0].Text())
			}
		}
	})
}

// someForked fails where no loop was forked, as then nothing was said of forks. A few cases alone may have none.
func someForked(t *testing.T, h *host) {
	t.Helper()
	if h.forks == 0 && os.Getenv("IRSCOPE_CASE") == "" {
		t.Error("no loop was forked")
	}
	t.Logf("%d loops were forked", h.forks)
}

// lower runs the loop pipeline of the target on a function.
func lower(t testing.TB, f *tir.PrimFunc, more ...pass.ContextOption) []codegen.Func {
	t.Helper()
	tg := target.Of("wasm")
	c, err := pass.NewContext(context.Background(), append(more, pass.WithTarget(tg))...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.Lookup("tir", tg)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Run(p, ir.NewModule().With("kernel", f))
	if err != nil {
		t.Fatal(err)
	}
	return codegen.Funcs(m)
}

// TestRandomNests lowers random nests of blocks by the loop pipeline and compares generated code with the interpreter's run of what was before. The simplifier
// takes x + 0 for x, so the signs of zeros may differ.
func TestRandomNests(t *testing.T) { randomNests(t, func(*tir.PrimFunc) {}) }

// TestLateUnrolling does the same where the pipeline leaves the copies of loops to the generator.
func TestLateUnrolling(t *testing.T) {
	left := 0
	randomNests(t, func(f *tir.PrimFunc) {
		ir.Walk(f.Body, func(n ir.Node) bool {
			if l, ok := n.(*tir.For); ok && l.Kind == tir.Unrolled {
				left++
			}
			return true
		})
	}, pass.Configure(map[string]any{"tir.UnrollLoop": map[string]any{"explicit_unroll": false, "auto_max_step": 32, "auto_max_extent": 8}}))
	if left == 0 {
		t.Error("no loop was left to the generator")
	}
}

func randomNests(t *testing.T, look func(lowered *tir.PrimFunc), more ...pass.ContextOption) {
	h := newHost(t)
	h.anyZero = true
	seed.Each(t, seed.Cases(150, 1000), func(t *testing.T, r *rand.Rand) {
		f, args := tirtest.Function(r)
		funcs := lower(t, f, more...)
		look(funcs[0].Prim)
		s, lib := wrong(h, f, funcs, args)
		if s == "" || strings.HasPrefix(s, "interpreter: ") {
			return
		}
		t.Errorf("%s\n%s", s, script.Node(funcs[0].Prim, script.Options{}))
		if lib != nil && len(lib.Kernels) > 0 {
			t.Log(lib.Kernels[0].Text())
		}
	})
	someForked(t, h)
}
