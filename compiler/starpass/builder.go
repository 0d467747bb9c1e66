package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// Builder is a BlockBuilder as a value of Starlark: relax.BlockBuilder(), or the builder_ of a mutator.
type Builder struct {
	own     *relax.BlockBuilder // nil for that of a mutator
	f       *functor            // the mutator
	results []relax.Expr        // of the functions that are open; nil before emit_func_output
	lent    *bool               // of a pass that calls a function of the script, as long as it is true
}

var _ starlark.HasAttrs = (*Builder)(nil)

// builderBuiltin is relax.BlockBuilder(mod=None).
func builderBuiltin(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var mod starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "mod?", &mod); err != nil {
		return nil, err
	}
	var m *ir.Module
	if x, ok := mod.(*Module); ok {
		m = x.m
	} else if mod != nil && mod != starlark.None {
		return nil, fmt.Errorf("BlockBuilder: expected an IRModule, got %s", describe(mod))
	}
	return &Builder{own: op.NewBlockBuilder(m)}, nil
}

func (*Builder) String() string        { return "<BlockBuilder>" }
func (*Builder) Type() string          { return "BlockBuilder" }
func (*Builder) Freeze()               {}
func (*Builder) Truth() starlark.Bool  { return true }
func (*Builder) Hash() (uint32, error) { return 0, errors.New("a BlockBuilder cannot be a key") }

// blocks returns the builder of the compiler.
func (v *Builder) blocks() (*relax.BlockBuilder, error) {
	if v.lent != nil && !*v.lent {
		return nil, errors.New("this builder was for a call that is over")
	}
	if v.own != nil {
		return v.own, nil
	}
	return v.f.blocks()
}

// builderMethods are the methods by name, with their parameters.
var builderMethods = map[string]struct {
	params []string // those with ? at the end may be left out
	call   func(*Builder, *relax.BlockBuilder, []starlark.Value) (starlark.Value, error)
}{
	"add_func": {[]string{"func", "func_name"}, (*Builder).addFunc},
	"current_block_is_dataflow": {nil, func(_ *Builder, b *relax.BlockBuilder, _ []starlark.Value) (starlark.Value, error) {
		return starlark.Bool(b.InDataflow()), nil
	}},
	"dataflow": {nil, func(v *Builder, b *relax.BlockBuilder, _ []starlark.Value) (starlark.Value, error) {
		return &scope{v: v, b: b}, nil
	}},
	"emit":             {[]string{"expr", "name_hint?"}, (*Builder).emit},
	"emit_func_output": {[]string{"output", "params?"}, (*Builder).output},
	"emit_output":      {[]string{"output", "name_hint?"}, (*Builder).emitOutput},
	"finalize":         {nil, (*Builder).get},
	"function":         {[]string{"name", "params?", "attrs?", "private?"}, (*Builder).function},
	"get":              {nil, (*Builder).get},
	"get_unique_name":  {[]string{"name_prefix"}, (*Builder).uniqueName},
	"lookup_binding":   {[]string{"var"}, (*Builder).lookup},
	"match_cast":       {[]string{"value", "struct_info", "name_hint?"}, (*Builder).matchCast},
	"normalize":        {[]string{"expr"}, (*Builder).normalize},
	"update_func":      {[]string{"gv", "updated_func"}, (*Builder).updateFunc},
}

// AttrNames returns the names of the methods.
func (*Builder) AttrNames() []string { return append(sortedKeys(builderMethods), "call_te", "emit_te") }

// Attr returns a method.
func (v *Builder) Attr(name string) (starlark.Value, error) {
	if name == "emit_te" || name == "call_te" {
		return v.teMethod(name), nil
	}
	m, ok := builderMethods[name]
	if !ok {
		return nil, nil
	}
	return builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		vals := make([]starlark.Value, len(m.params))
		var pairs []any
		for i, p := range m.params {
			pairs = append(pairs, p, &vals[i])
		}
		if err := starlark.UnpackArgs(name, args, kwargs, pairs...); err != nil {
			return nil, err
		}
		if err := runOf(t).work(visitCost); err != nil {
			return nil, err
		}
		b, err := v.blocks()
		if err != nil {
			return nil, err
		}
		out, err := m.call(v, b, vals)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return out, nil
	}), nil
}

