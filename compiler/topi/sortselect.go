package topi

import (
	"github.com/irscope/irscope/compiler/tir"
)

// selectFirst fills the second half with the elements that are kept, in the order in which
// they stand in the row.
//
// A heap holds the least keys seen so far, the greatest of them on top: an element whose key
// is not below that is passed over by one comparison, another takes its place. In the end the
// top is the key of the last element that is kept. Then all elements below it are collected,
// and of those equal to it the first ones, as many as are missing.
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
	rest := count0("k", tir.Sub(s.n, s.count), func(k tir.Expr) tir.Stmt {
		return s.withKey(tir.Add(s.count, k), func(key tir.Expr) tir.Stmt {
			return &tir.IfThenElse{Cond: tir.LT(key, top), Then: s.sink(zero, key)}
		})
	})
	equal := tir.Seq(s.set(quota, zero), count0("k", s.count, func(k tir.Expr) tir.Stmt {
		return s.set(quota, tir.Add(s.get(quota), tir.CastTo(s.state.DType, tir.EQ(tir.Load(s.heap, k), top))))
	}))
	collect := count0("k", s.n, func(k tir.Expr) tir.Stmt {
		return s.withKey(k, func(key tir.Expr) tir.Stmt {
			tie := tir.And(tir.EQ(key, top), tir.LT(zero, s.get(quota)))
			return &tir.IfThenElse{Cond: tir.Or(tir.LT(key, top), tie), Then: tir.Seq(
				s.set(quota, tir.Sub(s.get(quota), tir.CastTo(s.state.DType, tir.EQ(key, top)))),
				s.put(s.get(taken), key, k),
				s.set(taken, tir.Add(s.get(taken), one)),
			)}
		})
	})
	return &tir.IfThenElse{Cond: tir.LT(zero, s.count), Then: tir.Seq(fill, rest, equal, s.set(taken, zero), collect)}
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
