package relaypass

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// rules are those of quantizedRules that give the same real numbers, with products that have kernels.
func (p *quantizedProducts) rules() map[string]quantizedRule {
	out := map[string]quantizedRule{}
	for n := range strings.FieldsSeq("reshape squeeze strided_slice permute_dims expand_dims broadcast_to max min") {
		out["relax."+n] = sameElements
	}
	for r := range 3 {
		out[fmt.Sprintf("relax.nn.max_pool%dd", r+1)] = wholeWindows
	}
	out["relax.split"], out["relax.nn.relu"], out["relax.clip"] = splitQuantized, p.relu, p.clip
	out["relax.nn.pad"], out["relax.concat"], out["relax.add"] = p.pad, p.concat, p.add
	out["relax.matmul"], out["relax.nn.conv2d"], out["relax.nn.conv1d"] = p.matmul, p.conv, p.conv
	return out
}

// emitted binds calls for constructors of package op.
func (p *quantizedProducts) emitted(name string, args []relax.Expr, kv ...any) relax.Expr {
	return p.emit(callOf(name, ir.NewAttrs(kv...), args...))
}

// factor is one of a product, with its zero point in a shape that broadcasts to a tensor of a rank.
func (p *quantizedProducts) factor(v quantizedValue, rank int) (op.ByteFactor, bool) {
	t, ok := p.ctx.SInfoOf(v.expr).(*relax.TensorStructInfo)
	if !ok {
		return op.ByteFactor{}, false
	}
	dims, ok := t.Dims()
	f := op.ByteFactor{X: v.expr, Dims: dims}
	if z, _ := p.numbers(v.typ.zero); !p.zeros(v.typ.zero) {
		f.Zero, f.Value, f.Known = shaped(v.typ.zero, v.typ.axis, rank), int64(z[0]), true
	}
	return f, ok
}

// isConstant reports whether a value is computed from constants alone.
func (p *quantizedProducts) isConstant(e relax.Expr) bool {
	switch e := e.(type) {
	case *relax.Constant, *relax.ShapeExpr, *relax.PrimValue:
		return true
	case *relax.Var:
		is, seen := p.constant[e]
		if !seen {
			if call, ok := p.defs[e].(*relax.Call); ok {
				is = relax.CallIsPure(call, op.Table(), p.ctx) && len(call.Args) > 0 && !slices.ContainsFunc(call.Args, func(a relax.Expr) bool { return !p.isConstant(a) })
			} else if d := p.defs[e]; d != nil {
				is = p.isConstant(d)
			}
			p.constant[e] = is
		}
		return is
	}
	return false
}

func (p *quantizedProducts) infos(x, w quantizedValue) (a, b *relax.TensorStructInfo) {
	a, _ = p.ctx.SInfoOf(x.expr).(*relax.TensorStructInfo)
	b, _ = p.ctx.SInfoOf(w.expr).(*relax.TensorStructInfo)
	return a, b
}

// why fails with a reason, if there is one.
func (p *quantizedProducts) why(reason string) bool {
	if reason != "" && p.failed == "" {
		p.failed = reason
	}
	return reason != ""
}

const notDequantized = "a factor is not dequantized from bytes by constant scales, or not by one for all elements or for each output channel"

// matmul sums up products of bytes.
func (p *quantizedProducts) matmul(q *quantizedCall) (relax.Expr, *affine, bool) {
	if d := q.call.Attrs.DType("out_dtype"); !d.IsVoid() && d != dtype.Float32T {
		return nil, nil, false
	}
	rank := p.rankOf(q.call.Args[1])
	x, w, t, ok := q.factors(int64(rank-1), int64(p.rankOf(q.call)-1))
	if !ok {
		return nil, nil, p.why(notDequantized) && false
	}
	a, b := p.infos(x, w)
	if !p.all && p.why(p.words.Matmul(a, b, p.isConstant(q.call.Args[1]))) {
		return nil, nil, false
	}
	w = p.signed(w)
	left, ok := p.factor(x, p.rankOf(x.expr))
	right, ok2 := p.factor(w, rank)
	if !ok || !ok2 || rank < 2 || len(left.Dims) < 2 {
		return nil, nil, false
	}
	depth, known := tir.AsInt(right.Dims[rank-2])
	if !known {
		return nil, nil, p.why("how many products are summed up is not known") && false
	}
	if t.most = x.typ.most * w.typ.most * float64(depth); !p.roomy(t.most) {
		return nil, nil, false
	}
	return op.ByteMatmul(p.emitted, left, right), t, true
}

