package pass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Form is a property of modules that one pass gives them and others rely on. That Relax functions
// are in A-normal form is none: all are, before and after every pass, and the verifier sees to it.
type Form struct {
	// Name says what holds, e.g. "no dataflow blocks", and By is the name of the pass that gives it.
	Name, By string
	// breaks says what of a function is not of the form, "" if all is.
	breaks func(n ir.Node) string
}

// The forms. Each is given by one pass of the default pipeline and kept by those after it.
var (
	NoDataflow = &Form{"no dataflow blocks", "ToNonDataflow", func(n ir.Node) string {
		if b, ok := n.(*relax.BindingBlock); ok && b.Dataflow {
			return "a dataflow block"
		}
		return ""
	}}
	OpaqueBlocks = &Form{"no iteration variables of blocks", "tir.ConvertBlocksToOpaque", func(n ir.Node) string {
		if b, ok := n.(*tir.Block); ok && len(b.IterVars) > 0 {
			return fmt.Sprintf("block %q with iteration variables", b.Name)
		}
		return ""
	}}
	NoBlocks = &Form{"no blocks", "tir.LowerOpaqueBlock", func(n ir.Node) string {
		if b, ok := n.(*tir.Block); ok {
			return fmt.Sprintf("block %q", b.Name)
		}
		return ""
	}}
	FlatBuffers = &Form{"flat buffers", "tir.FlattenBuffer", func(n ir.Node) string {
		switch n := n.(type) {
		case *tir.BufferLoad:
			return unflat(n.Buffer, len(n.Indices))
		case *tir.BufferStore:
			return unflat(n.Buffer, len(n.Indices))
		case *tir.BufferRegion: // of a block, through which a view accesses what it matches
			return unflat(n.Buffer, len(n.Region))
		}
		return ""
	}}
)

// Forms returns all forms.
func Forms() []*Form { return []*Form{NoDataflow, OpaqueBlocks, NoBlocks, FlatBuffers} }

// unflat says how an access is not to flat memory; each axis separator adds a dimension to it.
func unflat(b *tir.Buffer, indices int) string {
	if indices <= 1+len(b.AxisSeparators) {
		return ""
	}
	return fmt.Sprintf("an access of buffer %s with %d indices", b.Name, indices)
}

// Need says that a pass relies on a form, and why. What lacks a strict need is refused; without another
// one the pass does less, as it says in its tests, and the order of passes is warned of.
type Need struct {
	Form   *Form
	Why    string
	Strict bool
}

// Check returns an error that says where m is not of the form, nil if it is. Functions that
// function passes leave alone are not looked at.
func (f *Form) Check(m *ir.Module) error {
	for gv, fn := range m.Funcs() {
		if found := f.Broken(fn); found != "" {
			return fmt.Errorf("expected %s: function %s has %s", f.Name, gv.Name, found)
		}
	}
	return nil
}

// Broken says what of a function is not of the form, "" if all is or if function passes leave it alone.
func (f *Form) Broken(fn ir.Function) string {
	if fn, ok := fn.(*relax.Function); ok && leftAlone(fn) {
		return ""
	}
	found := ""
	ir.Walk(fn, func(n ir.Node) bool {
		if found == "" {
			found = f.breaks(n)
		}
		_, info := n.(relax.StructInfo)
		return found == "" && !info
	})
	return found
}
