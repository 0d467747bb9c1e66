package relaypass

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// quantizedCall is a call whose operands are computed on integers.
type quantizedCall struct {
	r      *fakeQuantizer
	call   *relax.Call
	args   []quantizedValue
	last   bool      // its result is what is quantized
	fields []*affine // of a result that is a tuple
}

// quantizedRule computes a call on integers: the value and what it stands for. It returns false where it cannot, or would compute something else.
type quantizedRule func(q *quantizedCall) (relax.Expr, *affine, bool)

// singleOps are the operators that use_qat computes without a quantize behind them.
var singleOps = strings.Fields("broadcast_to clip expand_dims max maximum min minimum nn.batch_flatten nn.batch_matmul matmul nn.bias_add nn.conv2d nn.conv2d_transpose nn.dense nn.depth_to_space nn.max_pool2d nn.pad nn.relu reshape squeeze strided_slice permute_dims")

// quantizedRules are the rules by the name of the operator, as in TVM's fake_quantization_to_integer.py, where they give what the real numbers give.
var quantizedRules = sync.OnceValue(func() map[string]quantizedRule {
	out := map[string]quantizedRule{}
	add := func(rule quantizedRule, names string) {
		for n := range strings.FieldsSeq(names) {
			out["relax."+n], out[op.RelayPrefix+n] = rule, rule
		}
	}
	add(sameElements, "reshape squeeze strided_slice permute_dims expand_dims broadcast_to nn.max_pool2d nn.batch_flatten nn.depth_to_space max min")
	add(splitQuantized, "split")
	add(productRule("relay.qnn.dense", 0, 0, 1), "nn.dense")
	add(batchMatmulQuantized, "nn.batch_matmul")
	add(convQuantized, "nn.conv2d nn.conv2d_transpose")
	add(biasQuantized, "nn.bias_add")
	add(arithmeticRule("relay.qnn.add"), "add")
	add(arithmeticRule("relay.qnn.subtract"), "subtract")
	add(arithmeticRule("relay.qnn.mul"), "multiply")
	add(extremeQuantized, "maximum minimum")
	add(reluQuantized, "nn.relu")
	add(clipQuantized, "clip")
	add(padQuantized, "nn.pad")
	add(concatQuantized, "concat")
	add(averageQuantized, "nn.avg_pool2d")
	for _, n := range []string{"sqrt", "rsqrt", "exp", "erf", "sigmoid", "tanh", "abs", "log"} {
		add(unaryRule("relay.qnn."+n), n)
	}
	add(unaryRule("relay.qnn.softmax"), "nn.softmax")
	return out
})

// asked is the type that the quantize behind a call asks for, nil without one.
func (q *quantizedCall) asked() *affine {
	q.r.asks = true
	return q.r.out
}

// with is the call with its first argument on integers.
func (q *quantizedCall) with(first relax.Expr) *relax.Call {
	args := slices.Clone(q.call.Args)
	args[0] = first
	return &relax.Call{Base: q.call.Base, Op: q.call.Op, Args: args, Attrs: q.call.Attrs}
}

// sameElements moves elements or picks some, which is the same for integers where one scale holds for all.
func sameElements(q *quantizedCall) (relax.Expr, *affine, bool) {
	t := q.args[0].typ
	if t != nil && !q.r.scalar(t) {
		if q.r.moved == nil {
			return nil, nil, false
		}
		t = q.r.moved(q.call, t)
	}
	if t == nil {
		return nil, nil, false
	}
	for _, a := range q.args[1:] {
		if a.typ != nil {
			return nil, nil, false
		}
	}
	c := q.with(q.args[0].expr)
	if q.r.moved == nil && isCall(q.call, "relax.nn.max_pool2d") { // Relax's is of real numbers
		c.Op, c.Attrs = ir.NewOp("relay.nn.max_pool2d"), q.call.Attrs.Without("count_include_pad")
	}
	return c, t, true
}

func splitQuantized(q *quantizedCall) (relax.Expr, *affine, bool) {
	e, t, ok := sameElements(q)
	info, isTuple := q.r.ctx.SInfoOf(q.call).(*relax.TupleStructInfo)
	if !ok || !isTuple {
		return nil, nil, false
	}
	q.fields = slices.Repeat([]*affine{t}, len(info.Fields))
	return e, nil, true
}

