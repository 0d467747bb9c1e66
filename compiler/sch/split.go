package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// checkPlain returns an error if a loop has annotations or is a thread.
func (s *State) checkPlain(l *tir.For) error {
	if l.Annotations.Len() > 0 || l.Thread != nil {
		return s.fail("HasAnnotationOrThreadBindingError", "The primitive can't be applied because the loop {0} has annotation or thread binding", l)
	}
	return nil
}

// checkStartsAtZero returns an error if the least value of a loop is not 0.
func (s *State) checkStartsAtZero(l *tir.For, an *arith.Analyzer) error {
	if !an.CanProve(tir.EQ(l.Min, tir.Const(l.Min.DType(), 0))) {
		return s.fail("LoopNotStartWithZeroError", "The loop {0} does not start with 0, which is not supported", l)
	}
	return nil
}

// factorsOf checks factors, of which one may be nil, and returns them in the type of the extent with the index of the nil, -1 if there is none.
func (s *State) factorsOf(l *tir.For, factors []tir.Expr) (out []tir.Expr, infer int, err error) {
	infer = -1
	for i, f := range factors {
		if f == nil {
			if infer >= 0 {
				return nil, 0, s.fail("NotSingleInferFactorError", "Only one factor can be specified as -1 or none")
			}
			infer = i
		} else {
			if !f.DType().IsInteger() {
				return nil, 0, fmt.Errorf("factor %d is a %s, expected an integer", i, f.DType())
			}
			if n, ok := tir.AsInt(f); ok && n <= 0 {
				return nil, 0, s.fail("NonPositiveFactorError", fmt.Sprintf("All the constant factors are required to be positive. However, the factor at position %d is %d", i, n))
			}
			if f.DType().Bits > l.Extent.DType().Bits {
				f = tir.CastTo(l.Extent.DType(), f)
			}
		}
		out = append(out, f)
	}
	return out, infer, nil
}

// Split splits a loop into a nest of loops with the extents factors, of which one may be nil to be inferred (TVM's split). What runs beyond the
// extent is kept from blocks by their predicates, unless disablePredication is set. preserveUnit keeps unit loops in bindings. The first part of a
// loop that threads share is shared by them, where TVM's is serial.
func (s *State) Split(l *Loop, factors []tir.Expr, preserveUnit, disablePredication bool) (*State, []*Loop, error) {
	at, err := s.loop(l)
	if err != nil {
		return nil, nil, err
	}
	loop := at.For()
	if len(factors) == 0 {
		return nil, nil, fmt.Errorf("split: there are no factors")
	}
	factors, infer, err := s.factorsOf(loop, factors)
	if err != nil {
		return nil, nil, err
	}
	an := arith.NewAnalyzer()
	total := tir.Expr(tir.Int32(1))
	for _, f := range factors {
		if f != nil {
			total = tir.Mul(total, f)
		}
	}
	if infer >= 0 {
		factors[infer] = an.Simplify(tir.FloorDiv(tir.Sub(tir.Add(loop.Extent, total), tir.Const(total.DType(), 1)), total))
	} else if !an.CanProve(tir.GE(total, loop.Extent)) {
		return nil, nil, s.fail("WrongFactorError", "The product of factors is not larger than or equal to the extent of loop {0}", loop)
	}
	if err := s.checkPlain(loop); err != nil {
		return nil, nil, err
	}
	if err := s.checkStartsAtZero(loop, an); err != nil {
		return nil, nil, err
	}
	bits := loop.LoopVar.DType().Bits
	for _, f := range factors {
		bits = max(bits, f.DType().Bits)
	}
	d := dtype.Int32T
	d.Bits = bits
	value := tir.Const(d, 0)
	var vars []*tir.Var
	for i, f := range factors {
		v := &tir.Var{Base: loop.LoopVar.Base, Name: fmt.Sprintf("%s_%d", loop.LoopVar.Name, i), Type: tir.NewVar("", d).Type}
		value = tir.Add(tir.Mul(value, f), v)
		an.BindRange(v, &tir.Range{Min: tir.Const(d, 0), Extent: tir.CastTo(d, f)})
		vars = append(vars, v)
	}
	body := tir.SubstStmt(loop.Body, map[*tir.Var]tir.Expr{loop.LoopVar: tir.CastTo(loop.LoopVar.DType(), value)})
	became := opaqueChanges(loop.Body, body)
	pred := tir.LT(value, loop.Extent)
	if !disablePredication && !an.CanProveWith(pred, arith.SymbolicBound) {
		if load := loadOutsideBlocks(loop.Body, func(x *tir.BufferLoad) bool {
			return slices.ContainsFunc(x.Indices, func(e tir.Expr) bool { return usesVar(e, loop.LoopVar) })
		}); load != nil {
			return nil, nil, fmt.Errorf("split: loop %s does not divide by the factors, and in the iterations that this adds what is around its blocks would read %s, which only blocks can be kept from", loop.LoopVar.Name, load.Buffer.Name)
		}
		var more reuse
		body, more = guardBlocks(body, pred)
		became = became.then(more)
	}
	kinds := make([]*tir.For, len(vars))
	for i := len(vars) - 1; i >= 0; i-- {
		kinds[i] = &tir.For{Base: loop.Base, LoopVar: vars[i], Min: tir.Const(d, 0), Extent: tir.CastTo(d, factors[i]), Body: body}
		if i == 0 && loop.Kind == tir.Parallel {
			kinds[i].Kind = tir.Parallel
		}
		body = kinds[i]
	}
	body, more := simplifyBindings(body, at.loops(), preserveUnit)
	out := s.replace(at, body, became.then(more))
	refs := make([]*Loop, len(vars))
	for i, v := range vars {
		refs[i] = &Loop{l.fn, v}
	}
	return out, refs, nil
}

