package relax

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Mapper says how to map the children of a node. A nil function keeps what it is about,
// but Block and Binding left nil descend into blocks and bindings.
//
//	m := &relax.Mapper{}
//	m.Expr = func(e relax.Expr) relax.Expr { ... return m.MapExpr(e) }
//
// The MapX methods copy a node only if a child changed and do not memoize. A call whose
// arguments changed keeps its struct info: passes that change what a value is go through an
// ExprMutator instead.
type Mapper struct {
	Expr    func(Expr) Expr
	Var     func(*Var) *Var // definitions of variables (uses go through Expr)
	SInfo   func(StructInfo) StructInfo
	Prim    func(tir.Expr) tir.Expr // scalar expressions in shapes and struct info
	Binding func(Binding) Binding
	Block   func(*BindingBlock) *BindingBlock
}

// MapExpr returns e with its direct children mapped; e itself if none changed.
func (m *Mapper) MapExpr(e Expr) Expr {
	if n, ok := e.(mapped); ok {
		return n.mapChildren(m)
	}
	return e // *ir.Op and *ir.GlobalVar have no children
}

// MapBinding returns b with its direct children mapped; b itself if none changed.
func (m *Mapper) MapBinding(b Binding) Binding { return b.mapChildren(m) }

// MapBlock returns b with its bindings mapped; b itself if none changed.
func (m *Mapper) MapBlock(b *BindingBlock) *BindingBlock { return b.mapChildren(m) }

// MapSInfo returns s with its direct children mapped; s itself if none changed.
func (m *Mapper) MapSInfo(s StructInfo) StructInfo { return s.mapChildren(m) }

// MapSeq returns s with blocks and body mapped; s itself if none changed.
func (m *Mapper) MapSeq(s *SeqExpr) *SeqExpr { return s.mapChildren(m).(*SeqExpr) }

// MapFunction returns f with parameters, body and result mapped; f itself if none changed.
func (m *Mapper) MapFunction(f *Function) *Function { return f.mapChildren(m).(*Function) }

func (m *Mapper) expr(e Expr) Expr {
	if e == nil || m.Expr == nil {
		return e
	}
	return m.Expr(e)
}

func (m *Mapper) variable(v *Var) *Var {
	if v == nil || m.Var == nil {
		return v
	}
	return m.Var(v)
}

func (m *Mapper) sinfo(s StructInfo) StructInfo {
	if s == nil || m.SInfo == nil {
		return s
	}
	return m.SInfo(s)
}

func (m *Mapper) prim(e tir.Expr) tir.Expr {
	if e == nil || m.Prim == nil {
		return e
	}
	return m.Prim(e)
}

func (m *Mapper) seq(s *SeqExpr) *SeqExpr {
	if s == nil {
		return s
	}
	if m.Expr == nil {
		return m.MapSeq(s)
	}
	out, ok := m.Expr(s).(*SeqExpr)
	if !ok {
		panic("relax: the image of a function body or branch must be a SeqExpr")
	}
	return out
}

func (m *Mapper) block(b *BindingBlock) *BindingBlock {
	if m.Block == nil {
		return b.mapChildren(m)
	}
	return m.Block(b)
}

func (m *Mapper) binding(b Binding) Binding {
	if m.Binding == nil {
		return b.mapChildren(m)
	}
	return m.Binding(b)
}

func same[T any](xs, ys []T) bool {
	return len(xs) == len(ys) && (len(xs) == 0 || &xs[0] == &ys[0])
}

func unknownNode(where string, n ir.Node) string {
	return fmt.Sprintf("relax: %s does not know node type %T", where, n)
}

// EachBinding calls f for all bindings of s, those of nested branches and functions
// included, in order.
func EachBinding(s *SeqExpr, f func(*BindingBlock, Binding)) {
	for _, blk := range s.Blocks {
		for _, b := range blk.Bindings {
			f(blk, b)
			switch v := b.BoundValue().(type) {
			case *If:
				EachBinding(v.Then, f)
				EachBinding(v.Else, f)
			case *Function:
				EachBinding(v.Body, f)
			case *SeqExpr:
				EachBinding(v, f)
			}
		}
	}
}
