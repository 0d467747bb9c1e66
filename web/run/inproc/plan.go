package inproc

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/web/run"
)

// Plan implements run.Compiler.
func (r *Runner) Plan(ctx context.Context, s run.Settings) (run.Planned, error) {
	out := run.Planned{Steps: []event.PlanStep{}, Warnings: []run.OrderWarning{}, Mistakes: []run.Mistake{}}
	wrong := func(m run.Mistake) { out.Mistakes = append(out.Mistakes, m) }
	if _, err := target.Parse(orDefault(s.Target, "wasm")); err != nil {
		wrong(run.Mistake{Message: fmt.Sprintf("target: %v", err)})
	}
	user, err := readScripts(ctx, s.Scripts)
	if ctx.Err() != nil {
		return out, context.Cause(ctx)
	}
	if err != nil {
		wrong(run.Mistake{Message: err.Error()})
		return out, nil
	}
	reg := registry{pipeline.NewRegistry(), user.passes}
	for _, p := range s.Patches {
		reg.adopt(editOf(p).Pass(nil))
	}
	for _, list := range [][]string{s.Required, s.Disabled} {
		for _, name := range list {
			if reg.Lookup(name) == nil && !isSequence(s.Steps, name) {
				wrong(run.Mistake{Pass: name, Message: (&pass.UnknownPassError{Name: name, Near: reg.Nearest(name)}).Error()})
			}
		}
	}
	wrongConfig(s.Config, wrong)
	wrongOptions(s.Steps, reg, "1", wrong)
	pl, err := chosenPipeline(s, reg)
	if err != nil {
		if len(out.Mistakes) == 0 {
			wrong(run.Mistake{Message: err.Error()})
		}
		return out, nil
	}
	edits := &prepared{registry: reg, pipeline: pl}
	if _, err := edits.patch(s.Patches); err != nil {
		wrong(run.Mistake{Message: err.Error()})
	}
	out.Steps = instruments.Plan(edits.pipeline)
	for _, p := range pipeline.Check(pl, func(p *pass.Pass) bool { return enabled(p, s) }) {
		out.Warnings = append(out.Warnings, run.OrderWarning{Step: stepPath(pl, p.Path), Other: stepPath(pl, p.OtherPath), Message: p.Message})
	}
	return out, nil
}

// isSequence reports whether steps have a sequence of that name, which no registry knows.
func isSequence(steps []run.Step, name string) bool {
	if slices.Contains(pipeline.Names(), name) {
		return true
	}
	return slices.ContainsFunc(steps, func(s run.Step) bool {
		return len(s.Steps) > 0 && (s.Name == name || isSequence(s.Steps, name))
	})
}

// enabled reports whether a sequence runs a pass under settings.
func enabled(p *pass.Pass, s run.Settings) bool {
	named := func(list []string) bool {
		return slices.ContainsFunc(list, func(n string) bool { return n == p.Name || pipeline.Canonical(n) == p.Name })
	}
	return !named(s.Disabled) && (p.Level <= s.OptLevel || named(s.Required))
}

// stepPath returns the path in events of the pass that numbers of children lead to; "" for
// nil.
func stepPath(pl *pass.Pass, path []int) string {
	if path == nil {
		return ""
	}
	at, id := pl, "1"
	for _, i := range path {
		at = at.Children[i]
		id += fmt.Sprintf(".%d", i+1)
	}
	return id + "/" + at.Name
}

// wrongConfig finds what is wrong with the config, one mistake for each key.
func wrongConfig(config map[string]any, wrong func(run.Mistake)) {
	for _, key := range slices.Sorted(maps.Keys(config)) {
		v, err := value(config[key])
		if err == nil {
			_, err = pass.NewConfig(map[string]any{key: v})
		}
		if err != nil {
			wrong(run.Mistake{Config: key, Message: err.Error()})
		}
	}
}

// wrongOptions finds what is wrong with steps: names that no pass has, and options.
func wrongOptions(steps []run.Step, reg registry, above string, wrong func(run.Mistake)) {
	for i, step := range steps {
		at := fmt.Sprintf("%s.%d", above, i+1)
		if len(step.Steps) > 0 {
			wrongOptions(step.Steps, reg, at, wrong)
			continue
		}
		p := reg.step(step.Name)
		if p == nil {
			wrong(run.Mistake{Step: at, Message: (&pass.UnknownPassError{Name: step.Name, Near: reg.Nearest(step.Name)}).Error()})
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(step.Options)) {
			v, err := value(step.Options[name])
			if err == nil {
				var args *ir.Attrs
				_, err = p.With(args.With(name, v))
			}
			if err != nil {
				wrong(run.Mistake{Step: at, Option: name, Message: err.Error()})
			}
		}
	}
}
