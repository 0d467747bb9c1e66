package x86

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native"
)

// maxSlots bounds the registers that one allocation becomes.
const maxSlots = 128

// maxFrameAlloc is the largest allocation, in bytes, that goes to the area for local arrays.
const maxFrameAlloc = 16 << 10

// slots is an allocation that is kept in registers: element i is lane i%k of vars[i/k].
type slots struct {
	elem dtype.DType
	k    int64
	vars []*variable
}

// allocate gives an allocation registers, a place in the area for local arrays, or a workspace.
func (g *gen) allocate(s *tir.Allocate) {
	what := lower.KindName(s)
	g.checkStorage(s.Type, what)
	if sl := g.tryslots(s); sl != nil {
		g.slots[s.Var] = sl
		g.stmt(s.Body)
		return
	}
	g.OwnClass(s.Var)
	n, known, err := lower.AllocatedElements(s, abi.StackBytes)
	if err != nil {
		g.fail(what, "%v", err)
	}
	bytes := n * elemBytes(s.Type)
	if known && bytes <= maxFrameAlloc && g.area.used+int(bytes)+64 <= g.area.size {
		g.vars[s.Var] = one(dtype.HandleT, g.frameAddress(int(bytes)))
		g.stmt(s.Body)
		return
	}
	g.workspace(s, what)
}

// frameAddress reserves bytes of the area for local arrays, which nothing else uses while the kernel runs.
func (g *gen) frameAddress(bytes int) *node {
	a := g.area
	at := a.used
	a.used += (bytes + 63) &^ 63
	if a.used > a.size {
		g.fail("tvm_stack_alloca", "the kernel's frame exceeds the %d bytes of the area for local arrays", a.size)
	}
	return g.fn(lower.Add, a.start(), g.i32(int32(at)))
}

// area is where local arrays are: that of the function, or of a chunk of a forked loop.
type area struct {
	start      func() *node
	used, size int
}

// word is a word that the host put into the frame for this call.
func (g *gen) word(at uint64, name string) *node { return g.Global(pWord, at, name) }

// workspace asks the host for memory and gives it back after the body.
func (g *gen) workspace(s *tir.Allocate, what string) {
	size := g.i64(int64(s.Type.Lanes) * elemBytes(s.Type))
	for _, e := range s.Extents {
		x := g.scalarExpr(e, what)
		if x.Type == tI32 {
			x = g.conv(lower.ExtendS, x)
		}
		size = g.fn(lower.Mul, size, x)
	}
	ptr := g.allocWorkspace(size)
	g.Branch(g.fn(lower.Eqz, ptr), "nomemory", func() { g.leave(native.StatusFailed) }, nil)
	g.vars[s.Var] = one(dtype.HandleT, ptr)
	g.stmt(s.Body)
	g.request(native.StatusFree, "freed", ptr)
}

// request asks something of the host: its answer goes to a register.
func (g *gen) request(status lower.Ref, name string, args ...*node) *node {
	it := item{Kind: lower.ItemCall, Callee: status, Args: args, HasRes: true, Reg: g.NewReg(name, tI32)}
	g.Add(it)
	return g.Stable(it.Reg, g.Cur, true)
}

// allocWorkspace returns the address of memory, 0 where there is none.
func (g *gen) allocWorkspace(size *node) *node {
	return g.request(native.StatusAlloc, "workspace", size)
}

// tryslots decides whether an allocation is kept in registers: all accesses must have constant indices, and those of vectors must be whole parts.
func (g *gen) tryslots(s *tir.Allocate) *slots {
	elem := s.Type.Elem()
	count, k := g.Effects.Slots(s, maxSlots, func(n int64) int64 {
		if elem.IsBool() {
			return 0
		}
		return int64(g.native(elem.WithLanes(int(n)), 0))
	})
	if k == 0 {
		return nil
	}
	t := typeOfWidth(partWidth(int(k), int(elem.Bits)))
	if k == 1 {
		t = g.valType(elem, lower.KindName(s))
	}
	out := &slots{elem: elem, k: k}
	for range count {
		out.vars = append(out.vars, g.NewVariable(s.Var.Name, t))
	}
	g.Instead[s.Var] = out.vars
	return out
}

