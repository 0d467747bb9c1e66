package script

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// seq prints the blocks of s and hands its body to last.
func (p *printer) seq(s *relax.SeqExpr, last func(relax.Expr)) {
	for _, b := range s.Blocks {
		p.block(b)
	}
	last(s.Body)
}

func (p *printer) block(b *relax.BindingBlock) {
	p.open(b)
	defer p.shut()
	if !b.Dataflow {
		for _, x := range b.Bindings {
			p.binding(x)
		}
		return
	}
	p.begin(b)
	p.str("with ")
	p.r("dataflow():")
	p.end()
	p.indent++
	for _, x := range b.Bindings {
		p.binding(x)
	}
	p.begin(nil)
	p.r("output(")
	sep := ""
	for _, x := range b.Bindings {
		if v := x.Bound(); !v.Dataflow {
			p.str(sep)
			p.use(v)
			sep = ", "
		}
	}
	p.str(")")
	p.end()
	p.indent--
}

func (p *printer) binding(b relax.Binding) {
	p.open(b)
	defer p.shut()
	switch b := b.(type) {
	case *relax.MatchCast:
		p.begin(b)
		ir.Walk(b.SInfo, func(n ir.Node) bool {
			if v, ok := n.(*tir.Var); ok && p.names.ofVar(v) == "" {
				p.def(v)
				p.str(" = ")
				p.t(v.DType().String() + "()")
				p.end()
				p.begin(b)
			}
			return true
		})
		at := len(p.buf)
		p.r("match_cast(")
		p.rexpr(b.Value)
		p.str(", ")
		p.sinfo(b.SInfo)
		p.str(")")
		p.bindTo(b.Var, at, true)
	case *relax.VarBinding:
		p.varBinding(b)
	default:
		panic(fmt.Sprintf("script: unknown binding %T", b))
	}
}

// bindTo puts "v: annotation = " before the value that was printed from at on.
func (p *printer) bindTo(v *relax.Var, at int, plain bool) {
	mid := len(p.buf)
	p.def(v)
	if !plain && v.SInfo != nil {
		p.str(": ")
		p.sinfo(v.SInfo)
	}
	p.str(" = ")
	p.moveFront(at, mid)
	p.endWithConstants()
}

func (p *printer) varBinding(b *relax.VarBinding) {
	switch v := b.Value.(type) {
	case *relax.If:
		p.begin(b)
		p.str("if ")
		p.rexpr(v.Cond)
		p.str(":")
		p.end()
		name := p.define(b.Var, b.Var.Name)
		p.branch(v.Then, name)
		p.rawLine("else:")
		p.branch(v.Else, name)
		return
	case *relax.Function:
		p.nestedHead()
		p.begin(b)
		p.str("@")
		p.r("function")
		if !v.Pure {
			p.str("(pure=False)")
		}
		p.end()
		name := p.define(b.Var, b.Var.Name)
		mark := p.enter()
		p.relaxDef(name, v)
		p.relaxBody(v, v.Attrs)
		p.leave(mark)
		if p.opts.TVM {
			p.rawLine("")
		}
		return
	}
	void := isVoid(b)
	if p.memory != nil && !void && p.again(b) {
		return
	}
	p.begin(b)
	at := len(p.buf)
	uses := p.memory.used()
	p.rexpr(b.Value)
	if p.sugar && void && !p.usedVoid[b.Var] {
		// A call for its effect: TVM writes no variable.
		p.endWithConstants()
		p.define(b.Var, b.Var.Name)
		return
	}
	p.bindTo(b.Var, at, p.spellsInfo(b) || p.infer != nil && p.infer.follows(b))
	if p.memory != nil && !void {
		p.printedBinding(b, at, uses)
	}
}

