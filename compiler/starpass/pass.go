package starpass

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Pass is a pass as a value of Starlark: of a function of the script, a sequence, or one of
// the compiler. p(mod) runs it under the current context; p.info is its PassInfo.
type Pass struct {
	builtin  *pass.Pass // of the compiler, nil otherwise
	kind     pass.Kind
	name     string
	doc      string
	level    int
	required []string
	reads    *reads
	fn       starlark.Callable // nil for sequences
	object   *Instance         // of the class that the function is a method of, nil if there is none
	children []*Pass
	inside   int    // passes below a sequence
	nesting  int    // sequences in each other
	hash     string // of the script
	frozen   bool
	// native makes the pass of one of the compiler that calls functions of the script, which holds has; builtin describes it.
	native func(r *run) *pass.Pass
	holds  []starlark.Value
}

var (
	_ starlark.Callable = (*Pass)(nil)
	_ starlark.HasAttrs = (*Pass)(nil)
	_ exported          = (*Pass)(nil)
	_ holder            = (*Pass)(nil)
)

// wrapPass returns a pass of the compiler as a value.
func wrapPass(p *pass.Pass) *Pass {
	return &Pass{builtin: p, kind: p.Kind, name: p.Name, doc: p.Doc, level: p.Level, required: p.Required}
}

// String describes the pass as TVM prints a PassInfo.
func (p *Pass) String() string {
	return (&pass.Pass{Name: p.name, Level: p.level, Required: p.required, Kind: p.kind}).String()
}

// Type is "Pass".
func (*Pass) Type() string { return "Pass" }

// Freeze freezes the function.
func (p *Pass) Freeze() {
	if p.frozen {
		return
	}
	p.frozen = true
	p.held(starlark.Value.Freeze)
}

func (p *Pass) held(f func(starlark.Value)) {
	if p.fn != nil {
		f(p.fn)
	}
	for _, v := range p.holds {
		f(v)
	}
	for _, c := range p.children {
		f(c)
	}
}

func (p *Pass) source(hash string) {
	if (p.builtin == nil || p.native != nil) && p.hash == "" {
		p.hash = hash
		for _, c := range p.children {
			c.source(hash)
		}
	}
}

// Truth is true.
func (*Pass) Truth() starlark.Bool { return true }

// Hash is that of the name.
func (p *Pass) Hash() (uint32, error) { return starlark.String(p.name).Hash() }

// Name returns the name of the pass.
func (p *Pass) Name() string { return p.name }

// AttrNames returns the fields.
func (*Pass) AttrNames() []string { return []string{"doc", "info"} }

// Attr returns info or doc.
func (p *Pass) Attr(name string) (starlark.Value, error) {
	switch name {
	case "info":
		return infoValue(p.name, p.level, p.required), nil
	case "doc":
		return starlark.String(p.doc), nil
	}
	if p.object != nil {
		return p.object.Attr(name)
	}
	return nil, nil
}

func infoValue(name string, level int, required []string) starlark.Value {
	return starlarkstruct.FromStringDict(starlark.String("PassInfo"), starlark.StringDict{
		"name": starlark.String(name), "opt_level": starlark.MakeInt(level), "required": listOf(required),
	})
}

// CallInternal is p(mod).
func (p *Pass) CallInternal(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs(p.name, args, kwargs, "mod", &v); err != nil {
		return nil, err
	}
	m, ok := v.(*Module)
	if !ok {
		return nil, fmt.Errorf("pass %s runs on an IRModule, got %s", p.name, describe(v))
	}
	r := runOf(t)
	if r.cur == nil {
		return nil, fmt.Errorf("pass %s cannot run here, where no pass context is: call it from main or from a pass", p.name)
	}
	q := p.bind(r)
	if err := r.reads.covers(q); err != nil {
		return nil, err
	}
	out, err := r.cur.Run(q, m.m)
	if err != nil {
		return nil, err
	}
	if out == m.m {
		return v, nil
	}
	return &Module{m: out}, nil
}

// bind returns the pass for use by r's thread.
func (p *Pass) bind(r *run) *pass.Pass {
	return p.make(func(c *pass.Context, f func(*run) error) error { return f(r) })
}

