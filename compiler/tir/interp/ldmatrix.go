package interp

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// warpCall compiles an instruction of tensor cores.
func (c *compiler) warpCall(e *tir.Call, name string) (value, bool) {
	switch name {
	case "tir.ptx_mma":
		return c.mma(e), true
	case "tir.ptx_ldmatrix":
		return c.ldmatrix(e), true
	case "tir.mma_fill":
		return c.mmaFill(e), true
	case "tir.mma_store":
		return c.mmaStore(e), true
	}
	return value{}, false
}

// rowBytes is the size of a row of one of the matrices that ldmatrix loads: 8 by 8 elements of 16 bits.
const rowBytes = 16

// ldmatrix is ptx_ldmatrix(transposed, number of matrices, ".b16", registers, index, shared memory, offset). Lane l of the first 8 times number says where row l%8
// of matrix l/8 is. Lane l gets of each matrix the 32 bits number l%4 of row l/4 or, if it is transposed, elements 2*(l%4) and the next one of
// column l/4.
func (c *compiler) ldmatrix(e *tir.Call) value {
	c.inKernel("ptx_ldmatrix")
	c.count(e, 7, 7)
	matrices, ok := tir.AsInt(e.Args[1])
	kind, isText := e.Args[2].(*tir.StringImm)
	trans, known := tir.AsInt(e.Args[0])
	if !ok || matrices != 1 && matrices != 2 && matrices != 4 || !isText || kind.Value != ".b16" || !known {
		c.fail("ptx_ldmatrix needs a constant that says whether to transpose, 1, 2, or 4 matrices, and the type .b16")
	}
	from, base := c.sharedArg(e)
	width := int64(from.DType.Bytes())
	if width < 1 || width > 4 || trans != 0 && width > 2 || elemOf(c.pointerArg(e, 3)) != from.DType {
		c.fail("ptx_ldmatrix of %s to registers of %s", from.DType, elemOf(c.pointerArg(e, 3)))
	}
	if trans != 0 && width == 1 {
		return c.transposeBytes(e, from, base, matrices)
	}
	per := 4 / width // elements that a lane gets of a matrix
	o := c.ofWarp(e, "loads matrices")
	o.meet = func(ts []*thread) {
		c.wholeWarp(ts, "ptx_ldmatrix")
		for lane, t := range ts {
			t.got = make([]number, 0, matrices*per)
			for m := range matrices {
				for q := range per {
					row, col := int64(lane)/4, int64(lane)%4*per+q
					if trans != 0 {
						row, col = col, row
					}
					t.got = append(t.got, ts[m*8+row].mine[col])
				}
			}
		}
	}
	mine := c.loadsAt(from, tir.Add(base, wide(e.Args[6])), rowBytes/width)
	gives := func(fr *frame) bool { return fr.thread.index%mmaLanes < matrices*8 }
	return c.exchange(o, gives, mine, c.putsOf(e, 3, matrices*per))
}

// sharedArg returns the memory that ptx_ldmatrix loads from, and where in it.
func (c *compiler) sharedArg(e *tir.Call) (*tir.Buffer, tir.Expr) {
	switch x := e.Args[5].(type) {
	case *tir.Var:
		v := c.pointerArg(e, 5)
		return whole(v, elemOf(v)), tir.Int(0)
	case *tir.Call:
		if _, ok := tir.IsCallTo(x, tir.OpAccessPtr); ok && len(x.Args) == 5 {
			return whole(c.pointerArg(x, 1), x.Args[0].DType()), wide(x.Args[2])
		}
		if _, ok := tir.IsCallTo(x, tir.OpAddressOf); ok {
			if l, ok := x.Args[0].(*tir.BufferLoad); ok && len(l.Indices) == 1 && l.Buffer.ElemOffset == nil {
				return whole(l.Buffer.Data, l.Buffer.DType), wide(l.Indices[0])
			}
		}
	}
	c.fail("ptx_ldmatrix needs a pointer to shared memory: a variable, tvm_access_ptr, or address_of of an element of a flat buffer")
	return nil, nil
}