// operandsOf are two quantized operands.
func (q *quantizedCall) operands() (x, y quantizedValue, ok bool) {
	if len(q.args) != 2 || q.args[0].typ == nil || q.args[1].typ == nil {
		return x, y, false
	}
	return q.args[0], q.args[1], true
}

// factors are the operands of an operator that multiplies and sums, and what its result stands for: the zero points are taken from the operands, the scales stand behind, and
// the sums are int32. The weights may have a scale, and a zero point, for each output channel, which stand along axis weights there and along axis result in the result.
func (q *quantizedCall) factors(weights, result int64) (x, w quantizedValue, t *affine, ok bool) {
	x, w, ok = q.operands()
	if !ok || !q.r.scalar(x.typ) || x.typ.dtype.Bits > 8 || w.typ.dtype.Bits > 8 {
		return x, w, nil, false
	}
	if !q.r.rankZero(w.typ.scale) || !q.r.rankZero(w.typ.zero) {
		t, _ := q.r.ctx.SInfoOf(w.expr).(*relax.TensorStructInfo)
		axis := w.typ.axis
		if t != nil && axis < 0 {
			axis += int64(t.NDim)
		}
		if axis != weights {
			return x, w, nil, false
		}
	}
	scale := q.r.product(x.typ.scale, w.typ.scale)
	return x, w, &affine{scale: scale, zero: q.r.zerosLike(scale), dtype: dtype.Int32T, axis: result}, true
}

// product is a call of a quantized operator that multiplies and sums.
func (q *quantizedCall) product(name string, attrs *ir.Attrs, weights, result int64) (relax.Expr, *affine, bool) {
	x, w, t, ok := q.factors(weights, result)
	if !ok {
		return nil, nil, false
	}
	args := []relax.Expr{x.expr, w.expr, x.typ.zero, w.typ.zero, x.typ.scale, w.typ.scale}
	c, err := op.New(name, args, attrs.With("out_dtype", dtype.Int32T))
	return c, t, err == nil
}

func productRule(name string, x, weights, result int64) quantizedRule {
	return func(q *quantizedCall) (relax.Expr, *affine, bool) {
		attrs := ir.NewAttrs()
		if v, ok := q.call.Attrs.Get("units"); ok {
			attrs = attrs.With("units", v)
		}
		return q.product(name, attrs, weights, result)
	}
}

// batchMatmulQuantized takes the transposed second operand alone: TVM's qnn.batch_matmul reads it so.
func batchMatmulQuantized(q *quantizedCall) (relax.Expr, *affine, bool) {
	if q.call.Attrs.Bool("transpose_a", false) || !q.call.Attrs.Bool("transpose_b", false) || q.args[0].typ == nil {
		return nil, nil, false
	}
	if q.args[1].typ == nil || !q.r.scalar(q.args[1].typ) {
		return nil, nil, false
	}
	return q.product("relay.qnn.batch_matmul", ir.NewAttrs("transpose_b", true), -1, q.args[0].typ.axis)
}

func convQuantized(q *quantizedCall) (relax.Expr, *affine, bool) {
	a := q.call.Attrs
	kernel, data := layoutOf(a.Str("kernel_layout", "")), layoutOf(a.Str("out_layout", a.Str("data_layout", "")))
	w, ok := q.r.ctx.SInfoOf(q.call.Args[1]).(*relax.TensorStructInfo)
	if !ok || kernel == nil || data == nil || kernel.Blocked() || data.Blocked() || kernel.Pos('O') < 0 {
		return nil, nil, false
	}
	if d, known := w.StaticDims(); known && len(d) == len(kernel) {
		channels := d[kernel.Pos('O')]
		if relayName(q.call) == "nn.conv2d_transpose" {
			channels *= a.Int("groups", 1)
		}
		a = a.With("channels", channels).With("kernel_size", []int64{d[kernel.Pos('H')], d[kernel.Pos('W')]})
	} else {
		a = a.With("channels", nil).With("kernel_size", nil)
	}
	return q.product("relay.qnn."+strings.TrimPrefix(relayName(q.call), "nn."), a, int64(kernel.Pos('O')), int64(data.Pos('C')))
}