func hintOf(v starlark.Value) string { s, _ := starlark.AsString(orNone(v)); return s }

func orNone(v starlark.Value) starlark.Value {
	if v == nil {
		return starlark.None
	}
	return v
}

// open checks that there is a block to emit into.
func (v *Builder) open() error {
	if v.lent != nil {
		return nil
	}
	if v.own != nil && len(v.results) == 0 || v.own == nil && (v.f.walk == nil || !v.f.walk.mutator().InFunction()) {
		return errNoBlock
	}
	return nil
}

// emitted notes what a handler of a mutator emitted.
func (v *Builder) emitted(x *relax.Var) starlark.Value {
	if v.own == nil && v.f.walk.r.cur.Observed() {
		v.f.walk.at.emitted = append(v.f.walk.at.emitted, x)
	}
	return &Node{x}
}

func (v *Builder) emit(b *relax.BlockBuilder, args []starlark.Value) (starlark.Value, error) {
	e, err := valueExpr(args[0])
	if err == nil {
		err = v.open()
	}
	if err != nil {
		return nil, err
	}
	x, err := b.Emit(e, hintOf(args[1]))
	if err != nil {
		return nil, err
	}
	return v.emitted(x), nil
}

func (v *Builder) emitOutput(b *relax.BlockBuilder, args []starlark.Value) (starlark.Value, error) {
	e, err := valueExpr(args[0])
	if err == nil {
		err = v.open()
	}
	if err == nil && !b.InDataflow() {
		err = errors.New("there is no dataflow block: it stands under with bb.dataflow()")
	}
	if err != nil {
		return nil, err
	}
	x, err := b.EmitOutput(e, hintOf(args[1]))
	if err != nil {
		return nil, err
	}
	return v.emitted(x), nil
}

func (v *Builder) matchCast(b *relax.BlockBuilder, args []starlark.Value) (starlark.Value, error) {
	e, err := valueExpr(args[0])
	if err != nil {
		return nil, err
	}
	s, err := asNode[relax.StructInfo](args[1], "struct info")
	if err == nil {
		err = v.open()
	}
	if err != nil {
		return nil, err
	}
	x, err := b.EmitMatchCast(e, s, hintOf(args[2]))
	if err != nil {
		return nil, err
	}
	return v.emitted(x), nil
}

func (v *Builder) normalize(b *relax.BlockBuilder, args []starlark.Value) (starlark.Value, error) {
	e, err := valueExpr(args[0])
	if err == nil {
		if _, call := e.(*relax.Call); !call {
			err = v.open()
		}
	}
	if err != nil {
		return nil, err
	}
	out, err := b.Normalize(e)
	if err != nil {
		return nil, err
	}
	return nodeValue(out), nil
}

func (v *Builder) lookup(b *relax.BlockBuilder, args []starlark.Value) (starlark.Value, error) {
	x, err := asNode[*relax.Var](args[0], "a relax.Var")
	if err != nil {
		return nil, err
	}
	return nodeValue(b.LookupBinding(x)), nil
}

func (v *Builder) uniqueName(b *relax.BlockBuilder, args []starlark.Value) (starlark.Value, error) {
	return starlark.String(b.FreshName(hintOf(args[0]))), nil
}

// get returns the module with all functions so far.
func (v *Builder) get(b *relax.BlockBuilder, _ []starlark.Value) (starlark.Value, error) {
	if v.own != nil && len(v.results) > 0 {
		return nil, errors.New("a function is open: leave its with block first")
	}
	if v.own == nil && v.f.walk == nil {
		return &Module{m: v.f.mod}, nil
	}
	return &Module{m: b.Module()}, nil
}

func (v *Builder) updateFunc(b *relax.BlockBuilder, args []starlark.Value) (starlark.Value, error) {
	name, err := funcName(args[0])
	if err != nil {
		return nil, err
	}
	f, err := asNode[ir.Function](args[1], "a function")
	if err != nil {
		return nil, err
	}
	if v.lent != nil {
		return nil, errors.New("the rule of an operator adds functions, but changes none")
	}
	b.UpdateFunc(name, f)
	v.keep(b)
	return starlark.None, nil
}

