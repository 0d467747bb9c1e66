package cpu

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// opened returns f with blocks around each element in place of those around loops that copy one tensor to another, as te.Extern makes them of a change of layout: what such a block
// holds is none of a schedule's business, but a copy whose elements all go to places of their own may be done in any order.
func opened(f *tir.PrimFunc) *tir.PrimFunc {
	root, ok := f.Body.(*tir.BlockRealize)
	if !ok {
		return f
	}
	m := &tir.Mapper{}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		switch x := x.(type) {
		case *tir.SeqStmt:
			return m.MapStmt(x)
		case *tir.BlockRealize:
			if out := openedCopy(x); out != nil {
				return out
			}
		}
		return x
	}
	body := m.Stmt(root.Block.Body)
	if body == root.Block.Body {
		return f
	}
	out := *root
	out.Block = root.Block.WithBody(body)
	return f.WithBody(&out)
}

// openedCopy returns the loops of a block around a block of each element, nil where it is no copy of that kind.
func openedCopy(x *tir.BlockRealize) tir.Stmt {
	b := x.Block
	if len(b.IterVars) > 0 || len(b.AllocBuffers) > 0 || len(b.MatchBuffers) > 0 || b.Init != nil || !tir.IsTrue(x.Predicate) {
		return nil
	}
	var loops []*tir.For
	inner := b.Body
	domains := map[*tir.Var]*tir.Range{}
	for {
		l, ok := inner.(*tir.For)
		if !ok {
			break
		}
		if l.Kind != tir.Serial || !tir.IsConst(l.Min, 0) || l.Step != nil && !tir.IsConst(l.Step, 1) {
			return nil
		}
		domains[l.LoopVar] = &tir.Range{Min: l.Min, Extent: l.Extent}
		loops, inner = append(loops, l), l.Body
	}
	st, ok := inner.(*tir.BufferStore)
	if !ok || len(loops) == 0 || st.Predicate != nil {
		return nil
	}
	load, ok := st.Value.(*tir.BufferLoad)
	if !ok || load.Predicate != nil || load.Buffer.Data == st.Buffer.Data {
		return nil
	}
	if res := arith.DetectIterMap(st.Indices, domains, nil, arith.Bijective, arith.NewAnalyzer(), false); len(res.Errors) > 0 {
		return nil
	}
	copier := tir.NewCopier()
	k := &tir.Block{Name: b.Name, Annotations: b.Annotations}
	realize := &tir.BlockRealize{Predicate: tir.Bool(true), Block: k}
	for _, l := range loops {
		v := &tir.Var{Base: l.LoopVar.Base, Name: "v_" + l.LoopVar.Name, Type: l.LoopVar.Type}
		copier.Vars[l.LoopVar] = v
		k.IterVars = append(k.IterVars, &tir.IterVar{Dom: &tir.Range{Min: l.Min, Extent: l.Extent}, Var: v, Kind: tir.DataPar})
		realize.Values = append(realize.Values, l.LoopVar)
	}
	body := copier.Stmt(st).(*tir.BufferStore)
	k.Body = body
	k.Reads = []*tir.BufferRegion{pointOf(load.Buffer, body.Value.(*tir.BufferLoad).Indices)}
	k.Writes = []*tir.BufferRegion{pointOf(st.Buffer, body.Indices)}
	var out tir.Stmt = realize
	for i := len(loops) - 1; i >= 0; i-- {
		l := *loops[i]
		l.Body = out
		out = &l
	}
	return out
}

// pointOf is the region of one element.
func pointOf(b *tir.Buffer, indices []tir.Expr) *tir.BufferRegion {
	out := &tir.BufferRegion{Buffer: b}
	for _, x := range indices {
		out.Region = append(out.Region, &tir.Range{Min: x, Extent: tir.Const(x.DType(), 1)})
	}
	return out
}