// conv is matmul for a convolution.
func (p *quantizedProducts) conv(q *quantizedCall) (relax.Expr, *affine, bool) {
	attrs, r := q.call.Attrs, p.rankOf(q.call)-2
	layout := map[int]string{1: "W", 2: "HW"}[r]
	if l := attrs.Str("out_layout", ""); attrs.Str("data_layout", "") != "NC"+layout || attrs.Str("kernel_layout", "") != "OI"+layout || l != "" && l != "NC"+layout {
		return nil, nil, p.why("its layouts are not NC"+layout+" and OI"+layout) && false
	}
	if d := attrs.DType("out_dtype"); !d.IsVoid() && d != dtype.Float32T {
		return nil, nil, false
	}
	x, w, t, ok := q.factors(0, 1)
	if !ok {
		return nil, nil, p.why(notDequantized) && false
	}
	groups := attrs.Int("groups", 1)
	if groups != 1 && p.why("bytes of groups of channels make no words: blocks of channels of real numbers are faster") {
		return nil, nil, false
	}
	image := q.call
	if r == 1 { // an image of one row
		row := func(v quantizedValue) quantizedValue {
			v.expr = p.emit(op.ExpandDims(v.expr, 2))
			return v
		}
		x, w = row(x), row(w)
		one := func(key string, before ...int64) []int64 { return slices.Concat(before, attrs.Ints(key)) }
		pads := attrs.Ints("padding")
		if len(pads) == 1 {
			pads = []int64{pads[0], pads[0]}
		}
		image, _ = callOf("relax.nn.conv2d", ir.NewAttrs("strides", one("strides", 1), "padding", []int64{0, pads[0], 0, pads[1]}, "dilation", one("dilation", 1), "groups", groups), x.expr, w.expr).(*relax.Call)
	}
	a, b := p.infos(x, w)
	if !p.all && p.why(p.words.Conv2D(image, a, b, p.isConstant(q.call.Args[1]))) {
		return nil, nil, false
	}
	w = p.signed(w)
	data, ok := p.factor(x, 4)
	weights, ok2 := p.factor(w, 4)
	dims, static := b.StaticDims()
	if !ok || !ok2 || !static {
		return nil, nil, false
	}
	if t.most = x.typ.most * w.typ.most * float64(dims[1]*dims[2]*dims[3]); !p.roomy(t.most) {
		return nil, nil, false
	}
	pads := image.Attrs.Ints("padding")
	switch len(pads) {
	case 1:
		pads = slices.Repeat(pads, 4)
	case 2:
		pads = slices.Concat(pads, pads)
	}
	y := op.ByteConv(p.emitted, data, weights, groups, pads, func(pads []int64) []any {
		return []any{"strides", image.Attrs.Ints("strides"), "padding", pads, "dilation", image.Attrs.Ints("dilation"), "groups", groups}
	})
	if r == 1 {
		y = p.emit(op.Squeeze(y, 2))
	}
	return y, t, true
}

// signed has constant bytes stand for the same numbers with zero point zero, if int8 has all of them.
func (p *quantizedProducts) signed(v quantizedValue) quantizedValue {
	zeros, _ := p.numbers(v.typ.zero)
	list, ok := p.numbers(v.expr)
	if !ok || p.zeros(v.typ.zero) {
		return v
	}
	c, _ := p.fakeQuantizer.constant(v.expr)
	shape, behind := c.Data.Shape(), int64(1)
	if len(zeros) > 1 {
		for _, n := range shape[v.typ.axis+1:] {
			behind *= n
		}
	}
	data := make([]byte, len(list))
	for i, x := range list {
		x -= zeros[int64(i)/behind%int64(len(zeros))]
		if x < -128 || x > 127 {
			return v
		}
		data[i] = byte(int8(x))
	}
	blob, err := ir.NewBlob(dtype.Int8T, shape, data)
	if err != nil {
		return v
	}
	t := *v.typ
	t.zero, t.dtype = intVector(make([]float64, len(zeros))), dtype.Int8T
	return quantizedValue{expr: &relax.Constant{Base: c.Base, Data: blob}, typ: &t}
}

