package differ

import (
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

func (d *draw) byteType() onnxpb.DataType { return pick(d, onnxpb.Uint8, onnxpb.Int8) }

// scaled are a scale and a zero point of bytes.
func (d *draw) scaled(dt onnxpb.DataType) []val {
	scale := d.constant(tensor.MustOf(nil, []float32{0.005 + d.Float32()*0.05}))
	zero := d.values(dt, plain, 1)
	zero.Shape = nil
	if d.chance(0.3) {
		zero.SetInt(0, 0)
	}
	return []val{scale, d.constant(zero)}
}

// quantizedIn is an operand with its scale and zero point.
func (d *draw) quantizedIn(dt onnxpb.DataType, dims ...int64) []val {
	return append([]val{d.input(d.values(dt, plain, dims...))}, d.scaled(dt)...)
}

// stepped quantizes, or the other way around, to integers of more widths than those of the default domain once had.
func stepped(d *draw, op string) {
	dims := d.filled(1, 4)
	dt := pick(d, onnxpb.Uint8, onnxpb.Int8, onnxpb.Uint16, onnxpb.Int16)
	axis := d.Int64N(int64(len(dims)))
	one, attrs := []int64(nil), []onnxpb.Attribute(nil)
	if d.chance(0.5) {
		one, attrs = []int64{dims[axis]}, []onnxpb.Attribute{ob.Int("axis", axis)}
	}
	scale := d.constant(d.values(onnxpb.Float, above, one...))
	zero := none
	if d.chance(0.7) || op == "com.microsoft.QuantizeLinear" {
		zero = d.constant(d.values(dt, plain, one...))
	}
	if op == "com.microsoft.QuantizeLinear" {
		d.loose = true
		d.result(op, dt, []val{floatsIn(d, dims...), scale, zero}, attrs...)
		return
	}
	d.result(op, onnxpb.Float, []val{d.input(d.values(dt, plain, dims...)), scale, zero}, attrs...)
}

func linearBinary(d *draw, op string) {
	dt, dims := d.byteType(), d.filled(1, 4)
	in := append(d.quantizedIn(dt, dims...), d.quantizedIn(dt, d.broadcast(dims)...)...)
	d.loose = true
	d.result(op, dt, append(in, d.scaled(dt)...))
}

func linearUnary(d *draw, op string) {
	dt, dims := d.byteType(), d.filled(1, 4)
	var attrs []onnxpb.Attribute
	switch op {
	case "com.microsoft.QLinearLeakyRelu":
		attrs = maybe(d, 0.5, ob.Float("alpha", 0.25))
	case "com.microsoft.QLinearGlobalAveragePool":
		dims, attrs = d.filled(4, 4), []onnxpb.Attribute{ob.Int("channels_last", d.Int64N(2))}
	case "com.microsoft.QLinearAveragePool":
		dims = []int64{d.between(1, 2), d.between(3, 7), d.between(3, 7), d.between(3, 7)}
		attrs = []onnxpb.Attribute{ob.IntList("kernel_shape", d.between(1, 3), d.between(1, 3)), ob.Int("channels_last", d.Int64N(2))}
		attrs = append(attrs, maybe(d, 0.5, ob.IntList("strides", d.between(1, 2), d.between(1, 2)))...)
	}
	d.loose = true
	d.result(op, dt, append(d.quantizedIn(dt, dims...), d.scaled(dt)...), attrs...)
}

func linearConcat(d *draw, op string) {
	dt, dims := d.byteType(), d.filled(1, 4)
	axis := d.axis(len(dims))
	in := d.scaled(dt)
	for range d.between(1, 3) {
		dims[at(axis, len(dims))] = d.between(1, 5)
		in = append(in, d.quantizedIn(dt, append([]int64{}, dims...)...)...)
	}
	d.loose = true
	d.result(op, dt, in, ob.Int("axis", axis))
}

func linearWhere(d *draw, op string) {
	dt, dims := d.byteType(), d.filled(1, 3)
	in := append([]val{d.input(d.values(onnxpb.Bool, plain, dims...))}, d.quantizedIn(dt, dims...)...)
	in = append(in, d.quantizedIn(dt, d.broadcast(dims)...)...)
	d.loose = true
	d.result(op, dt, append(in, d.scaled(dt)...))
}

func byteGemm(d *draw, op string) {
	m, k, n := d.between(1, 9), d.between(1, 30), d.between(1, 9)
	a, b := []int64{m, k}, []int64{k, n}
	var attrs []onnxpb.Attribute
	if d.chance(0.4) {
		a[0], a[1] = k, m
		attrs = append(attrs, ob.Int("transA", 1))
	}
	if d.chance(0.4) {
		b[0], b[1] = n, k
		attrs = append(attrs, ob.Int("transB", 1))
	}
	attrs = append(attrs, maybe(d, 0.3, ob.Float("alpha", 0.5))...)
	dt := d.byteType()
	in := append(d.quantizedIn(dt, a...), d.quantizedIn(onnxpb.Int8, b...)...)
	in = append(in, none)
	if d.chance(0.5) {
		in[6] = d.constant(d.values(onnxpb.Int32, plain, n))
	}
	if d.chance(0.6) {
		d.loose = true
		d.result(op, dt, append(in, d.scaled(dt)...), attrs...)
		return
	}
	d.result(op, onnxpb.Float, in, attrs...)
}

func toFloat(d *draw, op string) {
	m, k, n := d.between(1, 9), d.between(1, 30), d.between(1, 9)
	scales := func() val {
		if d.chance(0.5) {
			return d.constant(tensor.MustOf(nil, []float32{0.02}))
		}
		return d.constant(d.values(onnxpb.Float, plain, n))
	}
	dt := d.byteType()
	zero := func(dt onnxpb.DataType) val {
		if d.chance(0.4) {
			return none
		}
		return d.scaled(dt)[1]
	}
	bias := none
	if d.chance(0.5) {
		bias = d.constant(d.values(onnxpb.Float, plain, n))
	}
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-4}
	if op == "com.microsoft.DynamicQuantizeMatMul" {
		d.tol.ofMax = 1e-3
		d.result(op, onnxpb.Float, []val{floatsIn(d, m, k), d.constant(d.values(dt, plain, k, n)), scales(), zero(dt), bias})
		return
	}
	a := d.byteType()
	x := []val{d.input(d.values(a, plain, m, k)), d.constant(d.values(dt, plain, k, n)), d.constant(tensor.MustOf(nil, []float32{0.03})), scales(), zero(a), zero(dt), bias}
	d.result(op, onnxpb.Float, x)
}

