package starpass

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
)

// Pattern is a DFPattern as a value of Starlark: p | q, p & q, ~p, p ^ q, p >> q, p(arguments), p[index].
type Pattern struct{ p dpl.Pattern }

var (
	_ starlark.HasAttrs   = (*Pattern)(nil)
	_ starlark.HasBinary  = (*Pattern)(nil)
	_ starlark.HasUnary   = (*Pattern)(nil)
	_ starlark.Callable   = (*Pattern)(nil)
	_ starlark.Mapping    = (*Pattern)(nil)
	_ starlark.Comparable = (*Pattern)(nil)
)

func (*Pattern) String() string          { return "DFPattern" }
func (*Pattern) Type() string            { return "DFPattern" }
func (*Pattern) Name() string            { return "DFPattern" }
func (*Pattern) Freeze()                 {}
func (*Pattern) Truth() starlark.Bool    { return true }
func (v *Pattern) Hash() (uint32, error) { return uint32(maphash.Comparable(nodeSeed, v.p)), nil }

// CompareSameType compares identities.
func (v *Pattern) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	same := v.p == y.(*Pattern).p
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	}
	return false, errors.New("patterns have no order")
}

// Binary is | & ^ or >>.
func (v *Pattern) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	q, ok := y.(*Pattern)
	if ok && side == starlark.Left {
		switch op {
		case syntax.PIPE:
			return &Pattern{dpl.Or(v.p, q.p)}, nil
		case syntax.AMP:
			return &Pattern{dpl.And(v.p, q.p)}, nil
		}
	}
	return nil, nil
}

// Unary is ~.
func (v *Pattern) Unary(op syntax.Token) (starlark.Value, error) {
	if op != syntax.TILDE {
		return nil, nil
	}
	return &Pattern{dpl.Not(v.p)}, nil
}

// CallInternal is p(arguments, varg_default_wildcard=False, add_constraint=True): a call of what p matches.
func (v *Pattern) CallInternal(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	more, relate := false, true
	if err := starlark.UnpackArgs("pattern", nil, kwargs, "varg_default_wildcard?", &more, "add_constraint?", &relate); err != nil {
		return nil, err
	}
	list, err := patternsOf(args)
	if err != nil {
		return nil, err
	}
	out := &Pattern{dpl.Call(v.p, list...)}
	if more {
		out = &Pattern{dpl.CallVarArgs(v.p, list...)}
	}
	if !relate {
		return out, nil
	}
	return runOf(t).related(out, list)
}

// Get is p[index] and p[None]: a field of a tuple.
func (v *Pattern) Get(key starlark.Value) (starlark.Value, bool, error) {
	if n, ok := key.(starlark.Int); ok {
		if fields := dpl.Fields(v.p); fields >= 0 {
			i, _ := n.Int64()
			if i < 0 {
				i += int64(fields)
			}
			if i < 0 || i >= int64(fields) {
				return nil, false, fmt.Errorf("index %s of a tuple pattern of %d fields", n, fields)
			}
			key = starlark.MakeInt64(i)
		}
	}
	out, err := getItem(v.p, key)
	return out, err == nil, err
}

