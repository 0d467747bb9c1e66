package script

import (
	"github.com/irscope/irscope/compiler/tir"
)

func (p *printer) region(r *tir.BufferRegion) {
	p.open(r)
	p.regionOf(r.Buffer, r.Region)
	p.shut()
}

// regionOf prints B[i, j0:j1].
func (p *printer) regionOf(b *tir.Buffer, region []*tir.Range) {
	p.use(b)
	if len(region) == 0 {
		p.str("[()]")
		return
	}
	p.str("[")
	list(p, region, func(r *tir.Range) {
		p.expr(r.Min, precOr)
		if !tir.IsConst(r.Extent, 1) {
			p.str(":")
			p.sum(r.Min, r.Extent, precOr)
		}
	})
	p.str("]")
}

func (p *printer) regions(fn string, regions []*tir.BufferRegion) {
	p.begin(nil)
	p.t(fn)
	p.str("(")
	for i, r := range regions {
		if i > 0 {
			p.str(", ")
		}
		p.region(r)
	}
	p.str(")")
	p.end()
}

func (p *printer) blockRealize(r *tir.BlockRealize) {
	b := r.Block
	mark := p.enter()
	defer p.leave(mark)
	p.open(b)
	defer p.shut()
	p.begin(r)
	p.str("with ")
	p.t("block(")
	p.quote(b.Name)
	if len(r.Values) == 0 && len(b.IterVars) > 0 {
		p.str(", no_realize=True")
	}
	p.str("):")
	p.end()
	p.indent++
	p.axes(b.IterVars, r.Values)
	if !tir.IsTrue(r.Predicate) {
		p.begin(nil)
		p.call("where", r.Predicate)
		p.end()
	}
	p.regions("reads", b.Reads)
	p.regions("writes", b.Writes)
	p.attrsLine(p.tirp, "block_attr(", b.Annotations)
	for _, a := range b.AllocBuffers {
		p.bufferLine("alloc_buffer", a, false)
	}
	for _, m := range b.MatchBuffers {
		p.declareParts(m.Buffer) // which it may define
		p.begin(m)
		p.matchRegion(m)
		p.end()
	}
	if b.Init != nil {
		p.begin(nil)
		p.str("with ")
		p.t("init():")
		p.end()
		p.nested(b.Init)
	}
	p.body(b.Body)
	p.indent--
}

// matchRegion prints the declaration of a buffer over a region of another one.
func (p *printer) matchRegion(m *tir.MatchBufferRegion) {
	p.open(m)
	p.matchBuffer(m.Buffer, func() { p.region(m.Source) })
	p.shut()
}

// axes prints the iteration variables, in runs of T.axis.remap where each is bound to a loop
// variable.
func (p *printer) axes(ivs []*tir.IterVar, values []tir.Expr) {
	for i := 0; i < len(ivs); {
		j := i
		for j < len(ivs) && j < len(values) && p.remapable(ivs[j], values[j]) {
			j++
		}
		if j-i < 2 || !p.sugar {
			p.axis(ivs[i], values, i)
			i++
			continue
		}
		p.remap(ivs[i:j], values[i:j])
		i = j
	}
}

// remapable reports whether iv is bound to a loop variable with the same domain, from
// which T.axis.remap takes it.
func (p *printer) remapable(iv *tir.IterVar, value tir.Expr) bool {
	v, ok := value.(*tir.Var)
	if !ok || v.DType() != iv.Var.DType() || !tir.IsConst(iv.Dom.Min, 0) || iv.Kind != tir.DataPar && iv.Kind != tir.CommReduce {
		return false
	}
	extent, ok := p.extents.Get(v)
	return ok && sameExprs([]tir.Expr{extent}, []tir.Expr{iv.Dom.Extent})
}

func (p *printer) remap(ivs []*tir.IterVar, values []tir.Expr) {
	p.begin(ivs[0])
	list(p, ivs, func(iv *tir.IterVar) { p.tracked(iv, p.define(iv.Var, iv.Var.Name)) })
	p.str(" = ")
	p.t(`axis.remap("`)
	for _, iv := range ivs {
		if iv.Kind == tir.CommReduce {
			p.str("R")
		} else {
			p.str("S")
		}
	}
	p.str(`", `)
	p.exprList(values, "[", "]")
	p.str(")")
	p.end()
}

func (p *printer) axis(iv *tir.IterVar, values []tir.Expr, i int) {
	p.begin(iv)
	p.open(iv)
	defer p.shut()
	p.def(iv.Var)
	p.str(" = ")
	p.t("axis.")
	p.str(iv.Kind.String())
	p.str("(")
	if tir.IsConst(iv.Dom.Min, 0) {
		p.expr(iv.Dom.Extent, 0)
	} else {
		p.str("(")
		p.expr(iv.Dom.Min, 0)
		p.str(", ")
		p.sum(iv.Dom.Min, iv.Dom.Extent, 0)
		p.str(")")
	}
	if i < len(values) {
		p.then(values[i])
	}
	p.str(")")
	p.end()
}
