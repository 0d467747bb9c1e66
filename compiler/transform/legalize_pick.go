package transform

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// lowered says how one call is lowered, for passes that lower some operators in their own way.
type lowered struct {
	rule rule
	hint string // the name of the kernel
	why  string // the name of the rewrite
	// form is what the rule follows besides the call itself: calls that are alike, with equal forms, get the same kernels. "" where there may be more to it.
	form   string
	hidden bool // the call is in a dataflow block: what is bound before it is not seen outside
}

// inputsOf is what passes that lower picked calls know of the function at work.
type inputsOf struct {
	constants *constantValues
	dataflow  map[*relax.Var]bool // what dataflow blocks bind
}

// scan looks at a function before its calls.
func (i *inputsOf) scan(f *relax.Function) {
	i.constants, i.dataflow = constantsOf(f), map[*relax.Var]bool{}
	relax.EachBinding(f.Body, func(blk *relax.BindingBlock, b relax.Binding) { i.dataflow[b.Bound()] = blk.Dataflow })
}

// lowerPicked lowers the calls that pick returns something for, for a pass of that name, and no others. scan, which may be nil, is told of each function before.
func lowerPicked(c *pass.Context, name string, m *ir.Module, scan func(f *relax.Function), pick func(vb *relax.VarBinding) *lowered) (*ir.Module, error) {
	l := newLegalizer(c, name, m)
	l.share()
	l.scanned, l.pick = scan, pick
	return l.module()
}

// picked emits what b becomes where only some calls are lowered.
func (l *legalizer) picked(m *relax.ExprMutator, b relax.Binding) error {
	vb, ok := b.(*relax.VarBinding)
	var how *lowered
	if ok {
		how = l.pick(vb)
	}
	if how == nil {
		m.VisitBinding(b)
		return nil
	}
	name := opName(vb.Value)
	before, call, err := l.make(vb, name, how)
	if errors.Is(err, errSkip) {
		l.ctx.Declined(how.why, b, reasonOf(err))
		m.VisitBinding(b)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	l.emit(m, vb, before, call)
	return nil
}

// emit binds the call of a kernel in the place of the operator's. Where the kernel writes the extents of its result in another way,
// so does the variable.
func (l *legalizer) emit(m *relax.ExprMutator, vb *relax.VarBinding, before []relax.Binding, call *relax.Call) {
	for _, x := range before {
		m.EmitNormalized(x)
	}
	out := *vb
	out.Value, out.Origin = call, call.Origin
	if call.SInfo != vb.Value.(*relax.Call).SInfo && !ir.StructuralEqual(call.SInfo, vb.Var.SInfo, ir.EqualOpts{}) {
		l.retype(m, &out, call.SInfo)
	}
	m.EmitNormalized(&out)
}
