package starpass

import (
	"errors"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
)

// SchedulePrefix stands before the kernel in the name of the pass that applies a user's schedule to it.
const SchedulePrefix = "schedule."

// MaxScheduleSteps is the number of primitives that a schedule may call as a pass: each of them is a step of the run.
const MaxScheduleSteps = 500

// schedules tells whether a user's schedule stands before a pass: one that schedules what has no schedule yet.
func schedules(p *pass.Pass) bool {
	return p.Name == "ApplyDefaultSchedule" || p.Name == "DefaultGPUSchedule"
}

// SchedulePass returns the pass that applies a script to a kernel, by its name or, where that is empty, to the only PrimFunc of the module: sch is
// its schedule. Each primitive is a step of its own inside of the pass. The function is marked as scheduled, so that it gets no other schedule.
// adopt, where not nil, changes the body, as in Adopt.
func SchedulePass(kernel string, s *Script, adopt func(pass.RunFunc) pass.RunFunc) *pass.Pass {
	of := kernel
	if of == "" {
		of = "the only PrimFunc of the module"
	}
	inside := func(wrap func(*pass.Pass) *pass.Pass) pass.RunFunc {
		body := func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
			a := &scheduler{c: c, wrap: wrap, kernel: kernel, now: m, lines: strings.Split(s.source, "\n")}
			return a.run(s)
		}
		if adopt != nil {
			return adopt(body)
		}
		return body
	}
	return &pass.Pass{
		Name: strings.TrimSuffix(SchedulePrefix+kernel, "."), Kind: pass.Module, Foreign: true,
		Doc:     "Schedules " + of + " by the primitives that a user wrote, in place of the default schedule.",
		Options: []pass.Option{sourceOption}, Args: ir.NewAttrs(optSource, s.hash),
		Inside: inside, Run: inside(func(p *pass.Pass) *pass.Pass { return p }),
	}
}

// scheduler applies a script to a kernel.
type scheduler struct {
	c      *pass.Context
	wrap   func(*pass.Pass) *pass.Pass
	kernel string
	now    *ir.Module // after the last step
	steps  int
	lines  []string // of the script
}

// run runs the script and returns the module with the scheduled kernel.
func (a *scheduler) run(s *Script) (*ir.Module, error) {
	if err := a.find(); err != nil {
		return nil, err
	}
	before := a.now.Lookup(a.kernel).(*tir.PrimFunc)
	if before.Attrs.Bool(transform.AttrIsScheduled, false) {
		return nil, fmt.Errorf("%s has a schedule already: turn off the pass that scheduled it", a.kernel)
	}
	a.c.Working(a.kernel)
	var others []string
	for gv := range a.now.Funcs() {
		if gv.Name != a.kernel {
			others = append(others, gv.Name)
		}
	}
	last, err := s.Schedule(a.c.Context(), a.now.Without(others...), 0, a.step)
	if err != nil {
		return nil, err
	}
	f, err := a.scheduled(last.Module())
	if err != nil {
		return nil, err
	}
	marked := f.WithFuncAttrs(f.Attrs.With(transform.AttrIsScheduled, true)).(*tir.PrimFunc)
	a.c.Rewrite("schedule as the script says", before, marked)
	return a.now.With(a.kernel, marked), nil
}

// find looks the kernel up.
func (a *scheduler) find() error {
	var names []string
	for gv, fn := range a.now.Funcs() {
		if _, ok := fn.(*tir.PrimFunc); ok {
			names = append(names, gv.Name)
		}
	}
	if a.kernel == "" {
		if len(names) != 1 {
			return fmt.Errorf("the module has %d PrimFuncs: say which one the schedule is for%s", len(names), list(names))
		}
		a.kernel = names[0]
	}
	if _, ok := a.now.Lookup(a.kernel).(*tir.PrimFunc); ok {
		return nil
	}
	msg := fmt.Sprintf("the module has no PrimFunc %s here", a.kernel)
	if near := nearestOf(a.kernel, names); near != "" {
		return fmt.Errorf("%s; did you mean %s?", msg, near)
	}
	return fmt.Errorf("%s: remove the schedule, or write it for one that is there%s", msg, list(names))
}