// add adds a bias to sums, where both stand for numbers by the same scale.
func (p *quantizedProducts) add(q *quantizedCall) (relax.Expr, *affine, bool) {
	x, y, ok := q.operands()
	if !ok || x.typ.dtype != dtype.Int32T || y.typ.dtype != dtype.Int32T || x.typ.limits != nil || y.typ.limits != nil {
		return nil, nil, p.why("only sums and a bias are added as integers: other sums are computed by the kernel that quantizes them") && false
	}
	a, _ := p.numbers(x.typ.scale)
	b, _ := p.numbers(y.typ.scale)
	ra, rb := int64(p.rankOf(x.expr)), int64(p.rankOf(y.expr))
	aligned := len(a) == 1 || x.typ.axis-ra == y.typ.axis-rb
	if len(a) != len(b) || !aligned || rb > ra {
		return nil, nil, p.why("the scales of what is added are not those of the sums") && false
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > 0x1p-22*a[i] { // products of scales that were rounded otherwise
			return nil, nil, p.why("the scales of what is added are not those of the sums") && false
		}
	}
	t := *x.typ
	if t.most += y.typ.most; !p.roomy(t.most) {
		return nil, nil, false
	}
	if sum := p.joined(x.expr, y.expr); sum != nil {
		return sum, &t, true
	}
	return op.Add(x.expr, y.expr), &t, true
}

// joined adds a constant to sums from which another one is taken off, as one: modulo 2^32 the order does not matter. nil where it is otherwise.
func (p *quantizedProducts) joined(sums, bias relax.Expr) relax.Expr {
	v, ok := sums.(*relax.Var)
	if !ok || !p.ofConstants(bias) {
		return nil
	}
	less, ok := op.Is(p.m.Builder().LookupBinding(v), "relax.subtract")
	if !ok || !p.ofConstants(less.Args[1]) {
		return nil
	}
	return op.Add(less.Args[0], p.emit(op.Subtract(bias, less.Args[1])))
}

// ofConstants reports whether what is already bound is a constant, or computed from such by operators of elements.
func (p *quantizedProducts) ofConstants(e relax.Expr) bool {
	switch e := e.(type) {
	case *relax.Constant:
		return true
	case *relax.Var:
		call, ok := p.m.Builder().LookupBinding(e).(*relax.Call)
		if !ok {
			return false
		}
		switch relayName(call) {
		case "multiply", "subtract", "reshape", "astype":
			return p.ofConstants(call.Args[0]) && (len(call.Args) < 2 || relayName(call) == "reshape" || p.ofConstants(call.Args[1]))
		}
	}
	return false
}

// relu is reluQuantized for what may have limits.
func (p *quantizedProducts) relu(q *quantizedCall) (relax.Expr, *affine, bool) {
	e, t, ok := reluQuantized(q)
	if ok && t.limits != nil {
		limited := *t
		limited.limits = &limits{max(t.limits.lo, 0), max(t.limits.hi, 0)}
		t = &limited
	}
	return e, t, ok
}

// clip notes the limits of sums: what quantizes these limits its results, which is the same.
func (p *quantizedProducts) clip(q *quantizedCall) (relax.Expr, *affine, bool) {
	x := q.args[0]
	if x.typ == nil || x.typ.dtype != dtype.Int32T || len(q.call.Args) != 3 {
		return nil, nil, p.why("only sums are limited as integers") && false
	}
	var bounds [2]float64
	for i, a := range q.call.Args[1:] {
		prim, ok := a.(*relax.PrimValue)
		if !ok {
			return nil, nil, false
		}
		f, ok := prim.Value.(*tir.FloatImm)
		if !ok || f.Value != f.Value {
			return nil, nil, false
		}
		bounds[i] = f.Value
	}
	if bounds[0] > bounds[1] {
		return nil, nil, false
	}
	t := *x.typ
	if l := t.limits; l != nil {
		bounds = [2]float64{min(max(l.lo, bounds[0]), bounds[1]), min(max(l.hi, bounds[0]), bounds[1])}
	}
	t.limits = &limits{bounds[0], bounds[1]}
	return x.expr, &t, true
}

