package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/irscope/irscope/compiler/tir"
)

// A comparison of loop-level expressions is an expression, as in TVM: i < n. That the interpreter of Starlark wants
// the truth of comparisons does not matter, since guards compute them. a == b and a != b are both: where truth is
// asked for, whether the two are the same node, or the same number, and where an expression is expected, EQ and NE.

// comparisonTokens are the operators that compare, with the operations of the loop level.
var comparisonTokens = map[syntax.Token]tir.BinaryOp{
	syntax.EQL: tir.OpEQ, syntax.NEQ: tir.OpNE, syntax.LT: tir.OpLT, syntax.LE: tir.OpLE, syntax.GT: tir.OpGT, syntax.GE: tir.OpGE,
}

// compareValues computes x op y.
func compareValues(r *run, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if a, b, ok := operands(x, y); ok {
		if op == syntax.EQL || op == syntax.NEQ {
			eq := &equality{op: comparisonTokens[op], a: a, b: b, same: sameExpr(a, b)}
			if _, known := constantsEqual(a, b); known {
				return eq.Truth(), nil
			}
			return eq, r.alloc(entrySize)
		}
		e, err := arithmetic(comparisonTokens[op], a, b, true)
		if err != nil {
			return nil, err
		}
		return &Node{e}, nil
	}
	if err := r.compared(op, x, y); err != nil {
		return nil, err
	}
	ok, err := starlark.Compare(op, x, y)
	return starlark.Bool(ok), err
}

// compareTruth computes the truth of x op y, where a condition of the script asks for it.
func compareTruth(r *run, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	v, err := compareValues(r, op, x, y)
	if err != nil {
		return nil, err
	}
	if n, ok := v.(*Node); ok {
		if _, constant := scalarOf(n.n); !constant {
			return nil, fmt.Errorf("a %s b is an expression, whose value is not known: ask an Analyzer (can_prove), and join conditions with tir.And and tir.Or", op)
		}
	}
	return v.Truth(), nil
}

// operands returns x and y as expressions if one of them is a loop-level expression and the other one, or a number.
func operands(x, y starlark.Value) (a, b tir.Expr, ok bool) {
	a, b = loopExpr(x), loopExpr(y)
	var err error
	switch {
	case a == nil && b == nil:
		return nil, nil, false
	case a == nil:
		a, err = numberLike(x, b)
	case b == nil:
		b, err = numberLike(y, a)
	}
	return a, b, err == nil
}

func loopExpr(v starlark.Value) tir.Expr {
	switch v := v.(type) {
	case *Node:
		switch n := v.n.(type) {
		case tir.Expr:
			return n
		case *tir.IterVar:
			return n.Var
		}
	case *equality:
		if n, err := v.node(); err == nil {
			return n.n.(tir.Expr)
		}
	}
	return nil
}

// numberLike returns a number, or a string, as a constant of the type of e.
func numberLike(v starlark.Value, e tir.Expr) (tir.Expr, error) {
	switch v.(type) {
	case starlark.Int, starlark.Float, starlark.Bool:
		return exprOf(v, e.DType())
	case starlark.String:
		if _, ok := e.(*tir.StringImm); ok {
			return exprOf(v, e.DType())
		}
	}
	return nil, errNotNumber
}

// constantsEqual compares constants; known is false where one of the two is none.
func constantsEqual(a, b tir.Expr) (equal, known bool) {
	if s, ok := a.(*tir.StringImm); ok {
		t, ok := b.(*tir.StringImm)
		return ok && s.Value == t.Value, ok
	}
	x, ok := scalarOf(a)
	if !ok {
		return false, false
	}
	y, ok := scalarOf(b)
	if !ok {
		return false, false
	}
	if p, ok := x.(starlark.Bool); ok {
		x = starlark.MakeInt64(truthOf(p))
	}
	if p, ok := y.(starlark.Bool); ok {
		y = starlark.MakeInt64(truthOf(p))
	}
	equal, err := starlark.Equal(x, y)
	return equal, err == nil
}

func truthOf(b starlark.Bool) int64 {
	if b {
		return 1
	}
	return 0
}

// sameExpr reports whether a and b are the same node, or constants of the same value.
func sameExpr(a, b tir.Expr) bool {
	if equal, known := constantsEqual(a, b); known {
		return equal
	}
	return a == b
}

// equality is a == b or a != b of expressions.
type equality struct {
	op   tir.BinaryOp
	a, b tir.Expr
	same bool
}

var _ starlark.HasAttrs = (*equality)(nil)

// node returns the comparison as an expression.
func (q *equality) node() (*Node, error) {
	e, err := arithmetic(q.op, q.a, q.b, true)
	if err != nil {
		return nil, err
	}
	return &Node{e}, nil
}

// plain returns an equality as the expression that it stands for, and another value as it is.
func plain(v starlark.Value) (starlark.Value, error) {
	if q, ok := v.(*equality); ok {
		return q.node()
	}
	return v, nil
}

// String prints the truth: who wants the expression printed asks for tir.EQ.
func (q *equality) String() string { return q.Truth().String() }

// Type is TVM's name of it.
func (q *equality) Type() string {
	if q.op == tir.OpNE {
		return "NotEqualOp"
	}
	return "EqualOp"
}

// Freeze does nothing: it never changes.
func (*equality) Freeze() {}

// Truth says whether the two are the same, or for != whether they are not.
func (q *equality) Truth() starlark.Bool { return starlark.Bool(q.same == (q.op == tir.OpEQ)) }

// Hash fails.
func (q *equality) Hash() (uint32, error) { return 0, errors.New("a comparison cannot be a key") }

// AttrNames returns the fields of the expression.
func (q *equality) AttrNames() []string {
	if n, err := q.node(); err == nil {
		return n.AttrNames()
	}
	return nil
}

// Attr returns a field of the expression.
func (q *equality) Attr(name string) (starlark.Value, error) {
	n, err := q.node()
	if err != nil {
		return nil, err
	}
	return n.Attr(name)
}
