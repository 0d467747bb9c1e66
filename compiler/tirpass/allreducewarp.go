package tirpass

import (
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

var (
	opWarpShuffle     = tir.LookupBuiltin("tir.tvm_warp_shuffle").Op
	opWarpShuffleDown = tir.LookupBuiltin("tir.tvm_warp_shuffle_down").Op
	opWarpActiveMask  = tir.LookupBuiltin("tir.tvm_warp_activemask").Op
)

// inWarps reports whether the reduction can use shuffles: whether the target has them for its values, and its threads are
// whole warps or fit into one.
func (a *allReduce) inWarps() bool {
	if a.kind != "cuda" && a.kind != "rocm" && a.kind != "metal" {
		return false
	}
	for _, v := range a.values {
		d := v.DType()
		lanes := max(int(d.Lanes), 1)
		switch {
		case a.kind == "rocm" && int(d.Bits)*lanes != 32:
			return false
		case d.IsFloat() && d.Bits == 16:
			if lanes > 2 {
				return false
			}
		case lanes > 1 || d.Bits < 32 || d.Bits > 64:
			return false
		}
	}
	if len(a.threads) == 0 || a.contiguous != a.extent {
		return false
	}
	switch {
	case a.kind == "rocm":
		return a.extent == a.warp
	case a.extent == 1:
		return false
	case a.warp%a.extent == 0, a.limit != -1 && a.limit <= a.warp*a.warp && a.extent%a.warp == 0:
		return true
	}
	return a.groups == 1 && a.extent <= a.warp
}

// masked reports whether shuffles take the set of threads that take part.
func (a *allReduce) masked() bool { return a.kind != "metal" }

// reduceInWarps lets the threads of a warp pass their values down by half as many lanes each time. If there are several warps, the
// first lane of each leaves its result in shared memory, and the first warp reduces these.
func (a *allReduce) reduceInWarps() {
	zero := a.num(0)
	if a.extent <= a.warp {
		results, fresh, mask := a.warpReduce(a.values, a.extent, nil)
		a.fresh = fresh
		for i, b := range results { // the first lane has the result
			shuffled := a.shuffle(opWarpShuffle, mask, a.load(b, zero), tir.Mul(a.num(a.extent), a.group))
			a.seq = append(a.seq, a.store(b, shuffled, zero))
			a.finish(i, b, a.load(b, tir.Int32(0)))
		}
		return
	}
	warps := a.extent / a.warp
	staging := make([]*tir.Buffer, len(a.to))
	for i, b := range a.to {
		staging[i] = a.newBuffer("red_buf_staging", b.DType, warps*a.groups, "shared")
	}
	a.fresh = append(a.fresh, staging...)
	results, fresh, _ := a.warpReduce(a.values, a.warp, nil)
	a.fresh = append(append(a.fresh, fresh...), results...)
	var writes []tir.Stmt
	first := tir.Mul(a.group, a.num(warps))
	for i, b := range results {
		writes = append(writes, a.store(staging[i], a.load(b, tir.Int32(0)), tir.Add(first, tir.FloorDiv(a.index, a.num(a.warp)))))
	}
	a.seq = append(a.seq, a.when(tir.EQ(tir.FloorMod(a.index, a.num(a.warp)), zero), writes...), barrier(a.base, "shared"))

	values := make([]tir.Expr, len(a.to))
	for i, b := range staging {
		values[i] = a.load(b, tir.Add(first, a.index))
	}
	results, fresh, _ = a.warpReduce(values, warps, tir.LT(a.index, a.num(warps)))
	a.fresh = append(append(a.fresh, fresh...), results...)
	writes = nil
	for i, b := range results {
		result := a.newBuffer("red_result", a.to[i].DType, a.groups, "shared")
		writes = append(writes, a.store(result, a.load(b, tir.Int32(0)), a.group))
		a.finish(i, result, a.load(result, a.group))
	}
	a.seq = append(a.seq, a.when(tir.EQ(a.index, zero), writes...), barrier(a.base, "shared"))
}

// warpReduce reduces the values of extent neighboring threads: the first of them has the results. Only threads for which only holds, if it is
// not nil, have values. It returns the buffers of the results, the others that it needs, and the mask.
func (a *allReduce) warpReduce(values []tir.Expr, extent int64, only tir.Expr) (results, fresh []*tir.Buffer, mask *tir.Buffer) {
	zero := tir.Int32(0)
	var loads []tir.Stmt
	for i, v := range values {
		b := a.localBuffer("red_buf"+strconv.Itoa(i), v.DType())
		results = append(results, b)
		loads = append(loads, a.store(b, v, zero))
		fresh = append(fresh, a.localBuffer("t"+strconv.Itoa(i), v.DType()))
	}
	if only != nil {
		loads = []tir.Stmt{a.when(only, loads...)}
	}
	a.seq = append(a.seq, loads...)
	others := fresh
	if a.masked() {
		mask = a.localBuffer("mask", dtype.UInt32T)
		a.seq = append(a.seq, a.store(mask, &tir.Call{Base: a.base, Type: dtype.UInt32T, Op: opWarpActiveMask}, zero))
		fresh = append(fresh, mask)
	}
	offset := int64(1)
	for offset*2 < extent {
		offset *= 2
	}
	for ; offset > 0; offset /= 2 {
		x, y := make([]tir.Expr, len(values)), make([]tir.Expr, len(values))
		for i, b := range results {
			x[i] = a.load(b, zero)
			// A shuffle stands in no condition: threads that do not enter it would be waited for.
			a.seq = append(a.seq, a.store(others[i], a.shuffle(opWarpShuffleDown, mask, x[i], tir.Int32(offset)), zero))
			y[i] = a.load(others[i], zero)
		}
		var stores []tir.Stmt
		for i, e := range a.combine(x, y) {
			stores = append(stores, a.store(results[i], e, zero))
		}
		if offset*2 > extent { // what comes from behind the last thread is no value
			stores = []tir.Stmt{a.when(tir.LT(tir.Add(a.index, a.num(offset)), a.num(extent)), stores...)}
		}
		a.seq = append(a.seq, stores...)
	}
	return results, fresh, mask
}

// localBuffer returns a buffer for one value of a thread.
func (a *allReduce) localBuffer(name string, d dtype.DType) *tir.Buffer {
	b := tir.NewBuffer(name, d, []tir.Expr{tir.Int32(1)}, "local")
	b.Origin = a.base.Origin
	return b
}

func (a *allReduce) shuffle(op *ir.Op, mask *tir.Buffer, v, by tir.Expr) tir.Expr {
	m := tir.Expr(tir.Int32(0))
	if mask != nil {
		m = a.load(mask, tir.Int32(0))
	}
	width := tir.Int32(a.warp)
	return &tir.Call{Base: a.base, Type: v.DType(), Op: op, Args: []tir.Expr{m, v, by, width, width}}
}
