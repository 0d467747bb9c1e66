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
	if r := arith.DetectIterMap(m.Final, doms, tir.Bool(true), arith.NoCheck, an, false); len(r.Indices) == 0 {
		return nil, fail(prim, nil, nil, "the map of %s is not known to be injective", buf.Name)
	}
	shape := make([]tir.Expr, len(m.Final))
	for k, e := range m.Final {
		if v, ok := e.(*tir.Var); ok && extent[v] != nil {
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
