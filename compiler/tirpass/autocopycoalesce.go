package tirpass

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// coalesce fuses the loops of a copy and splits them again, from the inside: the elements of a vector, the threads of a block, and
// what is left. Neighbouring threads then touch neighbouring vectors (TVM's CoalescedAccess). The outermost loops, ran in number, are those
// that threads ran already: where they write the same element, they did so before.
func (l *copyLowerer) coalesce(cp *autoCopy, s tir.Stmt, ran int) (tir.Stmt, error) {
	loops, body, err := nestOf(s, false)
	if err != nil {
		return nil, err
	}
	if len(loops) == 0 {
		return nil, errors.New("it has no loop to divide among the threads")
	}
	st, err := innerStore(body)
	if err != nil {
		return nil, err
	}
	if !injective(st, loops[ran:]) {
		return nil, fmt.Errorf("its iterations are not known to write different elements of %s, so threads cannot divide them", st.Buffer.Name)
	}
	if loadsFrom(st, st.Buffer.Data) {
		return nil, fmt.Errorf("it reads %s, which it writes, so threads cannot divide it", st.Buffer.Name)
	}
	if v := l.usesPrivate(s); v != nil {
		return nil, fmt.Errorf("what it copies depends on %s, which differs between threads: each has a copy of its own, and cannot leave it to the others", v.Name)
	}
	fused, err := fuseNest(loops, body)
	if err != nil {
		return nil, err
	}
	return l.splitBind(cp, fused)
}

// innerStore returns the store that body runs, under conditions and blocks without variables.
func innerStore(body tir.Stmt) (*tir.BufferStore, error) {
	for {
		switch s := body.(type) {
		case *tir.BlockRealize:
			b := s.Block
			if len(b.IterVars) > 0 || len(b.AllocBuffers) > 0 || len(b.MatchBuffers) > 0 || b.Init != nil {
				return nil, fmt.Errorf("it has block %q inside, with variables or buffers of its own: run tir.ConvertBlocksToOpaque first", b.Name)
			}
			body = b.Body
		case *tir.IfThenElse:
			if s.Else != nil {
				return nil, errors.New("it has a condition with an else branch inside: expected a single store to a buffer")
			}
			body = s.Then
		default:
			return storeOf(body)
		}
	}
}

// loadsFrom tells whether n loads from the memory of data.
func loadsFrom(n ir.Node, data *tir.Var) bool {
	return ir.Any(n, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			return n.Buffer.Data == data
		case *tir.Var:
			return n == data
		}
		return false
	})
}

// fuseNest makes one loop of loops.
func fuseNest(loops []*tir.For, body tir.Stmt) (*tir.For, error) {
	outer := loops[0].LoopVar
	name := outer.Name
	for _, f := range loops[1:] {
		name += "_" + f.LoopVar.Name
	}
	v := &tir.Var{Name: name + "_fused", Type: outer.Type}
	d := v.DType()
	sub := map[*tir.Var]tir.Expr{}
	left, total := tir.Expr(v), int64(1)
	for i := len(loops) - 1; i >= 0; i-- {
		f := loops[i]
		n, _ := tir.AsInt(f.Extent)
		if total *= n; total > 1<<30 {
			return nil, errors.New("its loops have more than 2**30 iterations together")
		}
		extent := tir.Const(d, n)
		sub[f.LoopVar] = tir.CastTo(f.LoopVar.DType(), tir.FloorMod(left, extent))
		left = tir.FloorDiv(left, extent)
	}
	return &tir.For{Base: loops[0].Base, LoopVar: v, Min: tir.Const(d, 0), Extent: tir.Const(d, total), Kind: tir.Serial, Body: tir.SubstStmt(body, sub)}, nil
}

// splitBind splits loop into what is left, the threads and a vector.
func (l *copyLowerer) splitBind(cp *autoCopy, loop *tir.For) (tir.Stmt, error) {
	d := loop.LoopVar.DType()
	total, _ := tir.AsInt(loop.Extent)
	lanes := max(1, cp.vector*8/cp.bits)
	factors, tags := []int64{0}, []string{""}
	threads := int64(1)
	for _, tag := range []string{"threadIdx.z", "threadIdx.y", "threadIdx.x"} {
		n, ok := l.threads[tag]
		if !ok {
			continue
		}
		if n < 1 || threads*n > 1<<16 {
			return nil, fmt.Errorf("its block has %d threads along %s", n, tag)
		}
		threads *= n
		factors, tags = append(factors, n), append(tags, tag)
	}
	factors, tags = append(factors, lanes), append(tags, "")
	factors[0] = (total + threads*lanes - 1) / (threads * lanes)
	a := arith.NewAnalyzer()
	vars := make([]*tir.Var, len(factors))
	value := tir.Const(d, 0)
	for i, n := range factors {
		vars[i] = &tir.Var{Name: loop.LoopVar.Name + "_" + strconv.Itoa(i), Type: loop.LoopVar.Type}
		a.BindRange(vars[i], &tir.Range{Min: tir.Const(d, 0), Extent: tir.Const(d, n)})
		value = tir.Add(tir.Mul(value, tir.Const(d, n)), vars[i])
	}
	body := tir.SubstStmt(loop.Body, map[*tir.Var]tir.Expr{loop.LoopVar: value})
	if within := tir.LT(value, loop.Extent); !a.CanProve(within) {
		body = &tir.IfThenElse{Base: loop.Base, Cond: within, Then: body}
	}
	for i := len(factors) - 1; i >= 0; i-- {
		f := &tir.For{Base: loop.Base, LoopVar: vars[i], Min: tir.Const(d, 0), Extent: tir.Const(d, factors[i]), Kind: tir.Serial, Body: body}
		switch {
		case tags[i] != "":
			f.Kind, f.Thread = tir.ThreadBinding, &tir.IterVar{Var: tir.NewVar(tags[i], d), Kind: tir.ThreadIndex, ThreadTag: tags[i]}
		case i > 0:
			f.Kind = tir.Vectorized
		}
		body = f
	}
	return body, nil
}

