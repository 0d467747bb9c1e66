package sch

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// splitsOfBounds is how many minima and maxima notPositive looks into, one inside of the other: each may double the work.
const splitsOfBounds = 4

// notPositive reports whether e, the difference of two bounds, is at most 0. Where the analyzer cannot tell, it looks into the minima and maxima that e adds
// up, as bounds of buffers and conditions make them. Of one that counts positive, a minimum is at most either operand, so that one is enough, and a maximum is
// one of the two, so that both must do; of one that counts negative it is the other way around.
func notPositive(e tir.Expr, an *arith.Analyzer, splits int) bool {
	e = an.CanonicalSimplify(e)
	if an.CanProve(tir.LE(e, tir.Const(e.DType(), 0))) {
		return true
	}
	if splits == 0 {
		return false
	}
	terms := addends(nil, e, 1)
	at := -1
	both := false
	for i, t := range terms {
		b, ok := t.e.(*tir.Binary)
		if !ok || b.Op != tir.OpMin && b.Op != tir.OpMax || at >= 0 && both {
			continue
		}
		if all := (b.Op == tir.OpMin) != (t.times > 0); at < 0 || all { // what both must hold for comes first: which one is enough may depend on it
			at, both = i, all
		}
	}
	if at < 0 {
		return false
	}
	with := func(x tir.Expr) bool {
		var sum tir.Expr = tir.Const(e.DType(), 0)
		for i, t := range terms {
			if i == at {
				t.e = x
			}
			sum = tir.Add(sum, tir.Mul(t.e, tir.Const(e.DType(), t.times)))
		}
		return notPositive(sum, an, splits-1)
	}
	bound := terms[at].e.(*tir.Binary)
	if both {
		return with(bound.A) && with(bound.B)
	}
	return with(bound.A) || with(bound.B)
}

// addend is a term of a sum.
type addend struct {
	e     tir.Expr
	times int64
}

// addends appends the terms of e, which counts so many times.
func addends(out []addend, e tir.Expr, times int64) []addend {
	if b, ok := e.(*tir.Binary); ok {
		switch b.Op {
		case tir.OpAdd:
			return addends(addends(out, b.A, times), b.B, times)
		case tir.OpSub:
			return addends(addends(out, b.A, times), b.B, -times)
		case tir.OpMul:
			if n, ok := tir.AsInt(b.B); ok && n == int64(int32(n)) && times == int64(int32(times)) {
				return addends(out, b.A, times*n)
			}
		}
	}
	return append(out, addend{e, times})
}
