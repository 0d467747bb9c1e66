package dlight

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// checkThreads declines a schedule whose kernels have loops of one thread over different ranges, as where a tile is larger than the axis that it is a
// tile of: all threads of a kernel are launched together. TVM's rules leave that to the passes behind them.
func checkThreads(f *tir.PrimFunc) {
	an := arith.NewAnalyzer()
	var first map[string]*tir.For // of the kernel; nil outside of kernels
	var visit func(ir.Node)
	visit = func(n ir.Node) {
		l, ok := n.(*tir.For)
		if !ok || l.Thread == nil {
			n.EachChild(visit)
			return
		}
		if first == nil {
			first = map[string]*tir.For{}
			defer func() { first = nil }()
		}
		tag := l.Thread.ThreadTag
		if have := first[tag]; have == nil {
			first[tag] = l
		} else {
			declineIf(!an.CanProveEqual(have.Extent, tir.CastTo(have.Extent.DType(), l.Extent)), "loops %s and %s are both run by %s, and their extents differ", have.LoopVar.Name, l.LoopVar.Name, tag)
		}
		n.EachChild(visit)
	}
	visit(f.Body)
}
