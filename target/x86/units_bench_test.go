//go:build linux && amd64

package x86_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// units is how many operations on elements the processor does in a second, on vectors in registers that do not wait for each other: each kind by itself, sums beside as many products, and both beside as many
// operations of bits.
type units struct{ sums, products, bits, divides, roots, powers, real, all float64 }

// seconds is how long operations take at least. Powers of two take units that add for as long as they take them in a loop of powers alone.
func (u units) seconds(c counts) float64 {
	sums := c.sums
	if c.powers > 0 {
		sums += c.powers * u.sums / u.powers
	}
	return max(sums/u.sums, c.products/u.products, c.bits/u.bits, (sums+c.products)/u.real, (sums+c.products+c.bits)/u.all, c.divides/u.divides+c.roots/u.roots)
}

// step computes the next value of a register, of floats or of integers, from vectors of each.
type step struct {
	real func(a, x, m tir.Expr) tir.Expr
	bits func(n, m tir.Expr) tir.Expr
}

// unitsOf measures the units of the processor with vectors of a machine.
func unitsOf(b *testing.B, machine, tgt string) units {
	b.Helper()
	lanes := tiles[machine].lanes
	add := step{real: func(a, x, _ tir.Expr) tir.Expr { return tir.Add(a, x) }}
	product := step{real: func(a, x, _ tir.Expr) tir.Expr { return tir.NewCall(tir.OpFma, a, x, x) }}
	count := step{bits: func(n, m tir.Expr) tir.Expr { return tir.Add(n, m) }}
	divide := step{real: func(a, x, _ tir.Expr) tir.Expr { return &tir.Binary{Op: tir.OpDiv, A: a, B: x} }}
	root := step{real: func(a, _, _ tir.Expr) tir.Expr { return tir.NewCall(tir.OpSqrt, a) }}
	rate := func(steps ...step) float64 {
		f, n := registers(lanes, steps)
		return n / quickest(b, packed(b, f), tgt, 30, random(dtype.Float32T, 1, lanes), tensor.MustNew(dtype.Int32T, lanes))
	}
	u := units{sums: rate(add), products: rate(product), bits: rate(count), divides: rate(divide), roots: rate(root), real: rate(add, product), all: rate(add, product, count)}
	if machine == "avx512" {
		power := step{real: func(a, _, m tir.Expr) tir.Expr { return tir.NewCall(tir.OpLdexp, a, m) }}
		u.powers = rate(power)
	}
	return u
}

// registers is a loop over twelve vectors in registers that takes each of the steps in turn, and how many operations on elements it takes.
func registers(lanes int64, steps []step) (*tir.PrimFunc, float64) {
	const vectors, turns = 12, 5000
	x, m := flat("x", dtype.Float32T, lanes), flat("m", dtype.Int32T, lanes)
	room := func(name string, d dtype.DType) *tir.Buffer {
		return tir.NewBuffer(name, d, []tir.Expr{tir.Int32(vectors * lanes)}, "local")
	}
	a, n := room("a", dtype.Float32T), room("n", dtype.Int32T)
	place := func(v int64) tir.Expr { return ramp(tir.Int32(v*lanes), 1, int(lanes)) }
	fx, fm := tir.NewVar("fx", dtype.Float32T.WithLanes(int(lanes))), tir.NewVar("fm", dtype.Int32T.WithLanes(int(lanes)))
	var first, body, last []tir.Stmt
	for v := range int64(vectors) {
		s := steps[v%int64(len(steps))]
		if s.bits != nil {
			first = append(first, tir.Store(n, fm, place(v)))
			body = append(body, tir.Store(n, s.bits(tir.Load(n, place(v)), fm), place(v)))
			last = append(last, tir.Store(m, tir.Load(n, place(v)), place(0)))
			continue
		}
		first = append(first, tir.Store(a, fx, place(v)))
		body = append(body, tir.Store(a, s.real(tir.Load(a, place(v)), fx, fm), place(v)))
		last = append(last, tir.Store(x, tir.Load(a, place(v)), place(0)))
	}
	all := tir.Seq(tir.Seq(first...), forLoop(i32var("i"), tir.Int32(turns), body...), tir.Seq(last...))
	all = &tir.LetStmt{Var: fx, Value: tir.Load(x, place(0)), Body: &tir.LetStmt{Var: fm, Value: tir.Load(m, place(0)), Body: all}}
	return primFunc("registers", []any{x, m}, local(a, local(n, all))), float64(vectors * turns * lanes)
}

// BenchmarkUnits reports the rates of units, in billions of operations on elements in a second.
func BenchmarkUnits(b *testing.B) {
	for machine, tgt := range targets {
		b.Run(machine, func(b *testing.B) {
			var u units
			for b.Loop() {
				u = unitsOf(b, machine, tgt)
			}
			for name, rate := range map[string]float64{"sums": u.sums, "products": u.products, "bits": u.bits, "divides": u.divides, "roots": u.roots, "powers": u.powers, "sums+products": u.real, "all": u.all} {
				b.ReportMetric(rate/1e9, name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
