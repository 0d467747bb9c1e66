package arith

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// ends makes expressions of integers of any type near the ends of their ranges, where sums of narrow and unsigned types wrap.
type ends struct {
	*rand.Rand
	types []dtype.DType
	vars  map[dtype.DType][]*tir.Var
}

func newEnds(r *rand.Rand) *ends {
	e := &ends{Rand: r, vars: map[dtype.DType][]*tir.Var{}}
	all := []string{"int32", "int64", "int8", "int16", "uint8", "uint16", "uint32", "uint64"}
	for range 1 + r.IntN(2) {
		d := dtype.MustParse(all[r.IntN(len(all))])
		e.types = append(e.types, d)
		if e.vars[d] == nil {
			e.vars[d] = []*tir.Var{tir.NewVar("x_"+d.String(), d), tir.NewVar("y_"+d.String(), d)}
		}
	}
	return e
}

// limits are the least and the greatest value of a type.
func (*ends) limits(d dtype.DType) (lo, hi *big.Int) {
	one := big.NewInt(1)
	if d.IsUInt() {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(d.Bits)), one)
	}
	hi = new(big.Int).Lsh(one, uint(d.Bits)-1)
	return new(big.Int).Neg(hi), new(big.Int).Sub(hi, one)
}

// number is near 0 or near an end.
func (e *ends) number(d dtype.DType) *big.Int {
	lo, hi := e.limits(d)
	near := big.NewInt(int64(e.IntN(3)))
	switch e.IntN(5) {
	case 0:
		return lo.Add(lo, near)
	case 1:
		return hi.Sub(hi, near)
	case 2:
		return new(big.Int).Rsh(hi, uint(e.IntN(int(d.Bits))))
	}
	v := big.NewInt(int64(e.IntN(12) - 4))
	if d.IsUInt() {
		v.Abs(v)
	}
	return v
}

// raw is the bits of a value as constants have them.
func raw(v *big.Int) int64 {
	if v.IsInt64() {
		return v.Int64()
	}
	return int64(v.Uint64())
}

func (e *ends) expr(d dtype.DType, depth int) tir.Expr {
	if depth == 0 || e.IntN(6) == 0 {
		if e.IntN(2) == 0 {
			return tir.Const(d, raw(e.number(d)))
		}
		return e.vars[d][e.IntN(2)]
	}
	sub := func() tir.Expr { return e.expr(d, depth-1) }
	switch e.IntN(14) {
	case 12, 13:
		op := []*ir.Op{tir.OpBitwiseAnd, tir.OpBitwiseOr, tir.OpBitwiseXor, tir.OpShiftLeft, tir.OpShiftRight}[e.IntN(5)]
		by := sub()
		if op == tir.OpShiftLeft || op == tir.OpShiftRight {
			by = tir.Const(d, int64(e.IntN(int(d.Bits))))
		}
		return &tir.Call{Type: d, Op: op, Args: []tir.Expr{sub(), by}}
	case 0, 1:
		return tir.NewBinary(tir.OpMin, sub(), sub())
	case 2, 3:
		return tir.NewBinary(tir.OpMax, sub(), sub())
	case 4:
		return &tir.Select{Cond: e.cond(depth - 1), True: sub(), False: sub()}
	case 5:
		from := e.types[e.IntN(len(e.types))]
		if from != d {
			return tir.CastTo(d, e.expr(from, depth-1))
		}
		return tir.NewBinary(tir.OpMin, sub(), sub())
	case 6:
		op := []tir.BinaryOp{tir.OpFloorDiv, tir.OpFloorMod, tir.OpDiv, tir.OpMod}[e.IntN(4)]
		by := e.number(d)
		if by.Sign() == 0 {
			by.SetInt64(3)
		}
		return tir.NewBinary(op, sub(), tir.Const(d, raw(by)))
	}
	if isIndex(d) { // no sum of indices is beyond their type, in whatever order
		return tir.NewBinary([]tir.BinaryOp{tir.OpMin, tir.OpMax}[e.IntN(2)], sub(), sub())
	}
	op := []tir.BinaryOp{tir.OpAdd, tir.OpSub, tir.OpMul}[e.IntN(3)]
	return tir.NewBinary(op, sub(), sub())
}