// list names a few functions at the end of a message.
func list(names []string) string {
	out := ""
	for i, name := range names {
		switch {
		case i == 0:
			out = ": " + name
		case i == 5:
			return out + ", ..."
		default:
			out += ", " + name
		}
	}
	return out
}

// scheduled returns the kernel in what a schedule made of it.
func (a *scheduler) scheduled(m *ir.Module) (*tir.PrimFunc, error) {
	if f, ok := m.Lookup(a.kernel).(*tir.PrimFunc); ok {
		return f, nil
	}
	var found *tir.PrimFunc
	for _, fn := range m.Funcs() {
		f, ok := fn.(*tir.PrimFunc)
		if !ok || found != nil {
			return nil, fmt.Errorf("the module of the schedule has no function %s; begin with sch = tir.Schedule(mod)", a.kernel)
		}
		found = f
	}
	if found == nil {
		return nil, fmt.Errorf("the module of the schedule has no function %s; begin with sch = tir.Schedule(mod)", a.kernel)
	}
	return found, nil
}

// step makes an instruction as a step of the run, unless it changes nothing. Whatever is known of the step from earlier runs, the instruction is
// made: what the script goes on with refers to it.
func (a *scheduler) step(p *Primitive, do func() error) error {
	var failed error
	made := false
	perform := func() error {
		if !made {
			made, failed = true, do()
		}
		return failed
	}
	if p.Pure && perform() == nil {
		return nil
	}
	if a.steps++; a.steps > MaxScheduleSteps {
		return &LimitError{fmt.Sprintf("the schedule calls more than %d primitives", MaxScheduleSteps)}
	}
	step := &pass.Pass{
		Name: p.Method, Kind: pass.Module, Foreign: true, Title: a.title(p), Line: p.Line,
		Doc:     "A primitive of the schedule that a user wrote.",
		Options: []pass.Option{{Name: "calls", Default: "", Doc: "SHA-256 of the calls up to this one"}}, Args: ir.NewAttrs("calls", p.Key),
		Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
			c.Working(a.kernel)
			if err := perform(); err != nil {
				return nil, err
			}
			f, err := a.scheduled(p.Module())
			if err != nil {
				return nil, err
			}
			before := m.Lookup(a.kernel)
			if f == before {
				return m, nil
			}
			c.Rewrite(p.Method, before, f)
			return m.With(a.kernel, f), nil
		},
	}
	out, err := a.c.Run(a.wrap(step), a.now)
	var ran *pass.Error
	switch {
	case failed != nil && (err == nil || errors.As(err, &ran)):
		return failed // as the script may catch it
	case err != nil:
		return err
	}
	a.now = out
	return perform()
}

// title returns the line of the script with a call, or the call as traces spell it where the line does not name it.
func (a *scheduler) title(p *Primitive) string {
	if p.Line > 0 && p.Line <= len(a.lines) {
		if line := strings.TrimSpace(a.lines[p.Line-1]); strings.Contains(line, p.Method+"(") {
			return line
		}
	}
	return p.Call
}

// AddSchedules puts passes that apply schedules into a pipeline, in front of the first pass that schedules what has none; the steps of the
// pipeline keep their places. ok is false where there is no such pass.
func AddSchedules(pl *pass.Pass, list ...*pass.Pass) (out *pass.Pass, ok bool) {
	if len(list) == 0 {
		return pl, true
	}
	if pl.Kind != pass.Sequential {
		pl = pass.NewSequential(pl.Name, pl)
	}
	for i, p := range pl.Children {
		with := []*pass.Pass{p}
		switch {
		case schedules(p):
			with = nil
			for _, s := range list {
				aside := *s
				aside.Aside = true
				with = append(with, &aside)
			}
			with = append(with, p)
		case p.Kind == pass.Sequential:
			inside, ok := AddSchedules(p, list...)
			if !ok {
				continue
			}
			with[0] = inside
		default:
			continue
		}
		changed := *pl
		changed.Children = append(append(append([]*pass.Pass{}, pl.Children[:i]...), with...), pl.Children[i+1:]...)
		return &changed, true
	}
	return pl, false
}
