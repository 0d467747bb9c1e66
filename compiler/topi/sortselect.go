package topi

import (
	"github.com/irscope/irscope/compiler/tir"
)

// selectFirst fills the second half with the elements that are kept, in the order in which
// they stand in the row.
//
// A heap holds the least keys seen so far, the greatest of them on top: an element whose key
// is not below that is passed over, another takes its place. In the end the
// top is the key of the last element that is kept. Then all elements below it are collected,
// and of those equal to it the first ones, as many as are missing. Elements are passed over in groups, by the least key of each, where they lie side by side.
func (s *sorter) selectFirst() tir.Stmt {
	zero, one := tir.Int(0), tir.Int(1)
	top := tir.Load(s.heap, zero)
	last := tir.Sub(s.count, one)
	// Fill the heap from the first elements: each sinks from the last free place, the heap
	// below it being in order already.
	fill := count0("k", s.count, func(k tir.Expr) tir.Stmt {
		return let("at", tir.Sub(last, k), func(at tir.Expr) tir.Stmt {
			return s.withKey(at, func(key tir.Expr) tir.Stmt { return s.sink(at, key) })
		})
	})
	take := func(k tir.Expr) tir.Stmt {
		return s.withKey(k, func(key tir.Expr) tir.Stmt {
			return &tir.IfThenElse{Cond: tir.LT(key, top), Then: s.sink(zero, key)}
		})
	}
	first := s.count
	if s.least != nil { // almost all of the first elements take a place, or some of their group
		first = tir.Min(s.n, tir.Mul(s.count, tir.Int(keyGroup)))
		fill = tir.Seq(fill, each(s.count, tir.Sub(first, s.count), take))
	}
	rest := s.inGroups(first, tir.Sub(s.n, first), func(key tir.Expr) tir.Expr { return tir.LT(key, top) }, take)
	equal := tir.Seq(s.set(quota, zero), count0("k", s.count, func(k tir.Expr) tir.Stmt {
		return s.set(quota, tir.Add(s.get(quota), tir.CastTo(s.state.DType, tir.EQ(tir.Load(s.heap, k), top))))
	}))
	collect := s.inGroups(zero, s.n, func(key tir.Expr) tir.Expr { return tir.LE(key, top) }, func(k tir.Expr) tir.Stmt {
		return s.withKey(k, func(key tir.Expr) tir.Stmt {
			tie := tir.And(tir.EQ(key, top), tir.LT(zero, s.get(quota)))
			return &tir.IfThenElse{Cond: tir.Or(tir.LT(key, top), tie), Then: tir.Seq(
				s.set(quota, tir.Sub(s.get(quota), tir.CastTo(s.state.DType, tir.EQ(key, top)))),
				s.put(s.get(taken), key, k),
				s.set(taken, tir.Add(s.get(taken), one)),
			)}
		})
	})
	if s.all != nil {
		fill = tir.Seq(s.keysAhead(), fill)
	}
	return &tir.IfThenElse{Cond: tir.LT(zero, s.count), Then: tir.Seq(fill, rest, equal, s.set(taken, zero), collect)}
}

// keyGroup is how many elements are passed over at once, if the least of their keys is.
const keyGroup = 32

// groups reports whether elements of a row, of whose keys vectors are computed, are so many that most groups hold none that is kept.
func (s *sorter) groups() bool {
	n, known := tir.AsInt(s.n)
	keep, fixed := tir.AsInt(s.Keep)
	return (!known || n >= 2*keyGroup*max(keep, 1) || !fixed && n >= 2*keyGroup) && s.sideBySide()
}

// mostAhead is how many keys of a row are computed ahead at most: the first cache holds them.
const mostAhead = 4096

// ahead reports whether the keys of a row are computed ahead, in vectors: of rows that have no groups, but as many elements as one.
func (s *sorter) ahead() bool {
	n, known := tir.AsInt(s.n)
	return known && n >= keyGroup && n <= mostAhead && !s.groups() && s.sideBySide()
}