// nestedHead prints what TVM puts before a function within a function: the prefixes in use so far.
func (p *printer) nestedHead() {
	if !p.opts.TVM {
		return
	}
	if !p.tirSeen {
		p.tirSeen = bytes.Contains(p.buf[min(p.searched, len(p.buf)):], []byte(p.tirp))
		p.searched = len(p.buf)
	}
	if p.irSeen {
		p.importLine("ir", p.irp, "I.")
	}
	if p.tirSeen {
		p.importLine("tir", p.tirp, "T.")
	}
	p.importLine("relax", p.relaxp, "R.")
	p.rawLine("")
}

// findVoid notes the variables of f that hold nothing and are used all the same. Before the last passes there is none that holds nothing.
func (p *printer) findVoid(f *relax.Function) {
	p.usedVoid = nil
	if !mayBindVoid(f.Body) {
		return
	}
	p.usedVoid = map[*relax.Var]bool{}
	bound := map[*relax.Var]bool{}
	ir.Walk(f, func(n ir.Node) bool {
		switch n := n.(type) {
		case relax.StructInfo:
			return false
		case *relax.Var:
			if t, ok := n.SInfo.(*relax.TupleStructInfo); ok && len(t.Fields) == 0 {
				if bound[n] {
					p.usedVoid[n] = true
				}
				bound[n] = true
			}
		}
		return true
	})
}

// mayBindVoid reports whether a binding of s is a call for its effect, or holds others.
func mayBindVoid(s *relax.SeqExpr) bool {
	for _, block := range s.Blocks {
		for _, b := range block.Bindings {
			b, ok := b.(*relax.VarBinding)
			if !ok {
				continue
			}
			switch b.Value.(type) {
			case *relax.If, *relax.Function, *relax.SeqExpr:
				return true
			}
			if isVoid(b) {
				return true
			}
		}
	}
	return false
}

func isVoid(b *relax.VarBinding) bool {
	t, ok := b.Var.SInfo.(*relax.TupleStructInfo)
	_, call := b.Value.(*relax.Call)
	return ok && call && len(t.Fields) == 0
}

// spellsInfo reports whether the value of b spells the struct info of its variable, which needs no
// annotation then. TVM writes one all the same where the call writes over its arguments.
func (p *printer) spellsInfo(b *relax.VarBinding) bool {
	c, _ := b.Value.(*relax.Call)
	if c == nil {
		return false
	}
	op, _ := c.Op.(*ir.Op)
	if op == nil || op.Name != "relax.call_tir" && op.Name != "relax.call_dps_packed" && (op.Name != "relax.call_tir_inplace" || p.opts.TVM) {
		return false
	}
	infos := c.SInfoArgs
	if len(infos) == 1 {
		return b.Var.SInfo == nil || ir.StructuralEqual(infos[0], b.Var.SInfo, ir.EqualOpts{})
	}
	t, ok := b.Var.SInfo.(*relax.TupleStructInfo)
	return b.Var.SInfo == nil || ok && slices.EqualFunc(infos, t.Fields, func(x, y relax.StructInfo) bool {
		return ir.StructuralEqual(x, y, ir.EqualOpts{})
	})
}

func (p *printer) branch(s *relax.SeqExpr, name string) {
	mark := p.enter()
	p.indent++
	p.seq(s, func(e relax.Expr) {
		p.begin(e)
		p.str(name)
		if si := relax.SInfoOf(e); si != nil {
			p.str(": ")
			p.sinfo(si)
		}
		p.str(" = ")
		p.rexpr(e)
		p.endWithConstants()
	})
	p.indent--
	p.leave(mark)
}

// endWithConstants ends the line with a comment on the constants that stand on it.
func (p *printer) endWithConstants() {
	for i, c := range p.consts {
		if i == 0 {
			if p.track != nil {
				p.track.comments = append(p.track.comments, len(p.buf))
			}
			p.str("  # ")
		} else {
			p.str(", ")
		}
		p.str(c.Data.DType().String())
		p.str("[")
		list(p, c.Data.Shape(), p.int)
		p.str("]")
	}
	p.consts = p.consts[:0]
	p.end()
}
