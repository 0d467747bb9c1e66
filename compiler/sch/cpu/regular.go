package cpu

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// regular returns f with all loops from 0 on, and an error where the rules do not apply: they know loops, sequences and blocks with blocks inside,
// and blocks whose body is anything.
func regular(f *tir.PrimFunc) (*tir.PrimFunc, error) {
	root, ok := f.Body.(*tir.BlockRealize)
	if !ok || len(root.Block.IterVars) > 0 {
		return nil, fmt.Errorf("schedule: the body is a %s, expected a root block without iteration variables", ir.TypeName(f.Body))
	}
	if !holdsBlocks(root.Block.Body) {
		return nil, fmt.Errorf("schedule: the root block contains no blocks")
	}
	var bad error
	m := &tir.Mapper{}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		if bad != nil {
			return x
		}
		switch x := x.(type) {
		case *tir.SeqStmt, *tir.BlockRealize:
			return m.MapStmt(x)
		case *tir.Block:
			if len(x.MatchBuffers) > 0 {
				bad = fmt.Errorf("schedule: block %s has views of buffers: run LowerMatchBuffer first", x.Name)
			}
			if !holdsBlocks(x.Body) {
				return x
			}
			return x.WithBody(m.Stmt(x.Body))
		case *tir.For:
			if x.Step != nil && !tir.IsConst(x.Step, 1) {
				bad = fmt.Errorf("schedule: loop %s has a step: run CanonicalizeLoop first", x.LoopVar.Name)
			}
			if tir.IsConst(x.Min, 0) {
				return m.MapStmt(x)
			}
			v := &tir.Var{Base: x.LoopVar.Base, Name: x.LoopVar.Name, Type: x.LoopVar.Type}
			out := *x
			out.LoopVar, out.Min = v, tir.Const(v.DType(), 0)
			out.Body = m.Stmt(tir.SubstStmt(x.Body, map[*tir.Var]tir.Expr{x.LoopVar: tir.Add(x.Min, v)}))
			return &out
		}
		switch {
		case holdsBlocks(x):
			bad = fmt.Errorf("schedule: a %s encloses a block: only loops, blocks and sequences can", ir.TypeName(x))
		case !tir.IsNoOp(x):
			bad = fmt.Errorf("schedule: a %s is outside of all blocks", ir.TypeName(x))
		}
		return x
	}
	body := m.Stmt(f.Body)
	if bad != nil || body == f.Body {
		return f, bad
	}
	return f.WithBody(body), nil
}

// holdsBlocks reports whether a block is realized below x.
func holdsBlocks(x tir.Stmt) bool {
	found := false
	ir.Walk(x, func(n ir.Node) bool {
		switch n.(type) {
		case *tir.BlockRealize:
			found = true
		case tir.Expr:
			return false
		}
		return !found
	})
	return found
}
