package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Analyzer is arith.Analyzer() as a value of Starlark. Its methods have TVM's names.
type Analyzer struct {
	a      *arith.Analyzer
	frozen bool
}

var _ starlark.HasAttrs = (*Analyzer)(nil)

func (*Analyzer) String() string        { return "arith.Analyzer" }
func (*Analyzer) Type() string          { return "arith.Analyzer" }
func (v *Analyzer) Freeze()             { v.frozen = true }
func (*Analyzer) Truth() starlark.Bool  { return true }
func (*Analyzer) Hash() (uint32, error) { return 0, errors.New("an Analyzer cannot be a key") }

func analyzerType() starlark.Value {
	return &typeValue{
		name: "Analyzer",
		is:   func(v starlark.Value) bool { _, ok := v.(*Analyzer); return ok },
		call: builtin("Analyzer", func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
				return nil, err
			}
			return &Analyzer{a: arith.NewAnalyzer()}, runOf(t).alloc(1 << 10)
		}),
	}
}

// analyzerMethod is a method: it takes arguments and an analyzer whose steps are counted.
type analyzerMethod func(v *Analyzer, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

var analyzerMethods = map[string]analyzerMethod{
	"bind":               (*Analyzer).bind,
	"can_prove":          (*Analyzer).canProve,
	"can_prove_equal":    (*Analyzer).canProveEqual,
	"canonical_simplify": ofExpr(func(a *arith.Analyzer, e tir.Expr) starlark.Value { return &Node{a.CanonicalSimplify(e)} }),
	"const_int_bound": ofInt(func(a *arith.Analyzer, e tir.Expr) starlark.Value {
		b := a.ConstIntBound(e)
		return record("ConstIntBound", starlark.StringDict{"min_value": starlark.MakeInt64(b.Min), "max_value": starlark.MakeInt64(b.Max)})
	}),
	"const_int_bound_is_bound": ofExpr(func(a *arith.Analyzer, e tir.Expr) starlark.Value {
		v, ok := e.(*tir.Var)
		return starlark.Bool(ok && a.IsBound(v))
	}),
	"int_set": (*Analyzer).intSet,
	"modular_set": ofInt(func(a *arith.Analyzer, e tir.Expr) starlark.Value {
		m := a.ModularSet(e)
		return record("ModularSet", starlark.StringDict{"coeff": starlark.MakeInt64(m.Coeff), "base": starlark.MakeInt64(m.Base)})
	}),
	"rewrite_simplify": ofExpr(func(a *arith.Analyzer, e tir.Expr) starlark.Value { return &Node{a.RewriteSimplify(e)} }),
	"simplify":         (*Analyzer).simplify,
	"constraint_scope": (*Analyzer).scope,
}

// AttrNames returns the methods.
func (*Analyzer) AttrNames() []string {
	out := make([]string, 0, len(analyzerMethods))
	for name := range analyzerMethods {
		out = append(out, name)
	}
	return out
}

// Attr returns a method.
func (v *Analyzer) Attr(name string) (starlark.Value, error) {
	f := analyzerMethods[name]
	if f == nil {
		return nil, nil
	}
	return builtin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if v.frozen {
			return nil, errors.New("the Analyzer belongs to the top level of a script, which is frozen: make one where it is used")
		}
		before := v.a.Spent()
		out, err := f(v, b, args, kwargs)
		if err == nil {
			err = runOf(t).work(100 + v.a.Spent() - before)
		}
		return out, err
	}), nil
}

// record returns a value of named fields.
func record(name string, fields starlark.StringDict) starlark.Value {
	return starlarkstruct.FromStringDict(starlark.String(name), fields)
}

// ofExpr makes a method that takes one expression.
func ofExpr(f func(*arith.Analyzer, tir.Expr) starlark.Value) analyzerMethod {
	return func(v *Analyzer, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var x starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &x); err != nil {
			return nil, err
		}
		e, err := exprOf(x, dtype.DType{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		return f(v.a, e), nil
	}
}

// ofInt is ofExpr for scalar integers and bools.
func ofInt(f func(*arith.Analyzer, tir.Expr) starlark.Value) analyzerMethod {
	return func(v *Analyzer, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var x starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &x); err != nil {
			return nil, err
		}
		e, err := intOf(x)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		return f(v.a, e), nil
	}
}

