package interp

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Intrinsics that move data run as the loops over loads and stores that they stand for, so that what is checked of accesses holds of them
// too. Copies that run beside the threads are done at once, and what waits for them has nothing to do: a program that reads such a
// copy without waiting is not found. A fragment of a matrix is memory of each thread, in which tile number i begins at i times its size, with
// its rows behind each other; so the threads of a warp each have all of it and compute the same.

// transferOf returns the statement that an intrinsic which moves data stands for, nil if e is none.
func (c *compiler) transferOf(e *tir.Call, name string) tir.Stmt {
	switch name {
	case "tir.ptx_cp_async":
		return c.cpAsync(e)
	case "tir.ptx_ldg32":
		return c.ldg32(e)
	case "tir.dma_copy":
		return c.dmaCopy(e)
	case "tir.tvm_fill_fragment":
		return c.fillFragment(e)
	case "tir.tvm_load_matrix_sync":
		return c.loadMatrix(e)
	case "tir.tvm_store_matrix_sync":
		return c.storeMatrix(e)
	case "tir.tvm_mma_sync":
		return c.multiplyFragments(e)
	case tir.OpTextureStore.Name:
		return c.textureStore(e)
	}
	return nil
}

// settled are the intrinsics that wait for transfers or group them.
var settled = map[string]bool{
	"tir.ptx_commit_group": true, "tir.ptx_wait_group": true, "tir.dma_wait": true, "tir.dma_start_group": true, "tir.dma_end_group": true,
}

// transfer compiles an intrinsic that moves data.
func (c *compiler) transfer(e *tir.Call, name string) (value, bool) {
	if settled[name] {
		return value{i: func(*frame) int64 { return 0 }}, true
	}
	if name == tir.OpTextureLoad.Name {
		return c.textureLoad(e), true
	}
	s := c.transferOf(e, name)
	if s == nil {
		return value{}, false
	}
	run := c.stmt(s)
	return value{i: func(fr *frame) int64 { run(fr); return 0 }}, true
}

// touches returns the pointers that an intrinsic writes and reads through.
func touches(e *tir.Call) (written, read []*tir.Var) {
	at := func(list ...int) (out []*tir.Var) {
		for _, i := range list {
			if v := pointerOf(e, i); v != nil {
				out = append(out, v)
			}
		}
		return out
	}
	switch e.Op.CalleeName() {
	case "tir.ptx_cp_async":
		return at(0), at(2)
	case "tir.dma_copy":
		return at(1), at(2)
	case "tir.ptx_ldg32", "tir.tvm_fill_fragment", tir.OpTextureStore.Name:
		return at(0), nil
	case tir.OpTextureLoad.Name:
		return nil, at(0)
	case "tir.tvm_load_matrix_sync":
		return at(0), at(5)
	case "tir.tvm_store_matrix_sync":
		return at(5), at(0)
	case "tir.ptx_mma":
		return at(10), at(6, 8, 10)
	case "tir.ptx_ldmatrix":
		return at(3), at(5)
	case "tir.mma_fill":
		return at(1), nil
	case "tir.mma_store":
		return at(2), at(3)
	}
	return nil, nil
}

// pointerOf returns the pointer that argument i of e is, or that it is made of; nil if there is none.
func pointerOf(e *tir.Call, i int) *tir.Var {
	if i >= len(e.Args) {
		return nil
	}
	x := e.Args[i]
	if call, ok := tir.IsCallTo(x, tir.OpAccessPtr); ok && len(call.Args) == 5 {
		x = call.Args[1]
	}
	if call, ok := tir.IsCallTo(x, tir.OpAddressOf); ok && len(call.Args) == 1 {
		if l, ok := call.Args[0].(*tir.BufferLoad); ok {
			return l.Buffer.Data
		}
	}
	v, _ := x.(*tir.Var)
	return v
}

// moved returns the pointers through which an intrinsic moves data.
func moved(e *tir.Call) []*tir.Var {
	to, from := touches(e)
	out := append(to, from...)
	if e.Op.CalleeName() == "tir.tvm_mma_sync" {
		for _, a := range e.Args {
			if v, ok := a.(*tir.Var); ok && v.DType().IsHandle() {
				out = append(out, v)
			}
		}
	}
	return out
}

