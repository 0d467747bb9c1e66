package driver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/bisect"
	"github.com/irscope/irscope/instruments/check/execute"
	"github.com/irscope/irscope/instruments/compare"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/instruments/whatif"
	"github.com/irscope/irscope/runtime/tensor"
)

// Variants lists the variants of a job: as it is, without each of its optional passes, with each two passes that run one after the other swapped where no
// constraint on the order forbids it, and at the other levels.
func (j *Job) Variants() ([]whatif.Variant, error) {
	c, err := j.Compiler(nil, nil).Context(context.Background())
	if err != nil {
		return nil, err
	}
	base := j.Settings
	base.Steps, base.Pipeline = stepsOf(j.Pipeline), ""
	out := []whatif.Variant{{Kind: whatif.Base, Name: "as it is", Settings: base}}
	for _, name := range optionalPasses(j.Pipeline, c) {
		s := base
		s.Disabled = append(slices.Clone(base.Disabled), name)
		s.Required = slices.DeleteFunc(slices.Clone(base.Required), func(x string) bool { return x == name })
		out = append(out, whatif.Variant{Kind: whatif.Without, Name: "without " + name, Settings: s})
	}
	broken := len(pipeline.CheckOrder(pipeline.Flatten(j.Pipeline)))
	swaps(j.Pipeline, c, func(a, b *pass.Pass, swapped *pass.Pass) {
		if len(pipeline.CheckOrder(pipeline.Flatten(swapped))) > broken {
			return
		}
		s := base
		s.Steps = stepsOf(swapped)
		out = append(out, whatif.Variant{Kind: whatif.Swapped, Name: b.Name + " before " + a.Name, Settings: s})
	})
	for level := range request.MaxOptLevel + 1 {
		if level != base.OptLevel {
			s := base
			s.OptLevel = level
			out = append(out, whatif.Variant{Kind: whatif.Level, Name: fmt.Sprintf("opt_level %d", level), Settings: s})
		}
	}
	return out, nil
}

// stepsOf returns the children of a sequence as settings have them.
func stepsOf(p *pass.Pass) []request.Step {
	out := make([]request.Step, 0, len(p.Children))
	for _, c := range p.Children {
		s := request.Step{Name: c.Name}
		if isPhase(c) {
			s.Steps = stepsOf(c)
		} else {
			s.Options = bisect.OptionsOf(c)
		}
		out = append(out, s)
	}
	return out
}

// isPhase reports whether a pass is a sequence of a pipeline, and none that is a pass of its own, such as FuseTIR.
func isPhase(p *pass.Pass) bool {
	return p.Kind == pass.Sequential && pipeline.NewRegistry().Lookup(p.Name) == nil && len(p.Children) > 0
}

