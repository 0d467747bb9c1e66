package tirtest

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// leafBound is the largest magnitude of leaves. Integers stay far from overflow, which the
// simplifier takes for impossible.
const leafBound = 50

// shared is an index that was used before, with the innermost variable that it may use.
type shared struct {
	n    int64
	e    tir.Expr
	last *tir.Var
}

// at is an index below n over the variables in scope; sometimes a node that stands in
// another place already, under other conditions.
func (g *gen) at(n int64) tir.Expr {
	if k := len(g.pool); k > 0 && g.one(4) {
		if x := g.pool[g.src.IntN(k)]; x.n <= n && slices.Contains(g.vars, x.last) {
			return x.e
		}
	}
	e := g.freshAt(n)
	if k := len(g.vars); k > 0 {
		g.pool = append(g.pool, shared{n, e, g.vars[k-1]})
	}
	return e
}

func (g *gen) freshAt(n int64) tir.Expr {
	if n == 1 || len(g.vars) == 0 || g.one(6) {
		return g.imm(g.between(0, n-1))
	}
	v := tir.Expr(g.vars[g.src.IntN(len(g.vars))])
	switch g.src.IntN(6) {
	case 0:
		v = tir.Add(tir.Mul(v, g.imm(g.between(1, 4))), g.imm(g.between(0, 5)))
	case 1:
		v = tir.FloorDiv(tir.Add(v, g.imm(g.between(0, 3))), g.imm(g.between(2, 4)))
	case 2:
		return tir.Sub(g.imm(n-1), tir.FloorMod(v, g.imm(n)))
	case 3:
		return tir.Max(tir.Min(tir.Sub(v, g.imm(g.between(0, 3))), g.imm(n-1)), g.imm(0))
	case 4:
		w := g.vars[g.src.IntN(len(g.vars))]
		v = tir.Sub(v, w)
	}
	return tir.FloorMod(v, g.imm(n))
}

func (g *gen) indices(b *tir.Buffer) []tir.Expr {
	out := make([]tir.Expr, len(b.Shape))
	for i, n := range Dims(b.Shape) {
		out[i] = g.at(n)
		if g.one(8) {
			if x := g.pick(func(b *tir.Buffer) bool { return b.DType == dtype.Int32T || b.DType == dtype.UInt8T }); x != nil {
				out[i] = tir.FloorMod(tir.CastTo(g.index, g.loadFrom(x)), g.imm(n)) // through memory
			}
		}
	}
	return out
}

