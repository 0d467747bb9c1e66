package schedule

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Parallel lets the iterations of a loop run at the same time.
func (s *Schedule) Parallel(l *Loop) error { return s.concurrent("parallel", l, tir.Parallel) }

// Vectorize turns the iterations of a loop into lanes. Its extent must be a constant.
func (s *Schedule) Vectorize(l *Loop) error {
	if _, ok := tir.AsInt(l.extent); !ok {
		return fail("vectorize", nil, l, "its extent is not a constant: split it by one first")
	}
	return s.concurrent("vectorize", l, tir.Vectorized)
}

// concurrent marks a loop after checking that no block inside reduces over it.
func (s *Schedule) concurrent(prim string, l *Loop, kind tir.ForKind) error {
	if err := check(prim, l); err != nil {
		return err
	}
	var err error
	leaves(l, func(b *Block) {
		for k, iv := range b.iters {
			if iv.Kind != tir.DataPar && err == nil && usesLoop(b.values[k], l) {
				err = fail(prim, b, l, "its iteration variable %s is %s and depends on the loop", iv.Var.Name, iv.Kind)
			}
		}
	})
	if err == nil {
		l.kind = kind
	}
	return err
}

func usesLoop(e tir.Expr, l *Loop) bool {
	return arith.UsesVar(e, func(v *tir.Var) bool { return v == l.v })
}

// Unroll marks a loop to be replaced by copies of its body.
func (s *Schedule) Unroll(l *Loop) error {
	if err := check("unroll", l); err != nil {
		return err
	}
	l.kind = tir.Unrolled
	return nil
}

// Bind runs the iterations of a loop on a thread axis, e.g. "threadIdx.x".
func (s *Schedule) Bind(l *Loop, thread string) error {
	if err := s.concurrent("bind", l, tir.ThreadBinding); err != nil {
		return err
	}
	l.thread = &tir.IterVar{Var: tir.NewVar("", l.v.DType()), Kind: tir.ThreadIndex, ThreadTag: thread}
	return nil
}

// Annotate sets an annotation of a block.
func (s *Schedule) Annotate(b *Block, key string, v ir.Value) { b.attrs = b.attrs.With(key, v) }

// Unannotate removes an annotation of a block.
func (s *Schedule) Unannotate(b *Block, key string) { b.attrs = b.attrs.Without(key) }

// AnnotateLoop sets an annotation of a loop.
func (s *Schedule) AnnotateLoop(l *Loop, key string, v ir.Value) { l.attrs = l.attrs.With(key, v) }

// AddUnitLoop puts a loop of one iteration around a block.
func (s *Schedule) AddUnitLoop(b *Block) (*Loop, error) {
	if err := check("add_unit_loop", b); err != nil {
		return nil, err
	}
	d := tir.Int(0).DType()
	l := &Loop{base: b.base, v: tir.NewVar("u", d), extent: tir.Const(d, 1)}
	replace(b, l)
	l.kids = []node{b}
	b.parent = l
	return l, nil
}

// LoopPartition splits the iterations of a loop at an index: the first loop runs below it,
// the second one, a copy, from there on. at must lie between 0 and the extent.
func (s *Schedule) LoopPartition(l *Loop, at tir.Expr) (first, second *Loop, err error) {
	const prim = "loop_partition"
	if err := check(prim, l); err != nil {
		return nil, nil, err
	}
	an := ranges(l)
	if l.kind != tir.Serial {
		return nil, nil, fail(prim, nil, l, "the loop is %s", l.kind)
	}
	for _, x := range []tir.Expr{tir.GE(at, tir.Const(at.DType(), 0)), tir.LE(at, l.extent)} {
		if !an.CanProveWith(x, arith.SymbolicBound) && !below(at, l.extent) {
			return nil, nil, fail(prim, nil, l, "the index is not known to lie within the extent")
		}
	}
	if c, ok := tir.AsInt(at); ok && c == 0 || arith.Equal(at, l.extent) {
		return nil, nil, fail(prim, nil, l, "a part would be empty")
	}
	at = tir.CastTo(l.v.DType(), at)
	var bad error
	leaves(l, func(b *Block) {
		if b.init != nil && bad == nil {
			for k, iv := range b.iters {
				if iv.Kind == tir.CommReduce && usesLoop(b.values[k], l) {
					bad = fail(prim, b, l, "the block starts its reduction inside: decompose_reduction first")
				}
			}
		}
	})
	if bad != nil {
		return nil, nil, bad
	}
	second = s.clone(l).(*Loop)
	second.extent = an.Simplify(tir.Sub(l.extent, at))
	s.substitute(second, map[*tir.Var]tir.Expr{second.v: tir.Add(at, second.v)})
	l.extent = at
	k := 0
	for i, n := range l.parent.at().kids {
		if n == node(l) {
			k = i
		}
	}
	insert(l.parent, k+1, second)
	return l, second, nil
}

// below recognises x//c*c, which is at most x and not negative for an extent x.
func below(at, extent tir.Expr) bool {
	m, ok := at.(*tir.Binary)
	if !ok || m.Op != tir.OpMul {
		return false
	}
	q, ok := m.A.(*tir.Binary)
	if !ok || q.Op != tir.OpFloorDiv || !arith.Equal(q.A, extent) {
		return false
	}
	c, ok := tir.AsInt(m.B)
	return ok && c > 0 && tir.IsConst(q.B, c)
}
