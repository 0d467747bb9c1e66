package bisect

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments"
)

// Subject is what is examined.
type Subject struct {
	// Module is what the passes are given.
	Module *ir.Module
	// Pipeline is what runs, nil for the default one of the target.
	Pipeline *pass.Pass
	// Request says how passes run: target, level, config, and registry. Its module and pipeline are not used.
	Request compiler.Request
}

// step is a pass of a pipeline that is no sequence.
type step struct {
	pass *pass.Pass
	path string // as steps of a run have it: "1.3/FuseOps"
}

// stepsOf returns the passes of a pipeline that run in a context, in order. A pass that is a sequence inside counts as one.
func stepsOf(p *pass.Pass, c *pass.Context) (out []step) {
	reg := pipeline.NewRegistry()
	var walk func(p *pass.Pass, path string)
	walk = func(p *pass.Pass, path string) {
		if p.Kind != pass.Sequential || reg.Lookup(p.Name) != nil {
			alone := *p
			alone.Aside = false
			out = append(out, step{&alone, path + "/" + p.Name})
			return
		}
		for i, id := range p.ChildIDs() {
			if runs, _ := c.PassEnabled(p.Children[i]); runs {
				walk(p.Children[i], path+"."+id)
			}
		}
	}
	walk(p, "1")
	return out
}

// failure is how a run of passes ended early.
type failure struct {
	at       int    // index of the step
	function string // that the pass worked on, if known
	invalid  bool   // the module that it made is not well-formed
	err      error
}

// runner runs passes and counts the runs.
type runner struct {
	request compiler.Request
	runs    int
}

// run runs steps on m. states[i] is the module before step i, and the last one what came of all steps that ended. The watches are told of all
// steps, and of the end of one only if its result is well-formed where verify asks for that.
func (r *runner) run(ctx context.Context, m *ir.Module, steps []step, verify bool, observer pass.Observer, watches ...*pass.Instrument) (states []*ir.Module, failed *failure, err error) {
	r.runs++
	states = append(make([]*ir.Module, 0, len(steps)+1), m)
	if len(steps) == 0 {
		return states, nil, nil
	}
	list := make([]*pass.Pass, len(steps))
	for i, s := range steps {
		list[i] = s.pass
	}
	at := 0
	outer := func(s *pass.Step) bool { return s.Parent != nil && s.Parent.Parent == nil && s.RequiredBy == "" }
	watch := &pass.Instrument{
		Name: "Bisect",
		RunBeforePass: func(_ *ir.Module, s *pass.Step) error {
			if outer(s) {
				at, _ = strconv.Atoi(s.ID)
				at--
			}
			return nil
		},
	}
	kept := &pass.Instrument{
		Name: "BisectStates",
		RunAfterPass: func(m *ir.Module, s *pass.Step) error {
			if outer(s) {
				states = append(states, m)
			}
			return nil
		},
	}
	req := r.request
	req.Module, req.Pipeline, req.Observer = m, pass.NewSequential("bisect", list...), observer
	req.Instruments = []*pass.Instrument{watch}
	if verify {
		req.Instruments = append(req.Instruments, instruments.WellFormed(false))
	}
	req.Instruments = append(append(req.Instruments, kept), watches...)
	_, err = compiler.Passes(ctx, req)
	switch {
	case err == nil:
		return states, nil, nil
	case ctx.Err() != nil:
		return states, nil, context.Cause(ctx)
	}
	failed = &failure{at: at, invalid: errors.Is(err, instruments.ErrIllFormed), err: err}
	var pe *pass.Error
	if errors.As(err, &pe) {
		failed.function = pe.Func
	}
	return states, failed, nil
}

// orderly reports whether steps break no constraint on the order of passes that all of them keep.
func orderly(steps, all []step) bool {
	known := map[string]bool{}
	for _, w := range pipeline.CheckOrder(names(all)) {
		known[w.Before+" "+w.After] = true
	}
	return !slices.ContainsFunc(pipeline.CheckOrder(names(steps)), func(w pipeline.Warning) bool { return !known[w.Before+" "+w.After] })
}

func names(steps []step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = s.pass.Name
	}
	return out
}

// messageOf returns the part of an error that stays the same when the module becomes smaller.
func messageOf(err error) string {
	var pe *pass.Error
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return constant(err.Error())
}

// constant returns a message without what is in quotes, and without numbers.
func constant(message string) string {
	var b strings.Builder
	quoted := false
	for _, c := range message {
		switch {
		case c == '"' || c == '`':
			quoted = !quoted
		case quoted || c >= '0' && c <= '9':
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
