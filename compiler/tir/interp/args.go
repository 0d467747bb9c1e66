package interp

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/tensor"
)

func (m *machine) newFrame(f *function) *frame {
	return &frame{
		m: m, fn: f,
		i: make([]int64, f.nInt), f: make([]float64, f.nFloat),
		views: make([]view, f.nView), vec: make([]lanes, f.nVec),
	}
}

// enter runs f with arguments from Go.
func (m *machine) enter(f *function, args []any) (any, error) {
	fr := m.newFrame(f)
	if len(args) != len(f.params) {
		return nil, fmt.Errorf("%s has %d parameters, got %d arguments", f.name, len(f.params), len(args))
	}
	for k, a := range args {
		p := f.fn.Params[k]
		if err := m.pass(fr, k, a); err != nil {
			return nil, fmt.Errorf("%s: argument %d (%s): %w", f.name, k, p.Name, err)
		}
	}
	if f.match != nil {
		f.match(fr)
	}
	f.body(fr)
	switch {
	case !fr.has:
		return nil, nil
	case f.returnsFloat():
		return fr.retF, nil
	}
	return fr.retI, nil
}

func (f *function) returnsFloat() bool {
	return f.fn.RetType != nil && ir.TypeDType(f.fn.RetType).IsFloat()
}

// pass sets parameter k.
func (m *machine) pass(fr *frame, k int, a any) error {
	s := fr.fn.params[k]
	b := fr.fn.buffer(k)
	switch x := a.(type) {
	case *tensor.Tensor:
		if !s.dtype.IsHandle() {
			return fmt.Errorf("got a tensor for a parameter of type %s", s.dtype)
		}
		if b != nil && b.DType.Elem() != x.DType.Elem() {
			return fmt.Errorf("got a %s tensor, expected %s", x.DType, b.DType)
		}
		if b == nil {
			fr.bind(s.pointer, m.add(&region{data: x.Data}))
			return nil
		}
		fr.setPointer(k, m.tensor(x))
		return nil
	case float64:
		if !s.float {
			return fmt.Errorf("got a float for a parameter of type %s", s.dtype)
		}
		fr.f[s.n] = x
		if r := rounder(s.dtype); r != nil {
			fr.f[s.n] = r(x)
		}
		return nil
	}
	n, ok := toInt(a)
	switch {
	case !ok:
		return fmt.Errorf("got a %T, expected a tensor, int64, float64 or bool", a)
	case s.float:
		fr.f[s.n] = float64(n)
	case s.dtype.IsHandle() && n != 0:
		return fmt.Errorf("got an integer for a pointer")
	default:
		fr.i[s.n] = wrap(s.dtype, n)
	}
	return nil
}

func toInt(a any) (int64, bool) {
	switch x := a.(type) {
	case int64:
		return x, true
	case int:
		return int64(x), true
	case int32:
		return int64(x), true
	case bool:
		return truth(x), true
	}
	return 0, false
}

// tensor makes a DLTensor of t, whose memory it shares.
func (m *machine) tensor(t *tensor.Tensor) int64 {
	return m.add(&region{dls: []dlTensor{{
		data: m.add(&region{data: t.Data}), ndim: int64(len(t.Shape)), dtype: t.DType,
		deviceType: 1, tensorShape: t.Shape,
	}}})
}

func (f *function) buffer(k int) *tir.Buffer {
	if k < len(f.fn.Buffers) {
		return f.fn.Buffers[k]
	}
	return nil
}

// setPointer passes handle h, which may point to data or to a DLTensor, as parameter k.
func (fr *frame) setPointer(k int, h int64) {
	fr.bind(fr.fn.params[k].pointer, h)
	fr.i[fr.fn.params[k].n] = h
}

