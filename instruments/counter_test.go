package instruments_test

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
)

// TestStructure compares what is counted on the way with what a plain walk finds, in random kernels of all stages.
func TestStructure(t *testing.T) {
	var sum event.Structure
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		fn, _ := tirtest.Lowered(r)
		if seed%2 == 0 {
			fn, _ = tirtest.Function(r)
		}
		meter := instruments.NewMeter()
		meter.Measure(ir.NewModule().With("k", fn))
		var want event.Structure
		for _, b := range fn.Buffers {
			if b != nil {
				want.Buffers++
			}
		}
		ir.Walk(fn.Body, func(n ir.Node) bool {
			switch n := n.(type) {
			case *tir.For, *tir.While:
				want.Loops++
			case *tir.Block:
				want.Blocks++
				want.Buffers += len(n.AllocBuffers)
			case *tir.Allocate, *tir.AllocateConst, *tir.BufferRealize:
				want.Buffers++
			case *tir.Call:
				want.Calls++
			}
			return true
		})
		if got := meter.Function("k").Structure; got != want {
			t.Errorf("seed %d: counted %+v, a walk finds %+v", seed, got, want)
		}
		sum.Add(want, 1)
	}
	if sum.Loops == 0 || sum.Blocks == 0 || sum.Buffers == 0 || sum.Calls == 0 {
		t.Errorf("the kernels are built of %+v", sum)
	}
}
