package interp

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// offset compiles the distance in elements from the data pointer of b to the element at
// indices. With check, every index is compared with its extent.
func (c *compiler) offset(b *tir.Buffer, indices []tir.Expr, check bool) intFn {
	if len(indices) != len(b.Shape) {
		c.fail("buffer %s has %d dimensions and is accessed with %d indices", b.Name, len(b.Shape), len(indices))
	}
	idx, ext, strides := c.ints(indices), c.ints(b.Shape), c.ints(b.Strides)
	if len(strides) > 0 && len(strides) != len(ext) {
		c.fail("buffer %s has %d dimensions and %d strides", b.Name, len(ext), len(strides))
	}
	where := c.where()
	bad := func(fr *frame) {
		fr.fail("%s%s", describe(fr, b, idx, ext), where(fr))
	}
	fn := c.flatten(b, idx, ext, strides, check, bad)
	if b.ElemOffset == nil || tir.IsConst(b.ElemOffset, 0) {
		return fn
	}
	base := c.int(b.ElemOffset)
	return func(fr *frame) int64 { return base(fr) + fn(fr) }
}

func (c *compiler) flatten(b *tir.Buffer, idx, ext, strides []intFn, check bool, bad func(*frame)) intFn {
	if len(strides) > 0 {
		return func(fr *frame) int64 {
			off := int64(0)
			for k, f := range idx {
				v := f(fr)
				if check && uint64(v) >= uint64(ext[k](fr)) {
					bad(fr)
				}
				off += v * strides[k](fr)
			}
			return off
		}
	}
	consts := make([]int64, len(ext))
	static := check
	for k, e := range b.Shape {
		n, ok := tir.AsInt(e)
		consts[k] = n
		static = static && ok
	}
	switch {
	case len(idx) == 0:
		return func(*frame) int64 { return 0 }
	case static && len(idx) == 1:
		f, n := idx[0], uint64(consts[0])
		return func(fr *frame) int64 {
			v := f(fr)
			if uint64(v) >= n {
				bad(fr)
			}
			return v
		}
	case static:
		return func(fr *frame) int64 {
			off := int64(0)
			for k, f := range idx {
				v, n := f(fr), consts[k]
				if uint64(v) >= uint64(n) {
					bad(fr)
				}
				off = off*n + v
			}
			return off
		}
	}
	return func(fr *frame) int64 {
		off := int64(0)
		for k, f := range idx {
			v, n := f(fr), ext[k](fr)
			if check && uint64(v) >= uint64(n) {
				bad(fr)
			}
			off = off*n + v
		}
		return off
	}
}

// describe names an access out of bounds: buffer, indices and shape.
func describe(fr *frame, b *tir.Buffer, idx, ext []intFn) string {
	var at, shape []string
	for k := range idx {
		at = append(at, fmt.Sprint(idx[k](fr)))
		shape = append(shape, fmt.Sprint(ext[k](fr)))
	}
	return fmt.Sprintf("access out of bounds: %s[%s] of shape (%s)", b.Name, strings.Join(at, ", "), strings.Join(shape, ", "))
}

// target is a compiled place in a buffer.
type target struct {
	buf   *tir.Buffer
	slot  int // of the data pointer
	view  int
	width int64 // bytes of one scalar
	at    intFn // scalar elements from the data pointer, for the current lane
	lanes int
	elem  dtype.DType
	where func(*frame) string
}

// place compiles buffer b at indices; for vector elements or a vector index the offset is
// that of the current lane.
func (c *compiler) place(b *tir.Buffer, indices []tir.Expr) target {
	p := c.lookup(b.Data).pointer
	at := c.offset(b, indices, !partOfMerged(b))
	t := target{buf: b, slot: p.slot, view: p.view, width: int64(b.DType.Elem().Bytes()), at: at, lanes: 1, elem: b.DType.Elem(), where: c.where()}
	if n := len(indices); n > 0 {
		for _, ix := range indices[:n-1] {
			if ix.DType().Lanes > 1 {
				c.fail("buffer %s: only the last index may be a vector", b.Name)
			}
		}
		t.lanes = max(1, int(indices[n-1].DType().Lanes))
	}
	if own := int64(b.DType.Lanes); own > 1 {
		t.lanes *= int(own)
		t.at = func(fr *frame) int64 {
			lane := int64(fr.lane)
			fr.lane = int(lane / own)
			off := at(fr)*own + lane%own
			fr.lane = int(lane)
			return off
		}
	}
	return t
}

// partOfMerged tells whether b lies in shared memory that tir.MergeSharedMemoryAllocations made of several buffers: it has the shape that it had,
// and indices with its offset there. They are held against the memory only.
func partOfMerged(b *tir.Buffer) bool {
	return len(b.Shape) == 1 && scopeOf(b.Data) == "shared.dyn" && elemOf(b.Data) == dtype.UInt8T
}