// scopeOf is the scope of the memory that v points at.
func scopeOf(v *tir.Var) string {
	if p, ok := v.Type.(*ir.PointerType); ok && p.Scope != "" {
		return p.Scope
	}
	return "global"
}

// pointerArg returns argument i as the pointer that it has to be.
func (c *compiler) pointerArg(e *tir.Call, i int) *tir.Var {
	v, ok := e.Args[i].(*tir.Var)
	if !ok || c.lookup(v).pointer.view < 0 || elemOf(v) == (dtype.DType{}) {
		c.fail("%s needs a pointer to elements of a known type as argument %d", e.Op.CalleeName(), i)
	}
	return v
}

func (c *compiler) count(e *tir.Call, least, most int) {
	if len(e.Args) < least || len(e.Args) > most {
		c.fail("%s takes %d to %d arguments, here it has %d", e.Op.CalleeName(), least, most, len(e.Args))
	}
}

// whole is a flat view of the memory behind a pointer; how far it reaches is checked there.
func whole(v *tir.Var, d dtype.DType) *tir.Buffer {
	return &tir.Buffer{Data: v, DType: d, Shape: []tir.Expr{tir.Int(1 << 40)}, Name: v.Name}
}

func elemOf(v *tir.Var) dtype.DType {
	if p, ok := v.Type.(*ir.PointerType); ok {
		return ir.TypeDType(p.Elem).Elem()
	}
	return dtype.DType{}
}

func wide(e tir.Expr) tir.Expr { return tir.CastTo(dtype.Int64T, e) }

// loop runs body for n numbers.
func loop(n tir.Expr, body func(i tir.Expr) tir.Stmt) tir.Stmt {
	v := tir.NewVar("i", dtype.Int64T)
	return &tir.For{LoopVar: v, Min: tir.Int(0), Extent: wide(n), Kind: tir.Serial, Body: body(v)}
}

// cpAsync is ptx_cp_async(dst, offset, src, offset, bytes[, predicate]).
func (c *compiler) cpAsync(e *tir.Call) tir.Stmt {
	c.count(e, 5, 6)
	to, from := c.pointerArg(e, 0), c.pointerArg(e, 2)
	d := elemOf(from)
	bytes, ok := tir.AsInt(e.Args[4])
	width := int64(d.Bytes())
	if !ok || width == 0 || bytes%width != 0 || bytes != 4 && bytes != 8 && bytes != 16 {
		c.fail("ptx_cp_async copies 4, 8, or 16 bytes of elements whose type is known")
	}
	at := wide(e.Args[1])
	if elemOf(to) != d { // of merged memory, which is of bytes
		at = tir.FloorDiv(at, tir.Int(width/max(1, int64(elemOf(to).Bytes()))))
	}
	return loop(tir.Int(bytes/width), func(i tir.Expr) tir.Stmt {
		value := tir.Expr(tir.Load(whole(from, d), tir.Add(wide(e.Args[3]), i)))
		if len(e.Args) == 6 {
			value = tir.IfThenElseExpr(e.Args[5], value, tir.Const(d, 0))
		}
		return tir.Store(whole(to, d), value, tir.Add(at, i))
	})
}

// ldg32 is ptx_ldg32(register, predicate, load, index of the register).
func (c *compiler) ldg32(e *tir.Call) tir.Stmt {
	c.count(e, 4, 4)
	to := c.pointerArg(e, 0)
	return &tir.IfThenElse{Cond: e.Args[1], Then: tir.Store(whole(to, elemOf(to)), e.Args[2], wide(e.Args[3]))}
}

// dmaCopy is dma_copy(queue, address of dst, address of src, bytes, whether to bypass caches).
func (c *compiler) dmaCopy(e *tir.Call) tir.Stmt {
	c.count(e, 5, 5)
	var ends [2]*tir.BufferLoad
	for i := range ends {
		call, ok := tir.IsCallTo(e.Args[1+i], tir.OpAddressOf)
		if ok {
			ends[i], ok = call.Args[0].(*tir.BufferLoad)
		}
		if !ok || len(ends[i].Indices) != 1 {
			c.fail("dma_copy needs addresses of elements of flat buffers")
		}
	}
	n := tir.FloorDiv(wide(e.Args[3]), tir.Int(int64(ends[1].Buffer.DType.Bytes())))
	return loop(n, func(i tir.Expr) tir.Stmt {
		value := tir.Load(ends[1].Buffer, tir.Add(wide(ends[1].Indices[0]), i))
		return tir.Store(ends[0].Buffer, value, tir.Add(wide(ends[0].Indices[0]), i))
	})
}