// quantized is a constant as integers of a type.
func (q *quantizedCall) quantized(v quantizedValue, t *affine, axis int64) (relax.Expr, bool) {
	c, ok := q.r.constant(v.expr)
	if !ok || !c.Data.DType().IsFloat() {
		return nil, false
	}
	return q.r.emit(callOf(quantizeOp, ir.NewAttrs("out_dtype", t.dtype, "axis", axis), v.expr, t.scale, t.zero)), true
}

// biasQuantized adds integers, where nothing is subtracted from them and they have room.
func biasQuantized(q *quantizedCall) (relax.Expr, *affine, bool) {
	x, b := q.args[0], q.args[1]
	if x.typ == nil || x.typ.dtype != dtype.Int32T || !q.r.zeros(x.typ.zero) {
		return nil, nil, false
	}
	e, ok := b.expr, true
	switch {
	case b.typ == nil:
		e, ok = q.quantized(b, x.typ, 0)
	case !q.r.sameType(b.typ, x.typ):
		e = q.r.emit(requantized(b, x.typ, 0))
	}
	if !ok {
		return nil, nil, false
	}
	return &relax.Call{Base: q.call.Base, Op: q.call.Op, Args: []relax.Expr{x.expr, e}, Attrs: q.call.Attrs}, x.typ, true
}

// binary are two operands, of which one may be a constant, and the type of the result.
func (q *quantizedCall) binary() (x, y quantizedValue, out *affine, ok bool) {
	x, y = q.args[0], q.args[1]
	asked := q.asked()
	switch {
	case x.typ == nil && y.typ == nil || asked == nil:
		return x, y, nil, false
	case x.typ == nil:
		x.expr, ok = q.quantized(x, y.typ, -1)
		x.typ = y.typ
	case y.typ == nil:
		y.expr, ok = q.quantized(y, x.typ, -1)
		y.typ = x.typ
	default:
		ok = true
	}
	if out = asked; ok && x.typ.dtype != out.dtype {
		out = x.typ
	}
	return x, y, out, ok && x.typ.dtype == y.typ.dtype
}

func arithmeticRule(name string) quantizedRule {
	return func(q *quantizedCall) (relax.Expr, *affine, bool) {
		x, y, out, ok := q.binary()
		if !ok {
			return nil, nil, false
		}
		if name == "relay.qnn.add" && out.dtype == dtype.Int32T && q.r.sameType(x.typ, y.typ) && q.r.sameType(x.typ, out) && q.r.zeros(out.zero) {
			return op.Add(x.expr, y.expr), x.typ, true
		}
		if !q.r.rankZero(out.scale) || !q.r.rankZero(out.zero) || !q.r.rankZero(x.typ.scale) || !q.r.rankZero(y.typ.scale) {
			return nil, nil, false
		}
		c, err := op.New(name, []relax.Expr{x.expr, y.expr, x.typ.scale, x.typ.zero, y.typ.scale, y.typ.zero, out.scale, out.zero}, ir.NewAttrs("lhs_axis", x.typ.axis, "rhs_axis", y.typ.axis))
		return c, out, err == nil
	}
}

// extremeQuantized compares integers that stand for numbers in the same way.
func extremeQuantized(q *quantizedCall) (relax.Expr, *affine, bool) {
	x, y, out, ok := q.binary()
	if !ok || !q.r.scalar(out) {
		return nil, nil, false
	}
	for _, v := range []*quantizedValue{&x, &y} {
		if !q.r.sameType(v.typ, out) {
			v.expr = q.r.emit(requantized(*v, out, v.typ.axis))
		}
	}
	return &relax.Call{Base: q.call.Base, Op: q.call.Op, Args: []relax.Expr{x.expr, y.expr}, Attrs: q.call.Attrs}, out, true
}

// reluQuantized keeps what stands for zero or more.
func reluQuantized(q *quantizedCall) (relax.Expr, *affine, bool) {
	t := q.args[0].typ
	if t == nil {
		return nil, nil, false
	}
	zero, ok := q.r.numbers(t.zero)
	scale, known := q.r.numbers(t.scale)
	if !ok || !known || slices.ContainsFunc(scale, func(s float64) bool { return !(s > 0) }) || slices.ContainsFunc(zero, func(z float64) bool { return z != zero[0] }) || len(zero) == 0 {
		return nil, nil, false
	}
	z, ok := numberOf(t.dtype, zero[0])
	return op.Binary("maximum", q.args[0].expr, z), t, ok
}

