package transform

import (
	"github.com/irscope/irscope/compiler/relax"
)

// scan notes what variables of f are bound to, and which transposed weights matmuls can
// read in place.
func (l *legalizer) scan(f *relax.Function) {
	l.bound = map[*relax.Var]relax.Expr{}
	l.transposed, l.dead = map[*relax.Var]relax.Expr{}, map[*relax.Var]bool{}
	l.blocks, l.block = map[relax.Binding]*relax.BindingBlock{}, nil
	relax.EachBinding(f.Body, func(block *relax.BindingBlock, b relax.Binding) {
		l.blocks[b] = block
		if vb, ok := b.(*relax.VarBinding); ok {
			l.bound[vb.Var] = vb.Value
		}
	})
	if l.skip["relax.matmul"] || !l.tuned {
		return // TVM leaves the transposition to FuseTransposeMatmul
	}
	params := map[*relax.Var]bool{}
	for _, p := range f.Params {
		params[p] = true
	}
	for v, e := range l.bound {
		if w := transposedWeight(e, params); w != nil {
			l.transposed[v] = w
		}
	}
	if len(l.transposed) > 0 && hasInplace(f) {
		clear(l.transposed) // the weight may be written over
	}
	if len(l.transposed) > 0 {
		l.findDead(f)
	}
}

// transposedWeight returns what e swaps the last two axes of, if that is a constant or
// parameter.
func transposedWeight(e relax.Expr, params map[*relax.Var]bool) relax.Expr {
	c := callsOp(e, "relax.permute_dims")
	if c == nil {
		return nil
	}
	if len(c.Args) != 1 {
		return nil // an error where it is lowered
	}
	w := c.Args[0]
	if v, ok := w.(*relax.Var); ok && !params[v] {
		return nil
	} else if _, isConst := w.(*relax.Constant); !ok && !isConst {
		return nil
	}
	if !swapsLast(c) {
		return nil
	}
	return w
}

// swapsLast tells whether a call of permute_dims swaps the last two axes and keeps the others.
func swapsLast(c *relax.Call) bool {
	t, ok := relax.SInfoOf(c.Args[0]).(*relax.TensorStructInfo)
	if !ok || t.NDim < 2 {
		return false
	}
	axes := c.Attrs.Ints("axes")
	if axes == nil {
		for k := t.NDim - 1; k >= 0; k-- {
			axes = append(axes, int64(k))
		}
	}
	for k, a := range axes {
		want := k
		switch k {
		case t.NDim - 1:
			want = k - 1
		case t.NDim - 2:
			want = k + 1
		}
		if (int(a)+t.NDim)%t.NDim != want {
			return false
		}
	}
	return true
}

// findDead finds the transposed weights that only matmuls use. The others stay, and
// matmuls read those.
func (l *legalizer) findDead(f *relax.Function) {
	for v := range l.transposed {
		l.dead[v] = v.Dataflow
	}
	keep := func(v *relax.Var) { delete(l.dead, v) }
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		c := callsOp(b.BoundValue(), "relax.matmul")
		if c == nil {
			switch v := b.BoundValue().(type) {
			case *relax.If:
				usedVars(v.Cond, keep)
				usedVars(v.Then.Body, keep)
				usedVars(v.Else.Body, keep)
			case *relax.Function:
				usedVars(v.Body.Body, keep)
			default:
				usedVars(v, keep)
			}
		}
	})
	usedVars(f.Body.Body, keep)
}