// matchParams compiles the binding of the buffers of parameters: their data pointers and
// the variables in their extents, strides and offsets; the rest is compared.
func (c *compiler) matchParams() stmtFn {
	var steps []func(*frame)
	bound := map[*tir.Var]bool{}
	for _, p := range c.fn.fn.Params {
		bound[p] = true
	}
	type check struct {
		k, dim int
		want   intFn
	}
	var late []func() check
	for k, b := range c.fn.fn.Buffers {
		if b == nil {
			continue
		}
		data := c.define(b.Data).pointer
		param := c.fn.params[k].n
		name, rank, elem := b.Name, len(b.Shape), b.DType
		steps = append(steps, func(fr *frame) {
			h := fr.i[param]
			dl := fr.m.dlAt(h)
			if dl == nil {
				fr.bind(data, h)
				return
			}
			if int(dl.ndim) != rank {
				fr.fail("buffer %s has %d dimensions, but the argument has %d", name, rank, dl.ndim)
			}
			if dl.dtype.Elem() != elem.Elem() {
				fr.fail("buffer %s holds %s, but the argument holds %s", name, elem, dl.dtype)
			}
			fr.bind(data, dl.data+dl.byteOffset)
		})
		for dim, e := range b.Shape {
			if v, ok := e.(*tir.Var); ok && !bound[v] {
				bound[v] = true
				s := c.define(v).n
				steps = append(steps, func(fr *frame) { fr.i[s] = fr.extent(param, name, dim) })
				continue
			}
			late = append(late, func() check { return check{k, dim, c.int(e)} })
		}
		if v, ok := b.ElemOffset.(*tir.Var); ok && !bound[v] {
			bound[v] = true
			c.define(v) // stays 0: arguments start at their data pointer
		}
	}
	for _, f := range late {
		ck := f()
		param, b := c.fn.params[ck.k].n, c.fn.fn.Buffers[ck.k]
		steps = append(steps, func(fr *frame) {
			if fr.m.dlAt(fr.i[param]) == nil {
				return
			}
			if got, want := fr.extent(param, b.Name, ck.dim), ck.want(fr); got != want {
				fr.fail("buffer %s: extent %d is %d in the argument, expected %d", b.Name, ck.dim, got, want)
			}
		})
	}
	steps = append(steps, c.matchParamStrides(bound)...)
	if steps == nil {
		return nil
	}
	return func(fr *frame) ctl {
		for _, s := range steps {
			s(fr)
		}
		return ctlNext
	}
}

// matchParamStrides binds stride variables to those of a compact argument.
func (c *compiler) matchParamStrides(bound map[*tir.Var]bool) []func(*frame) {
	var steps []func(*frame)
	for _, b := range c.fn.fn.Buffers {
		if b == nil {
			continue
		}
		for k, e := range b.Strides {
			v, ok := e.(*tir.Var)
			if !ok || bound[v] {
				continue
			}
			bound[v] = true
			stride := tir.Expr(tir.Const(v.DType(), 1))
			for _, d := range b.Shape[k+1:] {
				stride = tir.Mul(stride, tir.CastTo(v.DType(), d))
			}
			steps = append(steps, c.assign(c.define(v), stride))
		}
	}
	return steps
}

// dlAt returns the DLTensor at h, nil if h points to something else.
func (m *machine) dlAt(h int64) *dlTensor {
	k := h >> offsetBits
	if k <= 0 || k >= int64(len(m.regions)) || m.regions[k] == nil || m.regions[k].dls == nil {
		return nil
	}
	n := (h & offsetMask) / dlTensorSize
	if n >= int64(len(m.regions[k].dls)) {
		return nil
	}
	return &m.regions[k].dls[n]
}

// extent is dimension dim of the DLTensor that integer slot param points to.
func (fr *frame) extent(param int, name string, dim int) int64 {
	dl := fr.m.dlAt(fr.i[param])
	switch {
	case dl == nil:
		fr.fail("buffer %s has a symbolic extent, but its argument is a bare pointer", name)
	case dim < len(dl.tensorShape):
		return dl.tensorShape[dim]
	case dl.shape == 0:
		fr.fail("buffer %s: the argument has no shape", name)
	}
	return *(*int64)(ptrTo(fr.m.bytesAt(fr, dl.shape+int64(8*dim), 8, "the shape of "+name)))
}

// isPacked reports whether fn was lowered to the packed calling convention.
func isPacked(fn *tir.PrimFunc) bool {
	const cPackedFunc = 1
	return fn.Attrs.Int(ir.AttrCallingConv, -1) == cPackedFunc && len(fn.Params) == 4
}