func (v *Builder) addFunc(b *relax.BlockBuilder, args []starlark.Value) (starlark.Value, error) {
	f, err := asNode[ir.Function](args[0], "a function")
	if err != nil {
		return nil, err
	}
	name, ok := starlark.AsString(args[1])
	if !ok || name == "" {
		return nil, errors.New("the name of a function is missing")
	}
	gv := b.AddFunc(name, f)
	v.keep(b)
	return &Node{gv}, nil
}

// keep notes the module of a mutator that visits nothing.
func (v *Builder) keep(b *relax.BlockBuilder) {
	if v.own == nil && v.f.walk == nil {
		v.f.mod = b.Module()
	}
}

// output is emit_func_output(expr): the result of the function that is open.
func (v *Builder) output(b *relax.BlockBuilder, args []starlark.Value) (starlark.Value, error) {
	if v.own == nil || len(v.results) == 0 {
		return nil, errors.New("no function is open: it stands under with bb.function(...)")
	}
	if b.InDataflow() {
		return nil, errors.New("a dataflow block is open: leave its with block first")
	}
	e, err := valueExpr(args[0])
	if err != nil {
		return nil, err
	}
	v.results[len(v.results)-1] = e
	return starlark.None, nil
}

// function is function(name, params=[], attrs={}, private=False).
func (v *Builder) function(b *relax.BlockBuilder, args []starlark.Value) (starlark.Value, error) {
	if v.own == nil || v.lent != nil {
		return nil, errors.New("this builder begins no functions: make a BlockBuilder")
	}
	s := &scope{v: v, b: b, fn: true}
	var ok bool
	if s.name, ok = starlark.AsString(args[0]); !ok || s.name == "" {
		return nil, errors.New("the name of the function is missing")
	}
	if args[1] != nil && args[1] != starlark.None {
		list := args[1]
		if isNode(list) {
			list = starlark.NewList([]starlark.Value{list})
		}
		err := eachOf(list, func(x starlark.Value) error {
			p, err := asNode[*relax.Var](x, "a relax.Var")
			if err == nil && p.SInfo == nil {
				err = fmt.Errorf("the parameter %s has no struct info", p.Name)
			}
			s.params = append(s.params, p)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var err error
	if s.opts.Attrs, err = attrsOf(args[2]); err != nil {
		return nil, err
	}
	s.opts.Private = args[3] != nil && bool(args[3].Truth())
	return s, nil
}

// scope is a function or a dataflow block of a builder, to be entered by with.
type scope struct {
	v      *Builder
	b      *relax.BlockBuilder
	fn     bool
	name   string
	params []*relax.Var
	opts   relax.FuncOpts
}

var _ manager = (*scope)(nil)

func (s *scope) String() string      { return "<scope of a BlockBuilder>" }
func (*scope) Type() string          { return "scope" }
func (*scope) Freeze()               {}
func (*scope) Truth() starlark.Bool  { return true }
func (*scope) Hash() (uint32, error) { return 0, errors.New("a scope cannot be a key") }

// enter begins the function or block; leaving it ends it, unless an error goes past.
func (s *scope) enter(*starlark.Thread) (starlark.Value, func(error) error, error) {
	v, b := s.v, s.b
	if !s.fn {
		if err := v.open(); err != nil {
			return nil, nil, fmt.Errorf("dataflow: %w", err)
		}
		if b.InDataflow() {
			return nil, nil, errors.New("dataflow: a dataflow block is open already")
		}
		b.BeginDataflow()
		return starlark.None, func(err error) error {
			if b.InDataflow() {
				b.EndDataflow()
			}
			return nil
		}, nil
	}
	b.BeginFunction(s.name, s.params, s.opts)
	v.results = append(v.results, nil)
	return starlark.None, func(err error) error {
		result := v.results[len(v.results)-1]
		v.results = v.results[:len(v.results)-1]
		if result == nil {
			if err != nil {
				return nil
			}
			return fmt.Errorf("the function %s has no result: call bb.emit_func_output before it ends", s.name)
		}
		_, err = b.EndFunction(result)
		return err
	}, nil
}
