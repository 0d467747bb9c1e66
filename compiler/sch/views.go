package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// checkViews returns an error if a call is about blocks or loops of a function in which a buffer is declared over the memory of another one, as after
// flatten_access, and its primitive would not see what happens through such views: most primitives look for a buffer where a block names it.
func (s *State) checkViews(c *Call) error {
	if c.Kind.Pure || c.Kind.overViews {
		return nil
	}
	seen := map[string]bool{}
	for _, x := range c.Args {
		fn := functionOf(x)
		if fn == "" || seen[fn] {
			continue
		}
		seen[fn] = true
		if f, ok := s.mod.Lookup(fn).(*tir.PrimFunc); ok {
			if of, view := s.view(f); view != nil {
				return s.fail("ViewError", fmt.Sprintf(
					"In %s memory of buffer %s is accessed as buffer %s too (as after flatten_access, which is to be called last), where the primitive would not see it", fn, of.Name, view.Name))
			}
		}
	}
	return nil
}

// functionOf returns the function of the first block or loop that an argument refers to, "" if it refers to none.
func functionOf(x any) string {
	switch x := x.(type) {
	case *Block:
		return x.fn
	case *Loop:
		return x.fn
	case []*Block:
		if len(x) > 0 {
			return x[0].fn
		}
	case []*Loop:
		if len(x) > 0 {
			return x[0].fn
		}
	}
	return ""
}

// view returns a buffer of a function that is declared over the memory of another one, and that one; nil if there is none.
func (s *State) view(f *tir.PrimFunc) (of, view *tir.Buffer) {
	owners := map[*tir.Var]*tir.Buffer{}
	for _, b := range f.Buffers {
		if b != nil {
			owners[b.Data] = b
		}
	}
	var views []*tir.Buffer
	ir.Walk(f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case tir.Expr, *tir.BufferRegion, *tir.IterVar:
			return false
		case *tir.Block:
			for _, b := range n.AllocBuffers {
				owners[b.Data] = b
			}
		case *tir.DeclBuffer:
			views = append(views, n.Buffer)
		case *tir.SeqStmt: // what stands in a part that stays is known
			for _, x := range n.Seq {
				p := s.part(x)
				views = append(views, p.views...)
				for _, b := range p.allocs {
					owners[b.Data] = b
				}
			}
			return false
		}
		return true
	})
	for _, b := range views {
		if of := owners[b.Data]; of != nil && of != b {
			return of, b
		}
	}
	return nil, nil
}
