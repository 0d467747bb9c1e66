package script

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func (p *printer) let(e *tir.Let) {
	mark := p.enter()
	p.define(e.Var, e.Var.Name)
	p.t("Let(")
	p.expr(e.Body, 0)
	p.str(", where={")
	p.def(e.Var)
	p.str(": ")
	p.expr(e.Value, 0)
	p.str("})")
	p.leave(mark)
}

func (p *printer) reduce(e *tir.Reduce) {
	p.t("reduce(")
	p.commReducer(e.Combiner)
	p.str(", ")
	p.exprList(e.Source, "[", "]")
	p.str(", ")
	p.exprList(e.Init, "[", "]")
	p.str(", [")
	list(p, e.Axis, func(v *tir.IterVar) {
		p.t("iter_var(")
		p.use(v.Var)
		p.str(", ")
		p.rangeOf(v.Dom)
		p.str(`, "CommReduce", "")`)
	})
	p.str("], ")
	if e.Condition == nil {
		p.t("bool(True)")
	} else {
		p.expr(e.Condition, 0)
	}
	p.str(", ")
	p.int(int64(e.ValueIndex))
	p.str(")")
}

func (p *printer) rangeOf(r *tir.Range) {
	p.i("Range(")
	p.expr(r.Min, 0)
	p.str(", ")
	p.sum(r.Min, r.Extent, 0)
	p.str(")")
}

func (p *printer) commReducer(c *tir.CommReducer) {
	mark := p.enter()
	defer p.leave(mark)
	p.t("comm_reducer(lambda ")
	list(p, slices.Concat(c.LHS, c.RHS), func(v *tir.Var) { p.def(v) })
	p.str(": ")
	p.tuple(c.Result)
	p.str(", ")
	p.exprList(c.Identity, "[", "]")
	p.str(")")
}

func (p *printer) indexMap(m *tir.IndexMap) {
	mark := p.enter()
	defer p.leave(mark)
	outer := p.intDType
	defer func() { p.intDType = outer }()
	index := dtype.Int64T
	if len(m.Initial) > 0 && m.Initial[0].DType().IsInt() {
		index = m.Initial[0].DType()
	}
	if p.intDType = dtype.Void; index == dtype.Int32T {
		p.intDType = index
	}
	p.t("index_map(lambda ")
	list(p, m.Initial, func(v *tir.Var) { p.def(v) })
	p.str(": ")
	p.tuple(m.Final)
	if m.Inverse != nil {
		p.str(", inverse_index_map=")
		p.indexMap(m.Inverse)
	}
	if !outer.IsVoid() || index != dtype.Int64T { // left out, readers differ in PrimFuncs
		p.str(", index_dtype=")
		p.quote(index.String())
	}
	p.str(")")
}
