package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// find returns how allocation a is dealt out, and how many elements it has, rounded up to a multiple of width times m.
func (l *warpLowerer) find(a *tir.Allocate) (w *warpMemory, total int64) {
	total = int64(max(1, a.Type.Lanes))
	for _, e := range a.Extents {
		n, ok := tir.AsInt(e)
		if !ok || n <= 0 || n > 1<<20/total {
			l.fail("warp memory %s: warp memory only support constant alloc size, got %s", a.Var.Name, text(e))
			return nil, 0
		}
		total *= n
	}
	w = &warpMemory{}
	for _, s := range l.launches { // those around it count too
		l.thread(w, s)
	}
	ir.Walk(a.Body, func(n ir.Node) bool {
		if s, ok := n.(*tir.AttrStmt); ok {
			l.thread(w, s)
		}
		return l.err == nil
	})
	if l.err == nil && w.index == nil {
		l.fail("Cannot find warp index(threadIdx.x) within the scope of warp memory %s", a.Var.Name)
	}
	if l.err != nil {
		return nil, 0
	}
	l.coefficient(w, a)
	if l.err == nil && w.coeff == 0 {
		l.fail("nothing is stored to warp memory %s, so its elements cannot be dealt out to threads", a.Var.Name)
	}
	if l.err != nil {
		return nil, 0
	}
	factor := w.width * w.coeff
	w.groups = (total + factor - 1) / factor
	return w, w.groups * factor
}

// thread takes what launches threads along x as the place in a warp.
func (l *warpLowerer) thread(w *warpMemory, s *tir.AttrStmt) {
	iv := s.BoundThread()
	if s.Key != tir.KeyThreadExtent || iv == nil || iv.ThreadTag != "threadIdx.x" {
		return
	}
	n, ok := tir.AsInt(s.Value)
	switch {
	case !ok || n < 1 || n > l.size || l.size%n != 0:
		l.fail("Expect threadIdx.x 's size to be no larger than, and a factor of warp size(%d) to enable warp memory but get %s instead", l.size, text(s.Value))
	case w.index != nil && w.index != iv.Var:
		l.fail("Find two instance of threadIdx.x in the same kernel. Please create it using thread_axis once and reuse the axis across multiple binds in the same kernel")
	default:
		w.index, w.width = iv.Var, n
	}
}

// coefficient finds m in the indices of the stores.
func (l *warpLowerer) coefficient(w *warpMemory, a *tir.Allocate) {
	take := func(index tir.Expr) {
		coeffs, _, ok := arith.DetectLinearEquation(index, []*tir.Var{w.index})
		if !ok {
			l.fail("LowerWarpMemory failed. Could not simplify the store index `%s` into the form ax + by + cz + ... Warp memory is approximated by storing values in thread local registers and shuffling values between these registers. Currently only linear equation indices are supported.", text(index))
			return
		}
		m, ok := tir.AsInt(l.an.CanonicalSimplify(coeffs[0]))
		switch {
		case !ok || m <= 0 || m > 1<<20:
			l.fail("LowerWarpMemory failed due to store index=%s, require positive constant coefficient on warp index %s but get %s", text(index), w.index.Name, text(l.an.CanonicalSimplify(coeffs[0])))
		case w.coeff != 0 && w.coeff != m:
			l.fail("LowerWarpMemory failed due to two different store coefficient to warp index: %d and %d", w.coeff, m)
		default:
			w.coeff = m
		}
	}
	ir.Walk(a.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Call:
			switch {
			case n.Op == opLDMatrix && len(n.Args) == 7 && n.Args[3] == tir.Expr(a.Var):
				take(n.Args[4])
			case n.Op.CalleeName() == "tir.mma_fill" && len(n.Args) == 3 && n.Args[1] == tir.Expr(a.Var):
				if w.coeff, _ = tir.AsInt(n.Args[0]); w.coeff < 1 {
					l.fail("Integer expected for the first argument of mma_fill")
				}
			}
		case *tir.BufferStore:
			if n.Buffer.Data != a.Var {
				break
			}
			if len(n.Indices) != 1 || n.Predicate != nil {
				l.fail("Expected flat memory to use as warp memory, accessed without predicates. Has FlattenBuffer been run?")
				break
			}
			base, ok := baseOf(n.Indices[0])
			if !ok {
				l.fail("LowerWarpMemory failed due to store index=%s, can only handle continuous store", text(n.Indices[0]))
				break
			}
			take(base)
		}
		return l.err == nil
	})
}

// baseOf returns the first index of e, where its lanes follow each other.
func baseOf(e tir.Expr) (tir.Expr, bool) {
	if e.DType().IsScalar() {
		return e, true
	}
	r, ok := e.(*tir.Ramp)
	if !ok || !tir.IsConst(r.Stride, 1) || r.Scalable {
		return nil, false
	}
	return r.Start, true
}

// split returns the place of an element in its thread, and the thread.
func (l *warpLowerer) split(w *warpMemory, index tir.Expr) (local, thread tir.Expr, ok bool) {
	if r, isRamp := index.(*tir.Ramp); isRamp {
		base, ok := baseOf(r)
		if !ok {
			return index, nil, false
		}
		at, thread, ok := l.split(w, base)
		// All lanes have to be in one thread, in the same part of it.
		last := tir.Add(base, tir.Const(base.DType(), int64(r.Lanes-1)))
		m := tir.Const(base.DType(), w.coeff)
		if !ok || !l.an.CanProveEqual(tir.FloorDiv(base, m), tir.FloorDiv(last, m)) {
			return index, nil, false
		}
		return &tir.Ramp{Base: r.Base, Start: at, Stride: tir.Const(at.DType(), 1), Lanes: r.Lanes}, thread, true
	}
	d := index.DType()
	if d.Lanes > 1 {
		return index, nil, false
	}
	m, all := tir.Const(d, w.coeff), tir.Const(d, w.coeff*w.width)
	x := l.an.CanonicalSimplify(tir.FloorMod(index, m))
	if w.groups == 1 {
		return x, l.an.CanonicalSimplify(tir.FloorDiv(index, m)), true
	}
	y := tir.Add(tir.Mul(tir.FloorDiv(index, all), m), x)
	return l.an.CanonicalSimplify(y), l.an.CanonicalSimplify(tir.FloorDiv(tir.FloorMod(index, all), m)), true
}