// tile is a tile in a fragment.
type tile struct {
	buf        *tir.Buffer
	start      tir.Expr
	rows, cols int64
}

func (t tile) at(r, col tir.Expr) tir.Expr {
	return tir.Add(t.start, tir.Add(tir.Mul(r, tir.Int(t.cols)), col))
}

// tileOf returns tile number index of the fragment v, for matrices of m by n and k between them.
func tileOf(v *tir.Var, m, n, k int64, index tir.Expr) tile {
	t := tile{buf: whole(v, elemOf(v)), rows: m, cols: n}
	if p, ok := v.Type.(*ir.PointerType); ok {
		switch p.Scope {
		case "wmma.matrix_a":
			t.cols = k
		case "wmma.matrix_b":
			t.rows = k
		}
	}
	t.start = tir.Mul(wide(index), tir.Int(t.rows*t.cols))
	return t
}

// fragmentArg returns the tile that the first arguments of e name: fragment, m, n, k, index.
func (c *compiler) fragmentArg(e *tir.Call) tile {
	var size [3]int64
	for i := range size {
		n, ok := tir.AsInt(e.Args[1+i])
		if !ok || n < 1 || n > 1<<10 {
			c.fail("%s needs constants from 1 to 1024 for its shape", e.Op.CalleeName())
		}
		size[i] = n
	}
	return tileOf(c.pointerArg(e, 0), size[0], size[1], size[2], e.Args[4])
}

// each runs body for all rows and columns of t.
func (t tile) each(body func(r, col tir.Expr) tir.Stmt) tir.Stmt {
	return loop(tir.Int(t.rows), func(r tir.Expr) tir.Stmt {
		return loop(tir.Int(t.cols), func(col tir.Expr) tir.Stmt { return body(r, col) })
	})
}

// fillFragment is tvm_fill_fragment(fragment, m, n, k, index, value).
func (c *compiler) fillFragment(e *tir.Call) tir.Stmt {
	c.count(e, 6, 6)
	t := c.fragmentArg(e)
	return t.each(func(r, col tir.Expr) tir.Stmt {
		return tir.Store(t.buf, tir.CastTo(t.buf.DType, e.Args[5]), t.at(r, col))
	})
}

// matrix returns the place of an element in the matrix that the last arguments of e name: pointer, stride, layout.
func (c *compiler) matrix(e *tir.Call) (*tir.Buffer, func(r, col tir.Expr) tir.Expr) {
	layout, isText := e.Args[7].(*tir.StringImm)
	mem, start := c.matrixStart(e)
	if mem == nil || !isText || layout.Value != "row_major" && layout.Value != "col_major" {
		c.fail("%s needs tvm_access_ptr, or the address of an element of flat memory, and the layout row_major or col_major", e.Op.CalleeName())
	}
	return mem, func(r, col tir.Expr) tir.Expr {
		if layout.Value == "col_major" {
			r, col = col, r
		}
		return tir.Add(start, tir.Add(tir.Mul(r, wide(e.Args[6])), col))
	}
}

// matrixStart returns the memory that argument 5 of e points into, and the index of the element that it points at; nil if it is no such pointer.
func (c *compiler) matrixStart(e *tir.Call) (*tir.Buffer, tir.Expr) {
	if ptr, ok := tir.IsCallTo(e.Args[5], tir.OpAccessPtr); ok && len(ptr.Args) == 5 {
		return whole(c.pointerArg(ptr, 1), ptr.Args[0].DType()), wide(ptr.Args[2])
	}
	if at, ok := tir.IsCallTo(e.Args[5], tir.OpAddressOf); ok && len(at.Args) == 1 {
		if l, ok := at.Args[0].(*tir.BufferLoad); ok && len(l.Indices) == 1 && l.DType().Lanes <= 1 {
			return whole(l.Buffer.Data, l.Buffer.DType), wide(l.Indices[0]) // of merged memory, the shape is that of a part
		}
	}
	return nil, nil
}

