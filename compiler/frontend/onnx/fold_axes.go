package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// at is the element at an index for each axis.
func (k *known) at(index []int64) tir.Expr {
	i := int64(0)
	for axis, n := range k.shape {
		i = i*n + index[axis]
	}
	return k.elems[i]
}

// arranged returns a tensor whose elements f gives by their indices, nil if these are too many or f returns nil.
func arranged(d dtype.DType, shape []int64, f func(index []int64) tir.Expr) *known {
	count, err := ir.CheckedElements(shape)
	if err != nil || count > maxKnown(d) {
		return nil
	}
	out := &known{dtype: d, shape: shape, elems: make([]tir.Expr, count)}
	index := make([]int64, len(shape))
	for i := range out.elems {
		if out.elems[i] = f(index); out.elems[i] == nil {
			return nil
		}
		for axis := len(shape) - 1; axis >= 0; axis-- {
			if index[axis]++; index[axis] < shape[axis] {
				break
			}
			index[axis] = 0
		}
	}
	return out
}

func foldTranspose(n *node, in []*known) *known {
	perm := n.permutation(len(in[0].shape))
	shape := make([]int64, len(perm))
	for i, a := range perm {
		shape[i] = in[0].shape[a]
	}
	from := make([]int64, len(perm))
	return arranged(in[0].dtype, shape, func(index []int64) tir.Expr {
		for i, a := range perm {
			from[a] = index[i]
		}
		return in[0].at(from)
	})
}

func foldTile(n *node, in []*known) *known {
	repeats, ok := in[1].ints()
	if !ok || len(repeats) != len(in[0].shape) || slices.ContainsFunc(repeats, func(r int64) bool { return r < 0 || r > maxKnownInts }) {
		return nil
	}
	shape, from := slices.Clone(in[0].shape), make([]int64, len(repeats))
	for i, r := range repeats {
		shape[i] *= r
	}
	return arranged(in[0].dtype, shape, func(index []int64) tir.Expr {
		for i, x := range index {
			from[i] = x % in[0].shape[i]
		}
		return in[0].at(from)
	})
}

// foldConcat joins tensors along an axis.
func foldConcat(n *node, in []*known) *known {
	first := in[0]
	if first == nil || len(first.shape) == 0 {
		return nil
	}
	axis := n.axis(n.int("axis", 0), len(first.shape))
	shape := slices.Clone(first.shape)
	shape[axis] = 0
	for _, k := range in {
		if k == nil || len(k.shape) != len(shape) || k.dtype != first.dtype {
			return nil
		}
		for i, e := range k.shape {
			if i != axis && e != shape[i] {
				return nil // the converter says what is wrong
			}
		}
		shape[axis] += k.shape[axis]
	}
	from := make([]int64, len(shape))
	return arranged(first.dtype, shape, func(index []int64) tir.Expr {
		copy(from, index)
		for _, k := range in {
			if from[axis] < k.shape[axis] {
				return k.at(from)
			}
			from[axis] -= k.shape[axis]
		}
		return nil
	})
}

// foldGather picks slices along an axis.
func foldGather(n *node, in []*known) *known {
	at, ok := in[1].ints()
	if !ok || len(in[0].shape) == 0 {
		return nil
	}
	axis := n.axis(n.int("axis", 0), len(in[0].shape))
	extent, rank := in[0].shape[axis], len(in[1].shape)
	picked := &known{dtype: dtype.Int64T, shape: in[1].shape, elems: make([]tir.Expr, len(at))}
	for i, a := range at {
		picked.elems[i] = tir.Int(int64(n.axis(a, int(extent))))
	}
	shape := slices.Concat(in[0].shape[:axis], in[1].shape, in[0].shape[axis+1:])
	from := make([]int64, len(in[0].shape))
	return arranged(in[0].dtype, shape, func(index []int64) tir.Expr {
		copy(from, index[:axis])
		from[axis], _ = tir.AsInt(picked.at(index[axis : axis+rank]))
		copy(from[axis+1:], index[axis+rank:])
		return in[0].at(from)
	})
}

// foldSlice cuts a piece out.
func foldSlice(n *node, in []*known) *known {
	k := in[0]
	if len(k.shape) == 0 {
		return nil
	}
	s := n.sliceArgs(len(k.shape))
	shape, starts, steps := slices.Clone(k.shape), make([]int64, len(k.shape)), make([]int64, len(k.shape))
	for i := range steps {
		steps[i] = 1
	}
	for i, axis := range s.axes {
		b, bok := tir.AsInt(s.begin[i])
		e, eok := tir.AsInt(s.end[i])
		step := s.step[i]
		if !bok || !eok {
			return nil
		}
		b, e = clampSlice(b, e, step, k.shape[axis])
		count := int64(0)
		if step > 0 && b < e {
			count = (e - b + step - 1) / step
		} else if step < 0 && b > e {
			count = (b - e - step - 1) / -step
		}
		shape[axis], starts[axis], steps[axis] = count, b, step
	}
	from := make([]int64, len(shape))
	return arranged(k.dtype, shape, func(index []int64) tir.Expr {
		for i, x := range index {
			from[i] = starts[i] + x*steps[i]
		}
		return k.at(from)
	})
}

// foldReduce combines elements along axes, beginning with what nothing gives, or nil for nothing that there is.
func foldReduce(f func(a, b tir.Expr) tir.Expr, empty func(d dtype.DType) tir.Expr) func(*node, []*known) *known {
	return func(n *node, in []*known) *known {
		k := in[0]
		if !foldable(k.dtype) || !k.dtype.IsInteger() {
			return nil
		}
		axes, noop := n.reduceAxes()
		list, given := axes.([]int64)
		if noop {
			return nil
		}
		reduced := make([]bool, len(k.shape))
		for i := range reduced {
			reduced[i] = !given || slices.Contains(list, int64(i))
		}
		shape := slices.Clone(k.shape)
		for i, r := range reduced {
			if r {
				shape[i] = 1
			}
		}
		sums := map[int]tir.Expr{}
		to := broadcastIndex(shape, k.shape)
		for i, e := range k.elems {
			if old := sums[to(i)]; old != nil {
				e = f(old, e)
			}
			sums[to(i)] = e
		}
		i := -1
		out := arranged(k.dtype, shape, func([]int64) tir.Expr {
			if i++; sums[i] != nil {
				return sums[i]
			}
			return empty(k.dtype)
		})
		if out == nil || n.bool("keepdims", true) {
			return out
		}
		var kept []tir.Expr
		for i, r := range reduced {
			if !r {
				kept = append(kept, tir.Int(shape[i]))
			}
		}
		return out.withShape(kept)
	}
}

func foldAbs(_ *node, in []*known) *known {
	if !in[0].dtype.IsInt() {
		return nil
	}
	return mapKnown(in[0], in[0].dtype, func(e tir.Expr) tir.Expr {
		v, ok := tir.AsInt(e)
		if !ok || v == -v && v != 0 {
			return nil
		}
		return tir.Const(e.DType(), max(v, -v))
	})
}

// permutation is what Transpose does with the axes of a tensor of some rank.
func (n *node) permutation(rank int) []int {
	perm := n.ints("perm")
	if perm == nil {
		for i := range rank {
			perm = append(perm, int64(rank-1-i))
		}
	}
	if len(perm) != rank {
		n.fail("attribute \"perm\" has %d axes, but the input has %d dimensions", len(perm), rank)
	}
	return n.axes(perm, rank)
}