func (g *gen) pick(ok func(*tir.Buffer) bool) *tir.Buffer {
	var fit []*tir.Buffer
	for _, b := range g.ready {
		if ok(b) {
			fit = append(fit, b)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return fit[g.src.IntN(len(fit))]
}

func (g *gen) loadFrom(b *tir.Buffer) tir.Expr {
	out := make([]tir.Expr, len(b.Shape))
	for i, n := range Dims(b.Shape) {
		out[i] = g.at(n)
	}
	g.read(b)
	return tir.Load(b, out...)
}

func (g *gen) read(b *tir.Buffer) {
	for _, x := range g.reads {
		if x == b {
			return
		}
	}
	g.reads = append(g.reads, b)
}

// leaf is a number of type d, one of those of wide.
func (g *gen) leaf(d dtype.DType) tir.Expr {
	switch g.src.IntN(6) {
	case 0:
		return tir.CastTo(d, tir.Const(dtype.Int32T, g.between(-9, 9)))
	case 1:
		if len(g.vars) > 0 {
			return tir.CastTo(d, tir.FloorMod(g.vars[g.src.IntN(len(g.vars))], g.imm(leafBound)))
		}
	}
	b := g.pick(func(*tir.Buffer) bool { return true })
	g.read(b)
	if len(g.vars) > 0 && g.one(4) && d.IsFloat() == b.DType.IsFloat() && !b.DType.IsBool() {
		return g.guarded(d, b)
	}
	x := tir.Expr(tir.Load(b, g.indices(b)...))
	if b.DType.IsFloat() && !d.IsFloat() {
		return g.toInt(d, x)
	}
	if !d.IsFloat() && !b.DType.IsBool() { // stored values may be larger than leaves
		return tir.CastTo(d, tir.FloorMod(tir.CastTo(dtype.Int64T, x), tir.Int(leafBound)))
	}
	return tir.CastTo(d, x)
}

// guarded loads what is out of bounds where its condition does not hold.
func (g *gen) guarded(d dtype.DType, b *tir.Buffer) tir.Expr {
	at := g.indices(b)
	k := g.src.IntN(len(at))
	at[k] = tir.Sub(g.vars[g.src.IntN(len(g.vars))], g.imm(g.between(0, 2)))
	inside := tir.And(tir.GE(at[k], g.imm(0)), tir.LT(at[k], tir.CastTo(g.index, b.Shape[k])))
	x := tir.IfThenElseExpr(inside, tir.Load(b, at...), tir.Const(b.DType, 3))
	if d.IsFloat() {
		return tir.CastTo(d, x)
	}
	return tir.CastTo(d, tir.FloorMod(tir.CastTo(dtype.Int64T, x), tir.Int(leafBound)))
}

// toInt converts a float of small magnitude, or what is left of others.
func (g *gen) toInt(d dtype.DType, x tir.Expr) tir.Expr {
	f := x.DType()
	v := tir.NewVar(g.name("f"), f)
	small := tir.NewBinary(tir.OpLT, tir.NewCall(tir.OpFabs, v), tir.FloatConst(f, leafBound))
	return tir.CastTo(d, &tir.Let{Var: v, Value: x, Body: choose(small, v, tir.FloatConst(f, 1))})
}

// wide is the type in which values for elements of type d are computed.
func wide(d dtype.DType) dtype.DType {
	switch {
	case d == dtype.Float64T, d == dtype.Int64T:
		return d
	case d.IsFloat():
		return dtype.Float32T
	}
	return dtype.Int32T
}

// value is an expression to store as an element of type d.
func (g *gen) value(d dtype.DType, depth int) tir.Expr {
	if d.IsBool() {
		return g.cond(depth)
	}
	w := wide(d)
	e := g.number(w, depth)
	if d != w && d.IsInteger() {
		e = tir.FloorMod(e, tir.Const(w, 100))
	}
	return tir.CastTo(d, e)
}

func (g *gen) number(d dtype.DType, depth int) tir.Expr {
	if depth == 0 || g.one(6) {
		return g.leaf(d)
	}
	sub := func() tir.Expr { return g.number(d, depth-1) }
	switch g.src.IntN(11) {
	case 0, 1:
		return tir.Sub(sub(), sub())
	case 2:
		if d.IsFloat() {
			return tir.Mul(sub(), sub())
		}
		return tir.FloorMod(tir.Mul(sub(), sub()), tir.Const(d, 97))
	case 3:
		return choose(g.cond(depth-1), sub(), sub())
	case 4:
		return tir.IfThenElseExpr(g.cond(depth-1), sub(), sub())
	case 5:
		v := tir.NewVar(g.name("v"), d)
		return &tir.Let{Var: v, Value: sub(), Body: tir.Add(tir.Min(v, sub()), v)}
	case 6:
		if d.IsFloat() {
			return tir.NewCall(tir.OpSqrt, tir.NewCall(tir.OpFabs, sub()))
		}
		op := []tir.BinaryOp{tir.OpFloorDiv, tir.OpFloorMod, tir.OpDiv, tir.OpMod}[g.src.IntN(4)]
		if g.one(3) {
			return tir.NewBinary(op, sub(), tir.NewBinary(tir.OpMax, sub(), tir.Const(d, g.between(1, 5))))
		}
		return tir.NewBinary(op, sub(), tir.Const(d, g.between(2, 9)))
	case 7:
		return tir.Max(sub(), sub())
	case 8:
		x := tir.CastTo(d, tir.Add(g.at(7), g.imm(1)))
		return tir.Add(tir.Add(x, x), tir.Min(x, sub())) // one node in several places
	case 9:
		from := []dtype.DType{dtype.Float32T, dtype.Int32T, dtype.Int64T}[g.src.IntN(3)]
		x := g.number(from, depth-1)
		if from.IsFloat() && !d.IsFloat() {
			return g.toInt(d, x)
		}
		return tir.CastTo(d, x)
	}
	return tir.Add(sub(), sub())
}

func (g *gen) cond(depth int) tir.Expr {
	if depth > 0 {
		switch g.src.IntN(5) {
		case 0:
			return tir.And(g.cond(depth-1), g.cond(depth-1))
		case 1:
			return tir.Or(g.cond(depth-1), g.cond(depth-1))
		case 2:
			return tir.LogicalNot(g.cond(depth - 1))
		}
	}
	d := []dtype.DType{dtype.Int32T, dtype.Float32T, dtype.Int64T}[g.src.IntN(3)]
	if len(g.vars) > 0 && g.one(2) {
		v := g.vars[g.src.IntN(len(g.vars))]
		return tir.NewBinary(tir.OpEQ+tir.BinaryOp(g.src.IntN(6)), v, g.imm(g.between(0, 6)))
	}
	x, y := g.number(d, max(depth-1, 0)), g.number(d, 0)
	return tir.NewBinary(tir.OpEQ+tir.BinaryOp(g.src.IntN(6)), x, y)
}

// choose selects between two values, both of which may be computed.
func choose(cond, yes, no tir.Expr) tir.Expr { return &tir.Select{Cond: cond, True: yes, False: no} }
