package instruments

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments/event"
)

// Plan lists the steps of a pipeline that is run as the outermost pass.
func Plan(pl *pass.Pass) []event.PlanStep {
	var out []event.PlanStep
	var add func(p *pass.Pass, parent *pass.Step, id string)
	add = func(p *pass.Pass, parent *pass.Step, id string) {
		s := &pass.Step{Pass: p, Parent: parent, ID: id}
		step := event.PlanStep{Step: s.Path(), Name: p.Name, Level: p.Level, Role: Role(p), Kind: event.PassKind(p.Kind.String())}
		if parent != nil {
			step.Parent = parent.Path()
		}
		out = append(out, step)
		ids := p.ChildIDs()
		for i, c := range p.Children {
			add(c, s, ids[i])
		}
	}
	add(pl, nil, "1")
	return out
}

// Role says whether a pass may be turned off. A sequential pass is lowering if a child is.
func Role(p *pass.Pass) event.Role {
	if p.Lowering {
		return event.RoleLowering
	}
	for _, c := range p.Children {
		if Role(c) == event.RoleLowering {
			return event.RoleLowering
		}
	}
	return event.RoleOptional
}

func printAttrs(m *ir.Module) map[string]string {
	a := m.Attrs()
	if a.Len() == 0 {
		return nil
	}
	out := map[string]string{}
	for i := range a.Len() {
		k, v := a.At(i)
		out[k] = fmt.Sprint(v)
	}
	return out
}

// ErrorOf describes an error for an event, with the place that it names.
func ErrorOf(err error) event.Error {
	out := event.Error{Kind: event.KindPass, Message: err.Error()}
	var pe *pass.Error
	var ie *pass.InstrumentError
	switch {
	case errors.As(err, &ie):
		out.Kind, out.Instrument, out.Pass = event.KindInstrument, ie.Instrument, ie.Pass
		if errors.Is(err, ErrIllFormed) {
			out.Kind = event.KindVerify
		}
	case errors.As(err, &pe):
		out.Pass, out.Function = pe.Step.Pass.Name, pe.Func
		if pe.Stack != "" {
			out.Kind = event.KindPanic
		}
	}
	return out
}