// related says to the current PatternContext that the operands of a call pattern are used by it.
func (r *run) related(p *Pattern, operands []dpl.Pattern) (starlark.Value, error) {
	if c := r.patternContext(); c != nil {
		for i, q := range operands {
			if _, err := c.UsedBy(dpl.Sequence(q), dpl.Sequence(p.p), i); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// patternContext is the PatternContext that was entered last, nil if there is none.
func (r *run) patternContext() *dpl.Context {
	if len(r.patterns) == 0 {
		return nil
	}
	return r.patterns[len(r.patterns)-1].c
}

// PatternSeq is a sequence of patterns as a value of Starlark.
type PatternSeq struct{ s dpl.Seq }

var (
	_ starlark.HasAttrs  = (*PatternSeq)(nil)
	_ starlark.Indexable = (*PatternSeq)(nil)
)

func (*PatternSeq) String() string       { return "PatternSeq" }
func (*PatternSeq) Type() string         { return "PatternSeq" }
func (*PatternSeq) Freeze()              {}
func (*PatternSeq) Truth() starlark.Bool { return true }
func (*PatternSeq) Hash() (uint32, error) {
	return 0, errors.New("a PatternSeq cannot be a key")
}
func (v *PatternSeq) Len() int                   { return len(v.s.Patterns) }
func (v *PatternSeq) Index(i int) starlark.Value { return &Pattern{v.s.Patterns[i]} }

// sequenceOf returns a pattern or a sequence as a sequence.
func sequenceOf(v starlark.Value) (dpl.Seq, bool) {
	switch v := v.(type) {
	case *Pattern:
		return dpl.Sequence(v.p), true
	case *PatternSeq:
		return v.s, true
	}
	return dpl.Seq{}, false
}

// sequenceBinary is a ^ b or a >> b where one of them is a pattern or a sequence of patterns; ok is false for other operators and operands.
func (r *run) sequenceBinary(op syntax.Token, x, y starlark.Value) (out starlark.Value, ok bool, err error) {
	if op != syntax.CIRCUMFLEX && op != syntax.GTGT {
		return nil, false, nil
	}
	a, ok := sequenceOf(x)
	b, also := sequenceOf(y)
	if !ok || !also {
		return nil, false, nil
	}
	out, err = r.joined(a, b, op == syntax.GTGT, dpl.AnyOperand)
	return out, true, err
}

// matching compares patterns within the steps of a pass.
func (r *run) matching(what string, f func(work *budget.Budget)) error {
	if err := budget.Catch(func() { f(budget.New(r.ctx, pass.FunctionSteps)) }); err != nil {
		return &LimitError{fmt.Sprintf("%s: %v", what, err)}
	}
	return nil
}

// joined says to the current PatternContext that a is used by b.
func (r *run) joined(a, b dpl.Seq, only bool, index int) (starlark.Value, error) {
	c := r.patternContext()
	if err := r.alloc(entrySize * int64(len(a.Patterns)+len(b.Patterns))); err != nil {
		return nil, err
	}
	join := c.UsedBy
	if only {
		join = c.OnlyUsedBy
	}
	s, err := join(a, b, index)
	return &PatternSeq{s}, err
}

func patternSeqBuiltin(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list starlark.Value
	only := false
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "patterns", &list, "only_use?", &only); err != nil {
		return nil, err
	}
	ps, err := patternsOf(list)
	if err == nil && len(ps) == 0 {
		err = errors.New("PatternSeq must have at least one pattern")
	}
	s := dpl.Sequence(ps...)
	if only {
		s = s.OnlyUsed()
	}
	return &PatternSeq{s}, err
}

// AttrNames returns the methods.
func (*PatternSeq) AttrNames() []string {
	return []string{"dup", "only_used_by", "patterns", "used_by"}
}

// Attr returns a method.
func (v *PatternSeq) Attr(name string) (starlark.Value, error) {
	switch name {
	case "patterns":
		var out []starlark.Value
		for _, p := range v.s.Patterns {
			out = append(out, &Pattern{p})
		}
		return starlark.NewList(out), nil
	case "used_by", "only_used_by":
		return usedBy(name, v.s), nil
	case "dup":
		return builtin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
				return nil, err
			}
			s, err := v.s.Dup(runOf(t).patternContext())
			return &PatternSeq{s}, err
		}), nil
	}
	return nil, nil
}

// usedBy is used_by(other, index=-1) or only_used_by(other, index=-1).
func usedBy(name string, s dpl.Seq) starlark.Value {
	return builtin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var other starlark.Value
		index := dpl.AnyOperand
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "other", &other, "index?", &index); err != nil {
			return nil, err
		}
		q, ok := sequenceOf(other)
		if !ok || index < dpl.AnyOperand {
			return nil, fmt.Errorf("%s: expected a pattern and the number of an operand, got %s, %d", name, describe(other), index)
		}
		return runOf(t).joined(s, q, name == "only_used_by", index)
	})
}

// patternAttrs are the methods of patterns.
var patternAttrs = []string{"dup", "extract_matched_expr", "fork_to", "has_attr", "has_dtype", "has_shape", "has_struct_info", "match", "only_used_by", "same_shape_as", "used_by"}

// AttrNames returns the methods.
func (*Pattern) AttrNames() []string { return slices.Clone(patternAttrs) }

// Attr returns a method.
func (v *Pattern) Attr(name string) (starlark.Value, error) {
	narrow := func(f func(dpl.Pattern, starlark.Value) (dpl.Pattern, error)) starlark.Value {
		return builtin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 || len(kwargs) > 0 {
				return nil, fmt.Errorf("%s: expected one value", name)
			}
			p, err := f(v.p, args[0])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return &Pattern{p}, nil
		})
	}
	switch name {
	case "has_attr":
		return narrow(hasAttr), nil
	case "has_dtype":
		return narrow(hasDType), nil
	case "has_shape":
		return narrow(hasShape), nil
	case "has_struct_info":
		return narrow(hasStructInfo), nil
	case "used_by", "only_used_by":
		return usedBy(name, dpl.Sequence(v.p)), nil
	case "dup":
		return builtin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return &Pattern{dpl.Dup(v.p)}, starlark.UnpackArgs(b.Name(), args, kwargs)
		}), nil
	case "fork_to":
		return builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			for _, x := range args {
				q, ok := sequenceOf(x)
				if !ok || len(kwargs) > 0 {
					return nil, fmt.Errorf("fork_to: expected patterns, got %s", describe(x))
				}
				if _, err := runOf(t).joined(dpl.Sequence(v.p), q, false, dpl.AnyOperand); err != nil {
					return nil, err
				}
			}
			return starlark.None, nil
		}), nil
	case "same_shape_as":
		return builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			list, err := patternsOf(args)
			if c := runOf(t).patternContext(); c != nil && err == nil {
				c.SameShape(append([]dpl.Pattern{v.p}, list...)...)
			}
			return starlark.None, err
		}), nil
	case "match", "extract_matched_expr":
		return builtin(name, v.match), nil
	}
	return nil, nil
}

