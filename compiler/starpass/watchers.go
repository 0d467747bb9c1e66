package starpass

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
)

// nativeInstrument is an instrument of the compiler.
type nativeInstrument interface {
	bind(r *run) *pass.Instrument
	attr(name string) starlark.Value
}

// classInstrument is pass_instrument on a class.
func classInstrument(what string, c *Class) (starlark.Value, error) {
	if err := checkName(what, c.name); err != nil {
		return nil, err
	}
	return &passClass{class: c, wrap: func(_ *starlark.Thread, v *Instance) (starlark.Value, error) {
		in := &Instrument{name: c.name, hooks: map[string]starlark.Callable{}, object: v}
		for _, h := range hookNames {
			if m, ok := v.member(v.class.order, h).(*Method); ok {
				in.hooks[h] = m
			}
		}
		return in, nil
	}}, nil
}

// AttrNames returns the names of what the object has, or of the methods of an instrument of the compiler.
func (in *Instrument) AttrNames() []string {
	out := []string{"name"}
	if in.object != nil {
		out = append(out, in.object.AttrNames()...)
	}
	if _, ok := in.native.(*passTimes); ok {
		out = append(out, "render")
	}
	return out
}

// Attr returns the name, or a field or method of the object.
func (in *Instrument) Attr(name string) (starlark.Value, error) {
	if in.native != nil {
		if v := in.native.attr(name); v != nil {
			return v, nil
		}
	}
	if in.object != nil {
		if v, err := in.object.Attr(name); v != nil || err != nil {
			return v, err
		}
	}
	if name == "name" {
		return starlark.String(in.name), nil
	}
	return nil, nil
}

// SetField sets a field of the object.
func (in *Instrument) SetField(name string, v starlark.Value) error {
	if in.object == nil {
		return errors.New("an instrument that is no instance of a class has no fields")
	}
	return in.object.SetField(name, v)
}

// passTimes is PassTimingInstrument: render() returns how long passes took, as TVM writes it.
type passTimes struct {
	steps []*pass.Step
	depth []int
}

func timingBuiltin(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
		return nil, err
	}
	return &Instrument{name: "PassTimingInstrument", hooks: map[string]starlark.Callable{}, native: &passTimes{}}, nil
}

// maxTimed bounds the passes that are kept.
const maxTimed = 100_000

func (p *passTimes) bind(*run) *pass.Instrument {
	depth := 0
	return &pass.Instrument{
		Name:         "PassTimingInstrument",
		EnterPassCtx: func() error { p.steps, p.depth, depth = nil, nil, 0; return nil },
		RunBeforePass: func(_ *ir.Module, s *pass.Step) error {
			if len(p.steps) < maxTimed {
				p.steps, p.depth = append(p.steps, s), append(p.depth, depth)
			}
			depth++
			return nil
		},
		RunAfterPass: func(*ir.Module, *pass.Step) error { depth--; return nil },
		PassFailed:   func(*ir.Module, *pass.Step, error) { depth-- },
	}
}

func (p *passTimes) attr(name string) starlark.Value {
	if name != "render" {
		return nil
	}
	return builtin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
			return nil, err
		}
		return runOf(t).result(starlark.String(p.render()))
	})
}

// render writes a line for each pass: its time with and without the passes inside, and its share of the whole and of the pass around it.
func (p *passTimes) render() string {
	var total time.Duration
	for i, s := range p.steps {
		if p.depth[i] == 0 {
			total += s.Duration
		}
	}
	share := func(part, of time.Duration) float64 {
		if of <= 0 {
			return 0
		}
		return 100 * float64(part) / float64(of)
	}
	var b strings.Builder
	var around []time.Duration
	for i, s := range p.steps {
		d := p.depth[i]
		around = append(around[:min(d, len(around))], s.Duration)
		parent := total
		if d > 0 && d <= len(around)-1 {
			parent = around[d-1]
		}
		fmt.Fprintf(&b, "%s%s: %dus [%dus] (%.2f%%; %.2f%%)\n", strings.Repeat("\t", d), s.Pass.Name, s.Duration.Microseconds(), s.Self.Microseconds(),
			share(s.Duration, total), share(s.Duration, parent))
	}
	return b.String()
}

// passPrinter prints modules before and after passes: PassPrintingInstrument for some, PrintBeforeAll and PrintAfterAll for all.
type passPrinter struct {
	name          string
	before, after []string // names of passes
	allBefore     bool
	allAfter      bool
}

func printingBuiltin(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	p := &passPrinter{name: b.Name(), allBefore: b.Name() == "PrintBeforeAll", allAfter: b.Name() == "PrintAfterAll"}
	var err error
	if b.Name() == "PassPrintingInstrument" {
		var before, after starlark.Value
		if err = starlark.UnpackArgs(b.Name(), args, kwargs, "print_before_pass_names?", &before, "print_after_pass_names?", &after); err == nil {
			if p.before, err = names(before); err == nil {
				p.after, err = names(after)
			}
		}
	} else {
		err = starlark.UnpackArgs(b.Name(), args, kwargs)
	}
	if err != nil {
		return nil, err
	}
	return &Instrument{name: b.Name(), hooks: map[string]starlark.Callable{}, native: p}, nil
}

func (p *passPrinter) bind(r *run) *pass.Instrument {
	show := func(when string, m *ir.Module, s *pass.Step) error {
		return r.show(fmt.Sprintf("Print IR %s: %s", when, s.Pass.Name), m)
	}
	return &pass.Instrument{
		Name: p.name,
		RunBeforePass: func(m *ir.Module, s *pass.Step) error {
			if p.allBefore || slices.Contains(p.before, s.Pass.Name) {
				return show("before", m, s)
			}
			return nil
		},
		RunAfterPass: func(m *ir.Module, s *pass.Step) error {
			if p.allAfter || slices.Contains(p.after, s.Pass.Name) {
				return show("after", m, s)
			}
			return nil
		},
	}
}

func (*passPrinter) attr(string) starlark.Value { return nil }

// show prints a module under a heading.
func (r *run) show(heading string, m *ir.Module) error {
	text, err := (&Module{m: m}).script(r, nil, nil)
	if err != nil {
		return err
	}
	return r.print(heading + "\n" + strings.TrimSuffix(string(text.(starlark.String)), "\n"))
}

// printIR is transform.PrintIR(header=""): a pass that prints its module and returns it.
func printIR(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	header := ""
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "header?", &header); err != nil {
		return nil, err
	}
	return &Pass{kind: pass.Module, name: "PrintIR", doc: "Prints the module.", reads: &reads{}, fn: builtin("PrintIR", func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		m, ok := args[0].(*Module)
		if !ok {
			return nil, fmt.Errorf("PrintIR: expected an IRModule, got %s", describe(args[0]))
		}
		return m, runOf(t).show(fmt.Sprintf("PrintIR(%s):", header), m.m)
	})}, nil
}
