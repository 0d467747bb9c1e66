package interp

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/irscope/irscope/compiler/tir"
)

// Shadow memory remembers, for each element that threads share, the last writes and the last reads by two threads, with the epochs of
// the barriers then. A barrier of a block begins a new epoch of the block, one of a warp a new epoch of the warp, one of the grid a new one of the
// kernel. Two accesses by different threads are in order if a barrier that both take part in is between them: if they are in one block and its
// epochs differ, in one warp and its epochs differ, or if the epochs of the kernel differ. What is not in order is a race if one of the
// two writes, unless both are atomic.
//
// A write of what is there already is no race with the write that left it, whichever comes first: threads may compute and store one value
// each. To later writes it is as a read, which would find something else after them; and a thread that has written an element since the last barrier
// may read it, as all others wrote the same.
//
// Two of each are enough: a later access races with one by another thread, and of two different threads one is another.

// mark is an access: by thread (0 for none), at a site, in an epoch of its block, its warp and the kernel.
type mark struct{ thread, site, block, warp, grid uint32 }

// cell is the shadow of an element.
type cell struct{ writes, reads [2]mark }

// add puts an access first, and keeps one of another thread.
func add(list *[2]mark, now mark) {
	if list[0].thread != now.thread {
		list[1] = list[0]
	}
	list[0] = now
}

// pageCells is the number of cells that are made together, at the first access to one of them.
const (
	pageCells = 1 << 10
	pageBytes = pageCells * int64(unsafe.Sizeof(cell{}))
)

// shadow is that of a region, in elements of grain bytes.
type shadow struct {
	grain int64
	pages map[int64][]cell
}

// tracked says how an access is checked.
type tracked struct {
	site   uint32
	buf    *tir.Buffer
	scope  string
	atomic bool
	slot   int
	width  int64
	shape  []intFn
}

// track returns how accesses to a buffer are checked here, nil if they are not.
func (c *compiler) track(does string, n tir.Expr, s tir.Stmt, t *target) *tracked {
	if c.kernel == nil || !c.kernel.full || !c.kernel.checked(t.buf.Scope()) {
		return nil
	}
	at := site{}
	if n != nil {
		at = c.site(does, n)
	} else {
		at = c.site(does, s)
	}
	c.unit.sites = append(c.unit.sites, at)
	return &tracked{
		site: uint32(len(c.unit.sites) - 1), buf: t.buf, scope: t.buf.Scope(), atomic: does == doesUpdate,
		slot: t.slot, width: t.width, shape: c.ints(t.buf.Shape),
	}
}

const (
	doesRead   = "reads it"
	doesWrite  = "writes it"
	doesUpdate = "updates it atomically"
)

// reading returns at, with a note of each access as a read.
func (x *tracked) reading(t *target) intFn {
	at := t.at
	return func(fr *frame) int64 {
		off := at(fr)
		if fr.thread != nil {
			t.ptr(fr, off) // within memory
			x.note(fr, off, false)
		}
		return off
	}
}

// writing returns put, with a note of each access as a write if it changed anything.
func writing[T any](x *tracked, t *target, put func(*frame, int64, T)) func(*frame, int64, T) {
	return func(fr *frame, off int64, v T) {
		if fr.thread == nil {
			put(fr, off, v)
			return
		}
		p := unsafe.Slice((*byte)(t.ptr(fr, off)), t.width)
		var before [16]byte
		n := copy(before[:], p)
		put(fr, off, v)
		x.noteWrite(fr, off, string(before[:n]) != string(p))
	}
}

// noteWrite notes a write.
func (x *tracked) noteWrite(fr *frame, off int64, changed bool) {
	if changed || !x.silent(fr, off) {
		x.note(fr, off, true)
	}
}

// cells calls f for the cells of the element at off.
func (x *tracked) cells(fr *frame, off int64, f func(*cell)) {
	h := fr.i[x.slot]
	r := fr.m.regions[h>>offsetBits]
	if r.shadow == nil {
		r.shadow = &shadow{grain: max(r.width, 1), pages: map[int64][]cell{}}
	}
	s := r.shadow
	if x.width < s.grain {
		s.refine(fr)
	}
	start := h&offsetMask + off*x.width
	for at := start / s.grain; at*s.grain < start+x.width; at++ {
		page := s.pages[at/pageCells]
		if page == nil {
			fr.m.charge(fr, pageBytes)
			page = make([]cell, pageCells)
			s.pages[at/pageCells] = page
		}
		f(&page[at%pageCells])
	}
}