// clipQuantized bounds the integers.
func clipQuantized(q *quantizedCall) (relax.Expr, *affine, bool) {
	t := q.args[0].typ
	if t == nil || len(q.call.Args) != 3 || !q.r.scalar(t) {
		return nil, nil, false
	}
	scale, ok := q.r.numbers(t.scale)
	zero, ok2 := q.r.numbers(t.zero)
	if !ok || !ok2 {
		return nil, nil, false
	}
	args := []relax.Expr{q.args[0].expr}
	for _, a := range q.call.Args[1:] {
		p, isPrim := a.(*relax.PrimValue)
		if !isPrim {
			return nil, nil, false
		}
		f, isFloat := p.Value.(*tir.FloatImm)
		if !isFloat {
			return nil, nil, false
		}
		bound := math.Trunc(f.Value/scale[0] + zero[0])
		if math.IsNaN(bound) || math.Abs(bound) > 1<<31 {
			return nil, nil, false
		}
		args = append(args, &relax.PrimValue{Value: &tir.FloatImm{Type: dtype.Float64T, Value: bound}})
	}
	return &relax.Call{Base: q.call.Base, Op: q.call.Op, Args: args, Attrs: q.call.Attrs}, t, true
}

func padQuantized(q *quantizedCall) (relax.Expr, *affine, bool) {
	if len(q.args) != 2 || q.args[0].typ == nil || !q.r.scalar(q.args[0].typ) || q.call.Attrs.Str("pad_mode", "constant") != "constant" {
		return nil, nil, false
	}
	x, v := q.args[0], q.args[1]
	e, ok := v.expr, true
	switch {
	case v.typ == nil:
		e, ok = q.quantized(v, x.typ, -1)
	case !q.r.sameType(v.typ, x.typ):
		e = q.r.emit(requantized(v, x.typ, v.typ.axis))
	}
	c := q.with(x.expr)
	c.Args[1] = e
	return c, x.typ, ok
}

func concatQuantized(q *quantizedCall) (relax.Expr, *affine, bool) {
	out := q.asked()
	list := q.args[0]
	if out == nil || len(list.fields) == 0 {
		return nil, nil, false
	}
	var scales, zeros []relax.Expr
	for _, t := range list.fields {
		if !q.r.scalar(t) || t.dtype != out.dtype {
			return nil, nil, false
		}
		scales, zeros = append(scales, t.scale), append(zeros, t.zero)
	}
	c, err := op.New("relay.qnn.concatenate", []relax.Expr{list.expr, &relax.Tuple{Fields: scales}, &relax.Tuple{Fields: zeros}, out.scale, out.zero}, ir.NewAttrs("axis", q.call.Attrs.Int("axis", 0)))
	return c, out, err == nil
}

func averageQuantized(q *quantizedCall) (relax.Expr, *affine, bool) {
	t, out := q.args[0].typ, q.asked()
	if t == nil || out == nil || !q.r.scalar(t) {
		return nil, nil, false
	}
	if !q.last {
		out = t
	}
	if !q.r.scalar(out) || out.dtype != t.dtype {
		return nil, nil, false
	}
	attrs := q.call.Attrs.Without("count_include_pad").With("count_include_pad", q.call.Attrs.Bool("count_include_pad", false))
	c, err := op.New("relay.qnn.avg_pool2d", []relax.Expr{q.args[0].expr, t.scale, t.zero, out.scale, out.zero}, attrs)
	return c, out, err == nil
}

// unaryRule is that of an operator with a quantized form of its own.
func unaryRule(name string) quantizedRule {
	return func(q *quantizedCall) (relax.Expr, *affine, bool) {
		t, out := q.args[0].typ, q.asked()
		if t == nil || out == nil || !q.r.scalar(t) || !q.r.scalar(out) || t.dtype != out.dtype {
			return nil, nil, false
		}
		attrs := ir.NewAttrs()
		if name == "relay.qnn.softmax" {
			attrs = attrs.With("axis", q.call.Attrs.Int("axis", -1))
		}
		c, err := op.New(name, []relax.Expr{q.args[0].expr, t.scale, t.zero, out.scale, out.zero}, attrs)
		return c, out, err == nil
	}
}