func bitsProduct(d *draw, op string) {
	bits, size := pick(d, int64(4), 4, 8, 2), pick(d, int64(16), 32, 64)
	k, n := d.between(1, 100), d.between(1, 12)*pick(d, int64(1), 4)
	blocks := (k + size - 1) / size
	in := []val{
		floatsIn(d, append(d.filled(0, 1), d.between(1, 4), k)...),
		d.constant(d.values(onnxpb.Uint8, plain, n, blocks, size*bits/8)),
		d.constant(d.values(onnxpb.Float, plain, n*blocks)),
	}
	zero := none
	switch d.IntN(4) {
	case 0, 1:
		zero = d.constant(d.values(onnxpb.Uint8, plain, n*((blocks*bits+7)/8)))
	case 2:
		zero = d.constant(d.values(onnxpb.Float, plain, n*blocks))
	}
	in = append(in, zero)
	if bits == 4 && zero.dt != onnxpb.Uint8 && d.chance(0.4) { // columns take the scales of blocks in any order
		order := tensor.MustOf([]int64{k}, make([]int32, k))
		for i := range order.Len() {
			order.SetInt(i, d.Int64N(blocks))
		}
		in = append(in, d.constant(order))
	}
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-4}
	d.result(op, onnxpb.Float, in, ob.Int("K", k), ob.Int("N", n), ob.Int("bits", bits), ob.Int("block_size", size))
}

