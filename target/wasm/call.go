package wasm

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// call translates a call of an intrinsic or of a function of the module.
func (g *gen) call(e *tir.Call) value {
	what := lower.KindName(e)
	op, ok := e.Op.(*ir.Op)
	if !ok {
		return g.callFunction(e, e.Op.CalleeName(), e.Args)
	}
	if b := tir.LookupBuiltin(op.Name); b != nil && b.Arity >= 0 && len(e.Args) != b.Arity {
		g.fail(what, "%d arguments, expected %d", len(e.Args), b.Arity)
	}
	if v, ok := g.mathCall(op.Name, e, what); ok {
		return v
	}
	if v, ok := g.packedCall(op.Name, e, what); ok {
		return v
	}
	switch op.Name {
	case tir.OpRet.Name:
		v := g.expr(e.Args[0])
		if g.kernel {
			v = g.cast(v, dtype.Int32T, what)
		}
		g.Add(item{Kind: lower.ItemReturn, Args: []*node{v.scalar()}})
		return one(dtype.Int32T, g.i32(0))
	case tir.OpLikely.Name:
		return g.expr(e.Args[0])
	case tir.OpAssume.Name:
		return one(dtype.Int32T, g.i32(0))
	case tir.OpUndef.Name, tir.OpTypeAnnot.Name:
		return g.splatOrOne(e.Type, g.zero(g.valType(e.Type, what)))
	case tir.OpIfThenElse.Name:
		return g.ifThenElse(e.Args[0], e.Args[1], e.Args[2], what)
	case tir.OpReinterpret.Name:
		return g.reinterpret(g.expr(e.Args[0]), e.Type, what)
	case tir.OpAddressOf.Name:
		l, ok := e.Args[0].(*tir.BufferLoad)
		if !ok {
			g.fail(what, "the argument must be a BufferLoad")
		}
		p := g.Place(l.Buffer, l.Indices, what)
		a := g.Sum(g.pointer(l.Buffer.Data, what), p.At.Scale(elemBytes(l.Buffer.DType)))
		return one(dtype.HandleT, a)
	case "tir.handle_add_byte_offset":
		return one(dtype.HandleT, g.Sum(g.scalarExpr(e.Args[0], what), g.Lin(e.Args[1])))
	case tir.OpIsNullPtr.Name:
		return one(dtype.BoolT, g.op(wasmbin.I32Eqz, g.scalarExpr(e.Args[0], what)))
	case tir.OpBreakLoop.Name, tir.OpContinueLoop.Name:
		if len(g.loops) == 0 {
			g.fail(what, "outside of a loop")
		}
		to := g.loops[len(g.loops)-1].exit
		if op.Name == tir.OpContinueLoop.Name {
			to = g.loops[len(g.loops)-1].next
		}
		g.Add(item{Kind: lower.ItemBreak, Target: to})
		return one(dtype.Int32T, g.i32(0))
	case tir.OpLargeUIntImm.Name:
		lo, _ := tir.AsInt(e.Args[0])
		hi, _ := tir.AsInt(e.Args[1])
		return one(e.Type, g.i64(hi<<32|lo&0xffffffff))
	case tir.OpStorageSync.Name, tir.OpProfile.Name, tir.OpProfileEnd.Name:
		return one(dtype.Int32T, g.i32(0))
	case tir.OpVectorLow.Name, tir.OpVectorHigh.Name, tir.OpVectorCombine.Name:
		return g.vectorHalves(op.Name, e)
	case tir.OpCallExtern.Name, tir.OpCallPureExtern.Name, tir.OpCallLLVMPure.Name:
		name, ok := e.Args[0].(*tir.StringImm)
		if !ok {
			g.fail(what, "the first argument must be the name of a function")
		}
		return g.callExtern(e, name.Value, e.Args[1:])
	}
	g.fail(what, "this intrinsic is not supported")
	return value{}
}

func (g *gen) splatOrOne(d dtype.DType, n *node) value {
	if d.Lanes > 1 {
		return g.splat(d, n)
	}
	return one(d, n)
}

// ifThenElse computes only the chosen value. Values that cost little and cannot trap are
// selected without a branch.
func (g *gen) ifThenElse(cond, yes, no tir.Expr, what string) value {
	if cond.DType().Lanes > 1 {
		if !lower.Simple(yes, 64) || !lower.Simple(no, 64) {
			g.fail(what, "a condition of %s with values that read memory or may fail: compute them lane by lane", cond.DType())
		}
		return g.selectValue(g.expr(cond), g.expr(yes), g.expr(no))
	}
	c := g.scalarExpr(cond, what)
	if v, ok := c.Int(); ok {
		if v != 0 {
			return g.expr(yes)
		}
		return g.expr(no)
	}
	if lower.Simple(yes, 4) && lower.Simple(no, 4) {
		return g.selectValue(one(dtype.BoolT, c), g.expr(yes), g.expr(no))
	}
	var vars []*variable
	var form value
	assign := func(e tir.Expr) func() {
		return func() {
			v := g.expr(e)
			if vars == nil {
				form = v
				for _, p := range v.parts {
					vars = append(vars, g.newVariable("chosen", typeOf(p)))
				}
			}
			switch {
			case form.packed() && v.packed() && form.mask != v.mask:
				v = g.toMask(v, form.mask)
			case form.packed() && !v.packed() && form.dt.IsBool():
				v = g.toMask(v, form.mask)
			case form.packed() != v.packed():
				v = value{dt: v.dt, parts: g.scalars(v)}
			}
			for i, x := range vars {
				g.Set(x, v.parts[i])
			}
		}
	}
	g.Branch(c, "if_then_else", assign(yes), assign(no))
	out := value{dt: form.dt, mask: form.mask}
	for _, x := range vars {
		out.parts = append(out.parts, g.Read(x))
	}
	return out
}
