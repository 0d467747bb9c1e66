package x86

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native"
)

// call translates a call of an intrinsic.
func (g *gen) call(e *tir.Call) value {
	what := lower.KindName(e)
	o := e.Op.(*ir.Op) // as takes has seen
	if b := tir.LookupBuiltin(o.Name); b != nil && b.Arity >= 0 && len(e.Args) != b.Arity {
		g.fail(what, "%d arguments, expected %d", len(e.Args), b.Arity)
	}
	if v, ok := g.mathCall(o.Name, e, what); ok {
		return v
	}
	none := one(dtype.Int32T, g.i32(0))
	switch o.Name {
	case tir.OpRet.Name:
		v := g.cast(g.expr(e.Args[0]), dtype.Int32T, what)
		g.Add(item{Kind: lower.ItemReturn, Args: []*node{v.scalar()}})
		return none
	case tir.OpLikely.Name:
		return g.expr(e.Args[0])
	case tir.OpAssume.Name, tir.OpStorageSync.Name, tir.OpProfile.Name, tir.OpProfileEnd.Name:
		return none
	case tir.OpUndef.Name, tir.OpTypeAnnot.Name:
		zero := g.zero(g.valType(e.Type, what))
		if e.Type.Lanes > 1 {
			return g.splat(e.Type, zero)
		}
		return one(e.Type, zero)
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
		return one(dtype.HandleT, g.Sum(g.pointer(l.Buffer.Data, what), p.At.Scale(elemBytes(l.Buffer.DType))))
	case "tir.handle_add_byte_offset":
		return one(dtype.HandleT, g.Sum(g.scalarExpr(e.Args[0], what), g.Lin(e.Args[1])))
	case tir.OpIsNullPtr.Name:
		return one(dtype.BoolT, g.fn(lower.Eqz, g.scalarExpr(e.Args[0], what)))
	case tir.OpBreakLoop.Name, tir.OpContinueLoop.Name:
		if len(g.loops) == 0 {
			g.fail(what, "outside of a loop")
		}
		to := g.loops[len(g.loops)-1].exit
		if o.Name == tir.OpContinueLoop.Name {
			to = g.loops[len(g.loops)-1].next
		}
		g.Add(item{Kind: lower.ItemBreak, Target: to})
		return none
	case tir.OpLargeUIntImm.Name:
		lo, _ := tir.AsInt(e.Args[0])
		hi, _ := tir.AsInt(e.Args[1])
		return one(e.Type, g.i64(hi<<32|lo&0xffffffff))
	case tir.OpVectorLow.Name, tir.OpVectorHigh.Name, tir.OpVectorCombine.Name:
		return g.vectorHalves(o.Name, e)
	case tir.OpStructGet.Name:
		return g.structGet(e, what)
	case tir.OpStructSet.Name:
		g.structSet(e, what)
		return none
	case tir.OpThrowLastError.Name:
		g.leave(native.StatusFailed)
		return none
	case tir.OpAllocWorkspace.Name:
		size := g.scalarExpr(e.Args[2], what)
		if size.Type == tI32 {
			size = g.conv(lower.ExtendU, size)
		}
		return one(dtype.HandleT, g.allocWorkspace(size))
	case tir.OpFreeWorkspace.Name:
		p := g.scalarExpr(e.Args[2], what)
		return one(dtype.Int32T, g.request(native.StatusFree, "freed", p))
	}
	g.fail(what, "native kernels do not have this intrinsic") // takes has said so, of all but malformed calls
	return value{}
}

// vectorHalves translates vector_low, vector_high and vector_combine.
func (g *gen) vectorHalves(name string, e *tir.Call) value {
	xs := g.scalars(g.expr(e.Args[0]))
	switch name {
	case tir.OpVectorLow.Name:
		xs = xs[:len(xs)/2]
	case tir.OpVectorHigh.Name:
		xs = xs[len(xs)/2:]
	default:
		xs = append(append([]*node(nil), xs...), g.scalars(g.expr(e.Args[1]))...)
	}
	if len(xs) == 1 {
		return one(e.Type.Elem(), xs[0])
	}
	return g.pack(e.Type.WithLanes(len(xs)), xs)
}

