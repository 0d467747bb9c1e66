package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/libm"
	"github.com/irscope/irscope/target"
)

// LowerMath replaces calls of elementary functions by their definitions in package libm, for
// targets that do not compute them themselves.
var LowerMath = &pass.Pass{
	Name: "tir.LowerMath", Kind: pass.PrimFunc, Lowering: true,
	Doc:         "Replaces elementary functions (exp, tanh, sin, ...) that the target does not compute itself by polynomials in float32.",
	ReadsTarget: true,
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		t := c.TargetOf()
		return pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			return defineMath(c, f, targetOf(f, t)), nil
		})(c, m)
	},
}

// DefineMath puts definitions in place of the functions that a target does not compute itself, whatever f says of its own.
func DefineMath(f *tir.PrimFunc, t target.Target) *tir.PrimFunc {
	return defineMath(nil, f, t)
}

func defineMath(c *pass.Context, f *tir.PrimFunc, t target.Target) *tir.PrimFunc {
	l := &mathLowerer{c: c, native: t.HasMath}
	if !ir.Any(f.Body, func(n ir.Node) bool { return l.foreign(n) != nil }) {
		return f
	}
	l.m.Expr, l.m.Stmt = l.expr, l.stmt
	return f.WithBody(l.stmt(f.Body))
}

// targetOf is the target of f: what BindTarget noted, else that of the run.
func targetOf(f *tir.PrimFunc, t target.Target) target.Target {
	if s := f.Attrs.Str(ir.AttrTarget, ""); s != "" {
		if own, err := target.Parse(s); err == nil {
			return own
		}
	}
	return t
}

// mathLowerer puts definitions in place of calls. A definition names the values that it uses more
// than once. In a store or binding, whose value is surely computed, these names become bindings
// before it, so that text stays flat and each is computed once for all lanes; in the branch of a
// conditional expression they stay inside of it as Let, since nothing may be computed there that
// the condition guards.
type mathLowerer struct {
	c      *pass.Context
	m      tir.Mapper
	native func(name string) bool

	flat  bool       // the expression is the value of a statement that takes bindings
	inner int        // conditional expressions and Lets around the current place
	binds []*tir.Let // to stand before the current statement; their bodies are not used
}

// foreign returns the function that n calls if the target does not compute it itself, else nil. What targets compute of ldexp has a number for its exponent.
func (l *mathLowerer) foreign(n ir.Node) *libm.Func {
	c, ok := n.(*tir.Call)
	if !ok {
		return nil
	}
	op, ok := c.Op.(*ir.Op)
	if !ok {
		return nil
	}
	if f := libm.Lookup(op); f != nil && (!l.native(f.Name) || op == tir.OpLdexp && !c.Args[1].DType().IsFloat()) {
		return f
	}
	return nil
}

// stmt maps a statement. A sequence of which a member gets bindings continues inside of them, so
// that its text stays flat.
func (l *mathLowerer) stmt(s tir.Stmt) tir.Stmt {
	out, binds := l.split(s)
	return within(binds, out)
}

// split maps a statement and returns the bindings that must stand before it.
func (l *mathLowerer) split(s tir.Stmt) (tir.Stmt, []*tir.Let) {
	switch s := s.(type) {
	case *tir.SeqStmt:
		return l.seq(s), nil
	case *tir.BufferStore:
		return l.collect(func() tir.Stmt { return l.m.MapStmt(s) }, s.Value)
	case *tir.LetStmt:
		value, binds := collect(l, func() tir.Expr { return l.expr(s.Value) }, s.Value)
		body := l.stmt(s.Body)
		if value == s.Value && body == s.Body {
			return s, nil
		}
		return &tir.LetStmt{Base: s.Base, Var: s.Var, Value: value, Body: body}, binds
	}
	return l.m.MapStmt(s), nil
}

func (l *mathLowerer) collect(f func() tir.Stmt, value tir.Expr) (tir.Stmt, []*tir.Let) {
	return collect(l, f, value)
}

// collect runs f and returns the bindings that it asked for. A value with effects keeps its order:
// its definitions bind what they need inside of it.
func collect[T any](l *mathLowerer, f func() T, value tir.Expr) (T, []*tir.Let) {
	flat, inner, binds := l.flat, l.inner, l.binds
	l.flat, l.inner, l.binds = !hasEffect(value), 0, nil
	out := f()
	binds, l.flat, l.inner, l.binds = l.binds, flat, inner, binds
	return out, binds
}