// intOf is exprOf for scalar integers and bools.
func intOf(x starlark.Value) (tir.Expr, error) {
	e, err := exprOf(x, dtype.DType{})
	if err == nil && !(e.DType().IsScalar() && (e.DType().IsInteger() || e.DType().IsBool())) {
		err = fmt.Errorf("expected a scalar integer, got an expression of type %s", e.DType())
	}
	return e, err
}

func (v *Analyzer) simplify(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	steps := 2
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &x, "steps?", &steps); err != nil {
		return nil, err
	}
	e, err := exprOf(x, dtype.DType{})
	if err != nil {
		return nil, fmt.Errorf("simplify: %w", err)
	}
	if steps < 0 || steps > 100 {
		return nil, fmt.Errorf("simplify: steps is %d, expected 0 to 100", steps)
	}
	return &Node{v.a.SimplifySteps(e, steps)}, nil
}

// bind gives a variable a value or a range.
func (v *Analyzer) bind(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name, x starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "var", &name, "expr", &x); err != nil {
		return nil, err
	}
	variable, err := asNode[*tir.Var](name, "a variable")
	if err != nil {
		return nil, fmt.Errorf("bind: %w", err)
	}
	if r, err := asNode[*tir.Range](x, "a Range"); err == nil {
		v.a.BindRange(variable, r)
		return starlark.None, nil
	}
	e, err := exprOf(x, variable.DType())
	if err != nil {
		return nil, fmt.Errorf("bind: %w", err)
	}
	if e.DType() != variable.DType() {
		return nil, fmt.Errorf("bind: %s has the type %s, and the expression %s", variable.Name, variable.DType(), e.DType())
	}
	v.a.Bind(variable, e)
	return starlark.None, nil
}

// canProve takes a strength, 0 for the default or 1 to relax variables by what they are bound to.
func (v *Analyzer) canProve(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	strength := 0
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &x, "strength?", &strength); err != nil {
		return nil, err
	}
	e, err := exprOf(x, dtype.BoolT)
	if err != nil {
		return nil, fmt.Errorf("can_prove: %w", err)
	}
	if !e.DType().IsBool() {
		return nil, fmt.Errorf("can_prove: expected a condition, got an expression of type %s", e.DType())
	}
	if strength != int(arith.Default) && strength != int(arith.SymbolicBound) {
		return nil, fmt.Errorf("can_prove: strength is %d, expected 0 (DEFAULT) or 1 (SYMBOLIC_BOUND)", strength)
	}
	return starlark.Bool(v.a.CanProveWith(e, arith.Strength(strength))), nil
}

func (v *Analyzer) canProveEqual(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, y starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "lhs", &x, "rhs", &y); err != nil {
		return nil, err
	}
	l, err := exprOf(x, dtype.DType{})
	if err != nil {
		return nil, fmt.Errorf("can_prove_equal: %w", err)
	}
	r, err := exprOf(y, l.DType())
	if err != nil {
		return nil, fmt.Errorf("can_prove_equal: %w", err)
	}
	if l.DType() != r.DType() {
		return nil, fmt.Errorf("can_prove_equal: the types differ: %s and %s", l.DType(), r.DType())
	}
	return starlark.Bool(v.a.CanProveEqual(l, r)), nil
}

// scope is constraint_scope: a condition that holds in a with statement.
func (v *Analyzer) scope(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "constraint", &x); err != nil {
		return nil, err
	}
	e, err := conditionOf(x)
	if err != nil {
		return nil, fmt.Errorf("constraint_scope: %w", err)
	}
	return &constraintScope{v, e}, nil
}

// constraintScope is what constraint_scope returns, to be entered by a with statement.
type constraintScope struct {
	v    *Analyzer
	cond tir.Expr
}

var _ manager = (*constraintScope)(nil)

func (*constraintScope) String() string        { return "ConstraintScope" }
func (*constraintScope) Type() string          { return "ConstraintScope" }
func (*constraintScope) Freeze()               {}
func (*constraintScope) Truth() starlark.Bool  { return true }
func (*constraintScope) Hash() (uint32, error) { return 0, errors.New("a scope cannot be a key") }

// enter assumes the condition until exit is called.
func (s *constraintScope) enter(*starlark.Thread) (starlark.Value, func(error) error, error) {
	if s.v.frozen {
		return nil, nil, errors.New("the Analyzer belongs to the top level of a script, which is frozen: make one where it is used")
	}
	leave := s.v.a.EnterConstraint(s.cond)
	return starlark.None, func(err error) error { leave(); return err }, nil
}