// keysAhead computes the keys of a row.
func (s *sorter) keysAhead() tir.Stmt {
	n, _ := tir.AsInt(s.n)
	key := func(i tir.Expr) tir.Stmt { return s.storeKey(s.all, i, i) }
	vectors := count0("g", tir.Int(n/keyGroup), func(g tir.Expr) tir.Stmt {
		return lanes(keyGroup, func(i tir.Expr) tir.Stmt { return key(tir.Add(tir.Mul(g, tir.Int(keyGroup)), i)) })
	})
	return tir.Seq(vectors, each(tir.Int(n/keyGroup*keyGroup), tir.Int(n%keyGroup), key))
}

// storeKey stores the key of element i of the row.
func (s *sorter) storeKey(to *tir.Buffer, at, i tir.Expr) tir.Stmt {
	return tir.Store(to, sortKey(s.item(i), s.key, s.Descending), at)
}

// sideBySide reports whether elements of a row lie side by side, of a type that makes vectors.
func (s *sorter) sideBySide() bool {
	return s.Axis == len(s.x.Shape)-1 && s.x.DType.Bits >= 8 && !s.x.DType.IsBool() && !(s.x.DType.IsFloat() && s.x.DType.Bits < 16)
}

// inGroups visits n elements from one on, but for groups of them of which the least key is not wanted.
func (s *sorter) inGroups(from, n tir.Expr, wanted func(key tir.Expr) tir.Expr, visit func(k tir.Expr) tir.Stmt) tir.Stmt {
	if s.least == nil {
		return each(from, n, visit)
	}
	size := tir.Int(keyGroup)
	all := count0("g", tir.FloorDiv(n, size), func(g tir.Expr) tir.Stmt {
		start := tir.Add(from, tir.Mul(g, size))
		list := []tir.Stmt{lanes(keyGroup, func(i tir.Expr) tir.Stmt { return s.storeKey(s.least, i, tir.Add(start, i)) })}
		for half := int64(keyGroup / 2); half > 0; half /= 2 {
			list = append(list, lanes(half, func(i tir.Expr) tir.Stmt {
				return tir.Store(s.least, tir.Min(tir.Load(s.least, i), tir.Load(s.least, tir.Add(i, tir.Int(half)))), i)
			}))
		}
		return tir.Seq(append(list, &tir.IfThenElse{Cond: wanted(tir.Load(s.least, tir.Int(0))), Then: each(start, size, visit)})...)
	})
	return tir.Seq(all, each(tir.Add(from, tir.Mul(tir.FloorDiv(n, size), size)), tir.FloorMod(n, size), visit))
}

// each visits n elements from one on.
func each(from, n tir.Expr, visit func(k tir.Expr) tir.Stmt) tir.Stmt {
	return count0("k", n, func(k tir.Expr) tir.Stmt { return visit(tir.Add(from, k)) })
}

// lanes is a loop whose turns are lanes of a vector.
func lanes(n int64, body func(i tir.Expr) tir.Stmt) tir.Stmt {
	if n == 1 {
		return body(tir.Int(0))
	}
	l := count0("lane", tir.Int(n), body).(*tir.For)
	l.Kind = tir.Vectorized
	return l
}

// sink puts key into the heap at a place that is free: children with greater keys move up.
func (s *sorter) sink(at, key tir.Expr) tir.Stmt {
	one := tir.Int(1)
	child := tir.Add(tir.Mul(s.get(hole), tir.Int(2)), one)
	below := func(k tir.Expr) tir.Expr { return tir.Load(s.heap, k) }
	step := let("child", child, func(c tir.Expr) tir.Stmt {
		next := tir.Min(tir.Add(c, one), tir.Sub(s.count, one)) // the other child, if there is one
		return let("next", next, func(next tir.Expr) tir.Stmt {
			greater := &tir.Select{Cond: tir.LT(below(c), below(next)), True: next, False: c}
			return let("greater", greater, func(g tir.Expr) tir.Stmt {
				return &tir.IfThenElse{
					Cond: tir.LT(key, below(g)),
					Then: tir.Seq(tir.Store(s.heap, below(g), s.get(hole)), s.set(hole, g)),
					Else: &tir.Evaluate{Value: &tir.Call{Op: tir.OpBreakLoop}},
				}
			})
		})
	})
	return tir.Seq(
		s.set(hole, at),
		&tir.While{Cond: tir.LT(child, s.count), Body: step},
		tir.Store(s.heap, key, s.get(hole)),
	)
}
