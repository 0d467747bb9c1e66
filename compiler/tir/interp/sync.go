package interp

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ofThread compiles the intrinsics at which threads wait for each other.
func (c *compiler) ofThread(e *tir.Call, name string) (value, bool) {
	switch name {
	case tir.OpStorageSync.Name:
		return c.barrier(e), true
	case "tir.tvm_warp_shuffle", "tir.tvm_warp_shuffle_up", "tir.tvm_warp_shuffle_down":
		return c.shuffleThreads(e, name), true
	case "tir.tvm_warp_activemask":
		return c.activeMask(e), true
	case tir.OpThreadAllreduce.Name:
		return c.allreduce(e), true
	case "tir.atomic_add":
		return c.atomic(e, "add", e.Args), true
	}
	return value{}, false
}

// barrier compiles tvm_storage_sync. That of shared memory is for all memory of the block, as in CUDA.
func (c *compiler) barrier(e *tir.Call) value {
	o := &operation{what: reachBlock, barrier: true, site: c.site("waits at a barrier", e)}
	o.meet = func(ts []*thread) {
		ts[0].block.settle(ts[0].fr)
		ts[0].block.epoch++
	}
	switch syncScope(e) {
	case "warp":
		o.what = reachWarp
		o.meet = func(ts []*thread) { ts[0].block.warps[ts[0].warp]++ }
	case "global":
		o.what = reachGrid
		o.meet = func(ts []*thread) { ts[0].block.launch.grid++ }
	}
	return value{i: func(fr *frame) int64 {
		fr.wait(o)
		return 0
	}}
}

// inKernel fails if an operation of threads is outside of them.
func (c *compiler) inKernel(name string) {
	if c.kernel == nil {
		c.fail("%s is outside of the threads of a kernel", name)
	}
}

// activeMask compiles tvm_warp_activemask: the threads of the warp that are here, as bits by lane.
func (c *compiler) activeMask(e *tir.Call) value {
	c.inKernel("tvm_warp_activemask")
	o := &operation{what: reachWarp, site: c.site("asks for the active threads", e)}
	o.meet = func(ts []*thread) {
		mask := int64(0)
		for _, t := range ts {
			mask |= 1 << (t.index % t.block.launch.warp)
		}
		for _, t := range ts {
			t.mask = mask
		}
	}
	d := e.Type.Elem()
	return value{i: func(fr *frame) int64 {
		fr.wait(o)
		return wrap(d, fr.thread.mask)
	}}
}

// shuffleThreads compiles tvm_warp_shuffle(mask, value, lane, width, warp size) and its variants up and down, whose third argument is a distance. A
// warp is cut into groups of width lanes; a lane beyond the group of a thread gives the thread its own value, and that of
// tvm_warp_shuffle is taken modulo width. Up and down, a lane beyond the threads of the block gives what is undefined: sums of a part of a warp read it
// in threads whose sum nobody needs.
func (c *compiler) shuffleThreads(e *tir.Call, name string) value {
	c.inKernel(name)
	if len(e.Args) != 5 {
		c.fail("%s takes 5 arguments, here it has %d", name, len(e.Args))
	}
	v, arg, width := c.expr(e.Args[1]), c.int(e.Args[2]), c.int(e.Args[3])
	here := c.site("takes part in a shuffle", e)
	o := &operation{what: reachWarp, site: here}
	o.meet = func(ts []*thread) {
		for _, t := range ts {
			t.got = t.mine
			if t.lane < 0 {
				continue
			}
			var from *thread
			for _, x := range ts {
				if x.index%warp(x) == t.lane {
					from = x
				}
			}
			if from == nil && name != "tir.tvm_warp_shuffle" && t.lane+t.index-t.index%warp(t) >= int64(t.block.size) {
				t.got = []number{t.undefined()}
				continue
			}
			if from == nil {
				t.fr.fault(&ThreadFault{Kind: Absent, First: site{"reads lane " + itoa(t.lane), here.node, here.span}.access(t.name()), Second: Access{
					Thread: "lane " + itoa(t.lane) + " of the warp",
				}})
			}
			t.got = from.mine
		}
	}
	swap := func(fr *frame) number {
		t := fr.thread
		if t == nil {
			fr.fail("%s is outside of the threads of a kernel", name)
		}
		w, n, self := width(fr), arg(fr), t.index%t.block.launch.warp
		if w <= 0 || w&(w-1) != 0 || w > t.block.launch.warp {
			fr.fail("%s has a width of %d: a power of 2 up to the size of a warp, %d, is needed", name, w, t.block.launch.warp)
		}
		base := self / w * w
		t.lane = -1
		switch name {
		case "tir.tvm_warp_shuffle":
			t.lane = base + tir.FloorModInt(n, w)
		case "tir.tvm_warp_shuffle_up":
			if n >= 0 && self-n >= base {
				t.lane = self - n
			}
		default:
			if n >= 0 && self+n < base+w {
				t.lane = self + n
			}
		}
		one := number{}
		if v.f != nil {
			one.f = v.f(fr)
		} else {
			one.i = v.i(fr)
		}
		t.mine = []number{one}
		fr.wait(o)
		return t.got[0]
	}
	if v.f != nil {
		return value{f: func(fr *frame) float64 { return swap(fr).f }}
	}
	return value{i: func(fr *frame) int64 { return swap(fr).i }}
}

