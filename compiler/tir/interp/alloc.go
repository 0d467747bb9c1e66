package interp

import (
	"github.com/irscope/irscope/compiler/tir"
)

// withBuffers allocates the buffers around what body compiles to.
func (c *compiler) withBuffers(bufs []*tir.Buffer, body func() stmtFn) stmtFn {
	if len(bufs) == 0 {
		return body()
	}
	type place struct {
		ptr  pointer
		size func(*frame) int64
		get  func(*frame, int64) int64
		own  bool
	}
	sites := make([]place, len(bufs))
	for k, b := range bufs {
		get, own := c.provider(b.Data, int64(b.DType.Elem().Bytes()))
		c.noteTexture(b)
		sites[k] = place{c.define(b.Data).pointer, c.byteSize(b), get, own}
		c.owned = append(c.owned, b.Data)
	}
	run := body()
	c.owned = c.owned[:len(c.owned)-len(bufs)]
	return func(fr *frame) ctl {
		for _, s := range sites {
			fr.bind(s.ptr, s.get(fr, s.size(fr)))
		}
		out := run(fr)
		for _, s := range sites {
			fr.give(fr.i[s.ptr.slot], s.own)
		}
		return out
	}
}

// byteSize is the memory that an allocated buffer takes, strides and offset included.
func (c *compiler) byteSize(b *tir.Buffer) func(*frame) int64 {
	dims := c.ints(b.Shape)
	strides := c.ints(b.Strides)
	width := int64(b.DType.Bytes())
	name := b.Name
	return func(fr *frame) int64 {
		n := int64(1)
		if len(strides) == len(dims) && len(dims) > 0 {
			for k, d := range dims {
				if e := d(fr); e > 0 {
					n = checkedAdd(fr, name, n, checkedMul(fr, name, e-1, strides[k](fr)))
				} else {
					n = 0
					break
				}
			}
		} else {
			for _, d := range dims {
				n = checkedMul(fr, name, n, d(fr))
			}
		}
		return checkedMul(fr, name, n, width)
	}
}

func checkedMul(fr *frame, name string, a, b int64) int64 {
	if a < 0 || b < 0 {
		fr.fail("buffer %s has a negative extent", name)
	}
	if b != 0 && a > (1<<offsetBits)/b {
		fr.fail("buffer %s is too large", name)
	}
	return a * b
}

func checkedAdd(fr *frame, name string, a, b int64) int64 {
	if a+b > 1<<offsetBits {
		fr.fail("buffer %s is too large", name)
	}
	return a + b
}

// allocate compiles an allocation, which each run of the statement makes anew.
func (c *compiler) allocate(s *tir.Allocate) stmtFn {
	dims := c.ints(s.Extents)
	if c.textures[s.Var] == nil {
		c.noteTexture(&tir.Buffer{Data: s.Var, DType: s.Type, Shape: s.Extents, Name: s.Var.Name})
	}
	ptr := c.define(s.Var).pointer
	width := int64(s.Type.Bytes())
	name := s.Var.Name
	get, own := c.provider(s.Var, int64(s.Type.Elem().Bytes()))
	c.owned = append(c.owned, s.Var)
	body := c.stmt(s.Body)
	c.owned = c.owned[:len(c.owned)-1]
	return func(fr *frame) ctl {
		n := width
		for _, d := range dims {
			n = checkedMul(fr, name, n, d(fr))
		}
		fr.bind(ptr, get(fr, n))
		out := body(fr)
		fr.give(fr.i[ptr.slot], own)
		return out
	}
}

func (c *compiler) allocateConst(s *tir.AllocateConst) stmtFn {
	ptr := c.define(s.Var).pointer
	if s.Data == nil {
		c.fail("constant %s has no data", s.Var.Name)
	}
	data := append([]byte{}, s.Data.Bytes()...)
	body := c.stmt(s.Body)
	return func(fr *frame) ctl {
		h := fr.m.add(&region{data: data})
		fr.m.bytes += int64(len(data))
		fr.bind(ptr, h)
		out := body(fr)
		fr.m.release(h)
		return out
	}
}
