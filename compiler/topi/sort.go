package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// SortOpts says what Sort yields, for the axis that is sorted.
type SortOpts struct {
	Axis       int
	Descending bool
	Keep       tir.Expr // how many elements are kept from the front
	Indices    dtype.DType
	// Above, if it is given, has only elements greater than it sorted: zeros and the index -1 follow. All are to be kept then.
	Above Operand
}

// Sort returns the elements of x in order along an axis and their indices. Equal elements,
// as 0 and -0, keep their order. NaNs come last in either direction, as NumPy has them. Where
// fewer elements exist than are to be kept, zeros follow.
//
// It is a merge sort, bottom up: runs of 8 are sorted by counting, then runs of 8, 16, 32 ...
// merged in pairs, from one half of the arrays key and order into the other, so the time grows
// as n log n whatever the elements are. What is compared are integers, the keys, which sortKey
// makes of the elements once; the merge takes them without a branch that could be predicted
// wrongly. Where only some elements are kept, selectFirst first finds those, in time that grows
// as n log k.
//
// All work is done in statements of one block. The arrays are results of the block that
// nobody else reads, as large as one row; the variables of the algorithm are the elements of
// the array state, which the code generator keeps in registers.
func Sort(x *te.Tensor, o SortOpts) (values, indices *te.Tensor) {
	s := &sorter{SortOpts: o, x: x, n: x.Shape[o.Axis], key: keyType(x.DType)}
	whole := sameExpr(o.Keep, s.n)
	shape := append([]tir.Expr{}, x.Shape...)
	shape[o.Axis] = o.Keep
	outs := []te.Out{
		{DType: x.DType, Shape: shape},
		{DType: o.Indices, Shape: shape},
		{DType: s.key, Shape: []tir.Expr{tir.Int(2), o.Keep}},
		{DType: dtype.Int32T, Shape: []tir.Expr{tir.Int(2), o.Keep}},
		{DType: dtype.Int64T, Shape: []tir.Expr{tir.Int(stateLen)}},
	}
	if !whole {
		outs = append(outs, te.Out{DType: s.key, Shape: []tir.Expr{o.Keep}})
		switch {
		case s.groups():
			outs = append(outs, te.Out{DType: s.key, Shape: []tir.Expr{tir.Int(keyGroup)}})
		case s.ahead():
			outs = append(outs, te.Out{DType: s.key, Shape: []tir.Expr{s.n}})
		}
	}
	inputs := []*te.Tensor{x}
	if o.Above.Tensor != nil {
		inputs = append(inputs, o.Above.Tensor)
	}
	ts := te.Extern("sort", outs, inputs, func(in, out []*tir.Buffer) tir.Stmt {
		s := *s
		s.in, s.values, s.indices, s.keys, s.order, s.state = in[0], out[0], out[1], out[2], out[3], out[4]
		rows := newLoops("i", without(x.Shape, o.Axis))
		s.row = rows.vars
		s.count = s.n
		fill := s.allKeys()
		switch {
		case o.Above.Tensor != nil:
			s.count, fill = s.get(above), s.keysAbove(tir.Load(in[1], zeros(len(in[1].Shape))...))
		case o.Above.Scalar != nil:
			s.count, fill = s.get(above), s.keysAbove(o.Above.Scalar)
		case !whole:
			s.heap = out[5]
			switch {
			case s.groups():
				s.least = out[6]
			case s.ahead():
				s.all = out[6]
			}
			s.count = tir.Min(o.Keep, s.n)
			fill = s.selectFirst()
		}
		return rows.wrap(tir.Seq(fill, s.countRuns(), s.mergeRuns(), s.write(whole)))
	})
	return ts[0], ts[1]
}

// sorter writes the statements that sort one row.
type sorter struct {
	SortOpts
	x     *te.Tensor
	n     tir.Expr
	key   dtype.DType
	row   []tir.Expr // index of the row, without the axis
	count tir.Expr   // how many elements are sorted

	in, values, indices *tir.Buffer
	keys, order         *tir.Buffer // two halves of one row
	state               *tir.Buffer
	heap                *tir.Buffer // nil where all elements are sorted
	least               *tir.Buffer // keys of a group, the least of them in front; nil without groups
	all                 *tir.Buffer // keys of all elements; nil where they are computed when they are asked for
}

