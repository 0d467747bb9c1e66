package starpass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// maxShown bounds the findings of the verifier that an error lists.
const maxShown = 3

// settle brings what a script made of a module into the form that passes rely on: the struct
// info of new calls is inferred, and functions that changed are verified. It returns an error
// that says what is wrong with them.
func settle(before, after *ir.Module) (*ir.Module, error) {
	if after == before {
		return after, nil
	}
	var changed []string
	added := false
	after.EachChange(before, func(name string, old, fn ir.Function) {
		if fn != nil {
			changed = append(changed, name)
			added = added || old == nil
		}
	})
	e := after.Edit()
	for _, name := range changed {
		f, ok := after.Lookup(name).(*relax.Function)
		if !ok {
			continue
		}
		n, err := op.NewBlockBuilder(after).NormalizeFunction(f)
		if err != nil {
			return nil, fmt.Errorf("the function %s that the script made is not well formed: %w", name, err)
		}
		e.Set(name, joinBlocks(n))
	}
	out := e.Done()
	opts := op.VerifyOpts()
	var found []ir.Diagnostic
	if added { // also looks at what functions share
		found = relax.WellFormed(out, opts)
	}
	for _, name := range changed {
		switch f := out.Lookup(name).(type) {
		case *relax.Function:
			if !added {
				found = append(found, relax.WellFormedFunc(out, name, f, opts)...)
			}
		case *tir.PrimFunc:
			found = append(found, tir.Verify(name, f)...)
		}
	}
	found = append(found, tir.VerifyHandles(out, func(name string) bool { return slices.Contains(changed, name) })...)
	return out, wellFormed(found)
}

// joinBlocks joins ordinary blocks that follow each other, as those of a sequence that was
// emitted in place of a conditional do: the text has one block for them.
func joinBlocks(f *relax.Function) *relax.Function {
	m := &relax.Mapper{}
	m.Expr = func(e relax.Expr) relax.Expr {
		switch e := e.(type) {
		case *relax.SeqExpr:
			s := m.MapSeq(e)
			for i := 1; i < len(s.Blocks); i++ {
				if !s.Blocks[i-1].Dataflow && !s.Blocks[i].Dataflow {
					return joined(s)
				}
			}
			return s
		case *relax.If, *relax.Function:
			return m.MapExpr(e)
		}
		return e
	}
	return m.MapFunction(f)
}

func joined(s *relax.SeqExpr) *relax.SeqExpr {
	out := &relax.SeqExpr{Base: s.Base, Body: s.Body}
	for i := 0; i < len(s.Blocks); {
		b, end := s.Blocks[i], i+1
		for !b.Dataflow && end < len(s.Blocks) && !s.Blocks[end].Dataflow {
			end++
		}
		if end > i+1 {
			c := *b
			c.Bindings = slices.Clone(b.Bindings)
			for _, x := range s.Blocks[i+1 : end] {
				c.Bindings = append(c.Bindings, x.Bindings...)
			}
			b = &c
		}
		out.Blocks = append(out.Blocks, b)
		i = end
	}
	return out
}

func wellFormed(found []ir.Diagnostic) error {
	var lines []string
	more := 0
	for _, d := range found {
		switch {
		case d.Severity != ir.Error:
		case len(lines) < maxShown:
			lines = append(lines, d.String())
		default:
			more++
		}
	}
	if lines == nil {
		return nil
	}
	msg := "the module that the script made is not well formed: " + strings.Join(lines, "; ")
	if more > 0 {
		msg += fmt.Sprintf(" (and %d more)", more)
	}
	return fmt.Errorf("%s", msg)
}
