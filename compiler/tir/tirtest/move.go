package tirtest

import "github.com/irscope/irscope/compiler/tir"

// MoveAccess returns f with one index of one access changed, so that it may
// be out of bounds.
func MoveAccess(src Source, f *tir.PrimFunc) *tir.PrimFunc {
	count := 0
	visit := func(at int, shift func(tir.Expr) tir.Expr) tir.Stmt {
		count = 0
		change := func(idx []tir.Expr) []tir.Expr {
			count++
			if count-1 != at || len(idx) == 0 {
				return idx
			}
			out := append([]tir.Expr{}, idx...)
			k := src.IntN(len(out))
			out[k] = shift(out[k])
			return out
		}
		return tir.RewriteStmt(f.Body, func(s tir.Stmt) tir.Stmt {
			if x, ok := s.(*tir.BufferStore); ok {
				if idx := change(x.Indices); len(idx) > 0 && &idx[0] != &x.Indices[0] {
					return x.WithIndices(idx)
				}
			}
			return s
		}, func(e tir.Expr) tir.Expr {
			if x, ok := e.(*tir.BufferLoad); ok {
				if idx := change(x.Indices); len(idx) > 0 && &idx[0] != &x.Indices[0] {
					return x.WithIndices(idx)
				}
			}
			return e
		})
	}
	visit(-1, nil)
	if count == 0 {
		return f
	}
	by, times := int64(src.IntN(9)-4), int64(1+src.IntN(3))
	if src.IntN(4) == 0 {
		by = int64(src.IntN(1<<20) - 1<<19)
	}
	body := visit(src.IntN(count), func(e tir.Expr) tir.Expr {
		return tir.Add(tir.Mul(e, tir.Const(e.DType(), times)), tir.Const(e.DType(), by))
	})
	return f.WithBody(body)
}