// optionalPasses returns the names of the optional passes that run, each once.
func optionalPasses(p *pass.Pass, c *pass.Context) (out []string) {
	for _, x := range p.Children {
		switch runs, _ := c.PassEnabled(x); {
		case !runs:
		case isPhase(x):
			out = append(out, optionalPasses(x, c)...)
		case instruments.Role(x) == event.RoleOptional:
			out = append(out, x.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// swaps calls f with each two passes that run one after the other, and the pipeline with the two swapped. They may be in different sequences: then each goes
// to the place of the other.
func swaps(p *pass.Pass, c *pass.Context, f func(a, b, swapped *pass.Pass)) {
	list := running(p, c, nil)
	for i := 1; i < len(list); i++ {
		if a, b := list[i-1], list[i]; a.pass.Name != b.pass.Name {
			f(a.pass, b.pass, replaced(replaced(p, a.path, b.pass), b.path, a.pass))
		}
	}
}

// placed is a pass of a pipeline, and the numbers of the children that lead to it.
type placed struct {
	pass *pass.Pass
	path []int
}

// running returns the passes that run in a context, in order, but for the sequences that hold them.
func running(p *pass.Pass, c *pass.Context, path []int) (out []placed) {
	for i, x := range p.Children {
		at := append(slices.Clone(path), i)
		switch runs, _ := c.PassEnabled(x); {
		case !runs:
		case isPhase(x):
			out = append(out, running(x, c, at)...)
		default:
			out = append(out, placed{x, at})
		}
	}
	return out
}

// replaced returns a pipeline with a pass in the place of another.
func replaced(p *pass.Pass, path []int, by *pass.Pass) *pass.Pass {
	if len(path) == 0 {
		return by
	}
	out := *p
	out.Children = slices.Clone(p.Children)
	out.Children[path[0]] = replaced(p.Children[path[0]], path[1:], by)
	return &out
}

// WhatIfOptions bound what WhatIf does, and follow it.
type WhatIfOptions struct {
	// Known returns the row of a key, if it is known from before; nil knows none.
	Known func(key string) *whatif.Row
	// Each hears of each row, as it is made, and of how many there are. An error of it ends the work.
	Each func(row whatif.Row, known bool, total int) error
}

// WhatIf runs the variants of a job, one after the other and the job itself first, which is made once more before that, and says what each came to. Nothing is reused, so that the times compare. A variant
// that fails is a row that says so. The error is that of reading the source, of the context, or of Each.
func WhatIf(ctx context.Context, j *Job, hooks Hooks, o WhatIfOptions) error {
	read := hooks.Model
	if read == nil {
		read = j.Source.Model
	}
	m, err := read(ctx)
	if err != nil {
		return err
	}
	hooks.Model = func(context.Context) (*Model, error) { return m, nil }
	hooks.Quiet, hooks.History = false, false
	hooks.Steps, hooks.Programs = nil, nil // times of what is reused say nothing
	list, err := j.Variants()
	if err != nil {
		return err
	}
	source := m.ID
	if source == "" {
		sum := sha256.Sum256(j.Source.Data)
		source = hex.EncodeToString(sum[:])
	}
	// What is done first pays for what is done once: caches, tables, pages of memory. Nothing is told of it.
	if _, err := j.row(ctx, &whatif.Row{}, hooks); err != nil {
		return err
	}
	var want []*tensor.Tensor
	for _, v := range list {
		at := *j
		at.Settings, at.Passes = v.Settings, ""
		row := whatif.Row{Variant: v, Key: at.Key("whatif " + source)}
		if o.Known != nil && v.Kind != whatif.Base { // others are compared with the outputs of the base
			if r := o.Known(row.Key); r != nil {
				r.Variant = v
				if err := o.Each(*r, true, len(list)); err != nil {
					return err
				}
				continue
			}
		}
		outs, err := at.row(ctx, &row, hooks)
		if err != nil {
			return err
		}
		if v.Kind == whatif.Base {
			want = outs
		}
		if outs != nil && want != nil {
			d := execute.Compare(outs, want, nil, nil)
			row.Wrong = d.Status().Bad()
			if d.Message == "" {
				row.Error = &d.MaxAbs
			}
		}
		if err := o.Each(row, false, len(list)); err != nil {
			return err
		}
	}
	return nil
}

// row runs a job with the settings of a variant and fills in what it came to. It returns the outputs, nil where it did not get so far. The error is that of the
// context.
func (j *Job) row(ctx context.Context, row *whatif.Row, hooks Hooks) ([]*tensor.Tensor, error) {
	job, problems, err := Resolve(ctx, j.Request)
	if err != nil {
		return nil, err
	}
	if p := problems.Fatal(); p != nil {
		row.Failed = p.Message
		return nil, nil
	}
	run := event.NewRun()
	t, err := Run(ctx, job, folded{run}, hooks)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		row.Failed, _, _ = strings.Cut(err.Error(), "\n")
		var known *event.Error
		if errors.As(err, &known) {
			row.Failed, _, _ = strings.Cut(known.Message, "\n")
		}
	}
	n := compare.Numbers(run)
	for name, to := range map[string]**int64{"kernels": &row.Kernels, "intermediates": &row.Memory, "code": &row.Code, "latency": &row.Latency} {
		if x, ok := n[name]; ok {
			*to = &x
		}
	}
	if t != nil && t.Compiled > 0 && err == nil {
		took := (t.Compiled - t.Generated).Nanoseconds()
		row.Compile = &took
	}
	if len(run.Lanes) > 0 {
		if m := run.Lanes[len(run.Lanes)-1].Metrics; m != nil {
			calls := int64(m.Calls)
			row.Ops = &calls
		}
	}
	if t == nil || t.Executed() == nil {
		return nil, nil
	}
	return t.Executed().Outputs, nil
}

// folded is a sink that folds events into a run.
type folded struct{ run *event.Run }

// Emit implements event.Sink.
func (f folded) Emit(e event.Event) error {
	f.run.Apply(e)
	return nil
}

// Text implements event.Sink. Nobody reads the texts.
func (folded) Text(_, text string) (string, error) { return event.HashText(text), nil }
