package schedule

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// TransformLayout stores a buffer that the function allocates in another layout: what was at
// indices i is at m applied to i from now on. The map must give different elements different
// places. The extents of the new buffer are the bounds of the map, so those of the old one
// must be constants, or axes that the map keeps.
func (s *Schedule) TransformLayout(buf *tir.Buffer, m *tir.IndexMap) (*tir.Buffer, error) {
	const prim = "transform_layout"
	if s.home[buf] == nil {
		return nil, fail(prim, nil, nil, "%s is not allocated by the function", buf.Name)
	}
	if len(m.Initial) != len(buf.Shape) {
		return nil, fail(prim, nil, nil, "the map takes %d indices, %s has %d axes", len(m.Initial), buf.Name, len(buf.Shape))
	}
	an := arith.NewAnalyzer()
	doms := map[*tir.Var]*tir.Range{}
	extent := map[*tir.Var]tir.Expr{}
	for k, v := range m.Initial {
		doms[v] = &tir.Range{Min: tir.Const(v.DType(), 0), Extent: buf.Shape[k]}
		extent[v] = buf.Shape[k]
		an.BindRange(v, doms[v])
	}
	if r := arith.DetectIterMap(m.Final, rounded(m, doms), tir.Bool(true), arith.Bijective, arith.NewAnalyzer(), false); len(r.Indices) == 0 {
		return nil, fail(prim, nil, nil, "the map of %s is not known to be injective", buf.Name)
	}
	shape := make([]tir.Expr, len(m.Final))
	for k, e := range m.Final {
		if v, _ := e.(*tir.Var); extent[v] != nil {
			shape[k] = extent[v]
			continue
		}
		b := an.ConstIntBound(e)
		if b.Min < 0 || b.Max >= 1<<40 {
			return nil, fail(prim, nil, nil, "axis %d of the new layout of %s has no constant bound", k, buf.Name)
		}
		shape[k] = tir.Const(e.DType(), b.Max+1)
	}
	to := tir.NewBuffer(buf.Name, buf.DType, shape, buf.Scope())
	to.Base = buf.Base
	users := addBlocks(slices.Clone(s.writers[buf]), s.readers[buf], nil)
	s.exchangeBuffer(buf, to, m.Apply)
	for _, b := range users {
		an := arith.NewAnalyzer()
		for _, iv := range b.iters {
			an.BindRange(iv.Var, iv.Dom)
		}
		init := b.init
		if init != nil {
			init = simplified(init, an)
		}
		s.setBody(b, init, simplified(b.body, an))
	}
	return to, nil
}

// rounded makes constant extents multiples of what the map divides by. A map that gives the
// elements of these domains different places does so for those of the smaller ones.
func rounded(m *tir.IndexMap, doms map[*tir.Var]*tir.Range) map[*tir.Var]*tir.Range {
	const limit = 1 << 20 // where more is divided by, only what divides evenly is recognised
	by := int64(1)
	for _, e := range m.Final {
		walkExprs(e, func(e tir.Expr) {
			if x, ok := e.(*tir.Binary); ok && (x.Op == tir.OpFloorDiv || x.Op == tir.OpFloorMod) {
				if c, ok := tir.AsInt(x.B); ok && c > 0 && by%c != 0 && c <= limit/by {
					by *= c
				}
			}
		})
	}
	out := make(map[*tir.Var]*tir.Range, len(doms))
	for v, r := range doms {
		out[v] = r
		if n, ok := tir.AsInt(r.Extent); ok && n < limit {
			out[v] = &tir.Range{Min: r.Min, Extent: tir.Const(r.Extent.DType(), (n+by-1)/by*by)}
		}
	}
	return out
}
