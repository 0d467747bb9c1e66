package bufferflow

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// possible is a value that an expression has where a condition holds.
type possible struct{ where, value tir.Expr }

// maxPossible bounds the ways in which the loads of a value may be known.
const maxPossible = 12

// values returns what is known of value, which t stores, where in is known: its loads are replaced by what
// they read as far as facts tell, in all ways, and those that leave no load are returned.
func (f *forward) values(in state, t *touch, value tir.Expr) []possible {
	value = tir.SubstExpr(value, f.lets)
	if !f.stable(value) || arith.LargerThan(value, maxValue) {
		return nil
	}
	if value = f.inAxes(t, value); value == nil || value.DType() != t.buffer.DType {
		return nil
	}
	ways := []possible{{tir.Bool(true), value}}
	for _, load := range f.loads(value) {
		for _, w := range ways {
			for _, p := range in {
				if p.buffer != load.Buffer || len(ways) >= maxPossible {
					continue
				}
				sub := f.positions(load.Buffer, load.Indices)
				where := f.simplify(tir.And(w.where, tir.And(t.at, tir.SubstExpr(p.where, sub))))
				if tir.IsConst(where, 0) {
					continue
				}
				known := tir.SubstExpr(p.value, sub)
				ways = append(ways, possible{where, replace(w.value, load, known)})
			}
		}
	}
	var out []possible
	for _, w := range ways {
		v := f.a.Simplify(w.value)
		if arith.SideEffect(v) <= tir.Pure && !arith.LargerThan(v, maxValue) {
			out = append(out, possible{w.where, v})
		}
	}
	return out
}

// loads returns the different loads in e of buffers that are followed, whose indices read nothing.
func (f *forward) loads(e tir.Expr) []*tir.BufferLoad {
	var out []*tir.BufferLoad
	ir.Walk(e, func(n ir.Node) bool {
		l, ok := n.(*tir.BufferLoad)
		if !ok {
			return true
		}
		_, followed := f.axes[l.Buffer]
		for _, i := range l.Indices {
			followed = followed && f.fixed(i) && i.DType().Lanes == 1 && !i.DType().Scalable
		}
		for _, old := range out {
			followed = followed && !arith.Equal(old, l)
		}
		if followed {
			out = append(out, l)
		}
		return true
	})
	return out
}

// replace returns e with value in the place of each load like old.
func replace(e tir.Expr, old *tir.BufferLoad, value tir.Expr) tir.Expr {
	return tir.RewriteExpr(e, func(x tir.Expr) tir.Expr {
		if l, ok := x.(*tir.BufferLoad); ok && arith.Equal(l, old) {
			return value
		}
		return x
	})
}
