package starpass

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/pass"
)

// passClass is a class of a script under one of the decorators of passes or instruments: its instances are passes or instruments.
type passClass struct {
	class *Class
	// wrap makes of an instance what it stands for.
	wrap func(*starlark.Thread, *Instance) (starlark.Value, error)
}

var (
	_ starlark.Callable = (*passClass)(nil)
	_ starlark.HasAttrs = (*passClass)(nil)
	_ holder            = (*passClass)(nil)
)

func (p *passClass) String() string                           { return p.class.String() }
func (*passClass) Type() string                               { return "type" }
func (p *passClass) Name() string                             { return p.class.name }
func (p *passClass) Freeze()                                  { p.class.Freeze() }
func (*passClass) Truth() starlark.Bool                       { return true }
func (p *passClass) Hash() (uint32, error)                    { return p.class.Hash() }
func (p *passClass) held(f func(starlark.Value))              { f(p.class) }
func (p *passClass) AttrNames() []string                      { return p.class.AttrNames() }
func (p *passClass) Attr(name string) (starlark.Value, error) { return p.class.Attr(name) }

// CallInternal makes an instance.
func (p *passClass) CallInternal(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	v, err := p.class.CallInternal(t, args, kwargs)
	if err != nil {
		return nil, err
	}
	return p.wrap(t, v.(*Instance))
}

// transformMethods are the methods that do the work of a class under a decorator of passes.
var transformMethods = map[pass.Kind]string{
	pass.Module: "transform_module", pass.Function: "transform_function", pass.PrimFunc: "transform_function", pass.DataflowBlock: "transform_dataflowblock",
}

// classPass is module_pass and the like on a class: like is the pass without a function.
func classPass(what string, like Pass, c *Class) (starlark.Value, error) {
	name := transformMethods[like.kind]
	if like.name == "" {
		like.name = c.name
	}
	if err := checkName(what, like.name); err != nil {
		return nil, err
	}
	if like.doc == "" {
		like.doc = c.doc
	}
	f, err := c.Attr(name)
	if err != nil {
		return nil, err
	}
	if _, ok := f.(*starlark.Function); !ok {
		return nil, fmt.Errorf("%s: the class %s has no method %s(self, %s)", what, c.name, name, passParams[like.kind])
	}
	return &passClass{class: c, wrap: func(t *starlark.Thread, v *Instance) (starlark.Value, error) {
		m, ok := v.member(v.class.order, name).(*Method)
		if !ok {
			return nil, fmt.Errorf("%s: %s of the class %s is no method", what, name, c.name)
		}
		p := like
		p.fn, p.object = m, v
		return runOf(t).register(&p), nil
	}}, nil
}

// instantiate returns the pass or instrument that a variable of the top level holds, an instance of it where it holds a class, nil if it
// holds neither. Of a class that needs arguments only what the script makes of it counts.
func instantiate(t *starlark.Thread, v starlark.Value, globals starlark.StringDict) (starlark.Value, error) {
	switch x := v.(type) {
	case *Pass, *Instrument:
		return x, nil
	case *passClass:
		if !x.class.takesNothing() {
			return nil, nil
		}
		for _, other := range globals {
			switch o := other.(type) {
			case *Pass:
				if o.object != nil && o.object.class == x.class {
					return nil, nil
				}
			case *Instrument:
				if o.object != nil && o.object.class == x.class {
					return nil, nil
				}
			}
		}
		return starlark.Call(t, x, nil, nil)
	}
	return nil, nil
}
