package script

import (
	"github.com/irscope/irscope/compiler/tir"
)

func (p *printer) region(r *tir.BufferRegion) {
	if p.names[r.Buffer] == "" {
		p.name(r.Buffer)
	}
	p.regionOf(r.Buffer, r.Region)
}

// regionOf prints B[i, j0:j1].
func (p *printer) regionOf(b *tir.Buffer, region []*tir.Range) {
	p.str(p.name(b))
	if len(region) == 0 {
		p.str("[()]")
		return
	}
	p.str("[")
	for i, r := range region {
		if i > 0 {
			p.str(", ")
		}
		p.expr(r.Min, precOr)
		if !tir.IsConst(r.Extent, 1) {
			p.str(":")
			p.expr(tir.Add(r.Min, r.Extent), precOr)
		}
	}
	p.str("]")
}

func (p *printer) regions(fn string, list []*tir.BufferRegion) {
	p.begin(nil)
	p.str(fn + "(")
	for i, r := range list {
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
	leave := p.frame()
	defer leave()
	p.begin(r)
	p.str("with T.block(")
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
		p.call("T.where", r.Predicate)
		p.end()
	}
	p.regions("T.reads", b.Reads)
	p.regions("T.writes", b.Writes)
	if b.Annotations.Len() > 0 {
		p.begin(nil)
		p.str("T.block_attr(")
		p.attrs(b.Annotations)
		p.str(")")
		p.end()
	}
	for _, a := range b.AllocBuffers {
		p.allocBuffer(a)
	}
	for _, m := range b.MatchBuffers {
		// Strides and offset of a matched buffer may be variables that it defines.
		m.Buffer.EachExpr(func(e tir.Expr) {
			if v, ok := e.(*tir.Var); ok && v != m.Buffer.Data && p.names[v] == "" {
				p.declare(v)
			}
		})
		p.begin(m)
		at := len(p.buf)
		p.region(m.Source)
		src := string(p.buf[at:])
		p.buf = p.buf[:at]
		p.str(p.define(m.Buffer, m.Buffer.Name) + " = ")
		p.matchBuffer(src, m.Buffer)
		p.end()
	}
	if b.Init != nil {
		p.begin(nil)
		p.str("with T.init():")
		p.end()
		p.nested(b.Init)
	}
	p.body(b.Body)
	p.indent--
}

// axes prints the iteration variables, in runs of T.axis.remap where each is bound to a loop
// variable.
func (p *printer) axes(ivs []*tir.IterVar, values []tir.Expr) {
	for i := 0; i < len(ivs); {
		j := i
		for j < len(ivs) && j < len(values) && p.remapable(ivs[j], values[j]) {
			j++
		}
		if j-i < 2 {
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
	extent, ok := p.extents[v]
	return ok && sameExprs([]tir.Expr{extent}, []tir.Expr{iv.Dom.Extent})
}

func (p *printer) remap(ivs []*tir.IterVar, values []tir.Expr) {
	p.begin(ivs[0])
	for i, iv := range ivs {
		if i > 0 {
			p.str(", ")
		}
		p.str(p.define(iv.Var, iv.Var.Name))
	}
	p.str(` = T.axis.remap("`)
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
	p.str(p.define(iv.Var, iv.Var.Name) + " = T.axis." + iv.Kind.String() + "(")
	if tir.IsConst(iv.Dom.Min, 0) {
		p.expr(iv.Dom.Extent, 0)
	} else {
		p.str("(")
		p.expr(iv.Dom.Min, 0)
		p.str(", ")
		p.expr(tir.Add(iv.Dom.Min, iv.Dom.Extent), 0)
		p.str(")")
	}
	if i < len(values) {
		p.str(", ")
		p.expr(values[i], 0)
	}
	p.str(")")
	p.end()
}
