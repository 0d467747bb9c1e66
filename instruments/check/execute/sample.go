package execute

import (
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// sampled returns f with its outer loops cut to a few iterations each, so that it takes about steps loop iterations: what it writes then is a part
// of what f writes. ok is false where there is nothing to cut.
//
// The idea: of loops whose iterations do not depend on each other, from the outermost one down to the first sequence of statements, the first and the last iteration are
// kept, and some between that are evenly apart: a wrong bound or tail is among them. Of statements that follow one another, those before the
// most expensive one are kept whole, and the others are cut at the same iterations, so what one of them reads is what another one
// wrote. Where any of this fails, the sample reads what nobody wrote, or has a part of a sum: then it differs from the whole, and a caller who
// compares the two must not take that as proof. A loop whose extent is not known is kept as it is. A function that never ends does not end when it is cut.
func sampled(f *tir.PrimFunc, steps int64) (out *tir.PrimFunc, ok bool) {
	own, least := ownMemory(f), int64(0)
	for _, try := range []struct {
		most   int64
		nested bool
	}{{8, false}, {4, false}, {3, false}, {2, false}, {4, true}, {2, true}} {
		if try.nested && ok && least <= steps*enough {
			break
		}
		c := &cutter{most: try.most, nested: try.nested, own: own, stores: map[*tir.For]map[*tir.Var]bool{}}
		body := c.stmt(f.Body)
		if n := costOf(body); c.cut && (!ok || n < least) {
			if out, ok, least = f.WithBody(body), true, n; n <= steps {
				break
			}
		}
	}
	return out, ok
}

// enough is how much more than it is meant to take a sample may take before sequences within loops are cut, too.
const enough = 8

// cutter cuts the loops of one function.
type cutter struct {
	most   int64 // iterations of a loop that are kept
	nested bool  // sequences within loops are cut, too
	inside bool  // of a loop that repeats
	cut    bool  // a loop was cut
	own    map[*tir.Var]bool
	stores map[*tir.For]map[*tir.Var]bool
}

// stmt cuts the loops of s, as far as a chain of statements with one body each leads.
func (c *cutter) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.For:
		n, known := tir.AsInt(s.Extent)
		if s.Step != nil || (!known || n > 1) && !c.independent(s) {
			return s
		}
		was := c.inside
		c.inside = c.inside || !known || n > 1
		body := c.stmt(s.Body)
		c.inside = was
		if !known || n <= c.most || s.Kind != tir.Serial && s.Kind != tir.Parallel {
			return s.WithBody(body)
		}
		c.cut = true
		dt := s.LoopVar.DType()
		it := tir.NewVar(s.LoopVar.Name+"_sampled", dt)
		at := tir.Add(s.Min, tir.FloorDiv(tir.Mul(it, tir.Const(dt, n-1)), tir.Const(dt, c.most-1)))
		body = &tir.LetStmt{Var: s.LoopVar, Value: at, Body: body}
		return &tir.For{Base: s.Base, LoopVar: it, Min: tir.Const(dt, 0), Extent: tir.Const(s.Extent.DType(), c.most), Kind: s.Kind, Body: body, Annotations: s.Annotations}
	case *tir.SeqStmt:
		return c.sequence(s)
	case *tir.BlockRealize:
		if len(s.Block.IterVars) > 0 {
			return s
		}
		return s.WithBlock(s.Block.WithBody(c.stmt(s.Block.Body)))
	case *tir.LetStmt:
		return s.WithBody(c.stmt(s.Body))
	case *tir.AttrStmt:
		return s.WithBody(c.stmt(s.Body))
	case *tir.AssertStmt:
		return s.WithBody(c.stmt(s.Body))
	case *tir.Allocate:
		return s.WithBody(c.stmt(s.Body))
	case *tir.AllocateConst:
		return s.WithBody(c.stmt(s.Body))
	case *tir.DeclBuffer:
		return s.WithBody(c.stmt(s.Body))
	}
	return s
}

