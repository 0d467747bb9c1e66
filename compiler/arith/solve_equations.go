package arith

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
)

// SolveLinearEquations solves the equations among the conditions of c for its variables. Those of the
// result are free: any values of them that satisfy the conditions of the result give a solution of c.
// Conditions that are no linear equations with constant coefficients are kept, in the new variables.
// Without variables, c is its own result. After TVM's src/arith/solve_linear_equation.cc.
func SolveLinearEquations(c *IntConstraints) *IntConstraintsTransform {
	a := NewAnalyzer()
	a.BindRanges(c.Ranges)
	d, rest := c.equations(a)
	if !d.diagonalize() { // too large: nothing is solved
		d, rest = (&IntConstraints{Variables: c.Variables}).identity(), c.Relations
	}
	dst := &IntConstraints{}
	right := make([]tir.Expr, len(d.y)) // of the diagonal
	for j, y := range d.y {
		right[j] = a.Simplify(dot(d.u[j], d.y, tir.Const(y.DType(), 0)))
	}
	for j, y := range right {
		// A solution exists where what is right of an empty row is 0, and else a multiple of the coefficient.
		cond := tir.EQ(y, tir.Const(y.DType(), 0))
		if k := d.coefficient(j); k != 0 {
			cond = tir.EQ(tir.FloorMod(y, tir.Const(y.DType(), abs(k))), tir.Const(y.DType(), 0))
		}
		cond = a.Simplify(cond)
		if isCst(cond, 0) {
			return c.contradiction()
		}
		if !isCst(cond, 1) {
			dst.Relations = append(dst.Relations, cond)
		}
	}
	t := &IntConstraintsTransform{Src: c, Dst: dst, SrcToDst: map[*tir.Var]tir.Expr{}, DstToSrc: map[*tir.Var]tir.Expr{}}
	values := make([]tir.Expr, len(d.x)) // of W*x
	for j := range d.x {
		switch k := d.coefficient(j); {
		case k == 0:
			old := a.Simplify(dot(d.w[j], d.x, tir.Const(d.x[j].DType(), 0)))
			name := fmt.Sprintf("n%d", len(dst.Variables))
			if v, ok := old.(*tir.Var); ok {
				name += "_" + v.Name
			}
			v := tir.NewVar(name, d.x[j].DType())
			dst.Variables = append(dst.Variables, v)
			t.DstToSrc[v], values[j] = old, v
		case k > 0:
			values[j] = a.Simplify(tir.FloorDiv(right[j], tir.Const(right[j].DType(), k)))
		default:
			values[j] = a.Simplify(tir.FloorDiv(tir.Sub(tir.Const(right[j].DType(), 0), right[j]), tir.Const(right[j].DType(), -k)))
		}
	}
	for i, v := range c.Variables {
		t.SrcToDst[v] = a.Simplify(dot(d.v[i], values, tir.Const(v.DType(), 0)))
	}
	dst.Ranges = c.transformedRanges(dst.Variables, t.DstToSrc)
	t.restate(rest)
	return t
}

// coefficient returns the j-th number of the diagonal, 0 beyond its end.
func (d *diophantine) coefficient(j int) int64 {
	if j >= len(d.s) || j >= len(d.v) {
		return 0
	}
	return d.s[j][j]
}

// identity returns the system of no equations for the variables of c.
func (c *IntConstraints) identity() *diophantine {
	n := len(c.Variables)
	d := &diophantine{v: identity(n), w: identity(n)}
	for _, v := range c.Variables {
		d.x = append(d.x, v)
	}
	return d
}

// equations returns the linear equations of c, and its other conditions.
func (c *IntConstraints) equations(a *Analyzer) (d *diophantine, rest []tir.Expr) {
	d = c.identity()
	for _, r := range c.Relations {
		row, base := linearRow(a, r, c.Variables)
		if row == nil {
			rest = append(rest, r)
			continue
		}
		d.s = append(d.s, row)
		d.y = append(d.y, a.Simplify(tir.Sub(tir.Const(base.DType(), 0), base)))
	}
	d.u = identity(len(d.y))
	return d, rest
}

// linearRow reads r as the equation of row*vars + base with 0; row is nil where it is none.
func linearRow(a *Analyzer, r tir.Expr, vars []*tir.Var) (row []int64, base tir.Expr) {
	eq := bin(r)
	if eq.Op != tir.OpEQ || !operandType(eq).IsInt() || len(vars) == 0 {
		return nil, nil
	}
	coeffs, base, ok := DetectLinearEquation(a.Simplify(tir.Sub(eq.A, eq.B)), vars)
	if !ok {
		return nil, nil
	}
	row = make([]int64, len(vars))
	for i, e := range coeffs {
		k, ok := cst(a.Simplify(e))
		if !ok || tooLarge(k) {
			return nil, nil
		}
		row[i] = k
	}
	return row, base
}

// restate adds to the result what the ranges of the old variables, and the conditions that are no
// equations, say of the new ones.
func (t *IntConstraintsTransform) restate(rest []tir.Expr) {
	a := NewAnalyzer()
	a.BindRanges(t.Dst.Ranges)
	add := func(cond tir.Expr) {
		if cond = a.Simplify(cond); !isCst(cond, 1) {
			t.Dst.Relations = append(t.Dst.Relations, cond)
		}
	}
	for _, v := range t.Src.Variables {
		if r := t.Src.Ranges[v]; r != nil {
			add(tir.LE(r.Min, t.SrcToDst[v]))
			add(tir.LT(t.SrcToDst[v], tir.Add(r.Min, r.Extent)))
		}
	}
	for _, cond := range rest {
		t.Dst.Relations = append(t.Dst.Relations, tir.SubstExpr(cond, t.SrcToDst))
	}
}