func bitsGather(d *draw, op string) {
	bits, size := pick(d, int64(4), 8), pick(d, int64(16), 32)
	rows, width := d.between(1, 9), 2*d.between(1, 40)
	dims := append(append([]int64{rows}, d.filled(0, 1)...), width)
	blocks := append(append([]int64{}, dims[:len(dims)-1]...), (width+size-1)/size)
	inBytes := func(dims []int64) []int64 {
		out := append([]int64{}, dims...)
		out[len(out)-1] = (out[len(out)-1]*bits + 7) / 8
		return out
	}
	indices := d.values(onnxpb.Int64, plain, d.filled(0, 2)...)
	for i := range indices.Len() {
		indices.SetInt(i, d.Int64N(2*rows)-rows)
	}
	in := []val{d.constant(d.values(onnxpb.Uint8, plain, inBytes(dims)...)), d.input(indices), d.constant(d.values(onnxpb.Float, plain, blocks...))}
	if d.chance(0.5) {
		in = append(in, d.constant(d.values(onnxpb.Uint8, plain, inBytes(blocks)...)))
	}
	d.result(op, onnxpb.Float, in, ob.Int("bits", bits), ob.Int("block_size", size), ob.Int("gather_axis", 0), ob.Int("quantize_axis", int64(len(dims)-1)))
}

// keyMask is a mask of keys in one of its forms, or none.
func (d *draw) keyMask(batch, rows, columns int64) val {
	ints := func(f func() int64, dims ...int64) val {
		n := int64(1)
		for _, e := range dims {
			n *= e
		}
		t := tensor.MustOf(dims, make([]int32, n))
		for i := range t.Len() {
			t.SetInt(i, f())
		}
		return d.input(t)
	}
	switch d.IntN(5) {
	case 0:
		return ints(func() int64 { return d.between(1, columns) }, batch)
	case 1:
		return ints(func() int64 { return d.Int64N(2) }, batch, columns)
	case 2:
		return ints(func() int64 { return d.Int64N(2) }, batch, rows, columns)
	}
	return none
}

func projectedAttention(d *draw, op string) {
	b, s, width, count, size := d.between(1, 3), d.between(1, 6), d.between(1, 12), d.between(1, 3), d.between(1, 8)
	hidden := count * size
	attrs := append([]onnxpb.Attribute{ob.Int("num_heads", count)}, maybe(d, 0.4, ob.Int("unidirectional", 1))...)
	past := int64(0)
	var old val
	if d.chance(0.3) {
		past = d.between(1, 4)
		old = floatsIn(d, 2, b, count, past, size)
	}
	mask := d.keyMask(b, s, past+s)
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-4}
	var in []val
	if op == "com.microsoft.QAttention" {
		x, w := d.quantizedIn(onnxpb.Uint8, b, s, width), append([]val{d.constant(d.values(onnxpb.Int8, plain, width, 3*hidden))}, d.scaled(onnxpb.Int8)...)
		in = []val{x[0], w[0], floatsOf(d, 3*hidden), x[1], w[1], mask, x[2], w[2], old}
	} else {
		in = []val{floatsIn(d, b, s, width), floatsOf(d, width, 3*hidden), floatsOf(d, 3*hidden), mask, old}
		if d.chance(0.3) {
			in = append(in, floatsIn(d, b, count, s, past+s))
		}
	}
	outs := d.nodes(op, 2, in, attrs...)
	d.out(outs[0], onnxpb.Float)
	if past > 0 {
		d.out(outs[1], onnxpb.Float)
	}
}

func headsAttention(d *draw, op string) {
	b, s, count, size := d.between(1, 3), d.between(1, 6), d.between(1, 3), d.between(1, 8)
	hidden, length, past := count*size, s, int64(0)
	in := make([]val, 8)
	switch d.IntN(3) {
	case 0:
		length = d.between(1, 6)
		in[0], in[1], in[2] = floatsIn(d, b, s, hidden), floatsIn(d, b, count, length, size), floatsIn(d, b, count, length, size)
	case 1:
		in[0], in[1], in[2] = floatsIn(d, b, s, hidden), floatsIn(d, b, s, hidden), floatsIn(d, b, s, hidden)
		past = d.between(1, 4)
		in[6], in[7] = floatsIn(d, b, count, past, size), floatsIn(d, b, count, past, size)
	default:
		length = d.between(1, 6)
		in[0], in[1], in[2] = floatsIn(d, b, s, hidden), floatsIn(d, b, length, hidden), floatsIn(d, b, length, hidden)
	}
	if in[2].name != "" && d.chance(0.5) {
		in[3] = floatsOf(d, 3*hidden)
	}
	in[4] = d.keyMask(b, s, past+length)
	if d.chance(0.3) {
		in[5] = floatsIn(d, b, count, s, past+length)
	}
	attrs := append([]onnxpb.Attribute{ob.Int("num_heads", count)}, maybe(d, 0.3, ob.Float("scale", 0.3))...)
	if length == s {
		attrs = append(attrs, maybe(d, 0.3, ob.Int("unidirectional", 1))...)
	}
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-3} // rows of which all is masked are 10,000 lower
	outs := d.nodes(op, 3, in, attrs...)
	d.out(outs[0], onnxpb.Float)
	if past > 0 {
		d.out(outs[1], onnxpb.Float)
		d.out(outs[2], onnxpb.Float)
	}
}

