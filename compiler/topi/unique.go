package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Distinct are the distinct elements of a tensor, or its distinct slices along an axis, by their places: Index has the first place of each, Counts how
// often it is there, Inverse for each place which one it is, and Total how many there are. Of Index and Counts so many elements count.
type Distinct struct{ Index, Inverse, Counts, Total *te.Tensor }

// Unique finds the distinct elements of x, as a tensor of one dimension where axis is negative. They are in ascending order if sorted is set, those of
// slices by their first elements that differ, otherwise in the order in which they come. A NaN is equal to nothing.
func Unique(x *te.Tensor, axis int, sorted bool) Distinct {
	if axis < 0 {
		flat := x
		if x.NDim() != 1 {
			flat = Reshape(x, []tir.Expr{product(x.Shape)})
		}
		return uniqueElements(flat, sorted)
	}
	return uniqueSlices(x, axis, sorted)
}

// uniqueElements sorts: equal elements stand beside each other then, the first of them first, since the sort keeps their order.
func uniqueElements(x *te.Tensor, sorted bool) Distinct {
	n := x.Shape[0]
	_, order := Sort(x, SortOpts{Keep: n, Indices: dtype.Int64T})
	outs := []te.Out{int64Out(n), int64Out(n), int64Out(n), int64Out(tir.Int(1))}
	if !sorted {
		outs = append(outs, int64Out(n), int64Out(n), int64Out(n)) // by place and by rank: which it is; by rank: how often
	}
	ts := te.Extern("unique", outs, []*te.Tensor{x, order}, func(in, out []*tir.Buffer) tir.Stmt {
		index, inverse, counts, total := out[0], out[1], out[2], out[3]
		found := tir.Load(total, tir.Int(0))
		at := func(j tir.Expr) tir.Expr { return tir.Load(in[1], j) }
		grow := tir.Store(total, tir.Add(found, tir.Int(1)), tir.Int(0))
		last := tir.Sub(found, tir.Int(1))
		ranks := count0("j", n, func(j tir.Expr) tir.Stmt {
			before := at(tir.Max(tir.Sub(j, tir.Int(1)), tir.Int(0)))
			fresh := tir.Or(tir.EQ(j, tir.Int(0)), tir.NE(tir.Load(in[0], at(j)), tir.Load(in[0], before)))
			return tir.Seq(
				&tir.IfThenElse{Cond: fresh, Then: tir.Seq(tir.Store(index, at(j), found), tir.Store(counts, tir.Int(0), found), grow)},
				tir.Store(inverse, last, at(j)),
				tir.Store(counts, tir.Add(tir.Load(counts, last), tir.Int(1)), last),
			)
		})
		begin := tir.Store(total, tir.Int(0), tir.Int(0))
		if sorted {
			return tir.Seq(begin, ranks)
		}
		rankAt, placeOf, often := out[4], out[5], out[6]
		return tir.Seq(
			begin, ranks,
			count0("j", n, func(j tir.Expr) tir.Stmt { return tir.Store(rankAt, tir.Int(-1), j) }),
			count0("j", found, func(j tir.Expr) tir.Stmt {
				return tir.Seq(tir.Store(rankAt, j, tir.Load(index, j)), tir.Store(often, tir.Load(counts, j), j))
			}),
			begin,
			count0("j", n, func(j tir.Expr) tir.Stmt {
				rank := tir.Load(rankAt, j)
				return &tir.IfThenElse{Cond: tir.GE(rank, tir.Int(0)), Then: tir.Seq(
					tir.Store(placeOf, found, rank), tir.Store(index, j, found), tir.Store(counts, tir.Load(often, rank), found), grow,
				)}
			}),
			count0("j", n, func(j tir.Expr) tir.Stmt { return tir.Store(inverse, tir.Load(placeOf, tir.Load(inverse, j)), j) }),
		)
	})
	return Distinct{ts[0], ts[1], ts[2], ts[3]}
}