// whole is the value of one register of slots.
func (s *slots) whole(n *node) value {
	return value{dt: s.elem.WithLanes(int(s.k)), parts: []*node{n}, packed: true}
}

// loadSlots reads registers. The scan has seen that the index is constant.
func (g *gen) loadSlots(s *slots, at int64, dt dtype.DType) value {
	n := int64(dt.Lanes)
	switch {
	case s.k == 1:
		out := value{dt: dt}
		for i := range n {
			out.parts = append(out.parts, g.Read(s.vars[at+i]))
		}
		if n > 1 {
			return g.pack(dt, out.parts)
		}
		return out
	case n == 1:
		return one(dt, g.extract(s.whole(g.Read(s.vars[at/s.k])), int(at%s.k)))
	}
	out := value{dt: dt, packed: true}
	for i := at / s.k; i < (at+n)/s.k; i++ {
		out.parts = append(out.parts, g.Read(s.vars[i]))
	}
	return out
}

// storeSlots assigns registers.
func (g *gen) storeSlots(s *slots, at int64, v value) {
	n := int64(v.dt.Lanes)
	switch {
	case s.k == 1:
		for i, x := range g.scalars(v) {
			g.Set(s.vars[at+int64(i)], x)
		}
	case n == 1:
		x := s.vars[at/s.k]
		old := s.whole(g.Read(x))
		bits := int(s.elem.Bits)
		lanes := make([]byte, max(16, int(s.k)*bits/8))
		for i := range bits / 8 {
			lanes[int(at%s.k)*bits/8+i] = 0xff
		}
		w := partWidth(int(s.k), bits)
		g.Set(x, g.vop(pBlend, 0, g.splatPart(s.elem.WithLanes(int(s.k)), v.scalar(), w), old.parts[0], g.vectorConst(string(lanes), w)))
	default:
		for i, part := range v.parts {
			g.Set(s.vars[at/s.k+int64(i)], part)
		}
	}
}

// promote runs a loop with the elements that it accumulates into kept in registers.
func (g *gen) promote(e *lower.LoopEffects, loop func()) {
	sums := g.Accumulators(e, func(v *tir.Var) bool { _, ok := g.vars[v]; return ok && g.slots[v] == nil })
	for _, a := range sums {
		x := g.bufferLoad(&tir.BufferLoad{Buffer: a.Buffer, Indices: []tir.Expr{a.Index}})
		for _, part := range x.parts {
			w := g.NewVariable(a.Pointer.Name+"_sum", part.Type)
			g.Set(w, part)
			g.Instead[a.Pointer] = append(g.Instead[a.Pointer], w)
		}
		g.promoted[a.Pointer] = value{dt: x.dt, mask: x.mask, packed: x.packed}
	}
	loop()
	for _, a := range sums {
		x := g.loadPromoted(a.Pointer)
		delete(g.promoted, a.Pointer)
		delete(g.Instead, a.Pointer)
		what := "BufferStore to " + a.Buffer.Name
		g.storeLanes(g.pointer(a.Pointer, what), g.Place(a.Buffer, []tir.Expr{a.Index}, what), x, a.Pointer, nil, what)
	}
}

func (g *gen) loadPromoted(v *tir.Var) value {
	out := g.promoted[v]
	for _, w := range g.Instead[v] {
		out.parts = append(out.parts, g.Read(w))
	}
	return out
}

func (g *gen) storePromoted(ptr *tir.Var, v value) {
	if form := g.promoted[ptr]; form.packed != v.packed {
		v = g.pack(v.dt, g.scalars(v))
		if !form.packed {
			v = value{dt: v.dt, parts: g.scalars(v)}
		}
	}
	for i, w := range g.Instead[ptr] {
		g.Set(w, v.parts[i])
	}
}
