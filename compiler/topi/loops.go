package topi

import (
	"strconv"

	"github.com/irscope/irscope/compiler/tir"
)

// loops is a nest of serial loops, for computations written as statements.
type loops struct {
	loopVars []*tir.Var
	vars     []tir.Expr // the same
	extents  []tir.Expr
}

func newLoops(prefix string, extents []tir.Expr) *loops {
	n := &loops{extents: extents}
	for k, e := range extents {
		v := tir.NewVar(prefix+strconv.Itoa(k), e.DType())
		n.loopVars, n.vars = append(n.loopVars, v), append(n.vars, v)
	}
	return n
}

// wrap puts body into the loops.
func (n *loops) wrap(body tir.Stmt) tir.Stmt {
	for k := len(n.loopVars) - 1; k >= 0; k-- {
		body = &tir.For{LoopVar: n.loopVars[k], Min: tir.Const(n.extents[k].DType(), 0), Extent: n.extents[k], Body: body}
	}
	return body
}

// copyAll writes all elements of src to dst, converted to its type.
func copyAll(dst, src *tir.Buffer) tir.Stmt {
	n := newLoops("c", dst.Shape)
	return n.wrap(tir.Store(dst, tir.CastTo(dst.DType, tir.Load(src, n.vars...)), n.vars...))
}