func (e *ends) cond(depth int) tir.Expr {
	if depth > 0 {
		switch e.IntN(6) {
		case 0:
			return tir.NewBinary(tir.OpAnd, e.cond(depth-1), e.cond(depth-1))
		case 1:
			return tir.NewBinary(tir.OpOr, e.cond(depth-1), e.cond(depth-1))
		case 2:
			return tir.LogicalNot(e.cond(depth - 1))
		}
	}
	op := []tir.BinaryOp{tir.OpEQ, tir.OpNE, tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE}[e.IntN(6)]
	d := e.types[e.IntN(len(e.types))]
	return tir.NewBinary(op, e.expr(d, max(depth-1, 0)), e.expr(d, max(depth-1, 0)))
}

// at is a point: what the variables are, and whether an index was beyond its type on the way, or something has no value.
type atEnds struct {
	*ends
	vars   map[*tir.Var]*big.Int
	beyond bool
}

// fit wraps a value to its type.
func (a *atEnds) fit(d dtype.DType, v *big.Int) *big.Int {
	lo, hi := a.limits(d)
	if v.Cmp(lo) >= 0 && v.Cmp(hi) <= 0 {
		return v
	}
	if isIndex(d) {
		a.beyond = true
	}
	return a.wrap(d, v)
}

// wrap is the value of the type that has the same bits.
func (a *atEnds) wrap(d dtype.DType, v *big.Int) *big.Int {
	lo, hi := a.limits(d)
	if v.Cmp(lo) >= 0 && v.Cmp(hi) <= 0 {
		return v
	}
	size := new(big.Int).Lsh(big.NewInt(1), uint(d.Bits))
	v = new(big.Int).Mod(v, size)
	if v.Cmp(hi) > 0 {
		v.Sub(v, size)
	}
	return v
}

func (a *atEnds) value(x tir.Expr) *big.Int {
	truth := func(b bool) *big.Int {
		if b {
			return big.NewInt(1)
		}
		return new(big.Int)
	}
	switch x := x.(type) {
	case *tir.IntImm:
		if x.Type.IsUInt() {
			return new(big.Int).SetUint64(uint64(x.Value))
		}
		return big.NewInt(x.Value)
	case *tir.Var:
		return a.vars[x]
	case *tir.Cast:
		if x.Type.IsBool() {
			return truth(a.value(x.Value).Sign() != 0)
		}
		if isIndex(x.Value.DType()) {
			return a.fit(x.Type, a.value(x.Value))
		}
		return a.wrap(x.Type, a.value(x.Value))
	case *tir.Call:
		p, q := a.value(x.Args[0]), a.value(x.Args[1])
		out := new(big.Int)
		switch {
		case isOp(x, tir.OpBitwiseAnd):
			return out.And(p, q)
		case isOp(x, tir.OpBitwiseOr):
			return out.Or(p, q)
		case isOp(x, tir.OpBitwiseXor):
			return out.Xor(p, q)
		}
		if q.Sign() < 0 || q.Cmp(big.NewInt(int64(x.Type.Bits))) >= 0 {
			a.beyond = true
			return out
		}
		if isOp(x, tir.OpShiftLeft) {
			return a.fit(x.Type, out.Lsh(p, uint(q.Int64())))
		}
		return out.Rsh(p, uint(q.Int64()))
	case *tir.Not:
		return truth(a.value(x.A).Sign() == 0)
	case *tir.Select:
		c, t, f := a.value(x.Cond), a.value(x.True), a.value(x.False)
		if c.Sign() != 0 {
			return t
		}
		return f
	case *tir.Binary:
		p, q := a.value(x.A), a.value(x.B)
		switch x.Op {
		case tir.OpMin:
			if p.Cmp(q) < 0 {
				return p
			}
			return q
		case tir.OpMax:
			if p.Cmp(q) > 0 {
				return p
			}
			return q
		case tir.OpEQ:
			return truth(p.Cmp(q) == 0)
		case tir.OpNE:
			return truth(p.Cmp(q) != 0)
		case tir.OpLT:
			return truth(p.Cmp(q) < 0)
		case tir.OpLE:
			return truth(p.Cmp(q) <= 0)
		case tir.OpGT:
			return truth(p.Cmp(q) > 0)
		case tir.OpGE:
			return truth(p.Cmp(q) >= 0)
		case tir.OpAnd:
			return truth(p.Sign() != 0 && q.Sign() != 0)
		case tir.OpOr:
			return truth(p.Sign() != 0 || q.Sign() != 0)
		}
		d := operandType(x)
		out := new(big.Int)
		switch x.Op {
		case tir.OpAdd:
			return a.fit(d, out.Add(p, q))
		case tir.OpSub:
			return a.fit(d, out.Sub(p, q))
		case tir.OpMul:
			return a.fit(d, out.Mul(p, q))
		}
		if q.Sign() == 0 {
			a.beyond = true
			return out
		}
		rest := new(big.Int)
		switch x.Op {
		case tir.OpDiv:
			return a.fit(d, out.Quo(p, q))
		case tir.OpMod:
			return out.Rem(p, q)
		}
		out.QuoRem(p, q, rest)
		if rest.Sign() != 0 && rest.Sign() != q.Sign() {
			out.Sub(out, big.NewInt(1))
			rest.Add(rest, q)
		}
		if x.Op == tir.OpFloorDiv {
			return a.fit(d, out)
		}
		return rest
	}
	panic("value of " + show(x))
}