// match is match(expr, var2val=None) or extract_matched_expr(expr, var2val=None).
func (v *Pattern) match(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, values starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &x, "var2val?", &values); err != nil {
		return nil, err
	}
	e, err := valueExpr(x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	bound := dpl.Bindings{}
	if d, ok := values.(starlark.IterableMapping); ok {
		for _, kv := range d.Items() {
			u, err := asNode[*relax.Var](kv[0], "a relax.Var")
			if err == nil {
				bound[u], err = valueExpr(kv[1])
			}
			if err != nil {
				return nil, fmt.Errorf("%s: var2val: %w", b.Name(), err)
			}
		}
	}
	r := runOf(t)
	m := r.mod
	if m == nil {
		m = ir.NewModule()
	}
	var found dpl.Matches
	ok := false
	if err := r.matching(b.Name(), func(work *budget.Budget) { found, ok = dpl.Match(v.p, e, bound, op.NewBlockBuilder(m).Context(), work) }); err != nil {
		return nil, err
	}
	if b.Name() == "match" {
		return starlark.Bool(ok), nil
	}
	if !ok {
		return starlark.None, nil
	}
	return matchedValues(found), nil
}

// matchedValues are matchings as a value of Starlark: m[pattern], pattern in m, m.get(pattern, default).
type matches struct{ m dpl.Matches }

func matchedValues(m dpl.Matches) starlark.Value { return &matches{m} }

var (
	_ starlark.Mapping  = (*matches)(nil)
	_ starlark.HasAttrs = (*matches)(nil)
)

func (v *matches) String() string       { return fmt.Sprintf("<matches of %d patterns>", len(v.m)) }
func (*matches) Type() string           { return "matches" }
func (*matches) Freeze()                {}
func (v *matches) Truth() starlark.Bool { return len(v.m) > 0 }
func (*matches) Hash() (uint32, error)  { return 0, errors.New("matches cannot be a key") }

// Get returns what a pattern matched.
func (v *matches) Get(key starlark.Value) (starlark.Value, bool, error) {
	p, ok := key.(*Pattern)
	if !ok || v.m[p.p] == nil {
		return nil, false, nil
	}
	return nodeValue(v.m[p.p]), true, nil
}

// AttrNames returns the methods.
func (*matches) AttrNames() []string { return []string{"get"} }

// Attr returns a method.
func (v *matches) Attr(name string) (starlark.Value, error) { return getMethod(name, v) }

// getMethod is get(key, default=None) of a mapping.
func getMethod(name string, m starlark.Mapping) (starlark.Value, error) {
	if name != "get" {
		return nil, nil
	}
	return builtin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var key starlark.Value
		var otherwise starlark.Value = starlark.None
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "key", &key, "default?", &otherwise); err != nil {
			return nil, err
		}
		if x, ok, err := m.Get(key); ok || err != nil {
			return x, err
		}
		return otherwise, nil
	}), nil
}

// boundValues are the values of variables as a value of Starlark.
type boundValues struct{ b dpl.Bindings }

var (
	_ starlark.Mapping  = (*boundValues)(nil)
	_ starlark.HasAttrs = (*boundValues)(nil)
)

func (v *boundValues) String() string       { return fmt.Sprintf("<values of %d variables>", len(v.b)) }
func (*boundValues) Type() string           { return "bindings" }
func (*boundValues) Freeze()                {}
func (v *boundValues) Truth() starlark.Bool { return len(v.b) > 0 }
func (*boundValues) Hash() (uint32, error)  { return 0, errors.New("bindings cannot be a key") }

// Get returns the value of a variable.
func (v *boundValues) Get(key starlark.Value) (starlark.Value, bool, error) {
	n, ok := key.(*Node)
	if !ok {
		return nil, false, nil
	}
	x, ok := n.n.(*relax.Var)
	if !ok || v.b[x] == nil {
		return nil, false, nil
	}
	return nodeValue(v.b[x]), true, nil
}

// AttrNames returns the methods.
func (*boundValues) AttrNames() []string { return []string{"get"} }

// Attr returns a method.
func (v *boundValues) Attr(name string) (starlark.Value, error) { return getMethod(name, v) }
