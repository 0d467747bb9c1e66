package cpu

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/libm"
)

// epilogue are the blocks behind a reduction that are computed where its results are written. One that evaluates an elementary function, as a gelu does, is not among them if the sums of
// the tile take most registers: the function is a long chain of operations, of which only several side by side keep a processor busy, and these need registers. It runs over all results
// behind the reduction.
func (r *rules) epilogue(b *sch.Block, p *plan) []*sch.Block {
	var out []*sch.Block
	for _, k := range r.s.State().Epilogue(b) {
		c := r.refOf(k)
		if c == nil {
			break
		}
		if p.machine.Spreads && 2*p.sums() > p.machine.Registers && evaluates(k) {
			r.declined(ruleTile, k, "it evaluates a function, for which the sums of the tile leave too few registers")
			break
		}
		out = append(out, c)
	}
	return out
}

// evaluates reports whether a block calls an elementary function that becomes a long chain of operations.
func evaluates(b *tir.Block) bool {
	found := false
	ir.Walk(b.Body, func(n ir.Node) bool {
		if c, ok := n.(*tir.Call); ok {
			if o, ok := c.Op.(*ir.Op); ok {
				switch f := libm.Lookup(o); {
				case f == nil, f.Name == "rsqrt", f.Name == "round", f.Name == "fma": // a few operations
				default:
					found = true
				}
			}
		}
		return !found
	})
	return found
}
