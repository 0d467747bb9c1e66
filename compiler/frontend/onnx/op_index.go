package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// indexRows are the operators that join, cut and pick.
func indexRows() []operator {
	return []operator{
		{name: "Concat", minIn: 1, maxIn: -1, attrs: []string{"axis"}, convert: concat, fold: foldConcat},
		{name: "Split", minIn: 1, maxIn: 2, attrs: []string{"axis", "split", "num_outputs"}, convert: split},
		{name: "Slice", minIn: 1, maxIn: 5, attrs: []string{"starts", "ends", "axes"}, convert: slice, fold: foldSlice},
		{name: "Gather", minIn: 2, maxIn: 2, attrs: []string{"axis"}, convert: gather, fold: foldGather},
		{name: "GatherElements", minIn: 2, maxIn: 2, attrs: []string{"axis"}, convert: gatherElements},
		{name: "GatherND", minIn: 2, maxIn: 2, attrs: []string{"batch_dims"}, convert: gatherND},
		{name: "Compress", minIn: 2, maxIn: 2, attrs: []string{"axis"}, convert: compress},
		{name: "Pad", minIn: 1, maxIn: 4, attrs: []string{"mode", "pads", "value"}, convert: pad},
		{name: "CenterCropPad", minIn: 2, maxIn: 2, attrs: []string{"axes"}, convert: centerCropPad},
	}
}

func concat(n *node) {
	var es []relax.Expr
	rank := n.rank(0)
	for i := range n.in {
		n.value(i)
		n.sameDType(0, i)
		if r := n.rank(i); r != rank {
			n.fail("inputs 0 and %d have %d and %d dimensions, expected the same", i, rank, r)
		}
		es = append(es, n.expr(i))
	}
	if n.pb.Attribute("axis") == nil {
		n.fail("attribute \"axis\" is missing")
	}
	axis := n.axis(n.int("axis", 0), rank)
	if len(es) == 1 {
		n.setValue(0, n.value(0))
		return
	}
	n.result("relax.concat", args(tuple(es)), "axis", int64(axis))
}

// maxOutputs bounds the parts of a split.
const maxOutputs = 1 << 12

// split cuts a tensor into the given sizes, or into as many parts as there are outputs, of
// which the last may be smaller.
func split(n *node) {
	dims := n.dims(0)
	axis := n.axis(n.int("axis", 0), len(dims))
	count := len(n.pb.Outputs)
	if c := n.int("num_outputs", int64(count)); c != int64(count) {
		n.fail("attribute \"num_outputs\" is %d, but the node has %d outputs", c, count)
	}
	if count > maxOutputs {
		n.fail("has %d outputs; the limit is %d", count, maxOutputs)
	}
	sizes := n.ints("split")
	if n.has(1) {
		list := n.extentsOperand(1, "split")
		var constant bool
		if sizes, constant = relax.StaticInts(list); !constant {
			if len(list) != count {
				n.fail("there are %d sizes for %d outputs", len(list), count)
			}
			n.out = n.partsOf(axis, list)
			return
		}
	}
	extent, static := tir.AsInt(dims[axis])
	if sizes == nil {
		if !static {
			n.parts(n.value(0), axis, int64(count), count)
			return
		}
		chunk := (extent + int64(count) - 1) / int64(count)
		for i := range int64(count) {
			sizes = append(sizes, max(0, min(chunk, extent-i*chunk)))
		}
	}
	if len(sizes) != count {
		n.fail("there are %d sizes for %d outputs", len(sizes), count)
	}
	total := int64(0)
	cuts := make([]int64, 0, len(sizes))
	for i, s := range sizes {
		if s < 0 || s > math.MaxInt32 {
			n.fail("size %d is %d, expected 0 or more", i, s)
		}
		total += s
		cuts = append(cuts, total)
	}
	if static && total != extent {
		n.fail("the sizes add up to %d, but axis %d has extent %d", total, axis, extent)
	}
	if static && n.foldSplit(n.known(0), sizes) {
		return
	}
	x := n.value(0)
	if !static { // the sizes tell it
		dims = slices.Clone(dims)
		dims[axis] = tir.Int(total)
		x = &value{expr: n.matchCast(n.expr(0), dims)}
	}
	n.parts(x, axis, cuts[:len(cuts)-1], count)
}

// partsOf are the parts of operand 0 of the given sizes along an axis, which a run checks to add up to its extent.
func (n *node) partsOf(axis int, sizes []tir.Expr) []*value {
	dims := n.dims(0)
	at := tir.Expr(tir.Int(0))
	ends := make([]tir.Expr, len(sizes))
	for i, s := range sizes {
		at = tir.Add(at, tir.CastTo(dtype.Int64T, s))
		ends[i] = at
	}
	if !n.equal(at, dims[axis]) {
		n.fail("the sizes add up to %s, but axis %d has extent %s", relax.FormatPrim(at), axis, relax.FormatPrim(dims[axis]))
	}
	out := make([]*value, len(sizes))
	at = tir.Int(0)
	for i, s := range sizes {
		want := slices.Clone(dims)
		want[axis] = tir.CastTo(dtype.Int64T, s)
		x := n.part(n.expr(0), axis, at, ends[i])
		if own, _ := relax.SInfoOf(x).(*relax.TensorStructInfo).Dims(); !sameDims(own, want) {
			x = n.matchCast(x, want)
		}
		out[i], at = &value{expr: x}, ends[i]
	}
	return out
}

