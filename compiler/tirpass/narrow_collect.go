package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// widths says which variables, and which constants and casts by node, become narrower.
type widths struct {
	vars  map[*tir.Var]dtype.DType
	exprs map[tir.Expr]dtype.DType
}

// widthCollector finds the width that each loop variable needs: that of the widest integer
// expression around any use of it, up to the next load.
type widthCollector struct {
	ctx    *pass.Context
	an     *arith.Analyzer
	target uint8
	bits   uint8 // needed by the expressions around
	loops  map[*tir.Var]dtype.DType
	vars   map[*tir.Var]uint8
	exprs  map[tir.Expr]uint8
	child  func(ir.Node) // calls expr, of an expression
}

func collectWidths(ctx *pass.Context, s tir.Stmt, target uint8) *widths {
	c := &widthCollector{
		ctx: ctx,
		an:  arith.NewAnalyzer(), target: target, bits: target,
		loops: map[*tir.Var]dtype.DType{}, vars: map[*tir.Var]uint8{}, exprs: map[tir.Expr]uint8{},
	}
	c.walk(s)
	out := &widths{vars: map[*tir.Var]dtype.DType{}, exprs: map[tir.Expr]dtype.DType{}}
	for v, bits := range c.vars {
		if d := v.DType(); d.Bits != bits {
			d.Bits = bits
			out.vars[v] = d
		}
	}
	for e, bits := range c.exprs {
		if d := e.DType(); d.Bits != bits {
			d.Bits = bits
			out.exprs[e] = d
		}
	}
	return out
}

// loop notes a variable with its range.
func (c *widthCollector) loop(v *tir.Var, r *tir.Range) {
	c.an.BindRange(v, r)
	c.loops[v] = r.Extent.DType()
}

func (c *widthCollector) walk(n ir.Node) {
	ir.Walk(n, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			c.loop(n.LoopVar, &tir.Range{Min: n.Min, Extent: n.Extent})
		case *tir.Block:
			for _, iv := range n.IterVars {
				c.loop(iv.Var, iv.Dom)
			}
		case *tir.AttrStmt:
			if iv := n.BoundThread(); iv != nil {
				c.loop(iv.Var, &tir.Range{Min: tir.Const(n.Value.DType(), 0), Extent: n.Value})
			}
		case tir.Expr:
			c.outermost(n)
			return false
		}
		return true
	})
}

// outermost collects from a whole expression. The bounds of its parts are found together, unless a let
// in it changes what is known on the way.
func (c *widthCollector) outermost(e tir.Expr) {
	lets := false
	ir.Walk(e, func(n ir.Node) bool {
		_, is := n.(*tir.Let)
		lets = lets || is
		return !lets
	})
	if lets {
		c.expr(e)
		return
	}
	c.an.Together(func() { c.expr(e) })
}

// fits reports whether all values of e fit in the target width.
func (c *widthCollector) fits(e tir.Expr) bool {
	if e.DType().Bits <= c.target {
		return true
	}
	limit := int64(1) << (c.target - 1)
	b := c.an.ConstIntBound(e)
	return b.Min >= -limit && b.Max < limit
}

func (c *widthCollector) expr(e tir.Expr) {
	old := c.bits
	defer func() { c.bits = old }()
	d := e.DType()
	if d.IsInt() && !c.fits(e) {
		if c.bits < 64 {
			c.ctx.Declined("narrow a variable", e, "an index may not fit in the width of target_bits")
		}
		c.bits = max(c.bits, 64)
	}
	switch e := e.(type) {
	case *tir.Var:
		if extent, ok := c.loops[e]; ok && d.IsInt() {
			c.vars[e] = max(c.vars[e], min(extent.Bits, d.Bits, c.bits))
		}
		return
	case *tir.IntImm, *tir.Cast:
		if d.IsInt() {
			c.exprs[e] = max(c.exprs[e], min(d.Bits, c.bits))
		}
	case *tir.BufferLoad:
		c.bits = c.target
	case *tir.Let:
		c.an.Bind(e.Var, e.Value)
	}
	if c.child == nil {
		c.child = func(n ir.Node) {
			if x, ok := n.(tir.Expr); ok {
				c.expr(x)
			}
		}
	}
	e.EachChild(c.child)
}