// TestEndsKeepValues: what is simplified keeps its value at the ends of the types, unless an index is beyond its type there.
func TestEndsKeepValues(t *testing.T) {
	seed.Each(t, seed.Cases(3000, 100000), func(t *testing.T, r *rand.Rand) {
		e := newEnds(r)
		var x tir.Expr
		if r.IntN(2) == 0 {
			x = e.cond(1 + r.IntN(3))
		} else {
			x = e.expr(e.types[0], 1+r.IntN(3))
		}
		a := NewAnalyzer()
		got := map[string]tir.Expr{"Simplify": a.Simplify(x), "RewriteSimplify": a.RewriteSimplify(x), "CanonicalSimplify": a.CanonicalSimplify(x)}
		bound, mod := a.ConstIntBound(x), a.ModularSet(x)
		proved := x.DType().IsBool() && a.CanProve(x)
		for range 60 {
			at := &atEnds{ends: e, vars: map[*tir.Var]*big.Int{}}
			for d, vs := range e.vars {
				for _, v := range vs {
					at.vars[v] = e.number(d)
				}
			}
			want := at.value(x)
			if at.beyond {
				continue
			}
			for name, y := range got {
				if have := at.value(y); have.Cmp(want) != 0 {
					t.Fatalf("%s: %s => %s: at %v it is %v, but was %v", name, show(x), show(y), at.vars, have, want)
				}
				at.beyond = false
			}
			if proved && want.Sign() == 0 {
				t.Fatalf("%s is proved, but false at %v", show(x), at.vars)
			}
			if m := new(big.Int).Sub(want, big.NewInt(mod.Base)); mod.Coeff == 0 && m.Sign() != 0 || mod.Coeff > 0 && m.Mod(m, big.NewInt(mod.Coeff)).Sign() != 0 {
				t.Fatalf("%s is in %v, but %v at %v", show(x), mod, want, at.vars)
			}
			if low := bound.Min > NegInf && want.Cmp(big.NewInt(bound.Min)) < 0; low || bound.Max < PosInf && want.Cmp(big.NewInt(bound.Max)) > 0 {
				t.Fatalf("%s is in %v, but %v at %v", show(x), bound, want, at.vars)
			}
		}
	})
}
