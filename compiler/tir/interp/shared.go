package interp

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// allocation names memory of a block: where it is allocated, and the warp, the thread, or the virtual threads that have it alone.
type allocation struct {
	site         *tir.Var
	warp, thread int64
	virtual      string
}

// alloc returns the memory of a block for an allocation: all threads that come to it get the same, also when they come again. A GPU
// gives it to a block as a whole, for as long as the block runs.
func (b *block) alloc(fr *frame, key allocation, size, width int64, shared bool) int64 {
	if h, ok := b.allocs[key]; ok && int64(len(fr.m.regions[h>>offsetBits].data)) == size {
		return h
	}
	h := fr.m.alloc(fr, size)
	r := fr.m.regions[h>>offsetBits]
	r.width, r.fresh = width, shared
	if old, ok := b.allocs[key]; ok { // of another size; others may still use it
		b.allocs[allocation{site: key.site, warp: -1, thread: old}] = old
	}
	b.allocs[key] = h
	return h
}

// free releases the memory of the block.
func (b *block) free(m *machine) {
	for _, h := range b.allocs {
		m.release(h)
	}
	b.allocs = nil
}

// provider compiles how an allocation gets its memory, and whether each run of the statement gives it back: that of a scope that threads share
// inside of a kernel belongs to the block.
func (c *compiler) provider(data *tir.Var, width int64) (get func(fr *frame, size int64) int64, own bool) {
	p, _ := data.Type.(*ir.PointerType)
	if c.kernel == nil || p == nil || !isShared(p.Scope) {
		return func(fr *frame, size int64) int64 {
			h := fr.m.alloc(fr, size)
			fr.m.regions[h>>offsetBits].width = width
			return h
		}, true
	}
	var virtual []axis
	for _, a := range c.axes {
		if isVirtual(a.tag) {
			virtual = append(virtual, a)
		}
	}
	warp := func(*frame) int64 { return 0 }
	if p.Scope == "warp" {
		linear, size := c.linear(), max(c.kernel.warp, 1)
		warp = func(fr *frame) int64 { return linear(fr)/size + 1 }
	}
	return func(fr *frame, size int64) int64 {
		if fr.thread == nil {
			return fr.m.alloc(fr, size)
		}
		key := allocation{site: data, warp: warp(fr)}
		if virtual != nil {
			key.virtual = nameThread(virtual, func(a axis) int64 { return fr.i[a.index] })
		}
		return fr.thread.block.alloc(fr, key, size, width, true)
	}, false
}

// give releases memory that provider gave outside of threads.
func (fr *frame) give(h int64, own bool) {
	if own || fr.thread == nil {
		fr.m.release(h)
	}
}

// linear compiles the number of the thread in its block, x first.
func (c *compiler) linear() intFn {
	var axes []axis
	for _, dim := range []string{"x", "y", "z"} {
		if a := c.axis("threadIdx." + dim); a != nil {
			axes = append(axes, *a)
		}
	}
	return func(fr *frame) int64 {
		n, by := int64(0), int64(1)
		for _, a := range axes {
			n += fr.i[a.index] * by
			by *= fr.i[a.extent]
		}
		return n
	}
}

// freeVars returns the variables of an expression without Let.
func freeVars(e tir.Expr) []*tir.Var {
	var out []*tir.Var
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok {
			out = append(out, v)
		}
		return true
	})
	return out
}

// describeScope is the scope of a buffer in words.
func describeScope(scope string) string {
	if strings.HasPrefix(scope, "shared") {
		return "shared memory"
	}
	return scope + " memory"
}