// warp returns the number of threads in a warp of t.
func warp(t *thread) int64 { return t.block.launch.warp }

// undefined is what memory holds that nothing was written to.
func (t *thread) undefined() number {
	if t.fr.m.opts.Zeroed {
		return number{}
	}
	return number{f: math.NaN(), i: -1}
}

// atomic compiles an update of the element at a pointer that no other thread comes between: it returns what was there.
func (c *compiler) atomic(e *tir.Call, how string, args []tir.Expr) value {
	if len(args) != 2 {
		c.fail("an atomic update takes a pointer and a value, here it has %d arguments", len(args))
	}
	b, at := c.pointedTo(args[0], args[1].DType())
	t := c.place(b, at)
	x := c.track(doesUpdate, e, nil, &t)
	if b.DType.IsFloat() != args[1].DType().IsFloat() || t.lanes != 1 {
		c.fail("an atomic update of a %s with a %s", b.DType, args[1].DType())
	}
	note := func(fr *frame, off int64) {
		if x != nil && fr.thread != nil {
			x.note(fr, off, true)
		}
	}
	if b.DType.IsFloat() {
		v, load, put, r := c.float(args[1]), t.loadFloat(), t.storeFloat(), rounder(b.DType)
		return value{f: func(fr *frame) float64 {
			y, old := v(fr), load(fr)
			z := map[string]float64{"add": old + y, "max": max(old, y), "min": min(old, y)}[how]
			if r != nil {
				z = r(z)
			}
			off := t.at(fr)
			put(fr, off, z)
			note(fr, off)
			return old
		}}
	}
	v, load, put, d := c.int(args[1]), t.loadInt(), t.storeInt(), b.DType.Elem()
	return value{i: func(fr *frame) int64 {
		y, old := v(fr), load(fr)
		z := map[string]int64{"add": wrap(d, old+y), "max": max(old, y), "min": min(old, y)}[how]
		off := t.at(fr)
		put(fr, off, z)
		note(fr, off)
		return old
	}}
}

// pointedTo returns the element that a pointer expression names.
func (c *compiler) pointedTo(p tir.Expr, d dtype.DType) (*tir.Buffer, []tir.Expr) {
	switch p := p.(type) {
	case *tir.BufferLoad:
		return p.Buffer, p.Indices
	case *tir.Call:
		switch p.Op.CalleeName() {
		case tir.OpAddressOf.Name:
			if l, ok := p.Args[0].(*tir.BufferLoad); ok {
				return l.Buffer, l.Indices
			}
		case tir.OpAccessPtr.Name:
			if data, ok := p.Args[1].(*tir.Var); ok && c.lookup(data).pointer.view >= 0 {
				b := &tir.Buffer{Data: data, DType: d, Name: data.Name, Shape: []tir.Expr{tir.Int(1 << 40)}}
				return b, []tir.Expr{p.Args[2]}
			}
		}
	}
	c.fail("an atomic update needs the address of an element of a buffer")
	return nil, nil
}

// atomicNames are functions of C dialects that update memory atomically.
var atomicNames = map[string]string{"atomicAdd": "add", "atomicMax": "max", "atomicMin": "min", "atomic_add": "add", "atomic_max": "max", "atomic_min": "min"}

