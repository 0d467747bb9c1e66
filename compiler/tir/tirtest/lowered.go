package tirtest

import (
	"fmt"
	"math/rand/v2"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// program makes random lowered functions over a few flat buffers.
type program struct {
	r     *rand.Rand
	bufs  []*tir.Buffer
	loops []*tir.Var // loop variables in scope, each below bufLen/4
	n     int
}

const bufLen = 48

var randomTypes = []string{
	"float32", "int32", "float32", "int64", "uint8", "int8", "bool", "float64", "int16", "uint16", "uint32", "float16", "bfloat16", "uint64",
}

func (p *program) name(s string) string { p.n++; return fmt.Sprintf("%s%d", s, p.n) }

func (p *program) pick(d dtype.DType) *tir.Buffer {
	var fit []*tir.Buffer
	for _, b := range p.bufs {
		if b.DType == d {
			fit = append(fit, b)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return fit[p.r.IntN(len(fit))]
}

// index is a scalar index that leaves room for span elements.
func (p *program) index(span int64) tir.Expr {
	lim := bufLen - span + 1
	e := tir.Expr(tir.Int32(p.r.Int64N(lim)))
	for _, v := range p.loops {
		if p.r.IntN(2) == 0 {
			e = tir.NewBinary(tir.OpAdd, e, tir.NewBinary(tir.OpMul, v, tir.Int32(p.r.Int64N(5)-1)))
		}
	}
	if p.r.IntN(3) == 0 && len(p.loops) > 0 {
		v := p.loops[p.r.IntN(len(p.loops))]
		op := []tir.BinaryOp{tir.OpFloorDiv, tir.OpFloorMod, tir.OpDiv, tir.OpMod}[p.r.IntN(4)]
		e = tir.NewBinary(tir.OpAdd, e, tir.NewBinary(op, tir.NewBinary(tir.OpSub, v, tir.Int32(3)), tir.Int32(1+p.r.Int64N(7))))
	}
	return tir.NewBinary(tir.OpFloorMod, e, tir.Int32(lim))
}

// at is an index, a vector of lanes if that is above 1.
func (p *program) at(lanes int) tir.Expr {
	if lanes == 1 {
		return p.index(1)
	}
	stride := int64(1)
	if p.r.IntN(4) == 0 {
		stride = p.r.Int64N(3)
	}
	e := p.index(int64(lanes-1)*stride + 1)
	if p.r.IntN(6) == 0 {
		return tir.NewBinary(tir.OpAdd, broadcastOf(e, lanes), rampOf(tir.Int32(0), stride, lanes))
	}
	return rampOf(e, stride, lanes)
}

func (p *program) constant(d dtype.DType) tir.Expr {
	switch {
	case d.IsFloat():
		return tir.FloatConst(d, float64(p.r.IntN(33)-16)/4)
	case d.IsBool():
		return tir.Const(d, int64(p.r.IntN(2)))
	case d.IsUInt():
		return tir.Const(d, int64(p.r.IntN(200)))
	}
	return tir.Const(d, int64(p.r.IntN(200)-100))
}

// expr is a random expression of type d with lanes.
func (p *program) expr(d dtype.DType, lanes, depth int) tir.Expr {
	full := d.WithLanes(lanes)
	if depth == 0 || p.r.IntN(8) == 0 {
		if b := p.pick(d); b != nil && p.r.IntN(4) != 0 {
			return tir.Load(b, p.at(lanes))
		}
		return p.constant(full)
	}
	sub := func() tir.Expr { return p.expr(d, lanes, depth-1) }
	switch p.r.IntN(10) {
	case 0:
		from := dtype.MustParse(randomTypes[p.r.IntN(len(randomTypes))])
		if d.IsInteger() && from.IsFloat() { // large values clamp differently below 32 bits: keep them small
			return &tir.Cast{Type: full, Value: tir.NewBinary(tir.OpMin, tir.NewBinary(tir.OpMax, p.expr(from, lanes, depth-1), tir.FloatConst(from.WithLanes(lanes), 0)), tir.FloatConst(from.WithLanes(lanes), 100))}
		}
		return &tir.Cast{Type: full, Value: p.expr(from, lanes, depth-1)}
	case 1:
		return &tir.Select{Cond: p.expr(dtype.BoolT, lanes, depth-1), True: sub(), False: sub()}
	case 2:
		return &tir.Call{Type: full, Op: tir.OpIfThenElse, Args: []tir.Expr{p.expr(dtype.BoolT, 1, depth-1), sub(), sub()}}
	case 3:
		v := tir.NewVar(p.name("v"), full)
		return &tir.Let{Var: v, Value: sub(), Body: tir.NewBinary(p.arith(d), v, sub2(p, d, lanes, depth, v))}
	case 4:
		if lanes > 1 {
			return broadcastOf(p.expr(d, 1, depth-1), lanes)
		}
	case 5:
		if d.IsInteger() {
			ops := []tir.Expr{sub(), sub()}
			switch p.r.IntN(5) {
			case 0:
				return tir.NewCall(tir.OpBitwiseAnd, ops...)
			case 1:
				return tir.NewCall(tir.OpBitwiseXor, ops...)
			case 2:
				return tir.NewCall(tir.OpBitwiseNot, ops[0])
			case 3:
				return tir.NewCall(tir.OpShiftRight, ops[0], tir.Const(full, int64(p.r.IntN(int(d.Bits)))))
			}
			return tir.NewCall(tir.OpShiftLeft, ops[0], tir.Const(full, int64(p.r.IntN(int(d.Bits)))))
		}
	case 6:
		if d.IsInteger() {
			op := []tir.BinaryOp{tir.OpFloorDiv, tir.OpFloorMod, tir.OpDiv, tir.OpMod}[p.r.IntN(4)]
			if p.r.IntN(2) == 0 {
				return tir.NewBinary(op, sub(), tir.Const(full, 1+p.r.Int64N(20)))
			}
			return tir.NewBinary(op, sub(), tir.NewBinary(tir.OpMax, sub(), tir.Const(full, 1+p.r.Int64N(9))))
		}
	case 7:
		if d.IsBool() {
			t := dtype.MustParse(randomTypes[p.r.IntN(len(randomTypes))])
			op := tir.OpEQ + tir.BinaryOp(p.r.IntN(6))
			return tir.NewBinary(op, p.expr(t, lanes, depth-1), p.expr(t, lanes, depth-1))
		}
	case 8:
		if d.IsBool() {
			return &tir.Not{A: sub()}
		}
	}
	return tir.NewBinary(p.arith(d), sub(), sub())
}

func sub2(p *program, d dtype.DType, lanes, depth int, v tir.Expr) tir.Expr {
	if p.r.IntN(2) == 0 {
		return v
	}
	return p.expr(d, lanes, depth-1)
}

func (p *program) arith(d dtype.DType) tir.BinaryOp {
	if d.IsBool() {
		return []tir.BinaryOp{tir.OpAnd, tir.OpOr}[p.r.IntN(2)]
	}
	return []tir.BinaryOp{tir.OpAdd, tir.OpSub, tir.OpMul, tir.OpMin, tir.OpMax}[p.r.IntN(5)]
}

func (p *program) store() tir.Stmt {
	b := p.bufs[p.r.IntN(len(p.bufs))]
	lanes := []int{1, 1, 4, 4, 8, 16, 2, 3}[p.r.IntN(8)]
	at := p.at(lanes)
	for lanes > 1 && overlaps(at) {
		at = p.at(lanes)
	}
	s := tir.Store(b, p.expr(b.DType, lanes, 3), at)
	if lanes > 1 && p.r.IntN(8) == 0 {
		s.Predicate = p.expr(dtype.BoolT, lanes, 2)
	}
	return s
}

// overlaps reports whether lanes of an index coincide, which leaves open which one is stored.
func overlaps(e tir.Expr) bool {
	switch e := e.(type) {
	case *tir.Ramp:
		return tir.IsConst(e.Stride, 0)
	case *tir.Binary:
		return overlaps(e.B)
	}
	return false
}

func (p *program) stmts(depth int) tir.Stmt {
	var out []tir.Stmt
	for range 1 + p.r.IntN(3) {
		out = append(out, p.stmt(depth))
	}
	return tir.Seq(out...)
}

func (p *program) stmt(depth int) tir.Stmt {
	if depth == 0 {
		return p.store()
	}
	switch p.r.IntN(8) {
	case 0, 1, 2:
		v := tir.NewVar(p.name("i"), []dtype.DType{dtype.Int32T, dtype.Int32T}[p.r.IntN(2)])
		lo := p.r.Int64N(3)
		p.loops = append(p.loops, v)
		body := p.stmts(depth - 1)
		p.loops = p.loops[:len(p.loops)-1]
		extent := tir.Expr(tir.Int32(p.r.Int64N(bufLen/4 - lo)))
		if len(p.loops) > 0 && p.r.IntN(3) == 0 {
			extent = p.loops[p.r.IntN(len(p.loops))]
		}
		return &tir.For{LoopVar: v, Min: tir.Int32(lo), Extent: extent, Body: body}
	case 3:
		s := &tir.IfThenElse{Cond: p.expr(dtype.BoolT, 1, 2), Then: p.stmts(depth - 1)}
		if p.r.IntN(2) == 0 {
			s.Else = p.stmts(depth - 1)
		}
		return s
	case 4:
		// A local array, sometimes with constant indices only.
		d := p.bufs[p.r.IntN(len(p.bufs))].DType
		b := tir.NewBuffer(p.name("tmp"), d, []tir.Expr{tir.Int32(bufLen)}, "local")
		var init []tir.Stmt
		for i := int64(0); i < bufLen; i += 16 {
			init = append(init, tir.Store(b, p.expr(d, 16, 1), rampOf(tir.Int32(i), 1, 16)))
		}
		p.bufs = append(p.bufs, b)
		body := p.stmts(depth - 1)
		p.bufs = p.bufs[:len(p.bufs)-1]
		if p.r.IntN(2) == 0 {
			body = tir.Seq(tir.Store(p.bufs[0], tir.CastTo(p.bufs[0].DType.WithLanes(4), tir.Load(b, rampOf(tir.Int32(8), 1, 4))), rampOf(tir.Int32(0), 1, 4)), tir.Store(b, p.expr(d, 1, 1), tir.Int32(9)))
			if p.bufs[0].DType.IsInteger() && d.IsFloat() {
				body = tir.Store(b, p.expr(d, 4, 1), rampOf(tir.Int32(4), 1, 4))
			}
		}
		return &tir.Allocate{Var: b.Data, Type: b.DType, Extents: b.Shape, Condition: tir.Bool(true), Body: &tir.DeclBuffer{Buffer: b, Body: tir.Seq(append(init, body)...)}}
	case 5:
		d := p.bufs[p.r.IntN(len(p.bufs))].DType
		v := tir.NewVar(p.name("let"), d)
		return &tir.LetStmt{Var: v, Value: p.expr(d, 1, 2), Body: tir.Seq(p.stmts(depth-1), tir.Store(p.pick(d), v, p.index(1)))}
	}
	return p.store()
}

// Lowered returns a random function as code generators get it, over flat buffers, with vectors, and arguments for it. What it computes may be undefined where it
// reads elements of an allocation that nobody wrote.
func Lowered(r *rand.Rand) (*tir.PrimFunc, []any) {
	p := &program{r: r}
	f := &tir.PrimFunc{RetType: ir.VoidType(), Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, "random", "tir.noalias", true)}
	var args []any
	for i := range 2 + p.r.IntN(3) {
		d := dtype.MustParse(randomTypes[min(p.r.IntN(len(randomTypes)), p.r.IntN(len(randomTypes)))])
		b := tir.NewBuffer(fmt.Sprintf("b%d", i), d, []tir.Expr{tir.Int32(bufLen)}, "")
		p.bufs = append(p.bufs, b)
		f.Params, f.Buffers = append(f.Params, tir.NewVar(b.Name+"_handle", dtype.HandleT)), append(f.Buffers, b)
		args = append(args, randomTensor(d, r.Uint64()))
	}
	f.Body = tir.Seq(p.stmts(3), p.stmts(2))
	return f, args
}

func randomTensor(d dtype.DType, seed uint64) *tensor.Tensor {
	t := tensor.MustNew(d, bufLen)
	t.Random(seed)
	return t
}

func rampOf(start tir.Expr, stride int64, lanes int) tir.Expr {
	return &tir.Ramp{Start: start, Stride: tir.Const(start.DType(), stride), Lanes: lanes}
}

func broadcastOf(x tir.Expr, lanes int) tir.Expr { return &tir.Broadcast{Value: x, Lanes: lanes} }