// hasEffect reports whether computing e may change what else is computed.
func hasEffect(e tir.Expr) bool {
	return ir.Any(e, func(n ir.Node) bool {
		c, ok := n.(*tir.Call)
		return ok && tir.CallEffect(c) > tir.ReadState
	})
}

func (l *mathLowerer) seq(s *tir.SeqStmt) tir.Stmt {
	out := make([]tir.Stmt, len(s.Seq))
	binds := make([][]*tir.Let, len(s.Seq))
	same := true
	for i, x := range s.Seq {
		out[i], binds[i] = l.split(x)
		same = same && out[i] == x && binds[i] == nil
	}
	if same {
		return s
	}
	end := len(out)
	var rest tir.Stmt
	for i := len(out) - 1; i >= 0; i-- {
		if len(binds[i]) == 0 && i > 0 {
			continue
		}
		part := append([]tir.Stmt(nil), out[i:end]...)
		if rest != nil {
			part = append(part, rest)
		}
		rest, end = within(binds[i], seqAt(s.Base, part)), i
	}
	return rest
}

// seqAt is the sequence of one or more statements.
func seqAt(base ir.Base, list []tir.Stmt) tir.Stmt {
	out := tir.Seq(list...)
	if q, ok := out.(*tir.SeqStmt); ok {
		q.Base = base
	}
	return out
}

// within puts s into the scope of bindings.
func within(binds []*tir.Let, s tir.Stmt) tir.Stmt {
	for i := len(binds) - 1; i >= 0; i-- {
		s = &tir.LetStmt{Base: binds[i].Base, Var: binds[i].Var, Value: binds[i].Value, Body: s}
	}
	return s
}

func (l *mathLowerer) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Call:
		if op, ok := e.Op.(*ir.Op); ok {
			return l.call(e, op)
		}
	case *tir.Select:
		c, a, b := l.expr(e.Cond), l.guarded(e.True), l.guarded(e.False)
		if c != e.Cond || a != e.True || b != e.False {
			return &tir.Select{Base: e.Base, Cond: c, True: a, False: b}
		}
		return e
	case *tir.Binary:
		if e.Op == tir.OpAnd || e.Op == tir.OpOr {
			a, b := l.expr(e.A), l.guarded(e.B)
			if a != e.A || b != e.B {
				return tir.BinaryAt(e.Base, e.Op, a, b)
			}
			return e
		}
	case *tir.Let:
		value, body := l.expr(e.Value), l.guarded(e.Body)
		if value != e.Value || body != e.Body {
			return &tir.Let{Base: e.Base, Var: e.Var, Value: value, Body: body}
		}
		return e
	}
	return l.m.MapExpr(e)
}

// guarded maps what is computed only sometimes, or where a Let has been.
func (l *mathLowerer) guarded(e tir.Expr) tir.Expr {
	l.inner++
	defer func() { l.inner-- }()
	return l.expr(e)
}

func (l *mathLowerer) call(e *tir.Call, op *ir.Op) tir.Expr {
	args, changed := make([]tir.Expr, len(e.Args)), false
	for i, a := range e.Args {
		if i > 0 && op.Name == tir.OpIfThenElse.Name {
			args[i] = l.guarded(a)
		} else {
			args[i] = l.expr(a)
		}
		changed = changed || args[i] != a
	}
	if f := l.foreign(e); f != nil {
		if out := l.expand(f, e, args); out != nil {
			if l.c.Observed() {
				l.c.Rewrite("define "+f.Name, e, out)
			}
			return out
		}
	}
	if !changed {
		return e
	}
	return &tir.Call{Base: e.Base, Type: e.Type, Op: e.Op, Args: args}
}

func (l *mathLowerer) expand(f *libm.Func, e *tir.Call, args []tir.Expr) tir.Expr {
	var own []*tir.Let
	bind := func(name string, value tir.Expr) *tir.Var {
		v := tir.NewVar(name, value.DType())
		own = append(own, &tir.Let{Base: e.Base, Var: v, Value: value})
		return v
	}
	out := f.Expand(e, args, l.native, bind)
	if out == nil {
		return nil
	}
	if l.flat && l.inner == 0 {
		l.binds = append(l.binds, own...)
		return out
	}
	for i := len(own) - 1; i >= 0; i-- {
		own[i].Body = out
		out = own[i]
	}
	return out
}
