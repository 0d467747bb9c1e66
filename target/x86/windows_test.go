//go:build linux && amd64

package x86_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/x86"
)

// special puts NaN, infinities and zeros of both signs among the elements of a tensor.
func special(x *tensor.Tensor) *tensor.Tensor {
	values := []float64{math.NaN(), math.Copysign(0, -1), 0, math.Inf(1), math.Inf(-1), math.Copysign(math.NaN(), -1)}
	for i := 3; i < x.Len(); i += 11 {
		x.SetFloat(i, values[i%len(values)])
	}
	for i := range x.Len() / 3 { // windows of zeros alone
		x.SetFloat(i, math.Copysign(0, float64(i%7)-0.5))
	}
	return x
}

// TestWindows: pools whose results share columns or rows, are read in steps of two, or are padded image by image compute under the default schedule what the interpreter does with it, bit for bit, and
// maxima also what they are without a schedule.
func TestWindows(t *testing.T) {
	for _, c := range []struct{ c, h, k, stride, pad int }{
		{16, 9, 3, 1, 1}, {32, 21, 3, 2, 1}, {3, 38, 3, 2, 1}, {3, 36, 2, 2, 0}, {4, 16, 5, 2, 2}, {3, 7, 3, 1, 1}, {2, 70, 3, 2, 1}, {3, 33, 3, 2, 0}, {5, 17, 3, 1, 1}, {2, 37, 2, 2, 0}, {3, 40, 3, 2, 1}, {16, 14, 5, 1, 2}, {2, 19, 5, 1, 2}, {16, 8, 3, 3, 0}, {2, 35, 5, 2, 2}, {1, 18, 3, 1, 1}, {3, 14, 3, 1, 1}, {2, 13, 3, 1, 0}, {4, 12, 2, 1, 0}, {2, 6, 3, 1, 1}, {3, 15, 3, 1, 1}, {2, 5, 3, 1, 1}, {3, 9, 2, 1, 0},
	} {
		for _, kind := range []string{"max", "avg"} {
			for _, layout := range []string{"NCHW", "NCHW16c"} {
				if layout == "NCHW16c" && c.c%16 != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s %s %+v", kind, layout, c), func(t *testing.T) {
					list := pooled(kind, layout, c.c, c.h, c.k, c.stride, c.pad)
					args := tensors(t, list)
					special(args[0])
					sameScheduled(t, list, args, kind == "max")
				})
			}
		}
	}
}

// sameScheduled compares the code for tensors under the default schedules with the interpreter on what the schedules made, and with the interpreter without a schedule if that is exact.
func sameScheduled(t *testing.T, list []*te.Tensor, args []*tensor.Tensor, exact bool) {
	t.Helper()
	for name, tgt := range targets {
		sameScheduledFor(t, name, targetOf(t, tgt), machineOf(t, tgt), list, args, exact)
	}
}

// sameScheduledFor is sameScheduled for a schedule of one target, and code for a machine.
func sameScheduledFor(t *testing.T, name string, tgt target.Target, m x86.Machine, list []*te.Tensor, args []*tensor.Tensor, exact bool) {
	t.Helper()
	call := make([]any, len(args))
	for i, a := range args {
		call[i] = a
	}
	interpreted := func(f *tir.PrimFunc) []any {
		out := cloneArgs(call)
		if err := interp.Run(context.Background(), f, out, nil); err != nil {
			t.Fatal(err)
		}
		return out
	}
	plain, err := te.CreatePrimFunc(list, te.FuncOpts{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := te.CreatePrimFunc(list, te.FuncOpts{Tuned: true})
	if err != nil {
		t.Fatal(err)
	}
	f = f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "kernel")).(*tir.PrimFunc)
	if f, err = cpu.MachineOf(tgt).Schedule(f, nil, nil); err != nil {
		t.Fatal(err)
	}
	want := interpreted(f)
	if exact {
		if d := different(want, interpreted(plain), false); d != "" {
			t.Errorf("%s: the schedule differs from none: %s", name, d)
		}
	}
	_, obj, err := build(scheduled(t, tgt.String(), list), m)
	if err != nil {
		t.Fatal(err)
	}
	if !native.Host().Has(m.Features) {
		return
	}
	got, err := execute(obj, newHost(t), call)
	if err != nil {
		t.Fatal(err)
	}
	if d := different(got, want, false); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

// TestChannelsAtEdges: convolutions of each channel by itself that read images where they are compute the same at the edges as without a schedule, for rows of a vector, of several, and of less than one, and
// nothing of what lies outside gets in: not a NaN at the end of the row before. Numbers are small and whole, so that sums are exact in any order.
func TestChannelsAtEdges(t *testing.T) {
	for _, c := range []struct{ c, h, k, stride int }{{2, 7, 3, 1}, {3, 16, 3, 1}, {3, 14, 3, 1}, {2, 13, 5, 1}, {3, 15, 3, 1}, {2, 11, 7, 1}, {3, 6, 3, 1}, {2, 5, 3, 1}, {40, 7, 3, 1}, {2, 17, 5, 1}, {3, 28, 3, 1}, {2, 40, 7, 1}, {2, 33, 3, 1}, {3, 28, 3, 2}, {2, 1, 3, 1}, {3, 3, 5, 1}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			list, _ := convolved(c.c, c.c, c.h, c.k, c.stride, c.c)
			args := tensors(t, list)
			for k, a := range args {
				for i := range a.Len() {
					a.SetFloat(i, float64((i*i+3*i*k+k)%9-4))
				}
			}
			sameScheduled(t, list, args, true)
			for i := c.h - 1; i < args[0].Len(); i += c.h { // the last column
				args[0].SetFloat(i, math.NaN())
			}
			sameScheduled(t, list, args, true)
		})
	}
}
