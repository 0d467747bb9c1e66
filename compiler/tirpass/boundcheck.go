package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// InstrumentBoundCheckers checks accesses against the bounds of their buffers.
var InstrumentBoundCheckers = &pass.Pass{
	Name: "tir.InstrumentBoundCheckers", Kind: pass.PrimFunc,
	Doc:    "Puts an assertion before each access that may be out of the bounds of its buffer, in any dimension: it names the buffer, the index and the extent. Accesses that are provably within bounds get none. Does nothing unless tir.instrument_bound_checkers is set.",
	Config: []string{keyBoundCheckers},
	Run: pass.EachPrimFunc(func(c *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !c.ConfigBool(keyBoundCheckers) {
			return f, nil
		}
		b := &boundChecker{Mutator: arith.NewMutator(nil), memory: map[*tir.Var]piece{}, views: map[*tir.Buffer]*tir.BufferRegion{}}
		b.Stmt = b.stmt
		b.An.MarkShapes(f)
		for _, buf := range f.Buffers {
			if buf != nil {
				b.own(buf)
			}
		}
		b.ctx = c
		out := f.WithBody(b.stmt(f.Body))
		if b.unchecked > 0 {
			c.Report(ir.Diagnostic{Severity: ir.Warning, Func: gv.Name, Code: "unchecked", Message: fmt.Sprintf("%d accesses are not checked: they are under more than %d conditions, at vector indices that cannot be taken apart, or go through a pointer that says nothing of its memory", b.unchecked, maxGuards)})
		}
		return out, c.Err()
	}),
}

const keyBoundCheckers = "tir.instrument_bound_checkers"

// boundChecker works on any level, from blocks to flat buffers. It believes the ranges of loops,
// which are what they say, but not those of iteration variables of blocks, which a text may
// claim falsely.
type boundChecker struct {
	*arith.Mutator
	ctx       *pass.Context
	unchecked int                               // accesses, or lanes of them
	memory    map[*tir.Var]piece                // by data pointer: what is known to be behind it
	views     map[*tir.Buffer]*tir.BufferRegion // buffers that blocks match, with what they view
}

// piece is a piece of memory with the buffer or allocation that it came with.
type piece struct {
	name  string
	elems tir.Expr
	elem  dtype.DType
}

// own notes the memory that comes with buffer b.
func (b *boundChecker) own(buf *tir.Buffer) {
	elems := elements(buf.Shape)
	if len(buf.Strides) > 0 {
		elems = tir.Mul(buf.Strides[0], buf.Shape[0]) // as LowerOpaqueBlock allocates it
	}
	b.memory[buf.Data] = piece{buf.Name, elems, buf.DType}
}

func elements(dims []tir.Expr) tir.Expr {
	out := tir.Expr(tir.Int32(1))
	for i, d := range dims {
		if i == 0 {
			out = d
		} else {
			out = tir.Mul(out, tir.CastTo(out.DType(), d))
		}
	}
	return out
}