// export returns the pass for use by any goroutine: each run has a thread of its own.
func (p *Pass) export(s *Script) *pass.Pass {
	return p.make(func(c *pass.Context, f func(*run) error) error {
		return located(f(newRun(c.Context(), s.name, s.limits, c)))
	})
}

// optSource is the option that carries the hash of the script, so that it enters run keys.
const optSource = "source"

var sourceOption = pass.Option{Name: optSource, Default: "", Doc: "SHA-256 of the script that the pass comes from"}

// make returns the pass; with gives it the run that its function is called in.
func (p *Pass) make(with func(*pass.Context, func(*run) error) error) *pass.Pass {
	if p.native != nil {
		return p.bound(with)
	}
	if p.builtin != nil {
		return p.builtin
	}
	out := &pass.Pass{
		Name: p.name, Level: p.level, Required: p.required, Kind: p.kind, Doc: p.doc, Foreign: true,
		Options: []pass.Option{sourceOption},
		Args:    ir.NewAttrs(optSource, p.hash),
	}
	if p.kind == pass.Sequential {
		for _, c := range p.children {
			out.Children = append(out.Children, c.make(with))
		}
		return out
	}
	p.reads.declare(out)
	exec := func(c *pass.Context, m *ir.Module, f func(*run) error) error {
		return with(c, func(r *run) error {
			return r.under(c, m, p.reads, func() error { return f(r) })
		})
	}
	out.Run = p.body(exec)
	return out
}

// body returns what runs the function of the script.
func (p *Pass) body(exec func(*pass.Context, *ir.Module, func(*run) error) error) pass.RunFunc {
	if p.kind == pass.Module {
		return func(c *pass.Context, m *ir.Module) (out *ir.Module, err error) {
			err = exec(c, m, func(r *run) error {
				since := r.rewrites
				v, err := r.call(p.fn, &Module{m: m}, &Context{c})
				if err != nil {
					return err
				}
				x, ok := v.(*Module)
				if !ok {
					return p.wrong("an IRModule", v)
				}
				if out, err = settle(m, x.m); err == nil && c.Observed() {
					out.EachChange(m, func(_ string, before, after ir.Function) { r.whole(p, since, funcNode(before), funcNode(after)) })
				}
				return err
			})
			return out, err
		}
	}
	each := func(c *pass.Context, n ir.Node) (out starlark.Value, err error) {
		m := c.Step().Input
		err = exec(c, m, func(r *run) error {
			since := r.rewrites
			out, err = r.call(p.fn, &Node{n}, &Module{m: m}, &Context{c})
			if x, ok := out.(*Node); ok && err == nil {
				r.whole(p, since, n, x.n)
			} else if out == starlark.None {
				r.whole(p, since, n, nil)
			}
			return err
		})
		return out, err
	}
	var lifted pass.RunFunc
	switch p.kind {
	case pass.Function:
		lifted = pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			v, err := each(c, f)
			if err != nil {
				return nil, err
			}
			return returned[*relax.Function](p, v, "a relax.Function")
		})
	case pass.PrimFunc:
		lifted = pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			v, err := each(c, f)
			if err != nil || v == starlark.None {
				return nil, err
			}
			return returned[*tir.PrimFunc](p, v, "a tir.PrimFunc, or None to remove the function")
		})
	case pass.DataflowBlock:
		lifted = pass.EachDataflowBlock(func(c *pass.Context, b *relax.BindingBlock) (*relax.BindingBlock, error) {
			v, err := each(c, b)
			if err != nil {
				return nil, err
			}
			return returned[*relax.BindingBlock](p, v, "a DataflowBlock")
		})
	default:
		panic("starpass: no body for a pass of kind " + p.kind.String())
	}
	return func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		out, err := lifted(c, m)
		if err != nil {
			return nil, err
		}
		return settle(m, out)
	}
}

func (p *Pass) wrong(want string, got starlark.Value) error {
	hint := ""
	if got == starlark.None {
		hint = ": is a return missing?"
	}
	return fmt.Errorf("%s pass %s must return %s, got %s%s", p.kind, p.name, want, describe(got), hint)
}

func returned[T ir.Node](p *Pass, v starlark.Value, want string) (T, error) {
	x, err := asNode[T](v, want)
	if err != nil {
		return x, p.wrong(want, v)
	}
	return x, nil
}