// sequence cuts the statements of s from the most expensive one on.
func (c *cutter) sequence(s *tir.SeqStmt) tir.Stmt {
	if c.inside && !c.nested {
		return s
	}
	at, most := 0, int64(0)
	for i, x := range s.Seq {
		if n := costOf(x); n > most {
			at, most = i, n
		}
	}
	out := append([]tir.Stmt{}, s.Seq...)
	for i := at; i < len(out); i++ {
		out[i] = c.stmt(out[i])
	}
	return s.WithSeq(out)
}

// independent tells whether nothing shows that the iterations of a loop depend on each other: its variable is in the indices of every store to memory
// that outlives the function, and memory of the function is written in an iteration before it is read there.
func (c *cutter) independent(loop *tir.For) bool {
	depends, written, ok := map[*tir.Var]bool{loop.LoopVar: true}, map[*tir.Var]bool{}, true
	uses := func(list ...tir.Expr) bool {
		return slices.ContainsFunc(list, func(e tir.Expr) bool { return mentions(e, depends) })
	}
	var visit func(n ir.Node) bool
	visit = func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			if uses(n.Min) {
				depends[n.LoopVar] = true
			}
		case *tir.LetStmt:
			if uses(n.Value) {
				depends[n.Var] = true
			}
		case *tir.BlockRealize:
			for i, v := range n.Block.IterVars {
				if uses(n.Values[i]) {
					depends[v.Var] = true
					ok = ok && v.Kind != tir.CommReduce // what it sums up, it reads
				}
			}
		case *tir.IfThenElse:
			if uses(n.Cond) { // what is written there is not written in each iteration
				kept := maps.Clone(written)
				ir.Walk(n.Then, visit)
				if n.Else != nil {
					ir.Walk(n.Else, visit)
				}
				written = kept
				return false
			}
		case *tir.BufferLoad:
			if data := n.Buffer.Data; c.own[data] && !written[data] && c.stored(loop)[data] && !uses(n.Indices...) {
				ok = false
			}
		case *tir.BufferStore:
			data := n.Buffer.Data
			ir.Walk(n.Value, visit)
			if !c.own[data] {
				ok = ok && uses(n.Indices...)
			}
			written[data] = true
			return false
		}
		return ok
	}
	ir.Walk(loop.Body, visit)
	return ok
}

// stored returns what memory a loop writes to.
func (c *cutter) stored(loop *tir.For) map[*tir.Var]bool {
	if out, ok := c.stores[loop]; ok {
		return out
	}
	out := map[*tir.Var]bool{}
	ir.Walk(loop.Body, func(n ir.Node) bool {
		if s, ok := n.(*tir.BufferStore); ok {
			out[s.Buffer.Data] = true
		}
		return true
	})
	c.stores[loop] = out
	return out
}

// ownMemory returns the memory that a function allocates.
func ownMemory(f *tir.PrimFunc) map[*tir.Var]bool {
	out := map[*tir.Var]bool{}
	ir.Walk(f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Block:
			for _, b := range n.AllocBuffers {
				out[b.Data] = true
			}
		case *tir.Allocate:
			out[n.Var] = true
		case *tir.LetStmt:
			if call, ok := n.Value.(*tir.Call); ok && call.Op == ir.Callee(tir.OpAllocWorkspace) {
				out[n.Var] = true
			}
		}
		return true
	})
	return out
}

// mentions tells whether one of vars is in e.
func mentions(e tir.Expr, vars map[*tir.Var]bool) bool {
	found := false
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok && vars[v] {
			found = true
		}
		return !found
	})
	return found
}

// costOf returns about how many elements s stores, where loops whose extents are not known have one iteration.
func costOf(s tir.Stmt) int64 {
	const most = 1 << 40
	sum := int64(0)
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			k, _ := tir.AsInt(n.Extent)
			if each := 1 + costOf(n.Body); k < most/each {
				sum += max(k, 1) * each
			} else {
				sum += most
			}
			return false
		case *tir.BufferStore:
			sum += int64(n.Value.DType().Lanes)
			return false
		case tir.Expr:
			return false
		}
		return true
	})
	return min(most, sum)
}