func groupedAttention(d *draw, op string) {
	b, s, keys, groups, size := d.between(1, 3), d.between(1, 6), d.between(1, 3), d.between(1, 3), int64(16)
	count, past := keys*groups, int64(0)
	if d.chance(0.5) {
		if past = d.between(1, 4); b > 1 {
			s = 1
		}
	}
	in := make([]val, 12)
	if d.chance(0.5) {
		in[0] = floatsIn(d, b, s, (count+2*keys)*size)
	} else {
		in[0], in[1], in[2] = floatsIn(d, b, s, count*size), floatsIn(d, b, s, keys*size), floatsIn(d, b, s, keys*size)
	}
	free := int64(0) // room of the past that no sequence uses
	if past > 0 {
		free = pick(d, int64(0), 0, 1, 2, 5)
		in[3], in[4] = floatsIn(d, b, keys, past+free, size), floatsIn(d, b, keys, past+free, size)
	}
	lengths, uneven := make([]int32, b), past > 0 && d.chance(0.5) // what presents hold behind shorter sequences is open
	for i := range lengths {
		lengths[i] = int32(past + s - 1)
		if uneven && i > 0 {
			lengths[i] = int32(d.between(0, past) + s - 1)
		}
	}
	in[5] = d.input(tensor.MustOf([]int64{b}, lengths))
	in[6] = d.either(0.7, tensor.MustOf(nil, []int32{int32(past + s)}))
	attrs := []onnxpb.Attribute{ob.Int("num_heads", count), ob.Int("kv_num_heads", keys)}
	if d.chance(0.5) {
		in[7], in[8] = floatsOf(d, 16, size/2), floatsOf(d, 16, size/2)
		attrs = append(attrs, ob.Int("do_rotary", 1), ob.Int("rotary_interleaved", d.Int64N(2)))
	}
	attrs = append(attrs, maybe(d, 0.3, ob.Float("scale", 0.3))...)
	attrs = append(attrs, maybe(d, 0.3, ob.Float("softcap", 2))...)
	attrs = append(attrs, maybe(d, 0.3, ob.Int("local_window_size", d.between(1, 4)))...)
	if d.chance(0.3) {
		in[10] = floatsIn(d, pick(d, 1, b), pick(d, 1, count), s, past+s)
	}
	switch d.IntN(4) {
	case 0:
		in[11] = floatsOf(d, count)
	case 1:
		attrs = append(attrs, ob.Int("smooth_softmax", 1))
	}
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-4}
	outs := d.nodes(op, 3, in, attrs...)
	if uneven || free > s {
		outs = outs[:1]
	}
	for _, out := range outs {
		d.out(out, onnxpb.Float)
	}
}

func turned(d *draw, op string) {
	b, s, count, size := d.between(1, 3), d.between(1, 6), d.between(1, 3), 2*d.between(1, 8)
	x := floatsIn(d, b, s, count*size)
	if d.chance(0.4) {
		x = floatsIn(d, b, count, s, size)
	}
	at := d.values(onnxpb.Int64, plain, b, s)
	if d.chance(0.5) {
		at = d.values(onnxpb.Int64, plain, 1)
	}
	in := []val{x, d.input(below(at, 16-s)), floatsOf(d, 16, size/2), floatsOf(d, 16, size/2)}
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5}
	d.result(op, onnxpb.Float, in, maybe(d, 0.4, ob.Int("interleaved", 1))...)
}