// parts splits a tensor and makes the parts the results. One part is the tensor itself.
func (n *node) parts(x *value, axis int, sections any, count int) {
	if count == 1 {
		n.setValue(0, x)
		return
	}
	t := n.emit("relax.split", args(n.tensor(x)), "indices_or_sections", sections, "axis", int64(axis))
	for i, name := range n.pb.Outputs {
		if name != "" && n.g.uses[name] > 0 {
			n.resultField(t, i)
		}
	}
}

// indices returns operand 1, which indexes an axis of the given extent, with negative
// indices made to count from the front.
func (n *node) indices(extent tir.Expr) relax.Expr {
	n.wantDType(1, "an integer", dtype.DType.IsInteger)
	d := n.dtype(1)
	if k := n.known(1); k != nil {
		if vs, ok := k.ints(); ok {
			e, static := tir.AsInt(extent)
			negative := false
			for i, v := range vs {
				if static && (v < -e || v >= e) {
					n.fail("index %d is %d, out of range for extent %d", i, v, e)
				}
				negative = negative || v < 0
			}
			switch {
			case !negative:
				return n.expr(1)
			case static:
				for i := range vs {
					if vs[i] < 0 {
						vs[i] += e
					}
				}
				elems := make([]tir.Expr, len(vs))
				for i, v := range vs {
					elems[i] = tir.Const(d, v)
				}
				return n.tensor(&value{known: &known{dtype: d, shape: k.shape, elems: elems}})
			}
		}
	}
	return n.fromFront(n.expr(1), scalar(d, tir.CastTo(d, extent)))
}

// fromFront makes negative indices count from the front, by the extents of what they index.
func (n *node) fromFront(ix relax.Expr, extents *known) relax.Expr {
	d := extents.dtype
	if d.IsUInt() {
		return ix
	}
	below := n.emit("relax.less", args(ix, n.constant(d, 0)))
	return n.emit("relax.where", args(below, n.emit("relax.add", args(ix, n.tensor(&value{known: extents}))), ix))
}

func gather(n *node) {
	dims := n.dims(0)
	axis := n.axis(n.int("axis", 0), len(dims))
	n.result("relax.take", args(n.expr(0), n.indices(dims[axis])), "axis", int64(axis))
}

func gatherElements(n *node) {
	dims := n.dims(0)
	axis := n.axis(n.int("axis", 0), len(dims))
	if n.rank(1) != len(dims) {
		n.fail("the indices have %d dimensions, expected %d like the data", n.rank(1), len(dims))
	}
	n.result("relax.gather_elements", args(n.expr(0), n.indices(dims[axis])), "axis", int64(axis))
}

func gatherND(n *node) {
	batch := n.int("batch_dims", 0)
	n.result("relax.gather_nd", args(n.expr(0), n.tuples(batch)), "batch_dims", batch)
}

// tuples returns operand 1, whose last axis holds an index for each of the axes behind the first so many, with negative
// indices made to count from the front.
func (n *node) tuples(batch int64) relax.Expr {
	n.wantDType(1, "int64", func(d dtype.DType) bool { return d == dtype.Int64T })
	dims, shape := n.dims(0), n.dims(1)
	if batch < 0 || len(shape) == 0 {
		n.fail("attribute \"batch_dims\" is %d and the indices have %d dimensions, expected 0 or more and at least 1", batch, len(shape))
	}
	each, ok := tir.AsInt(shape[len(shape)-1])
	if !ok || each < 0 || batch > int64(len(dims)) || each > int64(len(dims))-batch {
		n.fail("the indices of shape %s do not fit an input of %d dimensions", relax.FormatDims(shape), len(dims))
	}
	extents := vector(dtype.Int64T, dims[batch:batch+each])
	k := n.known(1)
	if k == nil {
		return n.fromFront(n.expr(1), extents)
	}
	at, ok := k.ints()
	if !ok {
		return n.fromFront(n.expr(1), extents)
	}
	for i, v := range at {
		e, static := tir.AsInt(extents.elems[int64(i)%each])
		switch {
		case static && (v < -e || v >= e):
			n.fail("index %d is %d, out of range for extent %d", i, v, e)
		case v < 0 && !static:
			return n.fromFront(n.expr(1), extents)
		case v < 0:
			at[i] += e
		}
	}
	return n.tensor(&value{known: &known{dtype: k.dtype, shape: k.shape, elems: relax.Ints(at)}})
}

