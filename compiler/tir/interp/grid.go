package interp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/tir"
)

// warpSize is the number of threads in a warp where no shuffle says another.
const warpSize = 32

// launchAll compiles the outermost launch of a kernel whose threads are forked all at once: each thread of a block runs the statement l, where launches
// bind variables. Blocks run one after the other, unless they wait for each other.
func (c *compiler) launchAll(l launch) stmtFn {
	k := c.kernel
	var axes []axis
	var extents []intFn
	for _, x := range k.launches {
		if isVirtual(x.tag) || slices.ContainsFunc(axes, func(a axis) bool { return a.tag == x.tag }) {
			continue
		}
		c.knownHere(x)
		axes = append(axes, c.newAxis(x.tag))
		extents = append(extents, c.int(x.extent))
	}
	order := make([]int, len(axes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rankOf(axes[i].tag), rankOf(axes[j].tag)) })
	copies := c.copies(l.node)
	body := c.within(axes, func() stmtFn { return c.stmt(l.node) })
	warp := k.warp
	return func(fr *frame) ctl {
		if fr.thread != nil {
			fr.fail("a kernel is launched inside of a thread")
		}
		run := &launched{warp: warp, axes: make([]axis, len(axes)), extent: make([]int64, len(axes))}
		blocks, size := int64(1), int64(1)
		for to, from := range order {
			a, n := axes[from], max(extents[from](fr), 0)
			run.axes[to], run.extent[to] = a, n
			fr.i[a.extent] = n
			if isBlock(a.tag) {
				if n != 0 && blocks > 1<<32/n {
					fr.fail("a grid of more than 2^32 blocks")
				}
				blocks *= n
			} else {
				size = threadsOf(fr, size, n)
			}
		}
		run.first, run.size = fr.m.serials+1, uint32(size)
		fr.m.runs = append(fr.m.runs, run)
		together := int64(1)
		if k.grid {
			together = blocks
		}
		for at := int64(0); at < blocks; at += together {
			fr.m.step(fr)
			g := &group{m: fr.m}
			release := fr.m.reserve(fr, threadsOf(fr, together, size))
			var residents []*block
			for i := range together {
				residents = append(residents, run.fork(fr, g, at+i, body, copies))
			}
			g.run()
			release()
			for _, b := range residents {
				b.settle(fr)
				b.free(fr.m)
			}
		}
		return ctlNext
	}
}

// rankOf orders axes: threads before blocks, x before y before z, so that neighbours in x are neighbours in a warp.
func rankOf(tag string) string {
	if isBlock(tag) {
		return "1" + tag
	}
	return "0" + tag
}

// knownHere fails if the extent of a launch uses what is defined inside of the kernel.
func (c *compiler) knownHere(l launch) {
	for _, v := range freeVars(l.extent) {
		if _, ok := c.slots[v]; !ok {
			c.fail("the extent of %s uses %s, which is not known where the kernel is launched", l.tag, v.Name)
		}
	}
}

// fork adds the threads of block number to g.
func (run *launched) fork(fr *frame, g *group, number int64, body stmtFn, copies []copied) *block {
	b := &block{launch: run, serial: fr.m.serials + 1, size: run.size, allocs: map[allocation]int64{}}
	if uint64(fr.m.serials)+uint64(run.size) >= 1<<32 {
		fr.fail("more than 2^32 threads")
	}
	fr.m.serials += run.size
	b.warps = make([]uint32, (int64(run.size)+run.warp-1)/run.warp)
	for i := range int64(run.size) {
		t := &thread{block: b, index: i, serial: b.serial + uint32(i), warp: uint32(i / run.warp)}
		t.fr = fr.fork(t)
		inner, outer := i, number
		for k, a := range run.axes {
			at := &inner
			if isBlock(a.tag) {
				at = &outer
			}
			t.fr.i[a.index] = *at % run.extent[k]
			*at /= run.extent[k]
		}
		for _, x := range copies {
			t.fr.bind(x.ptr, x.of(fr, t))
		}
		t.start(body)
		g.threads = append(g.threads, t)
	}
	return b
}

// indexOf returns the index of a thread, by its number in the block and that of the block, along an axis of the kernel.
func (run *launched) indexOf(serial uint32, a axis) int64 {
	inner, outer := int64(serial-run.first)%int64(run.size), int64(serial-run.first)/int64(run.size)
	for k, x := range run.axes {
		at := &inner
		if isBlock(x.tag) {
			at = &outer
		}
		if x.tag == a.tag {
			return *at % run.extent[k]
		}
		*at /= run.extent[k]
	}
	return 0
}

// copied is memory that is allocated outside of a kernel and of which each block, warp or thread has its own.
type copied struct {
	ptr   pointer
	key   *tir.Var
	scope string
	name  string
}

// copies lists the memory that n uses, of scopes that a device has for each block or thread, and that is allocated around it.
func (c *compiler) copies(n tir.Stmt) []copied {
	v := surveyOf(n)
	var out []copied
	for _, p := range c.owned {
		scope, used := v.scopes[p]
		if used && (isShared(scope) || strings.HasPrefix(scope, "local")) {
			out = append(out, copied{c.lookup(p).pointer, p, scope, p.Name})
		}
	}
	return out
}

// of returns the memory of thread t.
func (x copied) of(fr *frame, t *thread) int64 {
	outer := fr.m.regions[fr.i[x.ptr.slot]>>offsetBits]
	if outer == nil {
		return 0
	}
	size := int64(len(outer.data))
	key := allocation{site: x.key}
	if !isShared(x.scope) {
		key.thread = t.index + 1
	} else if x.scope == "warp" {
		key.warp = int64(t.warp) + 1
	}
	return t.block.alloc(fr, key, size, outer.width, isShared(x.scope))
}
