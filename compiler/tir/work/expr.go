package work

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// exprs counts expressions. A node that stands in them more than once is computed more than once and walked once.
func (c *counter) exprs(es ...tir.Expr) total {
	w := walk{c, map[tir.Expr]total{}}
	return w.all(es...)
}

// walk is the walk over one expression, with what is known of its nodes.
type walk struct {
	*counter
	known map[tir.Expr]total
}

func (w *walk) expr(e tir.Expr) total {
	if t, ok := w.known[e]; ok {
		return t
	}
	t := w.node(e)
	w.known[e] = t
	return t
}

// all counts expressions one after the other.
func (w *walk) all(es ...tir.Expr) (t total) {
	for _, e := range es {
		t.add(w.expr(e), 1)
	}
	return t
}

func (w *walk) node(e tir.Expr) (t total) {
	switch e := e.(type) {
	case nil, *tir.Var, *tir.IntImm, *tir.FloatImm, *tir.StringImm:
	case *tir.Cast:
		t = w.expr(e.Value)
	case *tir.Binary:
		if e.Op == tir.OpAnd || e.Op == tir.OpOr {
			return w.shortCircuit(e)
		}
		t = w.all(e.A, e.B)
		if d := e.DType(); d.IsFloat() {
			t.flops += lanes(d)
		}
	case *tir.Not:
		t = w.expr(e.A)
	case *tir.Select:
		t = w.branch(e.Cond, e.True, e.False)
	case *tir.BufferLoad:
		t = w.all(append([]tir.Expr{e.Predicate}, e.Indices...)...)
		w.access(&t.loads, e.Buffer, lanes(e.DType()))
	case *tir.Ramp:
		t = w.all(e.Start, e.Stride)
	case *tir.Broadcast:
		t = w.expr(e.Value)
	case *tir.Let:
		t = w.expr(e.Value)
		defer w.bind(e.Var, w.valueOf(e.Value))()
		t.add(w.expr(e.Body), 1)
	case *tir.Call:
		t = w.call(e)
	case *tir.Shuffle:
		t = w.all(e.Vectors...)
	default:
		panic(fmt.Sprintf("work: unknown expression %T", e))
	}
	return t
}

func (w *walk) branch(cond, yes, no tir.Expr) total {
	t := w.expr(cond)
	t.add(w.chosen(cond, func() total { return w.expr(yes) }, func() total { return w.expr(no) }), 1)
	return t
}

// shortCircuit counts the right side of a conjunction where the left one holds, that of a disjunction where it does not.
func (w *walk) shortCircuit(e *tir.Binary) total {
	right, none := func() total { return w.expr(e.B) }, func() total { return total{} }
	if e.Op == tir.OpOr {
		right, none = none, right
	}
	t := w.expr(e.A)
	t.add(w.chosen(e.A, right, none), 1)
	return t
}

func (w *walk) call(e *tir.Call) (t total) {
	op, ok := e.Op.(*ir.Op)
	if !ok {
		w.partial = true
		return w.all(e.Args...)
	}
	switch op.Name {
	case tir.OpIfThenElse.Name:
		return w.branch(e.Args[0], e.Args[1], e.Args[2])
	case tir.OpFma.Name:
		t = w.all(e.Args...)
		t.flops += 2 * lanes(e.Type)
		return t
	case tir.OpDp4a.Name:
		const products = 4 // and as many sums
		t = w.all(e.Args...)
		t.byteOps += 2 * products * lanes(e.Type)
		return t
	}
	t = w.all(e.Args...)
	name := strings.TrimPrefix(op.Name, "tir.")
	switch {
	case e.Type.IsFloat() && (mathOps[op.Name] || w.isMath(e)):
		t.special += lanes(e.Type)
	case strings.HasPrefix(name, "call_"), strings.HasPrefix(name, "tvm_call_"):
		w.partial = true
	}
	return t
}

// isMath reports whether a call of an extern function is that of a mathematical one, such as expf.
func (w *walk) isMath(e *tir.Call) bool {
	if _, ok := tir.IsCallTo(e, tir.OpCallPureExtern); !ok || len(e.Args) == 0 {
		return false
	}
	name, _ := e.Args[0].(*tir.StringImm)
	return name != nil && (mathOps["tir."+name.Value] || mathOps["tir."+strings.TrimSuffix(name.Value, "f")])
}

// mathOps are the intrinsics that are mathematical functions.
var mathOps = func() map[string]bool {
	out := map[string]bool{}
	for _, op := range []*ir.Op{
		tir.OpExp, tir.OpExp2, tir.OpExp10, tir.OpErf, tir.OpTanh, tir.OpSigmoid, tir.OpSqrt, tir.OpRsqrt,
		tir.OpLog, tir.OpLog2, tir.OpLog1p, tir.OpLog10, tir.OpTan, tir.OpCos, tir.OpCosh, tir.OpSin, tir.OpSinh,
		tir.OpAsin, tir.OpAcos, tir.OpAtan, tir.OpAcosh, tir.OpAsinh, tir.OpAtanh, tir.OpAtan2, tir.OpNextafter,
		tir.OpHypot, tir.OpCopysign, tir.OpLdexp, tir.OpFloor, tir.OpCeil, tir.OpTrunc, tir.OpRound,
		tir.OpNearbyint, tir.OpFabs, tir.OpFmod, tir.OpPow,
	} {
		out[op.Name] = true
	}
	return out
}()

func lanes(d dtype.DType) int64 { return int64(max(1, int(d.Lanes))) }
