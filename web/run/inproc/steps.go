package inproc

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/web/run"
)

// pipelineName returns the name of the pipeline that settings choose.
func pipelineName(s run.Settings) string {
	if s.Steps != nil {
		return "custom"
	}
	return orDefault(s.Pipeline, "default")
}

// chosenPipeline returns the named pipeline, or a sequence of the listed steps.
func chosenPipeline(s run.Settings, reg registry) (*pass.Pass, error) {
	if s.Steps == nil {
		pl, err := pipeline.Lookup(s.Pipeline)
		if err != nil {
			return nil, input("%v", err)
		}
		return pl, nil
	}
	children, err := chosenSteps(s.Steps, reg, "")
	if err != nil {
		return nil, err
	}
	return pass.NewSequential("custom", children...), nil
}

// step returns the pass that a step names: one of the registry, or a named pipeline as a
// sequence; nil for none.
func (r registry) step(name string) *pass.Pass {
	if p := r.Lookup(name); p != nil {
		return p
	}
	if slices.Contains(pipeline.Names(), name) {
		p, _ := pipeline.Lookup(name) // the name is known
		return p
	}
	return nil
}

// sequenceName matches the names of sequences, which stand in the paths of steps.
var sequenceName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,99}$`)

// chosenSteps returns the passes of a list of steps; path stands before their numbers in
// errors.
func chosenSteps(steps []run.Step, reg registry, path string) ([]*pass.Pass, error) {
	var out []*pass.Pass
	for i, step := range steps {
		at := fmt.Sprintf("%s%d", path, i+1)
		if len(step.Steps) > 0 {
			if len(step.Options) > 0 || !sequenceName.MatchString(step.Name) {
				return nil, input("step %s: a sequence has a name of up to 100 letters, digits and _ . -, and no options", at)
			}
			inside, err := chosenSteps(step.Steps, reg, at+".")
			if err != nil {
				return nil, err
			}
			out = append(out, pass.NewSequential(step.Name, inside...))
			continue
		}
		p := reg.step(step.Name)
		if p == nil {
			near := ""
			if n := reg.Nearest(step.Name); n != "" {
				near = fmt.Sprintf("; did you mean %s?", n)
			}
			return nil, input("step %s: there is no pass %q%s", at, step.Name, near)
		}
		if len(step.Options) > 0 {
			args, err := value(step.Options)
			if err != nil {
				return nil, input("options of step %s (%s): %v", at, step.Name, err)
			}
			if p, err = p.With(args.(*ir.Attrs)); err != nil {
				return nil, input("step %s: %v", at, err)
			}
		}
		out = append(out, p)
	}
	return out, nil
}
