package interp

import (
	"encoding/binary"
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// extern compiles a call of a foreign function by name: a mathematical function of C, or
// one of Options.Externs.
func (c *compiler) extern(e *tir.Call) value {
	if len(e.Args) == 0 {
		c.fail("%s without a name", e.Op.CalleeName())
	}
	s, ok := e.Args[0].(*tir.StringImm)
	if !ok {
		c.fail("%s needs the name of a function first", e.Op.CalleeName())
	}
	rest := e.Args[1:]
	fn := c.unit.opts.Externs[s.Value]
	if fn == nil {
		if how := atomicNames[s.Value]; how != "" && len(rest) == 2 {
			return c.atomic(e, how, rest)
		}
		if v, ok := c.mathCall(s.Value, e.Type, rest); ok {
			return v
		}
		if f := c.unit.lookup(s.Value); f != nil {
			return c.callFunction(&tir.Call{Type: e.Type, Op: ir.NewGlobalVar(s.Value), Args: rest})
		}
		c.fail("calls foreign function %q, which Options.Externs does not have", s.Value)
	}
	args := make([]value, len(rest))
	for k, a := range rest {
		args[k] = c.expr(a)
	}
	call := func(fr *frame) any {
		xs := make([]any, len(args))
		for k, a := range args {
			if a.f != nil {
				xs[k] = a.f(fr)
			} else {
				xs[k] = fr.m.export(fr, rest[k], a.i(fr))
			}
		}
		out, err := fn(xs)
		if err != nil {
			panic(&failure{fr.fn.name, s.Value + ": " + err.Error(), err})
		}
		return out
	}
	return external(e.Type, call)
}

func external(d dtype.DType, call func(*frame) any) value {
	if d.IsFloat() {
		return value{f: func(fr *frame) float64 {
			x, _ := call(fr).(float64)
			return x
		}}
	}
	return value{i: func(fr *frame) int64 {
		n, _ := toInt(call(fr))
		return n
	}}
}

func (u *unit) lookup(name string) *tir.PrimFunc {
	if u.opts.Lookup == nil {
		return nil
	}
	return u.opts.Lookup(name)
}

// export turns handles into what they point to, for functions written in Go.
func (m *machine) export(fr *frame, e tir.Expr, n int64) any {
	if !e.DType().IsHandle() || n == 0 {
		return n
	}
	if dl := m.dlAt(n); dl != nil {
		return m.exportTensor(fr, dl)
	}
	if r := m.region(fr, n, "an argument"); r.text != "" {
		return r.text
	}
	return n
}

func (m *machine) exportTensor(fr *frame, dl *dlTensor) any {
	shape := dl.tensorShape
	if shape == nil && dl.ndim > 0 {
		b := m.bytesAt(fr, dl.shape, 8*dl.ndim, "a shape")
		for k := range dl.ndim {
			shape = append(shape, int64(binary.LittleEndian.Uint64(b[8*k:])))
		}
	}
	size, err := tensor.ByteSize(dl.dtype, shape)
	if err != nil {
		fr.fail("%s", err)
	}
	data := m.bytesAt(fr, dl.data+dl.byteOffset, size, "a tensor")
	return &tensor.Tensor{DType: dl.dtype, Shape: shape, Data: data}
}

// externLowered compiles tvm_call_packed_lowered(name, cells, begin, end): arguments are
// the cells from begin to end, the result goes to cell end.
func (c *compiler) externLowered(e *tir.Call) value {
	s, ok := e.Args[0].(*tir.StringImm)
	if !ok || len(e.Args) < 4 {
		c.fail("%s needs a name, cells, begin and end", e.Op.CalleeName())
	}
	base, begin, end := c.int(e.Args[1]), c.int(e.Args[2]), c.int(e.Args[3])
	fn := c.unit.opts.Externs[s.Value]
	if fn == nil {
		if f := c.unit.lookup(s.Value); f != nil && f.Attrs.Has("tir.kernel_launch_params") {
			return c.launchPacked(s.Value, base, begin)
		}
		c.fail("calls foreign function %q, which Options.Externs does not have", s.Value)
	}
	return external(e.Type, func(fr *frame) any {
		var xs []any
		for k := begin(fr); k < end(fr); k++ {
			b := fr.m.bytesAt(fr, base(fr)+k*cellSize, cellSize, "a packed argument")
			xs = append(xs, fr.m.unpack(fr, b))
		}
		out, err := fn(xs)
		if err != nil {
			panic(&failure{fr.fn.name, s.Value + ": " + err.Error(), err})
		}
		return out
	})
}

// launchPacked compiles the launch of a kernel of the module, whose arguments are cells from begin on. The cells behind them are the extents of the launch, which
// the kernel has too.
func (c *compiler) launchPacked(name string, base, begin intFn) value {
	f := c.call(name)
	args := make([]value, len(f.fn.Params))
	for k, p := range f.fn.Params {
		cell := func(fr *frame) uint64 {
			b := fr.m.bytesAt(fr, base(fr)+(begin(fr)+int64(k))*cellSize, cellSize, "a packed argument")
			return binary.LittleEndian.Uint64(b[8:])
		}
		if p.DType().IsFloat() {
			args[k] = value{f: func(fr *frame) float64 { return math.Float64frombits(cell(fr)) }}
		} else {
			args[k] = value{i: func(fr *frame) int64 { return int64(cell(fr)) }}
		}
	}
	run := c.invoke(f, args)
	return value{i: func(fr *frame) int64 { return run(fr).retI }}
}

func (m *machine) unpack(fr *frame, b []byte) any {
	v := binary.LittleEndian.Uint64(b[8:])
	switch binary.LittleEndian.Uint32(b) {
	case abi.TypeNone:
		return nil
	case abi.TypeFloat:
		return math.Float64frombits(v)
	case abi.TypeBool:
		return v != 0
	case abi.TypeDLTensorPtr, abi.TypeTensor:
		if dl := m.dlAt(int64(v)); dl != nil {
			return m.exportTensor(fr, dl)
		}
	case abi.TypeRawStr:
		return m.region(fr, int64(v), "a string").text
	}
	return int64(v)
}