// stmt checks the accesses of the expressions of x itself before x, and those below in
// their places.
func (b *boundChecker) stmt(x tir.Stmt) tir.Stmt {
	if b.ctx.Err() != nil {
		return x
	}
	c := &accessChecks{b: b, at: x}
	switch x := x.(type) {
	case *tir.SeqStmt, *tir.DeclBuffer:
		return b.VisitStmt(x)
	case *tir.For:
		c.exprs(x.Min, x.Extent)
	case *tir.LetStmt:
		c.exprs(x.Value)
	case *tir.AssertStmt:
		c.exprs(x.Cond)
	case *tir.AttrStmt:
		if x.Key == tir.KeyBoundIndex || x.Key == tir.KeyBoundExtent {
			return b.VisitStmt(x)
		}
		c.exprs(x.Value)
	case *tir.IfThenElse:
		c.exprs(x.Cond)
	case *tir.Evaluate:
		c.exprs(x.Value)
	case *tir.BufferStore:
		c.exprs(x.Value)
		c.exprs(x.Indices...)
		if x.Predicate != nil {
			c.exprs(x.Predicate)
		}
		c.access("store to", x, x.Buffer, x.Indices, x.Predicate)
	case *tir.Allocate:
		c.exprs(x.Extents...)
		b.memory[x.Var] = piece{x.Var.Name, elements(x.Extents), x.Type}
	case *tir.AllocateConst:
		b.memory[x.Var] = piece{x.Var.Name, elements(x.Extents), x.Type}
	case *tir.BufferRealize:
		b.own(x.Buffer)
	case *tir.While:
		return b.while(x, c)
	case *tir.BlockRealize:
		c.exprs(x.Values...)
		c.exprs(x.Predicate)
		exit := b.An.EnterConstraint(x.Predicate)
		out := b.MapStmt(x)
		exit()
		return c.around(out)
	case *tir.Block:
		return b.block(x)
	}
	return c.around(b.VisitStmt(x))
}

func (b *boundChecker) block(x *tir.Block) tir.Stmt {
	for _, buf := range x.AllocBuffers {
		b.own(buf)
	}
	for _, m := range x.MatchBuffers {
		b.views[m.Buffer] = m.Source
	}
	return b.MapStmt(x) // which binds no iteration variables
}

// while tests the condition of a loop, which reads memory in each turn, inside of it.
func (b *boundChecker) while(x *tir.While, c *accessChecks) tir.Stmt {
	c.exprs(x.Cond)
	body := b.stmt(x.Body)
	if len(c.list) == 0 {
		return x.WithBody(body)
	}
	leave := &tir.Evaluate{Base: x.Base, Value: &tir.Call{Base: x.Base, Type: dtype.Int32T, Op: tir.OpBreakLoop}}
	test := c.around(&tir.IfThenElse{Base: x.Base, Cond: tir.LogicalNot(x.Cond), Then: leave})
	return &tir.While{Base: x.Base, Cond: tir.Bool(true), Body: tir.Seq(test, body)}
}

// ruleCheck is the name of the rule.
const ruleCheck = "check accesses"

// boundCheck is a condition that must hold where an access is made.
type boundCheck struct {
	data   *tir.Var
	text   string
	cond   tir.Expr
	index  tir.Expr
	extent tir.Expr
}

// around puts the assertions around s, the first outermost.
func (c *accessChecks) around(s tir.Stmt) tir.Stmt {
	if len(c.list) == 0 {
		return s
	}
	out := c.wrapped(s)
	c.b.ctx.Rewrite(ruleCheck, c.at, out)
	return out
}

func (c *accessChecks) wrapped(s tir.Stmt) tir.Stmt {
	base := ir.Base{Span: c.at.Meta().Span, Origin: c.at.Meta().Origin}
	for i := len(c.list) - 1; i >= 0; i-- {
		k := c.list[i]
		s = &tir.AssertStmt{Base: base, Cond: k.cond, Message: &tir.StringImm{Value: k.text}, Body: s}
		if _, ok := tir.AsInt(k.extent); !ok {
			s = &tir.AttrStmt{Base: base, Node: k.data, Key: tir.KeyBoundExtent, Value: k.extent, Body: s}
		}
		s = &tir.AttrStmt{Base: base, Node: k.data, Key: tir.KeyBoundIndex, Value: k.index, Body: s}
	}
	return s
}

// boundText says what is checked; the numbers come with the error.
func boundText(n ir.Node, verb string, buf *tir.Buffer, format string, args ...any) string {
	where := ""
	if s := n.Meta().Span; s != nil && s.Source != nil {
		where = fmt.Sprintf("%s:%d:%d: ", s.Source.Name, s.Line, s.Col)
	}
	return where + verb + " " + buf.Name + ": " + fmt.Sprintf(format, args...)
}
