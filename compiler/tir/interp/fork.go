package interp

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// axis is a dimension of the threads of a kernel: where a thread finds its index and the extent.
type axis struct {
	tag           string
	index, extent int // slots of integers
}

// maxThreads bounds the threads that run at the same time: coroutines, with their variables. GPUs have 1024 in a block.
const maxThreads = 1 << 14

// launch compiles a loop over threads, or the attribute that launches them.
func (c *compiler) launch(l launch) stmtFn {
	if c.kernel == nil {
		c.kernel = c.plan(l)
		defer func() { c.kernel = nil }()
		if c.kernel.full {
			return c.launchAll(l)
		}
	}
	if a := c.axis(l.tag); a != nil && (c.kernel.full || !isVirtual(l.tag)) {
		return c.again(l, *a)
	}
	if c.kernel.full && c.kernel.find(l.body).any() {
		c.fail("threads of %s wait for each other inside of a loop over virtual threads (%s), whose barriers have no meaning: replace virtual threads by loops first", c.kernel.launches[0].tag, l.tag)
	}
	if c.kernel.full || isBlock(l.tag) || !c.kernel.find(l.body).step {
		return c.oneByOne(l)
	}
	return c.lockstep(l)
}

// axis returns that of the innermost enclosing launch of a tag, nil if there is none.
func (c *compiler) axis(tag string) *axis {
	for i := len(c.axes) - 1; i >= 0; i-- {
		if c.axes[i].tag == tag {
			return &c.axes[i]
		}
	}
	return nil
}

// newAxis makes slots for an axis.
func (c *compiler) newAxis(tag string) axis {
	c.fn.nInt += 2
	return axis{tag, c.fn.nInt - 2, c.fn.nInt - 1}
}

// within compiles what body compiles with axes around it.
func (c *compiler) within(axes []axis, body func() stmtFn) stmtFn {
	n := len(c.axes)
	c.axes = append(c.axes, axes...)
	defer func() { c.axes = c.axes[:n] }()
	return body()
}

// binder compiles the variables of a launch: they are its start plus the index. What undo returns takes variables out of scope again that a
// launch further in may define once more.
func (c *compiler) binder(l launch) (bind func(fr *frame, index int64), undo func()) {
	lo := func(*frame) int64 { return 0 }
	if l.min != nil {
		lo = c.int(l.min)
	}
	var slots []int
	for _, v := range l.vars {
		slots = append(slots, c.define(v).n)
		c.tags[v] = l.tag
	}
	undo = func() {}
	if _, attr := l.node.(*tir.AttrStmt); attr {
		undo = func() { delete(c.slots, l.vars[0]) }
	} else if loop, ok := l.node.(*tir.For); ok {
		c.loops[loop.LoopVar] = loop
	}
	if len(slots) == 1 {
		s := slots[0]
		return func(fr *frame, index int64) { fr.i[s] = lo(fr) + index }, undo
	}
	return func(fr *frame, index int64) {
		x := lo(fr) + index
		for _, s := range slots {
			fr.i[s] = x
		}
	}, undo
}

// again compiles the launch of threads that were launched further out already: it binds variables. One with another extent is a loop of its own
// where that has a meaning.
func (c *compiler) again(l launch, a axis) stmtFn {
	if _, known := c.slots[l.vars[0]]; known && l.min == nil {
		return c.stmt(l.body)
	}
	n := c.int(l.extent)
	bind, undo := c.binder(l)
	body, begin := c.iteration(l.body)
	undo()
	full, tag := c.kernel.full, l.tag
	return func(fr *frame) ctl {
		if end := n(fr); end != fr.i[a.extent] {
			if full {
				fr.fail("%s is launched with extents %d and %d in one kernel", tag, fr.i[a.extent], end)
			}
			if begin != nil {
				begin(fr)
			}
			return eachIndex(fr, end, bind, body)
		}
		if begin != nil {
			begin(fr)
		}
		bind(fr, fr.i[a.index])
		return body(fr)
	}
}

func eachIndex(fr *frame, end int64, bind func(*frame, int64), body stmtFn) ctl {
	for k := range max(end, 0) {
		fr.m.step(fr)
		bind(fr, k)
		if body(fr) == ctlReturn {
			return ctlReturn
		}
	}
	return ctlNext
}

