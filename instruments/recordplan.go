package instruments

import (
	"errors"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/sch"
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
	out := event.Error{Kind: event.KindPass}
	out.Message, out.Program = Reported(err)
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

// The parts of TVM's report of an error: what failed, the program with the place underlined, and why.
const (
	reportProgram = "\n\nThe IR with diagnostic is:\n"
	reportReason  = "\nError message: "
)

// Reported returns the text of an error, and apart from it the program that it shows with the place underlined, as errors of schedules do; "" for
// other errors.
func Reported(err error) (message, program string) {
	what, rest, ok := strings.Cut(err.Error(), reportProgram)
	if !ok {
		return err.Error(), ""
	}
	why := ""
	if i := strings.LastIndex(rest, reportReason); i >= 0 {
		rest, why = rest[:i], rest[i+len(reportReason):]
	}
	if e := (*sch.Error)(nil); errors.As(err, &e) {
		why = e.Short() // with the names of blocks and loops
	}
	if i := strings.Index(rest, "\n\n"); i >= 0 && strings.HasPrefix(rest, "# from tvm.script") {
		rest = rest[i+2:]
	}
	return strings.TrimSuffix(what, ".") + ": " + why, rest
}