// refine makes a shadow of bytes of one of larger elements.
func (s *shadow) refine(fr *frame) {
	old := *s
	s.grain, s.pages = 1, map[int64][]cell{}
	fr.m.bytes -= int64(len(old.pages)) * pageBytes
	for n, page := range old.pages {
		for k, c := range page {
			if c == (cell{}) {
				continue
			}
			for i := range old.grain {
				at := (n*pageCells+int64(k))*old.grain + i
				to := s.pages[at/pageCells]
				if to == nil {
					fr.m.charge(fr, pageBytes)
					to = make([]cell, pageCells)
					s.pages[at/pageCells] = to
				}
				to[at%pageCells] = c
			}
		}
	}
}

// now is an access at this time.
func (x *tracked) now(fr *frame) mark {
	t := fr.thread
	return mark{t.serial, x.site, t.block.epoch, t.block.warps[t.warp], t.block.launch.grid}
}

// silent notes a write that changed nothing; it does nothing and returns false if it is the first write of what happens to be there.
func (x *tracked) silent(fr *frame, off int64) bool {
	done := true
	x.cells(fr, off, func(c *cell) { done = done && c.writes[0].thread != 0 })
	if done {
		now := x.now(fr)
		x.cells(fr, off, func(c *cell) {
			add(&c.reads, now)
			if fr.thread.unordered(c.writes[0], now) {
				add(&c.writes, now)
			}
		})
	}
	return done
}

// note notes an access and fails if it races with an earlier one.
func (x *tracked) note(fr *frame, off int64, write bool) {
	now, t := x.now(fr), fr.thread
	fresh := fr.m.regions[fr.i[x.slot]>>offsetBits].fresh
	x.cells(fr, off, func(c *cell) {
		for _, w := range c.writes {
			if t.unordered(w, now) && (write || !c.mine(now)) {
				x.race(fr, off, w)
			}
		}
		if !write {
			if fresh && c.writes[0].thread == 0 && t.block.unwritten == nil {
				// Another thread may write it before the next barrier: then it is a race, which says more.
				t.block.unwritten = &ThreadFault{Kind: Uninitialized, Element: x.element(fr, off), Scope: x.scope, First: fr.m.site(x.site).access(t.name())}
			}
			add(&c.reads, now)
			return
		}
		for _, r := range c.reads {
			if t.unordered(r, now) {
				x.race(fr, off, r)
			}
		}
		add(&c.writes, now)
	})
}

// mine tells whether the thread of an access has written the element since the last barrier.
func (c *cell) mine(now mark) bool {
	for _, w := range c.writes {
		if w.thread == now.thread && w.block == now.block && w.warp == now.warp && w.grid == now.grid {
			return true
		}
	}
	return false
}

// unordered tells whether nothing orders an earlier access and one of t now.
func (t *thread) unordered(e, now mark) bool {
	if e.thread == 0 || e.thread == now.thread {
		return false
	}
	run := t.block.launch
	if e.thread < run.first || e.grid != now.grid {
		return false // in an earlier kernel, or before a barrier of all
	}
	if e.thread < t.block.serial || e.thread >= t.block.serial+t.block.size {
		return true
	}
	if e.block != now.block {
		return false
	}
	other := int64(e.thread-t.block.serial) / run.warp
	return uint32(other) != t.warp || e.warp == now.warp
}

// race fails, unless both accesses are atomic.
func (x *tracked) race(fr *frame, off int64, e mark) {
	first := fr.m.site(e.site)
	if x.atomic && first.does == doesUpdate {
		return
	}
	fr.fault(&ThreadFault{
		Kind: Race, Element: x.element(fr, off), Scope: x.scope,
		First: first.access(fr.m.nameOf(e.thread)), Second: fr.m.site(x.site).access(fr.thread.name()),
	})
}

// element writes the element at off of the buffer with its indices.
func (x *tracked) element(fr *frame, off int64) string {
	if x.buf == nil {
		return fmt.Sprintf("element %d", off)
	}
	at := make([]string, len(x.shape))
	if len(x.buf.Strides) > 0 || x.buf.DType.Lanes > 1 {
		return fmt.Sprintf("%s, element %d of its memory", x.buf.Name, off)
	}
	for k := len(at) - 1; k >= 0; k-- {
		n := x.shape[k](fr)
		if k == 0 || n <= 0 {
			n = 1 << 62
		}
		at[k] = itoa(off % n)
		off /= n
	}
	return x.buf.Name + "[" + strings.Join(at, ", ") + "]"
}

func (m *machine) site(n uint32) site { return m.unit.sites[n] }