// pad fills with what stands for zero.
func (p *quantizedProducts) pad(q *quantizedCall) (relax.Expr, *affine, bool) {
	x := q.args[0]
	if x.typ == nil || len(q.args) != 1 || !p.scalar(x.typ) || x.typ.limits != nil || q.call.Attrs.Str("pad_mode", "constant") == "constant" && q.call.Attrs.Float("pad_value", 0) != 0 {
		return nil, nil, false
	}
	z, _ := p.numbers(x.typ.zero)
	c := q.with(x.expr)
	if z[0] != 0 {
		c.Attrs = c.Attrs.With("pad_value", z[0])
	}
	return c, x.typ, true
}

// concat joins integers that stand for numbers in the same way.
func (p *quantizedProducts) concat(q *quantizedCall) (relax.Expr, *affine, bool) {
	list := q.args[0]
	if len(list.fields) == 0 {
		return nil, nil, false
	}
	t := *list.fields[0]
	for _, f := range list.fields {
		if !p.scalar(f) || !p.exactly(f.scale, t.scale) || !p.exactly(f.zero, t.zero) || f.dtype != t.dtype || f.limits != nil {
			return nil, nil, p.why("what is joined has different scales or zero points") && false
		}
		t.most = max(t.most, f.most)
	}
	return q.with(list.expr), &t, true
}

func (p *quantizedProducts) exactly(a, b relax.Expr) bool {
	x, _ := p.numbers(a)
	y, _ := p.numbers(b)
	return slices.Equal(x, y)
}

// movedType is what a value with a scale for each index of an axis stands for after a call that moves its elements: that axis must remain one.
func (p *quantizedProducts) movedType(call *relax.Call, t *affine) *affine {
	from, ok := p.ctx.SInfoOf(call.Args[0]).(*relax.TensorStructInfo)
	to, ok2 := p.ctx.SInfoOf(call).(*relax.TensorStructInfo)
	if !ok || !ok2 || t.axis < 0 {
		return nil
	}
	out := *t
	switch relayName(call) {
	case "permute_dims":
		axes := call.Attrs.Ints("axes")
		if axes == nil {
			out.axis = int64(from.NDim) - 1 - t.axis
			return &out
		}
		for i, a := range axes {
			if a < 0 {
				a += int64(from.NDim)
			}
			if a == t.axis {
				out.axis = int64(i)
				return &out
			}
		}
	case "reshape", "expand_dims", "squeeze":
		a, known := from.StaticDims()
		b, also := to.StaticDims()
		if !known || !also {
			return nil
		}
		count := func(list []int64) (n int64) {
			n = 1
			for _, x := range list {
				n *= x
			}
			return n
		}
		for i := range b {
			if b[i] == a[t.axis] && b[i] > 1 && count(b[:i]) == count(a[:t.axis]) {
				out.axis = int64(i)
				return &out
			}
		}
	}
	return nil
}

// wholeWindows moves the largest elements of windows, each of which holds some of the data: that of padding alone is minus infinity, which no integer stands for.
func wholeWindows(q *quantizedCall) (relax.Expr, *affine, bool) {
	size, dilation, pads := q.call.Attrs.Ints("pool_size"), q.call.Attrs.Ints("dilation"), q.call.Attrs.Ints("padding")
	for i, n := range pads {
		k := size[i%len(size)]
		if len(pads) > 1 && len(pads) < 2*len(size) || len(dilation) != len(size) || q.call.Attrs.Bool("ceil_mode", false) || n > k-1 || n > 0 && dilation[i%len(size)] > 1 { // the data may be between two elements of a window
			q.r.failed = "windows may hold padding alone"
			return nil, nil, false
		}
	}
	return sameElements(q)
}
