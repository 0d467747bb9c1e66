package interp

import (
	"math"
	"math/bits"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// intrinsic compiles a call of an intrinsic or a function.
func (c *compiler) intrinsic(e *tir.Call) value {
	op, ok := e.Op.(*ir.Op)
	if !ok {
		return c.callFunction(e)
	}
	if b := tir.LookupBuiltin(op.Name); b != nil && b.Arity >= 0 && len(e.Args) != b.Arity && op.Name != tir.OpRet.Name {
		c.fail("%s takes %d arguments, here it has %d", op.Name, b.Arity, len(e.Args))
	}
	if v, ok := c.basic(e, op.Name); ok {
		return v
	}
	if v, ok := c.bitwise(e, op.Name); ok {
		return v
	}
	if v, ok := c.ofThread(e, op.Name); ok {
		return v
	}
	if v, ok := c.warpCall(e, op.Name); ok {
		return v
	}
	if v, ok := c.memory(e, op.Name); ok {
		return v
	}
	if v, ok := c.transfer(e, op.Name); ok {
		return v
	}
	if name, ok := strings.CutPrefix(op.Name, "tir."); ok {
		if v, ok := c.mathCall(name, e.Type, e.Args); ok {
			return v
		}
	}
	c.fail("the interpreter cannot run %s of type %s", op.Name, e.Type)
	return value{}
}

func (c *compiler) basic(e *tir.Call, name string) (value, bool) {
	switch name {
	case tir.OpIfThenElse.Name:
		return c.choose(e.Args[0], e.Args[1], e.Args[2]), true
	case tir.OpLikely.Name:
		return c.expr(e.Args[0]), true
	case tir.OpAssume.Name:
		cond := c.int(e.Args[0])
		return value{i: func(fr *frame) int64 {
			if cond(fr) == 0 {
				fr.fail("an assumption does not hold")
			}
			return 0
		}}, true
	case tir.OpUndef.Name:
		if e.Type.IsFloat() {
			return value{f: func(*frame) float64 { return math.NaN() }}, true
		}
		return value{i: func(*frame) int64 { return wrap(e.Type.Elem(), -1) }}, true
	case tir.OpReinterpret.Name:
		from, to := e.Args[0].DType(), e.Type
		if from.Bits != to.Bits || from.Lanes != to.Lanes {
			c.fail("reinterpret of %s as %s: element sizes differ", from, to)
		}
		return fromBits(to, toBits(from, c.expr(e.Args[0]))), true
	case tir.OpIsNaN.Name:
		v := c.expr(e.Args[0])
		if v.i != nil {
			return value{i: func(*frame) int64 { return 0 }}, true
		}
		return value{i: func(fr *frame) int64 { x := v.f(fr); return truth(x != x) }}, true
	case tir.OpIsInf.Name:
		v := c.expr(e.Args[0])
		if v.i != nil {
			return value{i: func(*frame) int64 { return 0 }}, true
		}
		return value{i: func(fr *frame) int64 { return truth(math.IsInf(v.f(fr), 0)) }}, true
	case tir.OpLargeUIntImm.Name:
		lo, hi := c.int(e.Args[0]), c.int(e.Args[1])
		return value{i: func(fr *frame) int64 { return hi(fr)<<32 | lo(fr)&math.MaxUint32 }}, true
	case tir.OpQMulShift.Name:
		x, y, q, s := c.int(e.Args[0]), c.int(e.Args[1]), c.int(e.Args[2]), c.int(e.Args[3])
		return value{i: func(fr *frame) int64 {
			n := min(max(q(fr)+s(fr), 1), 62)
			return wrap(e.Type.Elem(), (x(fr)*y(fr)+1<<(n-1))>>n)
		}}, true
	case tir.OpVectorLow.Name, tir.OpVectorHigh.Name:
		skip := 0
		if name == tir.OpVectorHigh.Name {
			skip = int(e.Args[0].DType().Lanes) / 2
		}
		return atLane(c.expr(e.Args[0]), 0, func(_ *frame, lane int) int { return lane + skip }), true
	case "tir.get_active_lane_mask":
		base, limit := c.int(e.Args[0]), c.int(e.Args[1])
		return value{i: func(fr *frame) int64 { return truth(base(fr)+int64(fr.lane) < limit(fr)) }}, true
	case tir.OpVectorCombine.Name:
		return c.shuffle(concatShuffle(e.Args)), true
	case tir.OpProfile.Name, tir.OpProfileEnd.Name, tir.OpTypeAnnot.Name:
		return value{i: func(*frame) int64 { return 0 }}, true
	case tir.OpBreakLoop.Name, tir.OpContinueLoop.Name, tir.OpRet.Name:
		c.fail("%s is inside an expression: it must be a statement of its own", name)
	}
	return value{}, false
}

func concatShuffle(vs []tir.Expr) *tir.Shuffle {
	s := &tir.Shuffle{Vectors: vs}
	n := 0
	for _, v := range vs {
		for range max(1, int(v.DType().Lanes)) {
			s.Indices = append(s.Indices, tir.Int32(int64(n)))
			n++
		}
	}
	return s
}

func (c *compiler) bitwise(e *tir.Call, name string) (value, bool) {
	d := e.Type.Elem()
	two := func(f func(x, y int64) int64) (value, bool) {
		x, y := c.int(e.Args[0]), c.int(e.Args[1])
		return value{i: func(fr *frame) int64 { return wrap(d, f(x(fr), y(fr))) }}, true
	}
	one := func(f func(x int64) int64) (value, bool) {
		x := c.int(e.Args[0])
		return value{i: func(fr *frame) int64 { return f(x(fr)) }}, true
	}
	switch name {
	case tir.OpBitwiseAnd.Name:
		return two(func(x, y int64) int64 { return x & y })
	case tir.OpBitwiseOr.Name:
		return two(func(x, y int64) int64 { return x | y })
	case tir.OpBitwiseXor.Name:
		return two(func(x, y int64) int64 { return x ^ y })
	case tir.OpBitwiseNot.Name:
		if d.IsBool() {
			return one(func(x int64) int64 { return 1 - x })
		}
		return one(func(x int64) int64 { return wrap(d, ^x) })
	case tir.OpShiftLeft.Name:
		return two(func(x, y int64) int64 { return x << (uint64(y) & 63) })
	case tir.OpShiftRight.Name:
		if d.IsUInt() {
			return two(func(x, y int64) int64 { return int64(uint64(x) >> (uint64(y) & 63)) })
		}
		return two(func(x, y int64) int64 { return x >> (uint64(y) & 63) })
	case tir.OpPopcount.Name:
		from := e.Args[0].DType()
		return one(func(x int64) int64 { return int64(bits.OnesCount64(lowBits(x, from.Bits))) })
	case tir.OpDp4a.Name:
		if x, y := e.Args[0].DType(), e.Args[1].DType(); !isWord(x) || !isWord(y) || d != dtype.Int32T {
			c.fail("dp4a of %s and %s to %s: words of four bytes are int32 or uint32, and their sum is an int32", x, y, e.Type)
		}
		x, y, acc := c.int(e.Args[0]), c.int(e.Args[1]), c.int(e.Args[2])
		xs, ys := e.Args[0].DType().IsInt(), e.Args[1].DType().IsInt()
		return value{i: func(fr *frame) int64 {
			a, b, sum := x(fr), y(fr), acc(fr)
			for k := 0; k < 32; k += 8 {
				sum += byteOf(a>>k, xs) * byteOf(b>>k, ys)
			}
			return int64(int32(sum))
		}}, true
	case tir.OpClz.Name:
		from := e.Args[0].DType()
		return one(func(x int64) int64 {
			return int64(bits.LeadingZeros64(lowBits(x, from.Bits))) - 64 + int64(from.Bits)
		})
	}
	return value{}, false
}

// isWord reports whether values of type d can be taken as four bytes.
func isWord(d dtype.DType) bool { return d.IsInteger() && d.Bits == 32 }

// byteOf is the lowest byte of x, with or without a sign.
func byteOf(x int64, signed bool) int64 {
	if signed {
		return int64(int8(x))
	}
	return int64(uint8(x))
}

func lowBits(x int64, n uint8) uint64 {
	if n >= 64 {
		return uint64(x)
	}
	return uint64(x) & (1<<n - 1)
}

// callFunction compiles a call of a function of the module. Arguments are passed as they
// are: handles to data for parameters with buffers, or handles to DLTensors.
func (c *compiler) callFunction(e *tir.Call) value {
	name := e.Op.CalleeName()
	f := c.call(name)
	launch := e.Args
	if f.fn.Attrs.Has("tir.kernel_launch_params") && len(e.Args) > len(f.fn.Params) {
		launch = launch[:len(f.fn.Params)] // the others are the extents of the launch, which the kernel has too
	}
	if len(launch) != len(f.fn.Params) {
		c.fail("calls %s with %d arguments, but it has %d parameters", name, len(e.Args), len(f.fn.Params))
	}
	args := make([]value, len(launch))
	for k, a := range launch {
		args[k] = c.expr(a)
		if (args[k].f != nil) != f.fn.Params[k].DType().IsFloat() {
			c.fail("calls %s: argument %d is a %s, but the parameter is a %s", name, k, a.DType(), f.fn.Params[k].DType())
		}
	}
	run := c.invoke(f, args)
	if e.Type.IsFloat() {
		return value{f: func(fr *frame) float64 { return run(fr).retF }}
	}
	return value{i: func(fr *frame) int64 { return run(fr).retI }}
}

// invoke calls f with one value for each parameter, and returns its frame.
func (c *compiler) invoke(f *function, args []value) func(*frame) *frame {
	return func(fr *frame) *frame {
		fr.m.step(fr)
		callee := fr.m.newFrame(f)
		callee.thread, callee.pos = fr.thread, append([]int64{}, fr.pos...)
		if callee.depth = fr.depth + 1; callee.depth > maxCallDepth {
			fr.fail("calls are nested more than %d deep", maxCallDepth)
		}
		for k, a := range args {
			s := f.params[k]
			switch {
			case a.f != nil:
				callee.f[s.n] = a.f(fr)
			case s.dtype.IsHandle():
				callee.setPointer(k, a.i(fr))
			default:
				callee.i[s.n] = a.i(fr)
			}
		}
		if f.match != nil {
			f.match(callee)
		}
		f.body(callee)
		return callee
	}
}
