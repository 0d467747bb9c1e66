package script_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// TestAnnotated compares the text that is made of that of a function with other attributes with the one that is printed.
func TestAnnotated(t *testing.T) {
	var scratch script.Scratch
	attrs := []*ir.Attrs{
		ir.NewAttrs(), ir.NewAttrs().With("n", int64(1)), ir.NewAttrs().With("n", "two").With(ir.AttrGlobalSymbol, "f"),
		ir.NewAttrs().With(ir.AttrGlobalSymbol, "other"), ir.NewAttrs().With(ir.AttrCallingConv, int64(1)),
	}
	copied := 0
	for _, s := range stmtSamples() {
		body, ok := s.node.(tir.Stmt)
		if _, block := s.node.(*tir.Block); !ok || block { // one alone is shown as what is made around it
			continue
		}
		f := &tir.PrimFunc{Params: []*tir.Var{tir.NewVar("a", f32), vx}, Buffers: []*tir.Buffer{bufA, nil}, RetType: ir.VoidType(), Body: body}
		for _, x := range attrs {
			before := f.WithAttrs(x)
			text := script.Function("f", before, script.Options{Scratch: &scratch})
			for _, y := range attrs {
				after := f.WithAttrs(y)
				got := script.Annotated("f", after, text, before, script.Options{Scratch: &scratch})
				if got == nil {
					if x.Has(ir.AttrCallingConv) == y.Has(ir.AttrCallingConv) {
						t.Errorf("%s: %v is not made of %v", s.name, y, x)
					}
					continue
				}
				copied++
				want := script.Function("f", after, script.Options{})
				if got.Source != want.Source || !slices.Equal(got.Lines, want.Lines) {
					t.Errorf("%s: from %v to %v:\n%s\nexpected:\n%s", s.name, x, y, got.Source, want.Source)
				}
			}
		}
	}
	if copied == 0 {
		t.Error("nothing was copied")
	}
}