// compress takes the elements that a condition selects, of the flattened tensor where there is no axis.
func compress(n *node) {
	x, dims := n.expr(0), n.dims(0)
	n.wantDType(1, "bool", dtype.DType.IsBool)
	k := n.known(1)
	axis := 0
	if n.pb.Attribute("axis") != nil {
		axis = n.axis(n.int("axis", 0), len(dims))
	} else {
		dims = []tir.Expr{product(dims)}
		x = n.reshape(x, dims)
	}
	if k == nil || len(k.shape) != 1 {
		n.compressByData(x, axis, dims[axis])
		return
	}
	if extent, ok := tir.AsInt(dims[axis]); ok && extent < int64(len(k.elems)) {
		n.fail("the condition (input 1) has %d elements for %d of axis %d", len(k.elems), extent, axis)
	}
	var taken []tir.Expr
	for i, e := range k.elems {
		if v, _ := tir.AsInt(e); v != 0 {
			taken = append(taken, tir.Int(int64(i)))
		}
	}
	if _, ok := tir.AsInt(dims[axis]); !ok && len(taken) > 0 {
		last, _ := tir.AsInt(taken[len(taken)-1])
		n.atLeast(dims[axis], last+1)
	}
	n.result("relax.take", args(x, n.tensor(&value{known: vector(dtype.Int64T, taken)})), "axis", int64(axis))
}

// pad adds elements at the start and end of axes, or with a negative number takes them away, before it adds any. The pads are an
// attribute up to operator set 10, and operands (with the axes since 18) after that.
func pad(n *node) {
	dims := n.dims(0)
	mode := n.str("mode", "constant", "constant", "reflect", "edge", "wrap")
	if mode == "wrap" {
		mode = "circular"
	}
	pads, fill := n.ints("pads"), n.float("value", 0)
	axes := allAxes(len(dims))
	if n.opset >= 11 {
		if n.has(3) {
			axes = n.axes(n.intsOperand(3, "axes"), len(dims))
		}
		list := n.extentsOperand(1, "pads")
		static := true
		if pads, static = relax.StaticInts(list); static && n.has(2) {
			k := n.known(2)
			if static = k != nil && isExact(k); static {
				fill = n.scalarOperand(2, "constant_value")
			}
		}
		if !static {
			if len(list) != 2*len(axes) {
				n.fail("there are %d pads for %d axes, expected two for each", len(list), len(axes))
			}
			n.padByExtents(axes, list, mode)
			return
		}
	}
	if len(pads) != 2*len(axes) {
		n.fail("there are %d pads for %d axes, expected two for each", len(pads), len(axes))
	}
	width := make([]int64, 2*len(dims))
	any := false
	var cut sliceOperands
	for i, a := range axes {
		lo, hi := pads[i], pads[i+len(axes)]
		if e, ok := tir.AsInt(dims[a]); lo < -math.MaxInt32 || hi < -math.MaxInt32 || lo > math.MaxInt32 || hi > math.MaxInt32 || ok && e+min(lo, 0)+min(hi, 0) < 0 {
			n.fail("the pads of axis %d are %d and %d, which extent %s does not allow", a, lo, hi, relax.FormatPrim(dims[a]))
		}
		if lo < 0 || hi < 0 {
			cut.add(a, tir.Int(max(0, -lo)), tir.Add(dims[a], tir.Int(min(0, hi))), 1)
		}
		width[2*a], width[2*a+1] = max(0, lo), max(0, hi)
		any = any || lo > 0 || hi > 0
	}
	switch {
	case cut.axes == nil && !any:
		n.setValue(0, n.value(0))
	case cut.axes == nil:
		n.result("relax.nn.pad", args(n.expr(0)), "pad_width", width, "pad_mode", mode, "pad_value", fill)
	case !any:
		n.result("relax.strided_slice", cut.of(n.expr(0)))
	default:
		x := n.emit("relax.strided_slice", cut.of(n.expr(0)))
		n.result("relax.nn.pad", args(x), "pad_width", width, "pad_mode", mode, "pad_value", fill)
	}
}

// isNumber reports whether a known element is a constant.
func isNumber(e tir.Expr) bool {
	switch e.(type) {
	case *tir.IntImm, *tir.FloatImm:
		return true
	}
	return false
}

// isExact reports whether the elements of k are floats, or integers that floats hold.
func isExact(k *known) bool {
	for _, e := range k.elems {
		if v, ok := e.(*tir.IntImm); ok && (int64(float64(v.Value)) != v.Value || v.Value < 0 && k.dtype.IsUInt()) {
			return false
		}
	}
	return true
}

// scalarOperand returns operand i, a constant of one element.
func (n *node) scalarOperand(i int, what string) float64 {
	k := n.known(i)
	if k == nil || len(k.elems) != 1 {
		n.fail("%s (input %d) must be a constant of one element", what, i)
	}
	switch e := k.elems[0].(type) {
	case *tir.FloatImm:
		return e.Value
	case *tir.IntImm:
		return float64(e.Value)
	}
	n.fail("%s (input %d) must be a constant", what, i)
	return 0
}