// uniqueSlices compares each slice with all others, in time that grows as the square of their number.
func uniqueSlices(x *te.Tensor, axis int, sorted bool) Distinct {
	n := x.Shape[axis]
	rest := without(x.Shape, axis)
	// Results, and then the first slice that is equal, by slice, and how two compare.
	outs := []te.Out{int64Out(n), int64Out(n), int64Out(n), int64Out(tir.Int(1)), int64Out(n), int64Out(tir.Int(2))}
	ts := te.Extern("unique_slices", outs, []*te.Tensor{x}, func(in, out []*tir.Buffer) tir.Stmt {
		index, inverse, counts, total, first, state := out[0], out[1], out[2], out[3], out[4], out[5]
		order, rank := tir.Load(state, tir.Int(0)), tir.Load(state, tir.Int(1))
		set := func(k int64, v tir.Expr) tir.Stmt { return tir.Store(state, v, tir.Int(k)) }
		// compare leaves -1, 0 or 1 in order, 2 where slices differ and none is less.
		compare := func(a, b tir.Expr) tir.Stmt {
			rows := newLoops("r", rest)
			element := func(i tir.Expr) tir.Expr {
				at := append([]tir.Expr{}, rows.vars[:axis]...)
				return tir.Load(in[0], append(append(at, i), rows.vars[axis:]...)...)
			}
			differ := tir.NE(element(a), element(b))
			greater := &tir.Select{Cond: tir.GT(element(a), element(b)), True: tir.Int(1), False: tir.Int(2)}
			way := &tir.Select{Cond: tir.LT(element(a), element(b)), True: tir.Int(-1), False: greater}
			return tir.Seq(set(0, tir.Int(0)), rows.wrap(&tir.IfThenElse{Cond: tir.And(tir.EQ(order, tir.Int(0)), differ), Then: set(0, way)}))
		}
		isFirst := func(i tir.Expr) tir.Expr { return tir.EQ(tir.Load(first, i), i) }
		return tir.Seq(
			tir.Store(total, tir.Int(0), tir.Int(0)),
			count0("i", n, func(i tir.Expr) tir.Stmt {
				return tir.Seq(tir.Store(first, i, i), count0("j", i, func(j tir.Expr) tir.Stmt {
					return &tir.IfThenElse{Cond: tir.And(isFirst(i), isFirst(j)), Then: tir.Seq(
						compare(j, i), &tir.IfThenElse{Cond: tir.EQ(order, tir.Int(0)), Then: tir.Store(first, j, i)},
					)}
				}))
			}),
			count0("i", n, func(i tir.Expr) tir.Stmt {
				ahead := count0("j", n, func(j tir.Expr) tir.Stmt {
					one := set(1, tir.Add(rank, tir.Int(1)))
					if !sorted {
						return &tir.IfThenElse{Cond: tir.And(isFirst(j), tir.LT(j, i)), Then: one}
					}
					// Those that cannot be ordered keep the order in which they come.
					less := tir.Or(tir.EQ(order, tir.Int(-1)), tir.And(tir.EQ(order, tir.Int(2)), tir.LT(j, i)))
					return &tir.IfThenElse{Cond: isFirst(j), Then: tir.Seq(compare(j, i), &tir.IfThenElse{Cond: less, Then: one})}
				})
				return &tir.IfThenElse{Cond: isFirst(i), Then: tir.Seq(
					set(1, tir.Int(0)), ahead,
					tir.Store(index, i, rank), tir.Store(counts, tir.Int(0), rank), tir.Store(inverse, rank, i),
					tir.Store(total, tir.Add(tir.Load(total, tir.Int(0)), tir.Int(1)), tir.Int(0)),
				)}
			}),
			count0("i", n, func(i tir.Expr) tir.Stmt {
				which := tir.Load(inverse, tir.Load(first, i))
				return let("which", which, func(which tir.Expr) tir.Stmt {
					return tir.Seq(tir.Store(inverse, which, i), tir.Store(counts, tir.Add(tir.Load(counts, which), tir.Int(1)), which))
				})
			}),
		)
	})
	return Distinct{ts[0], ts[1], ts[2], ts[3]}
}

// First are the first n elements of a vector.
func First(x *te.Tensor, n tir.Expr) *te.Tensor {
	return te.Compute("first", []tir.Expr{n}, func(i []tir.Expr) tir.Expr { return x.At(i...) })
}

// At are the slices of x along an axis at the first n indices, or the elements of x in order where axis is negative.
func At(x, index *te.Tensor, n tir.Expr, axis int) *te.Tensor {
	if axis < 0 {
		return te.Compute("at", []tir.Expr{n}, func(i []tir.Expr) tir.Expr {
			at := make([]tir.Expr, x.NDim())
			unravel(at, x.Shape, index.At(i...))
			return x.At(at...)
		})
	}
	shape := append([]tir.Expr{}, x.Shape...)
	shape[axis] = n
	return te.Compute("at", shape, func(i []tir.Expr) tir.Expr {
		at := append([]tir.Expr{}, i...)
		at[axis] = index.At(i[axis])
		return x.At(at...)
	})
}