// loadMatrix is tvm_load_matrix_sync(fragment, m, n, k, index, pointer, stride, layout).
func (c *compiler) loadMatrix(e *tir.Call) tir.Stmt {
	c.count(e, 8, 8)
	t := c.fragmentArg(e)
	mem, at := c.matrix(e)
	return t.each(func(r, col tir.Expr) tir.Stmt {
		return tir.Store(t.buf, tir.CastTo(t.buf.DType, tir.Load(mem, at(r, col))), t.at(r, col))
	})
}

// storeMatrix is tvm_store_matrix_sync(fragment, m, n, k, index, pointer, stride, layout).
func (c *compiler) storeMatrix(e *tir.Call) tir.Stmt {
	c.count(e, 8, 8)
	t := c.fragmentArg(e)
	mem, at := c.matrix(e)
	return t.each(func(r, col tir.Expr) tir.Stmt {
		return tir.Store(mem, tir.CastTo(mem.DType, tir.Load(t.buf, t.at(r, col))), at(r, col))
	})
}

// multiplyFragments is tvm_mma_sync(d, index, a, index, b, index, c, index): d = a*b + c. The shapes are those of the loads of a.
func (c *compiler) multiplyFragments(e *tir.Call) tir.Stmt {
	c.count(e, 8, 8)
	m, n, k := c.shapeOf(c.pointerArg(e, 2))
	d, a := tileOf(c.pointerArg(e, 0), m, n, k, e.Args[1]), tileOf(c.pointerArg(e, 2), m, n, k, e.Args[3])
	b, acc := tileOf(c.pointerArg(e, 4), m, n, k, e.Args[5]), tileOf(c.pointerArg(e, 6), m, n, k, e.Args[7])
	return d.each(func(r, col tir.Expr) tir.Stmt {
		to := d.at(r, col)
		first := tir.Store(d.buf, tir.CastTo(d.buf.DType, tir.Load(acc.buf, acc.at(r, col))), to)
		return tir.Seq(first, loop(tir.Int(k), func(i tir.Expr) tir.Stmt {
			product := tir.Mul(tir.CastTo(d.buf.DType, tir.Load(a.buf, a.at(r, i))), tir.CastTo(d.buf.DType, tir.Load(b.buf, b.at(i, col))))
			return tir.Store(d.buf, tir.Add(tir.Load(d.buf, to), product), to)
		}))
	})
}

// shapeOf returns the shape that fragment v, or what it is a view of, is loaded or filled with.
func (c *compiler) shapeOf(v *tir.Var) (m, n, k int64) {
	source := map[*tir.Var]*tir.Var{} // of the views that blocks have of fragments
	whole := func(v *tir.Var) *tir.Var {
		for source[v] != nil {
			v = source[v]
		}
		return v
	}
	ir.Walk(c.fn.fn.Body, func(x ir.Node) bool {
		if b, ok := x.(*tir.Block); ok {
			for _, m := range b.MatchBuffers {
				source[m.Buffer.Data] = m.Source.Buffer.Data
			}
		}
		return true
	})
	ir.Walk(c.fn.fn.Body, func(x ir.Node) bool {
		e, ok := x.(*tir.Call)
		if !ok || len(e.Args) < 6 {
			return m == 0
		}
		if of, ok := e.Args[0].(*tir.Var); !ok || whole(of) != whole(v) {
			return m == 0
		}
		switch e.Op.CalleeName() {
		case "tir.tvm_fill_fragment", "tir.tvm_load_matrix_sync", "tir.tvm_store_matrix_sync":
			m, _ = tir.AsInt(e.Args[1])
			n, _ = tir.AsInt(e.Args[2])
			k, _ = tir.AsInt(e.Args[3])
		}
		return m == 0
	})
	if m < 1 || n < 1 || k < 1 || m > 1<<10 || n > 1<<10 || k > 1<<10 {
		c.fail("tvm_mma_sync multiplies fragment %s, which is neither loaded nor filled", v.Name)
	}
	return m, n, k
}
