package transform

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/op/optest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
)

// TestRepeatedCallsAreLoweredAlike calls each operator twice with the same arguments: the second call, whose kernel is
// looked up, becomes what the first does, whose kernel is made.
func TestRepeatedCallsAreLoweredAlike(t *testing.T) {
	compared := 0
	for i, o := range op.All() {
		g := optest.New(uint64(i) + 77)
		for range 40 {
			call, ok := g.Call(o)
			if !ok {
				continue
			}
			m := callModule(g, call)
			if len(relax.WellFormed(m, op.VerifyOpts())) > 0 {
				continue
			}
			f := ir.MustLookup[*relax.Function](m, "main")
			var twice *relax.Function
			for _, b := range f.Body.Blocks {
				if len(b.Bindings) != 1 {
					continue
				}
				first, ok := b.Bindings[0].(*relax.VarBinding)
				if !ok {
					continue
				}
				v := *first.Var
				v.Name = "again"
				again := *first
				again.Var = &v
				body := *f.Body
				blk := *b
				blk.Bindings = []relax.Binding{first, &again}
				body.Blocks = []*relax.BindingBlock{&blk}
				own := *f
				own.Body = &body
				twice = &own
			}
			if twice == nil {
				continue
			}
			e := m.Edit()
			e.Set("main", twice)
			out, _, err := legalizeOne(t, e.Done())
			if err != nil {
				continue // refused twice as once
			}
			var values []relax.Expr
			relax.EachBinding(ir.MustLookup[*relax.Function](out, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
				values = append(values, b.BoundValue())
			})
			if len(values) != 2 {
				continue // bound in several steps
			}
			if !ir.StructuralEqual(values[0], values[1], ir.EqualOpts{}) {
				t.Errorf("%s: the second call is lowered otherwise than the first:\n%s", o.Name, script.Module(out, script.Options{}).Source)
			}
			compared++
		}
	}
	if compared < 500 {
		t.Errorf("only %d calls were compared", compared)
	}
}