// The elements of the array state.
const (
	runLen = iota // length of the sorted runs
	half          // which half of key and order holds them
	taken         // next element of the left run; elements found by selectFirst; rank in a run
	hole          // place in the heap that is being filled
	quota         // elements equal to the last one that may still be taken
	above         // elements above a bound
	stateLen
)

func (s *sorter) get(k int64) tir.Expr             { return tir.Load(s.state, tir.Int(k)) }
func (s *sorter) set(k int64, v tir.Expr) tir.Stmt { return tir.Store(s.state, v, tir.Int(k)) }

// item is element i of the row.
func (s *sorter) item(i tir.Expr) tir.Expr { return tir.Load(s.in, with(s.row, s.Axis, i)...) }

// let binds value in what body makes of it.
func let(name string, value tir.Expr, body func(v tir.Expr) tir.Stmt) tir.Stmt {
	v := tir.NewVar(name, value.DType())
	return &tir.LetStmt{Var: v, Value: value, Body: body(v)}
}

// count0 is a loop from 0.
func count0(name string, n tir.Expr, body func(i tir.Expr) tir.Stmt) tir.Stmt {
	i := tir.NewVar(name, n.DType())
	return &tir.For{LoopVar: i, Min: tir.Const(n.DType(), 0), Extent: n, Body: body(i)}
}

// withKey computes the key of element i for body.
func (s *sorter) withKey(i tir.Expr, body func(key tir.Expr) tir.Stmt) tir.Stmt {
	if s.all != nil {
		return let("key", tir.Load(s.all, i), body)
	}
	return let("item", s.item(i), func(v tir.Expr) tir.Stmt { return let("key", sortKey(v, s.key, s.Descending), body) })
}

// put makes element i of the row element at of the second half.
func (s *sorter) put(at, key, i tir.Expr) tir.Stmt {
	return tir.Seq(tir.Store(s.keys, key, tir.Int(1), at), tir.Store(s.order, tir.CastTo(dtype.Int32T, i), tir.Int(1), at))
}

// allKeys fills the second half with all elements.
func (s *sorter) allKeys() tir.Stmt {
	return count0("k", s.n, func(i tir.Expr) tir.Stmt {
		return s.withKey(i, func(key tir.Expr) tir.Stmt { return s.put(i, key, i) })
	})
}

// keysAbove fills the second half with the elements above a bound, and counts them.
func (s *sorter) keysAbove(bound tir.Expr) tir.Stmt {
	found := s.get(above)
	return tir.Seq(s.set(above, tir.Int(0)), count0("k", s.n, func(i tir.Expr) tir.Stmt {
		put := s.withKey(i, func(key tir.Expr) tir.Stmt {
			return tir.Seq(s.put(found, key, i), s.set(above, tir.Add(found, tir.Int(1))))
		})
		return &tir.IfThenElse{Cond: tir.GT(tir.CastTo(bound.DType(), s.item(i)), bound), Then: put}
	}))
}

// counted is the length of runs that are sorted by counting: eight comparisons of two keys
// are cheaper than three merges.
const counted = 8

// countRuns sorts runs of the second half into the first: each element goes to the place that
// is the number of those before it.
func (s *sorter) countRuns() tir.Stmt {
	zero, one, size := tir.Int(0), tir.Int(1), tir.Int(counted)
	runs := tir.FloorDiv(tir.Add(s.count, tir.Int(counted-1)), size)
	return count0("run", runs, func(r tir.Expr) tir.Stmt {
		return let("start", tir.Mul(r, size), func(start tir.Expr) tir.Stmt {
			return let("length", tir.Min(size, tir.Sub(s.count, start)), func(length tir.Expr) tir.Stmt {
				return count0("k", length, func(k tir.Expr) tir.Stmt {
					return let("own", tir.Load(s.keys, one, tir.Add(start, k)), func(own tir.Expr) tir.Stmt {
						count := func(name string, n, from tir.Expr, before func(a, b tir.Expr) tir.Expr) tir.Stmt {
							return count0(name, n, func(j tir.Expr) tir.Stmt {
								first := before(tir.Load(s.keys, one, tir.Add(from, j)), own)
								return s.set(taken, tir.Add(s.get(taken), tir.CastTo(s.state.DType, first)))
							})
						}
						place := tir.Add(start, s.get(taken))
						return tir.Seq(
							s.set(taken, zero),
							count("j", k, start, tir.LE),
							count("j", tir.Sub(tir.Sub(length, k), one), tir.Add(tir.Add(start, k), one), tir.LT),
							tir.Store(s.keys, own, zero, place),
							tir.Store(s.order, tir.Load(s.order, one, tir.Add(start, k)), zero, place),
						)
					})
				})
			})
		})
	})
}

