package tirpass

import (
	"strconv"

	"github.com/irscope/irscope/compiler/tir"
)

// reduceInMemory lets all threads store their values in shared memory and combine two each, with half as many threads each time. There is a
// barrier after each step, up to those that the threads of one warp do.
func (a *allReduce) reduceInMemory() {
	shared := make([]*tir.Buffer, len(a.to))
	a.seq = append(a.seq, barrier(a.base, "shared")) // the memory may be in use by the iteration before
	for i, v := range a.values {
		b := a.newBuffer("red_buf"+strconv.Itoa(i), v.DType(), a.groups*a.extent, "shared")
		shared[i] = b
		a.seq = append(a.seq, a.store(b, v, a.slot(a.index)))
	}
	a.seq = append(a.seq, barrier(a.base, "shared"))
	a.tree(shared)
	for i, b := range shared {
		a.finish(i, b, a.load(b, a.slot(a.num(0))))
	}
}

// slot is the index in shared memory of a thread of the reduction.
func (a *allReduce) slot(index tir.Expr) tir.Expr {
	if tir.IsConst(a.group, 0) {
		return index
	}
	return a.an.Simplify(tir.Add(tir.Mul(a.group, a.num(a.extent)), index))
}

func (a *allReduce) tree(shared []*tir.Buffer) {
	// combined returns what a thread has and what the one offset threads further has, combined.
	combined := func(offset int64) []tir.Expr {
		x, y := make([]tir.Expr, len(shared)), make([]tir.Expr, len(shared))
		for i, b := range shared {
			x[i] = a.load(b, a.slot(a.index))
			y[i] = a.load(b, a.slot(tir.Add(a.index, a.num(offset))))
		}
		return a.combine(x, y)
	}
	stores := func(values []tir.Expr) []tir.Stmt {
		out := make([]tir.Stmt, len(values))
		for i, v := range values {
			out[i] = a.store(shared[i], v, a.slot(a.index))
		}
		return out
	}
	step := func(threads, offset int64) {
		a.seq = append(a.seq, a.when(tir.LT(a.index, a.num(threads)), stores(combined(offset))...), barrier(a.base, "shared"))
	}
	n := int64(1)
	for n < a.extent {
		n *= 2
	}
	if n > a.extent {
		n /= 2
		step(a.extent-n, n)
	}
	aligned := a.groups == 1 || a.contiguous%a.warp == 0
	for n > 1 && (n > a.contiguous || n > a.warp || !aligned) {
		n /= 2
		step(n, n)
	}
	if n == 1 {
		return
	}
	threads := n / 2
	var inWarp []tir.Stmt
	for n > 1 {
		n /= 2
		// Threads of a warp run together, so one may write what another one has still to read: all read first.
		values := combined(n)
		vars := make([]tir.Expr, len(values))
		for i, v := range values {
			vars[i] = tir.NewVar("w_"+strconv.FormatInt(n, 10)+"_"+strconv.Itoa(i), v.DType())
		}
		body := tir.Seq(append(append([]tir.Stmt{barrier(a.base, "warp")}, stores(vars)...), barrier(a.base, "warp"))...)
		for i, v := range values {
			body = &tir.LetStmt{Base: a.base, Var: vars[i].(*tir.Var), Value: v, Body: body}
		}
		inWarp = append(inWarp, body)
	}
	a.seq = append(a.seq, a.when(tir.LT(a.index, a.num(threads)), inWarp...), barrier(a.base, "shared"))
}
