package compiler_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tir/work"
	"github.com/irscope/irscope/compiler/topi/topitest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// counted returns what the analysis says of a call, and what the interpreter executes.
func counted(t *testing.T, f *tir.PrimFunc, args []any) (work.Count, interp.Ops) {
	t.Helper()
	var ops interp.Ops
	if _, err := tirtest.Run(f, args, &interp.Options{Ops: &ops}); err != nil {
		t.Fatal(err)
	}
	in := make([]work.Arg, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case *tensor.Tensor:
			in[i].Shape = a.Shape
		case int64:
			in[i].Value = a
		case int:
			in[i].Value = int64(a)
		}
	}
	got, err := work.Of(f, in)
	if err != nil {
		t.Fatal(err)
	}
	return got, ops
}

// fits reports whether a count is right: exact, or not less where it says that it is a bound.
func fits(c work.Count, ran interp.Ops) bool {
	if c.Partial {
		return true
	}
	if c.Bound {
		return c.Flops >= ran.Flops && c.Special >= ran.Special
	}
	return c.Flops == ran.Flops && c.Special == ran.Special
}

// unpacked runs the loop passes up to the packed calling convention.
func unpacked(t *testing.T, f *tir.PrimFunc) *tir.PrimFunc {
	t.Helper()
	c, err := pass.NewContext(context.Background(), pass.WithTarget(target.Default()))
	if err != nil {
		t.Fatal(err)
	}
	lower, err := pipeline.Lookup("tir", target.Default())
	if err != nil {
		t.Fatal(err)
	}
	n := slices.IndexFunc(lower.Children, func(p *pass.Pass) bool { return p.Name == "tir.MakePackedAPI" })
	m, err := c.Run(pass.NewSequential("unpacked", lower.Children[:n]...), ir.NewModule().With("kernel", f))
	if err != nil {
		t.Fatal(err)
	}
	return m.Lookup("kernel").(*tir.PrimFunc)
}

// TestWorkOfKernels compares the static counts of all kernels with what the interpreter executes, as they are written and as
// code is generated from them.
func TestWorkOfKernels(t *testing.T) {
	exact, bound := 0, 0
	for name, k := range topitest.Kernels(t) {
		t.Run(name, func(t *testing.T) {
			f, args := topitest.Function(t, k)
			for _, f := range []*tir.PrimFunc{f, unpacked(t, f)} {
				got, ran := counted(t, f, args)
				if !fits(got, ran) {
					t.Errorf("counted %+v, the interpreter ran %+v", got, ran)
				}
				if got.Bound || got.Partial {
					bound++
				} else {
					exact++
				}
			}
		})
	}
	t.Logf("%d exact, %d bounds", exact, bound)
	if exact < 2*bound {
		t.Errorf("%d counts are exact and %d are only bounds", exact, bound)
	}
}

// TestWorkOfRandomFunctions does so for random functions as they are written. Lowered, they have vectors of which the
// interpreter computes what is common to the lanes once for each.
func TestWorkOfRandomFunctions(t *testing.T) {
	seed.Each(t, 300, func(t *testing.T, r *rand.Rand) {
		f, args := tirtest.Function(r)
		if got, ran := counted(t, f, args); !fits(got, ran) {
			t.Errorf("counted %+v, the interpreter ran %+v", got, ran)
		}
	})
}

// TestWorkOfLoops: extents that depend on other loops, sizes that are known at the call only, conditions, tables, and what cannot
// be counted.
func TestWorkOfLoops(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       work.Count
	}{
		{"triangle", `
        for i in range(10):
            for j in range(i):
                y[i] = y[i] + x[j] * x[i]`, work.Count{Flops: 90, Read: 80, Written: 40}},
		{"symbolic", `
        for i in range(n):
            for j in range(n - i):
                y[i] = T.exp(x[j]) + T.float32(1)`, work.Count{Flops: 55, Special: 55, Read: 40, Written: 40}},
		{"padding", `
        for i, k in T.grid(10, 3):
            y[i] = y[i] + T.if_then_else(1 <= i + k and i + k < 11, x[i + k - 1], T.float32(0)) * T.float32(2)`, work.Count{Flops: 60, Read: 80, Written: 40}},
		{"guard", `
        for i in range(10):
            if x[i] > T.float32(0):
                y[i] = x[i] * x[i]`, work.Count{Flops: 10, Read: 40, Written: 40, Bound: true}},
		{"decided", `
        for i in range(10):
            if i < 12:
                y[i] = x[i] * x[i]
            else:
                y[i] = x[i] * x[i] * x[i] * x[i]`, work.Count{Flops: 10, Read: 40, Written: 40}},
		{"vectors", `
        y[0:4] = x[0:4] * T.Broadcast(T.float32(2), 4)
        y[4:8] = T.exp(x[4:8])`, work.Count{Flops: 4, Special: 4, Read: 32, Written: 32}},
		{"fused", `
        for i in range(10):
            y[i] = T.fma(x[i], x[i], y[i])`, work.Count{Flops: 20, Read: 80, Written: 40}},
		{"bytes", `
        for i in range(10):
            y[i] = T.Cast("float32", T.dp4a(T.reinterpret("int32", x[i]), T.reinterpret("uint32", x[i]), 0))
        y[0:4] = T.Cast("float32x4", T.dp4a(T.Broadcast(3, 4), T.Broadcast(4, 4), T.Broadcast(0, 4)))`, work.Count{ByteOps: 112, Read: 40, Written: 40}},
		{"table", `
        y[0] = x[3]`, work.Count{Read: 4, Written: 4}},
		{"while", `
        while y[0] < T.float32(7):
            y[0] = y[0] + x[0]`, work.Count{Flops: 1, Read: 12, Written: 4, Partial: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := "from tvm.script import tir as T\n@T.prim_func\ndef f(a: T.handle, b: T.handle):\n    n = T.int64()\n" +
				"    x = T.match_buffer(a, (n,))\n    y = T.match_buffer(b, (n,))\n" + strings.ReplaceAll(tt.body, "\n    ", "\n")[1:] + "\n"
			m, diags := parse.Module("f.py", text, parse.Options{})
			if len(diags) > 0 {
				t.Fatalf("%v in\n%s", diags, text)
			}
			ten := work.Arg{Shape: []int64{10}}
			got, err := work.Of(m.Lookup("f").(*tir.PrimFunc), []work.Arg{ten, ten})
			if err != nil || got != tt.want {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}
