package starpass

import (
	"fmt"
	"regexp"
	"sync"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/pass"
)

// passMaker returns module_pass, function_pass, prim_func_pass or dataflowblock_pass.
//
// Without a function it is the decorator of one, or of a class with a method that is the function.
func passMaker(kind pass.Kind) builtinFunc {
	return func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		p := &Pass{kind: kind}
		var fn, level, required, declared, traceable starlark.Value
		err := starlark.UnpackArgs(b.Name(), args, kwargs, "fn?", &fn, "opt_level", &level, "name?", &p.name, "required?", &required,
			"traceable?", &traceable, "reads?", &declared, "doc?", &p.doc)
		if err != nil {
			return nil, err
		}
		if level == nil {
			return nil, fmt.Errorf("%s: missing argument for opt_level", b.Name())
		}
		if fn == nil || fn == starlark.None {
			return builtin(b.Name(), func(t *starlark.Thread, d *starlark.Builtin, args starlark.Tuple, more []starlark.Tuple) (starlark.Value, error) {
				if len(args) != 1 || len(more) > 0 {
					return nil, fmt.Errorf("%s: a decorator takes a function or a class", d.Name())
				}
				return b.CallInternal(t, args, kwargs)
			}), nil
		}
		var ok bool
		if p.level, err = levelOfPass(b.Name(), level); err != nil {
			return nil, err
		}
		if p.required, err = names(required); err != nil {
			return nil, fmt.Errorf("%s: required: %w", b.Name(), err)
		}
		if p.reads, err = readsOf(declared); err != nil {
			return nil, fmt.Errorf("%s: reads: %w", b.Name(), err)
		}
		if c, ok := fn.(*Class); ok {
			return classPass(b.Name(), *p, c)
		}
		if p.fn, ok = fn.(starlark.Callable); !ok {
			return nil, fmt.Errorf("%s: expected a function, got %s", b.Name(), describe(fn))
		}
		if p.name == "" {
			p.name = p.fn.Name()
		}
		if p.name == "lambda" {
			return nil, fmt.Errorf("%s: a lambda has no name, give it one with name=", b.Name())
		}
		if err := checkName(b.Name(), p.name); err != nil {
			return nil, err
		}
		if f, ok := fn.(*starlark.Function); ok {
			if p.doc == "" {
				p.doc = f.Doc()
			}
			if f.NumParams() == 0 {
				return nil, fmt.Errorf("%s: %s takes no parameter, expected (%s)", b.Name(), p.fn.Name(), passParams[kind])
			}
		}
		return runOf(t).register(p), nil
	}
}

// applyBuiltin is tir.transform.Apply(ftransform): the pass that gives each PrimFunc to a function, without the module and the context.
func applyBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var fn starlark.Callable
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "ftransform", &fn); err != nil {
		return nil, err
	}
	each := builtin(b.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return starlark.Call(t, fn, args[:1], nil)
	})
	level := []starlark.Tuple{{starlark.String("opt_level"), starlark.MakeInt(0)}, {starlark.String("name"), starlark.String("Apply")}}
	return passMaker(pass.PrimFunc)(t, b, starlark.Tuple{each}, level)
}

// passName is what a pass or instrument may be called: names stand in paths and addresses.
var passName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,99}$`) })

func checkName(what, name string) error {
	if !passName().MatchString(name) {
		return fmt.Errorf("%s: %q is not a name: expected up to 100 letters, digits and _ . -", what, name)
	}
	return nil
}

var passParams = map[pass.Kind]string{
	pass.Module: "mod, ctx", pass.Function: "func, mod, ctx", pass.PrimFunc: "func, mod, ctx", pass.DataflowBlock: "block, mod, ctx",
}

func levelOfPass(what string, v starlark.Value) (int, error) {
	n, err := starlark.AsInt32(v)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s: opt_level is a number of 0 or more, got %s", what, v.String())
	}
	return n, nil
}

// names returns a list of strings; None is empty.
func names(v starlark.Value) ([]string, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	var out []string
	err := eachOf(v, func(x starlark.Value) error {
		s, ok := starlark.AsString(x)
		if !ok {
			return fmt.Errorf("expected names, got %s", describe(x))
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

// sequentialBuiltin is sequential([passes], opt_level=0, name="sequential", required=[]).
func sequentialBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	p := &Pass{kind: pass.Sequential, name: "sequential"}
	var list, required starlark.Value
	var level starlark.Value = starlark.MakeInt(0)
	err := starlark.UnpackArgs(b.Name(), args, kwargs, "passes", &list, "opt_level?", &level, "name?", &p.name, "required?", &required, "doc?", &p.doc)
	if err != nil {
		return nil, err
	}
	if err := checkName(b.Name(), p.name); err != nil {
		return nil, err
	}
	err = eachOf(list, func(v starlark.Value) error {
		c, ok := v.(*Pass)
		if !ok {
			return fmt.Errorf("expected passes, got %s", describe(v))
		}
		p.children = append(p.children, c)
		p.inside += 1 + c.inside
		p.nesting = max(p.nesting, 1+c.nesting)
		if p.inside > maxPasses || p.nesting > maxNested {
			return &LimitError{fmt.Sprintf("more than %d passes, or more than %d in each other", maxPasses, maxNested)}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("sequential: %w", err)
	}
	if p.level, err = levelOfPass(b.Name(), level); err != nil {
		return nil, err
	}
	if p.required, err = names(required); err != nil {
		return nil, fmt.Errorf("sequential: required: %w", err)
	}
	if p.name != "sequential" { // the name that all have which were given none
		runOf(t).register(p)
	}
	return p, nil
}

// maxPasses bounds the passes of a sequence, those of sequences in it included.
const maxPasses = 10_000
