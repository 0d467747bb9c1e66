package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
)

// PatternContext holds how patterns are related, as a value of Starlark. While a with statement is in it, patterns are related in it.
type PatternContext struct {
	c      *dpl.Context
	frozen bool
}

var (
	_ starlark.HasAttrs = (*PatternContext)(nil)
	_ manager           = (*PatternContext)(nil)
)

func (*PatternContext) String() string       { return "PatternContext" }
func (*PatternContext) Type() string         { return "PatternContext" }
func (v *PatternContext) Freeze()            { v.frozen = true }
func (*PatternContext) Truth() starlark.Bool { return true }
func (*PatternContext) Hash() (uint32, error) {
	return 0, errors.New("a PatternContext cannot be a key")
}

func patternContextType() starlark.Value {
	return &typeValue{
		name: "PatternContext",
		is:   func(v starlark.Value) bool { _, ok := v.(*PatternContext); return ok },
		call: builtin("PatternContext", func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			incremental := false
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "incremental?", &incremental); err != nil {
				return nil, err
			}
			if !incremental {
				return &PatternContext{c: dpl.NewContext()}, nil
			}
			c := runOf(t).patternContext()
			if c == nil {
				return nil, errors.New("PatternContext: an incremental context is made inside of another one")
			}
			return &PatternContext{c: c.Incremental()}, nil
		}),
		members: starlark.StringDict{"current": builtin("current", func(t *starlark.Thread, _ *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if r := runOf(t); len(r.patterns) > 0 {
				return r.patterns[len(r.patterns)-1], nil
			}
			return starlark.None, nil
		})},
	}
}

// enter makes the context the current one.
func (v *PatternContext) enter(t *starlark.Thread) (starlark.Value, func(error) error, error) {
	if v.frozen {
		return nil, nil, errors.New("a PatternContext of the script's top level cannot change any more: make one where it is used")
	}
	r := runOf(t)
	depth := len(r.patterns)
	r.patterns = append(r.patterns, v)
	return v, func(err error) error {
		r.patterns = r.patterns[:depth]
		return err
	}, nil
}

// AttrNames returns the methods.
func (*PatternContext) AttrNames() []string { return []string{"match_dfb"} }

// Attr returns a method.
func (v *PatternContext) Attr(name string) (starlark.Value, error) {
	if name != "match_dfb" {
		return nil, nil
	}
	return builtin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var x starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "dfb", &x); err != nil {
			return nil, err
		}
		blk, err := asNode[*relax.BindingBlock](x, "a dataflow block")
		if err == nil && !blk.Dataflow {
			err = fmt.Errorf("expected a dataflow block, got an ordinary one")
		}
		if err == nil {
			err = runOf(t).countNodes(name, blk)
		}
		if err != nil {
			return nil, fmt.Errorf("match_dfb: %w", err)
		}
		r := runOf(t)
		m := r.mod
		if m == nil {
			m = ir.NewModule()
		}
		var found map[dpl.Pattern]*relax.Var
		err = r.matching(name, func(work *budget.Budget) { found = v.c.Match(blk.Bindings, op.NewBlockBuilder(m).Context(), work) })
		if err != nil {
			return nil, err
		}
		if found == nil {
			return starlark.None, nil
		}
		out := dpl.Matches{}
		for p, u := range found {
			out[p] = u
		}
		return matchedValues(out), nil
	}), nil
}