// oneByOne compiles a launch as a loop.
func (c *compiler) oneByOne(l launch) stmtFn {
	n := c.int(l.extent)
	a := c.newAxis(l.tag)
	bind, undo := c.binder(l)
	var begin func(*frame)
	body := c.within([]axis{a}, func() (out stmtFn) { out, begin = c.iteration(l.body); return out })
	undo()
	set := func(fr *frame, k int64) {
		fr.i[a.index] = k
		bind(fr, k)
	}
	return func(fr *frame) ctl {
		end := n(fr)
		fr.i[a.extent] = end
		if begin != nil {
			begin(fr)
		}
		return eachIndex(fr, end, set, body)
	}
}

// lockstep compiles a launch, and those directly inside of it, as a fork of coroutines that run the statements of the body one after the
// other: what is outside of the launch runs once.
func (c *compiler) lockstep(l launch) stmtFn {
	var axes []axis
	var extents []intFn
	var binds []func(*frame, int64)
	var body stmtFn
	for {
		extents = append(extents, c.int(l.extent))
		a := c.newAxis(l.tag)
		bind, undo := c.binder(l)
		defer undo()
		axes, binds = append(axes, a), append(binds, bind)
		next, ok := launchOf(l.body)
		if !ok || isBlock(next.tag) || c.taken(next, axes) || dependsOn(next, l) {
			break
		}
		l = next
	}
	body = c.within(axes, func() stmtFn { return c.stmt(l.body) })
	return func(fr *frame) ctl {
		sizes := make([]int64, len(axes))
		total := int64(1)
		for k, n := range extents {
			sizes[k] = max(n(fr), 0)
			fr.i[axes[k].extent] = sizes[k]
			total = threadsOf(fr, total, sizes[k])
		}
		g := &group{m: fr.m, outer: fr.thread, threads: make([]*thread, total)}
		b := &block{allocs: map[allocation]int64{}, launch: &launched{warp: warpSize}}
		if fr.thread != nil {
			b = fr.thread.block
		}
		release := fr.m.reserve(fr, total)
		for i := range g.threads {
			t := &thread{block: b, index: int64(i)}
			t.fr = fr.fork(t)
			rest := int64(i)
			for k := len(axes) - 1; k >= 0; k-- {
				x := rest % sizes[k]
				rest /= sizes[k]
				t.fr.i[axes[k].index] = x
			}
			for k, bind := range binds {
				bind(t.fr, t.fr.i[axes[k].index])
			}
			t.start(body)
			g.threads[i] = t
		}
		g.run()
		release()
		if fr.thread == nil {
			b.free(fr.m)
		}
		return ctlNext
	}
}

// taken tells whether the threads of a launch are those of an enclosing one.
func (c *compiler) taken(l launch, axes []axis) bool {
	for _, a := range axes {
		if a.tag == l.tag {
			return true
		}
	}
	return c.axis(l.tag) != nil
}

// dependsOn tells whether the bounds of a launch use the variables of the one around it.
func dependsOn(inner, outer launch) bool {
	of := func(n ir.Node) bool {
		return slices.ContainsFunc(outer.vars, func(v *tir.Var) bool { return n == ir.Node(v) })
	}
	return ir.Any(inner.min, of) || ir.Any(inner.extent, of)
}

func threadsOf(fr *frame, a, b int64) int64 {
	if b != 0 && a > maxThreads/b {
		fr.fail("more than %d threads run at the same time: the limit of the interpreter", maxThreads)
	}
	return a * b
}

// reserve counts the memory of n threads and returns what gives it back.
func (m *machine) reserve(fr *frame, n int64) func() {
	size := n * int64(8*(len(fr.i)+len(fr.f)+2*len(fr.views))+4096)
	m.charge(fr, size)
	return func() { m.bytes -= size }
}

// fork returns a copy of fr for thread t.
func (fr *frame) fork(t *thread) *frame {
	out := *fr
	out.i, out.f, out.views = append([]int64{}, fr.i...), append([]float64{}, fr.f...), append([]view{}, fr.views...)
	out.vec, out.pos, out.thread = make([]lanes, len(fr.vec)), append([]int64{}, fr.pos...), t
	return &out
}

// threadName compiles the name of the thread that runs: "blockIdx.x=0, threadIdx.x=3".
func (c *compiler) threadName() func(*frame) string {
	axes := append([]axis{}, c.axes...)
	return func(fr *frame) string { return nameThread(axes, func(a axis) int64 { return fr.i[a.index] }) }
}

func nameThread(axes []axis, index func(axis) int64) string {
	var parts []string
	for _, a := range axes {
		parts = append(parts, a.tag+"="+itoa(index(a)))
	}
	return strings.Join(parts, ", ")
}