// ifThenElse computes only the chosen value. Values that cost little and cannot trap are selected without a branch.
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
			switch {
			case vars == nil:
				form = v
				for _, p := range v.parts {
					vars = append(vars, g.NewVariable("chosen", p.Type))
				}
			case form.packed && form.dt.IsBool():
				v = g.toMask(v, form.mask)
			case form.packed:
				v = g.pack(v.dt, g.scalars(v))
			default:
				v = value{dt: v.dt, parts: g.scalars(v)}
			}
			for i, x := range vars {
				g.Set(x, v.parts[i])
			}
		}
	}
	g.Branch(c, "if_then_else", assign(yes), assign(no))
	out := value{dt: form.dt, mask: form.mask, packed: form.packed}
	for _, x := range vars {
		out.parts = append(out.parts, g.Read(x))
	}
	return out
}

// field returns the address and offset of a field of the handle[index].
func (g *gen) field(e *tir.Call, what string) (base *node, off uint64, f abi.StructField) {
	kind, ok := tir.AsInt(e.Args[2])
	if !ok {
		g.fail(what, "the field must be a constant")
	}
	f = abi.StructField(kind)
	o, _, ok := f.Offset(abi.PtrBits)
	if !ok && f != abi.KArrAddr {
		g.fail(what, "unknown field %d", kind)
	}
	l := g.Lin(e.Args[1]).Scale(int64(f.StructSize(abi.PtrBits)))
	l.C += int64(o)
	base, off = g.Address(g.scalarExpr(e.Args[0], what), l, "cell")
	return base, off, f
}

func (g *gen) structGet(e *tir.Call, what string) value {
	base, off, f := g.field(e, what)
	d := e.Type
	if f == abi.KArrAddr {
		return one(dtype.HandleT, g.Sum(base, lin{C: int64(off)}))
	}
	read := func(o op) *node { return g.load(o, base, off, nil, "") }
	_, size, _ := f.Offset(abi.PtrBits)
	var n *node
	var from dtype.DType
	switch {
	case size == 1:
		n, from = read(pLoad8U), dtype.UInt8T
	case size == 2:
		n, from = read(pLoad16U), dtype.UInt16T
	case size == 4, d.IsHandle(), d.IsBool():
		n, from = read(pLoad), dtype.Int32T
	case d.IsFloat():
		n, from = read(pLoadF64), dtype.Float64T
	default:
		n, from = read(sized(pLoad, 64)), dtype.Int64T
	}
	if d.IsHandle() {
		return one(d, n)
	}
	return g.cast(one(from, n), d, what)
}

func (g *gen) structSet(e *tir.Call, what string) {
	base, off, f := g.field(e, what)
	v := g.expr(e.Args[3])
	_, size, _ := f.Offset(abi.PtrBits)
	write := func(o op, n *node) { g.store(o, base, off, n, nil) }
	word := func() *node {
		if v.scalar().Type == tI64 {
			return g.conv(lower.Wrap, v.scalar())
		}
		return v.scalar()
	}
	switch {
	case size == 8 && (v.dt.IsHandle() || v.dt.IsBool()):
		write(sized(pStore, 64), g.conv(lower.ExtendU, v.scalar()))
	case size == 8 && v.dt.IsFloat():
		write(pStoreF64, g.cast(v, dtype.Float64T, what).scalar())
	case size == 8:
		write(sized(pStore, 64), g.cast(v, dtype.Int64T, what).scalar())
	case v.dt.IsFloat():
		g.fail(what, "field %s cannot hold %s", f, v.dt)
	case size == 1:
		write(pStore8, word())
	case size == 2:
		write(pStore16, word())
	default:
		write(pStore, word())
	}
}