// allreduce compiles tvm_thread_allreduce(n, n values, condition, n elements, threads): the values of all threads that differ in the given threads
// only, those whose condition holds, are combined, and each thread gets the results in its elements.
func (c *compiler) allreduce(e *tir.Call) value {
	c.inKernel("tvm_thread_allreduce")
	r := c.reducer
	n, ok := tir.AsInt(e.Args[0])
	if r == nil || !ok || n < 1 || n > 64 || int(n) != len(r.Result) || len(e.Args) < int(2+2*n) {
		c.fail("tvm_thread_allreduce needs an attribute reduce_scope with a reducer of as many values around it")
	}
	k := int(n)
	values := make([]value, k)
	for i, x := range e.Args[1 : 1+k] {
		values[i] = c.expr(x)
	}
	cond := c.int(e.Args[1+k])
	puts := make([]func(*frame, number), k)
	for i, x := range e.Args[2+k : 2+2*k] {
		puts[i] = c.resultElement(x)
	}
	over := map[string]bool{}
	for _, x := range e.Args[2+2*k:] {
		if v, ok := x.(*tir.Var); ok {
			if c.tags[v] == "" {
				c.fail("tvm_thread_allreduce reduces over %s, which is no thread", v.Name)
			}
			over[c.tags[v]] = true
		} else if !tir.IsConst(x, 0) {
			c.fail("tvm_thread_allreduce reduces over something that is no thread")
		}
	}
	combine, identity := c.combiner(r)
	var keep []axis
	for _, a := range c.axes {
		if !isBlock(a.tag) && !over[a.tag] {
			keep = append(keep, a)
		}
	}
	o := &operation{what: reachBlock, site: c.site("takes part in a reduction of threads", e)}
	o.meet = func(ts []*thread) {
		sums := map[string][]number{}
		key := func(t *thread) string { return nameThread(keep, func(a axis) int64 { return t.fr.i[a.index] }) }
		for _, t := range ts {
			if sum, ok := sums[key(t)]; ok {
				sums[key(t)] = combine(ts[0].fr, sum, t.mine)
			} else {
				sums[key(t)] = t.mine
			}
		}
		for _, t := range ts {
			t.got = sums[key(t)]
		}
	}
	return value{i: func(fr *frame) int64 {
		t := fr.thread
		if cond(fr) != 0 {
			t.mine = make([]number, k)
			for i, v := range values {
				t.mine[i] = v.number(fr)
			}
		} else {
			t.mine = identity(fr)
		}
		fr.wait(o)
		for i, put := range puts {
			put(fr, t.got[i])
		}
		return 0
	}}
}

func (v value) number(fr *frame) number {
	if v.f != nil {
		return number{f: v.f(fr)}
	}
	return number{i: v.i(fr)}
}

// resultElement compiles what stores to the element of a buffer that an argument of tvm_thread_allreduce is.
func (c *compiler) resultElement(x tir.Expr) func(*frame, number) {
	if cast, ok := x.(*tir.Cast); ok {
		x = cast.Value
	}
	l, ok := x.(*tir.BufferLoad)
	if !ok {
		c.fail("tvm_thread_allreduce needs elements of buffers for its results")
	}
	t := c.place(l.Buffer, l.Indices)
	if t.elem.IsFloat() {
		put := t.storeFloat()
		return func(fr *frame, n number) { put(fr, t.at(fr), n.f) }
	}
	put := t.storeInt()
	return func(fr *frame, n number) { put(fr, t.at(fr), n.i) }
}

// combiner compiles a reducer: what combines two lists of values, and the identity.
func (c *compiler) combiner(r *tir.CommReducer) (combine func(fr *frame, a, b []number) []number, identity func(*frame) []number) {
	sides := [2][]slot{}
	for i, vars := range [][]*tir.Var{r.LHS, r.RHS} {
		for _, v := range vars {
			sides[i] = append(sides[i], c.define(v))
		}
	}
	list := func(es []tir.Expr) func(*frame) []number {
		vs := make([]value, len(es))
		for i, e := range es {
			vs[i] = c.expr(e)
		}
		return func(fr *frame) []number {
			out := make([]number, len(vs))
			for i, v := range vs {
				out[i] = v.number(fr)
			}
			return out
		}
	}
	result := list(r.Result)
	return func(fr *frame, a, b []number) []number {
		for i, from := range [][]number{a, b} {
			for k, s := range sides[i] {
				if s.float {
					fr.f[s.n] = from[k].f
				} else {
					fr.i[s.n] = from[k].i
				}
			}
		}
		return result(fr)
	}, list(r.Identity)
}
