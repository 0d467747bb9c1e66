package driver

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments/request"
)

// step returns the pass that a step names: one of the registry, or a named pipeline as a
// sequence; nil for none.
func (r registry) step(name string) *pass.Pass {
	if p := r.Lookup(name); p != nil {
		return p
	}
	if name == "" {
		return nil
	}
	p, _ := pipeline.Lookup(name, r.target)
	return p
}

// isSequence reports whether steps have a sequence of that name, which no registry knows.
func isSequence(steps []request.Step, name string) bool {
	if slices.Contains(pipeline.Names(), name) {
		return true
	}
	return slices.ContainsFunc(steps, func(s request.Step) bool {
		return len(s.Steps) > 0 && (s.Name == name || isSequence(s.Steps, name))
	})
}

// sequenceName matches the names of sequences, which stand in the paths of steps.
var sequenceName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,99}$`) })

// chosenSteps returns the passes of a list of steps, and what is wrong with it. above stands before their numbers in errors, path before
// those in the paths of steps.
func chosenSteps(steps []request.Step, reg registry, above, path string) (out []*pass.Pass, found Problems) {
	for i, step := range steps {
		at, number := fmt.Sprintf("%s%d", above, i+1), fmt.Sprintf("%s.%d", path, i+1)
		if len(step.Steps) > 0 {
			if len(step.Options) > 0 || !sequenceName().MatchString(step.Name) {
				err := fmt.Errorf("step %s: a sequence needs a name of up to 100 letters, digits, and _ . -, and takes no options", at)
				found = append(found, Problem{Field: FieldSteps, Message: err.Error(), Err: err})
			}
			inside, wrong := chosenSteps(step.Steps, reg, at+".", number)
			out, found = append(out, pass.NewSequential(step.Name, inside...)), append(found, wrong...)
			continue
		}
		p := reg.step(step.Name)
		if p == nil {
			near := reg.Nearest(step.Name)
			err := fmt.Errorf("step %s: there is no pass %q", at, step.Name)
			if near != "" {
				err = fmt.Errorf("%w; did you mean %s?", err, near)
			}
			found = append(found, Problem{Field: FieldSteps, Step: number, Message: (&pass.UnknownPassError{Name: step.Name, Near: near}).Error(), Err: err})
			continue
		}
		with, wrong := withOptions(p, step, at, number)
		out, found = append(out, with), append(found, wrong...)
	}
	return out, found
}

// withOptions returns a pass with the options of its step, or what is wrong with each of them.
func withOptions(p *pass.Pass, step request.Step, at, number string) (*pass.Pass, Problems) {
	if len(step.Options) == 0 {
		return p, nil
	}
	args, err := value(step.Options)
	if err != nil {
		err = fmt.Errorf("options of step %s (%s): %w", at, step.Name, err)
	} else if with, bad := p.With(args.(*ir.Attrs)); bad == nil {
		return with, nil
	} else {
		err = fmt.Errorf("step %s: %w", at, bad)
	}
	var found Problems
	for _, name := range slices.Sorted(maps.Keys(step.Options)) {
		v, wrong := value(step.Options[name])
		if wrong == nil {
			var args *ir.Attrs
			_, wrong = p.With(args.With(name, v))
		}
		if wrong != nil {
			found = append(found, Problem{Field: FieldSteps, Step: number, Option: name, Message: wrong.Error(), Err: err})
		}
	}
	if found == nil { // they do not go together
		found = Problems{{Field: FieldSteps, Step: number, Message: err.Error(), Err: err}}
	}
	return nil, found
}

// value turns a value from JSON into one of the compiler: whole numbers become integers, objects dictionaries. What is one of the
// compiler already stays.
func value(x any) (ir.Value, error) {
	switch x := x.(type) {
	case bool, string, int64:
		return x, nil
	case float64:
		if n := int64(x); float64(n) == x {
			return n, nil
		}
		return x, nil
	case []any:
		out := make([]ir.Value, len(x))
		for i, e := range x {
			v, err := value(e)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case map[string]any:
		attrs := ir.NewAttrs()
		for k, e := range x {
			v, err := value(e)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k, err)
			}
			attrs = attrs.With(k, v)
		}
		return attrs, nil
	default:
		return nil, fmt.Errorf("a value is %v, want true, false, a number, a string, a list, or an object", x)
	}
}