// transposeBytes compiles what ptx_ldmatrix is lowered to for transposed elements of 8 bits, which the instruction cannot do: each lane loads its 16 elements of
// 32 by 16, whose rows are as far apart as the last argument says.
func (c *compiler) transposeBytes(e *tir.Call, from *tir.Buffer, base tir.Expr, matrices int64) value {
	if matrices != 4 {
		c.fail("ptx_ldmatrix transposes 4 matrices of elements of 8 bits")
	}
	lane, set := c.laneVar()
	stride := wide(e.Args[6])
	to := c.pointerArg(e, 3)
	var list []tir.Stmt
	for i := range int64(16) {
		row := tir.Add(tir.Mul(tir.FloorMod(lane, tir.Int(4)), tir.Int(4)), tir.Int(i%8/4*16+i%4))
		col := tir.Add(tir.FloorDiv(lane, tir.Int(4)), tir.Int(i/8*8))
		value := tir.Load(from, tir.Add(base, tir.Add(tir.Mul(row, stride), col)))
		list = append(list, tir.Store(whole(to, elemOf(to)), value, tir.Add(wide(e.Args[4]), tir.Int(i))))
	}
	return c.perLane(set, tir.Seq(list...))
}

// laneVar returns a variable for the number of a thread in its warp, and what sets it.
func (c *compiler) laneVar() (*tir.Var, func(*frame)) {
	v := tir.NewVar("lane", dtype.Int64T)
	slot := c.define(v)
	return v, func(fr *frame) {
		if fr.thread == nil {
			fr.fail("an instruction of a warp is outside of the threads of a kernel")
		}
		fr.i[slot.n] = fr.thread.index % mmaLanes
	}
}

// perLane compiles what each thread does on its own.
func (c *compiler) perLane(set func(*frame), s tir.Stmt) value {
	run := c.stmt(s)
	return value{i: func(fr *frame) int64 {
		set(fr)
		run(fr)
		return 0
	}}
}

// ownPart returns where the n elements of a lane begin, of what index of an instruction begins with those of the warp: memory of a warp holds them one lane after
// the other, until tir.LowerWarpMemory gives each thread its own.
func ownPart(v *tir.Var, index tir.Expr, lane *tir.Var, n int64) tir.Expr {
	if scopeOf(v) == "warp" {
		return tir.Add(wide(index), tir.Mul(lane, tir.Int(n)))
	}
	return wide(index)
}

// mmaFill is mma_fill(number of elements, registers, index): each thread clears its elements.
func (c *compiler) mmaFill(e *tir.Call) value {
	c.inKernel("mma_fill")
	c.count(e, 3, 3)
	n, ok := tir.AsInt(e.Args[0])
	if !ok || n < 1 || n > 1<<10 {
		c.fail("mma_fill needs a constant from 1 to 1024 as the number of elements")
	}
	v := c.pointerArg(e, 1)
	lane, set := c.laneVar()
	return c.perLane(set, loop(tir.Int(n), func(i tir.Expr) tir.Stmt {
		return tir.Store(whole(v, elemOf(v)), tir.Const(elemOf(v), 0), tir.Add(ownPart(v, e.Args[2], lane, n), i))
	}))
}

// mmaStore is mma_store(16, 16, memory, registers, index, stride): each thread stores its 8 elements of two accumulators of 16 by 8.
func (c *compiler) mmaStore(e *tir.Call) value {
	c.inKernel("mma_store")
	c.count(e, 6, 6)
	if !tir.IsConst(e.Args[0], 16) || !tir.IsConst(e.Args[1], 16) {
		c.fail("mma_store stores 16 by 16 elements")
	}
	ptr, ok := tir.IsCallTo(e.Args[2], tir.OpAccessPtr)
	if !ok || len(ptr.Args) != 5 {
		c.fail("mma_store needs tvm_access_ptr for the memory to store to")
	}
	to := whole(c.pointerArg(ptr, 1), ptr.Args[0].DType())
	v := c.pointerArg(e, 3)
	lane, set := c.laneVar()
	var list []tir.Stmt
	for i := range int64(8) {
		row := tir.Add(tir.FloorDiv(lane, tir.Int(4)), tir.Int(i%4/2*8))
		col := tir.Add(tir.Mul(tir.FloorMod(lane, tir.Int(4)), tir.Int(2)), tir.Int(i/4*8+i%2))
		at := tir.Add(wide(ptr.Args[2]), tir.Add(tir.Mul(row, wide(e.Args[5])), col))
		value := tir.Load(whole(v, elemOf(v)), tir.Add(ownPart(v, e.Args[4], lane, 8), tir.Int(i)))
		list = append(list, tir.Store(to, tir.CastTo(to.DType, value), at))
	}
	return c.perLane(set, tir.Seq(list...))
}
