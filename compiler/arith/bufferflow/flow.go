package bufferflow

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// flow is a walk over a function.
type flow struct {
	*scan
	a      *arith.Analyzer
	around []*tir.For // loops, outermost first
	inLoop map[*tir.For]map[*tir.Buffer][]access
	notes  map[tir.Stmt]state // what was known at a statement when it was last seen
	left   int                // steps
}

// stepsPerNode and leastSteps bound the steps of a walk, its own and those of its analyzer, by the statements
// of the function; maxQuestion bounds one question to the analyzer.
const (
	stepsPerNode = 300
	leastSteps   = 150_000
	maxQuestion  = 4_000
)

// outOfSteps is the panic that ends a walk which takes too long.
type outOfSteps struct{}

func (f *flow) step(n int) {
	if f.left -= n; f.left < f.a.Spent() {
		panic(outOfSteps{})
	}
}

func newFlow(s *scan, b *budget.Budget, maxRewrites int) *flow {
	f := &flow{scan: s, a: arith.Bounded(b), inLoop: map[*tir.For]map[*tir.Buffer][]access{}, notes: map[tir.Stmt]state{}}
	f.a.MaxSteps = maxQuestion
	if maxRewrites > 0 {
		f.a.MaxSteps = min(maxRewrites, maxQuestion)
	}
	f.a.Extensions = arith.TransitivelyProveInequalities | arith.ConvertBooleanToAndOfOrs
	f.left = leastSteps + stepsPerNode*min(len(s.seen), 1000)
	for b, axes := range s.axes {
		for d, v := range axes {
			f.bind(v, tir.Const(v.DType(), 0), b.Shape[d])
		}
	}
	for _, x := range s.order {
		f.bind(x.LoopVar, x.Min, x.Extent)
	}
	return f
}

// bind gives v the constant bounds of a range. More is not said of it: that a variable lies in 0..n implies that
// n is not 0, which holds only where the variable is in scope.
func (f *flow) bind(v *tir.Var, from, extent tir.Expr) {
	if !f.fixed(from) || !f.fixed(extent) {
		return
	}
	lo := f.a.ConstIntBound(tir.SubstExpr(from, f.lets))
	end := f.a.ConstIntBound(tir.SubstExpr(tir.Add(from, extent), f.lets))
	if end.Max < arith.PosInf {
		end.Max--
	}
	if lo.Min <= end.Max {
		f.a.UpdateBound(v, arith.Bound{Min: lo.Min, Max: end.Max})
	}
}

// run calls walk. It returns false, with nothing noted, if that takes too long.
func (f *flow) run(walk func()) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(outOfSteps); !is {
				panic(r)
			}
			f.notes, ok = map[tir.Stmt]state{}, false
		}
	}()
	walk()
	return true
}

// note keeps what is known at x, until x is seen again.
func (f *flow) note(x tir.Stmt, s state) {
	f.step(1)
	if !f.twice[x] {
		f.notes[x] = s
	}
}

// bounds returns the least and the greatest value of the variable of x; known is false if they may not be
// followed. some says that the loop certainly runs.
func (f *flow) bounds(x *tir.For) (lo, hi tir.Expr, some, known bool) {
	if x.Step != nil && !tir.IsConst(x.Step, 1) || !f.fixed(x.Min) || !f.fixed(x.Extent) {
		return nil, nil, false, false
	}
	lo = tir.SubstExpr(x.Min, f.lets)
	n := tir.SubstExpr(x.Extent, f.lets)
	hi = f.a.Simplify(less(tir.Add(lo, n)))
	return lo, hi, f.a.CanProveGreaterEqual(n, 1), true
}

// condition returns cond as it is followed, nil if it is not.
func (f *flow) condition(cond tir.Expr) tir.Expr {
	cond = tir.SubstExpr(cond, f.lets)
	if !f.fixed(cond) || arith.LargerThan(cond, maxValue) {
		return nil
	}
	if c, ok := tir.IsCallTo(cond, tir.OpLikely); ok {
		return c.Args[0]
	}
	return cond
}

// barrier reports whether an attribute starts threads, which see each other's stores.
func barrier(x *tir.AttrStmt) bool { return x.BoundThread() != nil }

// starts returns the condition under which the initialization of a block runs, nil if it is not followed.
func (f *flow) starts(x *tir.BlockRealize) tir.Expr {
	cond := tir.Expr(tir.Bool(true))
	for i, iv := range x.Block.IterVars {
		if iv.Kind == tir.CommReduce {
			cond = tir.And(cond, tir.EQ(x.Values[i], iv.Dom.Min))
		}
	}
	return f.condition(cond)
}

// owned reports whether the data of b is data, so that b ends with what defines it.
func owned(data *tir.Var) func(*fact) bool {
	return func(x *fact) bool { return x.buffer != nil && x.buffer.Data == data }
}

// unhandled is the panic for a statement of an unknown type.
func unhandled(s ir.Node) { panic(s) }