// loadOutsideBlocks returns one of some reads of memory in the ranges of loops, in conditions and in what blocks are bound to, nil if there is none.
func loadOutsideBlocks(body tir.Stmt, is func(*tir.BufferLoad) bool) (found *tir.BufferLoad) {
	ir.Walk(body, func(n ir.Node) bool {
		if _, ok := n.(*tir.Block); ok {
			return false
		}
		if l, ok := n.(*tir.BufferLoad); ok && is(l) {
			found = l
		}
		return found == nil
	})
	return found
}

// then composes two changes of blocks.
func (r reuse) then(next reuse) reuse {
	out := reuse{}
	for a, b := range r {
		if c, ok := next[b]; ok {
			b = c
		}
		out[a] = b
	}
	became := map[*tir.Block]bool{}
	for _, b := range r {
		became[b] = true
	}
	for a, b := range next {
		if !became[a] {
			out[a] = b
		}
	}
	return out
}

// opaqueChanges pairs the blocks without iteration variables of a statement with those of the same statement in which variables were replaced.
func opaqueChanges(old, now tir.Stmt) reuse {
	out := reuse{}
	var a, b []*tir.Block
	collect := func(into *[]*tir.Block) func(tir.Stmt) bool {
		return func(x tir.Stmt) bool {
			if k, ok := x.(*tir.Block); ok {
				*into = append(*into, k)
			}
			return true
		}
	}
	visit(old, collect(&a))
	visit(now, collect(&b))
	for i := range a {
		if a[i] != b[i] {
			out[a[i]] = b[i]
		}
	}
	return out
}

// guardBlocks adds a condition to the predicate of each block directly below x.
func guardBlocks(x tir.Stmt, pred tir.Expr) (tir.Stmt, reuse) {
	m := &tir.Mapper{}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		if r, ok := x.(*tir.BlockRealize); ok {
			return r.WithPredicate(tir.And(r.Predicate, pred))
		}
		return m.MapStmt(x)
	}
	return m.Stmt(x), reuse{}
}

// simplifyBindings simplifies the bindings of all blocks below x, but for those without iteration variables, as an iteration map of the loops
// outside and inside of x (TVM's IterMapSimplifyBlockBinding).
func simplifyBindings(x tir.Stmt, outer []*tir.For, preserveUnit bool) (tir.Stmt, reuse) {
	became := reuse{}
	dom := ranges(outer)
	an := arith.NewAnalyzer()
	m := &tir.Mapper{}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		switch x := x.(type) {
		case *tir.For:
			dom[x.LoopVar] = rangeOf(x)
			defer delete(dom, x.LoopVar)
		case *tir.Block:
			return x.WithBody(m.Stmt(x.Body))
		case *tir.BlockRealize:
			if len(x.Values) == 0 {
				out := m.MapStmt(x).(*tir.BlockRealize)
				if out.Block != x.Block {
					became[x.Block] = out.Block
				}
				return out
			}
			v := arith.IterMapSimplify(x.Values, dom, x.Predicate, arith.Surjective, an, !preserveUnit)
			return x.WithValues(v)
		}
		return m.MapStmt(x)
	}
	return m.Stmt(x), became
}
