package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// maxInlined bounds the nodes of an expression after inlining.
const maxInlined = 400

// inline inlines the blocks that cost less to compute again than to store.
func (r *rules) inline() {
	for _, b := range r.blocks {
		k := r.at(b)
		if isReduction(k) {
			continue
		}
		at := k.Body
		if why := r.notInlined(k); why != "" {
			r.declined(ruleInline, k, why)
		} else if err := r.act("ComputeInline", b); err != nil {
			if r.watch != nil {
				r.declined(ruleInline, k, brief(err).Error())
			}
		} else {
			r.gone(b)
			r.applied(ruleInline, at)
		}
	}
}

// notInlined says why b is computed once, and not again where it is read; "" if it is not.
func (r *rules) notInlined(b *tir.Block) string {
	st, ok := b.Body.(*tir.BufferStore)
	if !ok || !r.allocates(st.Buffer) {
		return "it writes a result of the function, or makes more than one store"
	}
	consumers := r.readers(st.Buffer, b)
	if len(consumers) == 0 {
		return "nothing reads it"
	}
	c := costOf(st.Value)
	uses := 0
	for _, k := range consumers {
		n, size := loadsOf(k.Body, st.Buffer)
		uses += n
		if n == 0 || size+n*c.nodes > maxInlined {
			return "the block that reads it would become too large, or reads it other than by a load"
		}
		if c.plain {
			if convertedOften(st, k) {
				return "a reduction reads each element often: it is converted once"
			}
			continue
		}
		same := volume(k) != nil && volume(b) != nil && arith.Equal(volume(k), volume(b))
		switch {
		case isReduction(k) && (c.branches || c.calls || !same):
			return "a reduction would compute it again for each result"
		case !same && (c.calls || c.arithmetic > 2):
			return "it is read more often than it has elements, and it is expensive to compute"
		}
	}
	if c.plain || uses == 1 || !c.calls && c.arithmetic <= 4 {
		return ""
	}
	return "it is read several times, and it is expensive to compute"
}

// manyReads is how often an element must be read so that it is converted once, into a buffer,
// rather than at each read. A tile shares the reads of a few results.
const manyReads = 8

// convertedOften reports whether a store converts elements of which each enters so many results of the
// reduction k, as the factors of a matrix product do.
func convertedOften(st *tir.BufferStore, k *tir.Block) bool {
	if _, ok := st.Value.(*tir.Cast); !ok || !isReduction(k) {
		return false
	}
	reads := int64(1)
	for _, a := range accesses(k.Body, k.IterVars) {
		if a.load == nil || a.load.Buffer != st.Buffer {
			continue
		}
		for _, iv := range k.IterVars {
			n, ok := tir.AsInt(iv.Dom.Extent)
			switch {
			case iv.Kind != tir.DataPar || usesIn(a, iv.Var):
			case !ok:
				return true
			default:
				reads *= n
			}
		}
	}
	return reads >= manyReads
}

// ofBits are the functions that one instruction computes.
var ofBits = []*ir.Op{tir.OpBitwiseAnd, tir.OpBitwiseOr, tir.OpBitwiseXor, tir.OpBitwiseNot, tir.OpShiftLeft, tir.OpShiftRight}

// cost says what an expression is made of.
type cost struct {
	nodes, arithmetic int
	calls             bool // of functions that take long
	branches          bool
	plain             bool // one load or a constant, possibly cast
}

func costOf(e tir.Expr) cost {
	c := cost{plain: true}
	var visit func(e tir.Expr)
	visit = func(e tir.Expr) {
		if c.nodes++; c.nodes > 4*maxInlined { // shared nodes count each time: stop early
			c.plain = false
			return
		}
		switch e := e.(type) {
		case *tir.BufferLoad:
			return // its indices are no arithmetic of values
		case *tir.Cast:
			visit(e.Value)
			return
		case *tir.IntImm, *tir.FloatImm, *tir.Var:
			return
		case *tir.Binary:
			c.arithmetic++
			if e.Op == tir.OpDiv && e.DType().IsFloat() {
				c.arithmetic += 3
			}
		case *tir.Call:
			if _, ok := tir.IsCallTo(e, tir.OpIfThenElse); ok {
				c.branches = true
			} else if slices.ContainsFunc(ofBits, func(o *ir.Op) bool { _, ok := tir.IsCallTo(e, o); return ok }) {
				c.arithmetic++
			} else {
				c.calls = true
			}
		case *tir.Select:
			c.arithmetic += 2
		}
		c.plain = false
		e.EachChild(func(n ir.Node) {
			if x, ok := n.(tir.Expr); ok {
				visit(x)
			}
		})
	}
	visit(e)
	return c
}

// loadsOf counts the loads of a buffer in a statement, and all of its nodes.
func loadsOf(st tir.Stmt, buf *tir.Buffer) (loads, nodes int) {
	ir.Walk(st, func(n ir.Node) bool {
		nodes++
		if l, ok := n.(*tir.BufferLoad); ok && l.Buffer == buf {
			loads++
		}
		return nodes <= maxInlined
	})
	return loads, nodes
}

// volume is the number of points in the domain of a block.
func volume(b *tir.Block) tir.Expr {
	n := tir.Expr(tir.Int(1))
	for _, iv := range b.IterVars {
		n = tir.Mul(n, tir.CastTo(n.DType(), iv.Dom.Extent))
	}
	return arith.SimplifyAlone(n)
}