// mergeRuns sorts the first half, whose runs of counted elements are sorted; the state half
// says where the result is.
func (s *sorter) mergeRuns() tir.Stmt {
	run, one, two := s.get(runLen), tir.Int(1), tir.Int(2)
	twice := tir.Mul(run, two)
	pairs := tir.FloorDiv(tir.Sub(tir.Add(twice, s.count), one), twice)
	pass := let("run", run, func(run tir.Expr) tir.Stmt {
		return let("from", s.get(half), func(from tir.Expr) tir.Stmt {
			return count0("pair", pairs, func(p tir.Expr) tir.Stmt {
				return let("start", tir.Mul(p, tir.Mul(run, two)), func(start tir.Expr) tir.Stmt { return s.merge(from, start, run) })
			})
		})
	})
	return tir.Seq(s.set(runLen, tir.Int(counted)), s.set(half, tir.Int(0)),
		&tir.While{Cond: tir.LT(run, s.count), Body: tir.Seq(pass, s.set(half, tir.Sub(one, s.get(half))), s.set(runLen, twice))})
}

// merge merges two neighbouring runs of which the first begins at start; either may be cut
// off by the end.
func (s *sorter) merge(from, start, run tir.Expr) tir.Stmt {
	to := tir.Sub(tir.Int(1), from)
	last := tir.Sub(s.count, tir.Int(1))
	return let("mid", tir.Min(tir.Add(start, run), s.count), func(mid tir.Expr) tir.Stmt {
		return let("stop", tir.Min(tir.Add(mid, run), s.count), func(stop tir.Expr) tir.Stmt {
			step := func(k tir.Expr) tir.Stmt {
				return let("left", s.get(taken), func(left tir.Expr) tir.Stmt {
					// Of the k elements before, left - start came from the left run.
					return let("right", tir.Sub(tir.Add(tir.Add(start, mid), k), left), func(right tir.Expr) tir.Stmt {
						return s.take(from, to, tir.Add(start, k), left, right, mid, stop, last)
					})
				})
			}
			return tir.Seq(s.set(taken, start), count0("k", tir.Sub(stop, start), step))
		})
	})
}

// take moves the lesser of the elements left and right to place at of the other half, of
// equal ones the left.
func (s *sorter) take(from, to, at, left, right, mid, stop, last tir.Expr) tir.Stmt {
	return let("safe", tir.Min(right, last), func(safe tir.Expr) tir.Stmt {
		return let("a", tir.Load(s.keys, from, left), func(a tir.Expr) tir.Stmt {
			return let("b", tir.Load(s.keys, from, safe), func(b tir.Expr) tir.Stmt {
				first := tir.And(tir.LT(left, mid), tir.Or(tir.GE(right, stop), tir.LE(a, b)))
				return let("first", first, func(first tir.Expr) tir.Stmt {
					return tir.Seq(
						tir.Store(s.keys, &tir.Select{Cond: first, True: a, False: b}, to, at),
						tir.Store(s.order, tir.Load(s.order, from, &tir.Select{Cond: first, True: left, False: safe}), to, at),
						s.set(taken, tir.Add(left, tir.CastTo(dtype.Int64T, first))),
					)
				})
			})
		})
	})
}

// write stores the sorted elements and their indices, and zeros behind them.
func (s *sorter) write(whole bool) tir.Stmt {
	return count0("k", s.Keep, func(k tir.Expr) tir.Stmt {
		at := with(s.row, s.Axis, k)
		put := let("place", tir.Load(s.order, s.get(half), k), func(place tir.Expr) tir.Stmt {
			i := tir.CastTo(s.n.DType(), place)
			return tir.Seq(tir.Store(s.values, s.item(i), at...), tir.Store(s.indices, tir.CastTo(s.Indices, place), at...))
		})
		none := int64(0)
		switch {
		case s.Above != Operand{}:
			none = -1
		case whole || sameExpr(s.count, s.Keep):
			return put
		}
		zero := tir.Seq(tir.Store(s.values, tir.Const(s.values.DType, 0), at...), tir.Store(s.indices, tir.Const(s.Indices, none), at...))
		return &tir.IfThenElse{Cond: tir.LT(k, s.count), Then: put, Else: zero}
	})
}
