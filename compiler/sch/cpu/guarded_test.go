package cpu_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// guardedProduct is a product of matrices with rows of zeros behind those of x, where x must not be read.
const guardedProduct = `
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((60, 64), "float32"), w: T.Buffer((64, 64), "float32"), y: T.Buffer((64, 64), "float32")):
        for i, j, k in T.grid(64, 64, 64):
            with T.block("y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    y[vi, vj] = T.float32(0)
                y[vi, vj] = y[vi, vj] + T.if_then_else(vi < 60, x[vi, vk], T.float32(0)) * w[vk, vj]
        `

// TestGuardedLoadsAreNotCopied schedules a product one of whose factors is read under a condition.
func TestGuardedLoadsAreNotCopied(t *testing.T) {
	m, found := parse.Module("text.py", guardedProduct, parse.Options{})
	if len(found) > 0 {
		t.Fatal(found)
	}
	f := ir.MustLookup[*tir.PrimFunc](m, "main")
	g, err := cpu.MachineOf(target.Default()).Schedule(f, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, w := tensor.MustNew(f32, 60, 64), tensor.MustNew(f32, 64, 64)
	for _, a := range []*tensor.Tensor{x, w} {
		for i := range a.Len() {
			a.SetFloat(i, float64(i*7%11-5))
		}
	}
	args := []any{x, w, tensor.MustNew(f32, 64, 64)}
	want, err := tirtest.Run(f, args, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tirtest.Run(g, args, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := tirtest.Differ(got, want); d != "" {
		t.Error(d)
	}
}