// ptr returns the address of scalar element off; it fails beyond the memory that the
// data pointer points to.
func (t *target) ptr(fr *frame, off int64) unsafe.Pointer {
	v := &fr.views[t.view]
	if uint64(off) >= 1<<48 || (off+1)*t.width > v.n { // the product cannot overflow
		if v.p == nil && v.n == 0 && fr.i[t.slot] == 0 {
			fr.fail("buffer %s has a null data pointer", t.buf.Name)
		}
		fr.fail("access out of memory: element %d of buffer %s, whose memory holds %d%s", off, t.buf.Name, v.n/t.width, t.where(fr))
	}
	return unsafe.Add(v.p, off*t.width)
}

// load compiles a BufferLoad.
func (c *compiler) load(e *tir.BufferLoad) value {
	t := c.place(e.Buffer, e.Indices)
	if x := c.track(doesRead, e, nil, &t); x != nil {
		t.at = x.reading(&t)
	}
	var v value
	if t.elem.IsFloat() {
		v.f = t.loadFloat()
	} else {
		v.i = t.loadInt()
	}
	if e.Predicate == nil {
		return v
	}
	mask := c.int(e.Predicate)
	if v.f != nil {
		return value{f: func(fr *frame) float64 {
			if mask(fr) == 0 {
				return 0
			}
			return v.f(fr)
		}}
	}
	return value{i: func(fr *frame) int64 {
		if mask(fr) == 0 {
			return 0
		}
		return v.i(fr)
	}}
}

// store compiles a BufferStore: all lanes are computed before one is written.
func (c *compiler) store(s *tir.BufferStore) stmtFn {
	t := c.place(s.Buffer, s.Indices)
	v := c.expr(s.Value)
	got := max(1, int(s.Value.DType().Lanes))
	if got != t.lanes && got != 1 {
		c.fail("buffer %s: a value of %d lanes is stored to %d elements", s.Buffer.Name, got, t.lanes)
	}
	if (v.f != nil) != t.elem.IsFloat() {
		c.fail("buffer %s holds %s, but the value stored is %s", s.Buffer.Name, t.elem, s.Value.DType())
	}
	var mask intFn
	if s.Predicate != nil {
		mask = c.int(s.Predicate)
	}
	if t.lanes == 1 && mask == nil {
		if v.f != nil {
			put := c.putFloat(s, &t)
			return func(fr *frame) ctl {
				x := v.f(fr)
				put(fr, t.at(fr), x)
				return ctlNext
			}
		}
		put := c.putInt(s, &t)
		return func(fr *frame) ctl {
			x := v.i(fr)
			put(fr, t.at(fr), x)
			return ctlNext
		}
	}
	return c.storeLanes(s, t, v, mask)
}

func (c *compiler) storeLanes(s *tir.BufferStore, t target, v value, mask intFn) stmtFn {
	k := c.fn.nVec
	c.fn.nVec++
	var putF func(*frame, int64, float64)
	var putI func(*frame, int64, int64)
	if v.f != nil {
		putF = c.putFloat(s, &t)
	} else {
		putI = c.putInt(s, &t)
	}
	return func(fr *frame) ctl {
		s := &fr.vec[k]
		if s.a == nil {
			s.a, s.f, s.i = make([]int64, t.lanes), make([]float64, t.lanes), make([]int64, t.lanes)
		}
		for l := range t.lanes {
			fr.lane = l
			if mask != nil && mask(fr) == 0 {
				s.a[l] = -1
				continue
			}
			if v.f != nil {
				s.f[l] = v.f(fr)
			} else {
				s.i[l] = v.i(fr)
			}
			s.a[l] = t.at(fr)
		}
		fr.lane = 0
		for l, at := range s.a {
			switch {
			case at == -1 && mask != nil:
			case putF != nil:
				putF(fr, at, s.f[l])
			default:
				putI(fr, at, s.i[l])
			}
		}
		return ctlNext
	}
}

// putFloat and putInt are what stores a scalar for s, with a note of it where accesses are checked.
func (c *compiler) putFloat(s *tir.BufferStore, t *target) func(*frame, int64, float64) {
	if x := c.track(doesWrite, nil, s, t); x != nil {
		return writing(x, t, t.storeFloat())
	}
	return t.storeFloat()
}

func (c *compiler) putInt(s *tir.BufferStore, t *target) func(*frame, int64, int64) {
	if x := c.track(doesWrite, nil, s, t); x != nil {
		return writing(x, t, t.storeInt())
	}
	return t.storeInt()
}