// inverseMapping turns T[f(i, j)] = S[i, j] into T[i, j] = S[f^-1(i, j)], so that the copy runs in the order of the memory of T.
func inverseMapping(cp *autoCopy, s tir.Stmt) (tir.Stmt, error) {
	loops, body, err := nestOf(s, false)
	if err != nil {
		return nil, err
	}
	st, err := storeOf(body)
	if err != nil {
		return nil, err
	}
	if st, loops = withoutUnits(st, loops); len(loops) == 0 {
		return s, nil
	}
	if st.Buffer != cp.write.Buffer {
		return nil, fmt.Errorf("it writes %s, but its block says %s", st.Buffer.Name, cp.write.Buffer.Name)
	}
	ranges := rangesOf(loops)
	a := arith.NewAnalyzer()
	a.BindRanges(ranges)
	var pattern, extents []tir.Expr
	var vars []*tir.Var
	var outs []tir.Expr
	indices := make([]tir.Expr, len(st.Indices))
	for i, r := range cp.write.Region {
		p := a.Simplify(tir.Sub(st.Indices[i], r.Min))
		if tir.IsConst(r.Extent, 1) {
			if indices[i] = r.Min; !tir.IsConst(p, 0) {
				return nil, fmt.Errorf("it writes more of %s than its block says", st.Buffer.Name)
			}
			continue
		}
		pattern, extents = append(pattern, p), append(extents, r.Extent)
		if len(vars) == len(loops) {
			break
		}
		old := loops[len(vars)].LoopVar
		v := &tir.Var{Name: old.Name + "_inverse", Type: old.Type}
		vars, outs = append(vars, v), append(outs, v)
		indices[i] = tir.Add(r.Min, v)
	}
	sums := arith.DetectIterMap(pattern, ranges, nil, arith.Bijective, a, true).Indices
	if len(sums) != len(loops) || len(vars) != len(loops) || len(pattern) != len(loops) {
		return nil, fmt.Errorf("the indices at which it writes %s are no one-to-one map of its %d loops, so it cannot run in the order of %[1]s", st.Buffer.Name, len(loops))
	}
	for i, sum := range sums {
		whole := tir.IsConst(a.Simplify(sum.Base), 0) && len(sum.Args) <= 1
		if whole && len(sum.Args) == 1 {
			whole = tir.IsConst(sum.Args[0].Scale, 1) && a.CanProveEqual(sum.Args[0].Extent, extents[i])
		}
		if !whole || len(sum.Args) == 0 {
			return nil, fmt.Errorf("it does not write all of the region of %s that its block names", st.Buffer.Name)
		}
	}
	inverse, err := arith.InverseAffineIterMap(sums, outs)
	if err != nil {
		return nil, err
	}
	sub := map[*tir.Var]tir.Expr{}
	for _, f := range loops {
		sub[f.LoopVar] = inverse[f.LoopVar]
	}
	out := tir.Stmt(&tir.BufferStore{Base: st.Base, Buffer: st.Buffer, Value: tir.SubstExpr(st.Value, sub), Indices: indices})
	for i := len(vars) - 1; i >= 0; i-- {
		d := vars[i].DType()
		out = &tir.For{Base: loops[i].Base, LoopVar: vars[i], Min: tir.Const(d, 0), Extent: tir.CastTo(d, extents[i]), Kind: tir.Serial, Body: out}
	}
	return out, nil
}

// withoutUnits returns a store without the loops of one iteration around it.
func withoutUnits(st *tir.BufferStore, loops []*tir.For) (*tir.BufferStore, []*tir.For) {
	sub := map[*tir.Var]tir.Expr{}
	var left []*tir.For
	for _, f := range loops {
		if tir.IsConst(f.Extent, 1) {
			sub[f.LoopVar] = f.Min
		} else {
			left = append(left, f)
		}
	}
	return tir.SubstStmt(st, sub).(*tir.BufferStore), left
}
