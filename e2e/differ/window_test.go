package differ

import (
	"slices"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

func init() {
	register(conv, "Conv")
	register(convTranspose, "ConvTranspose")
	register(convInteger, "ConvInteger")
	register(qlinearConv, "QLinearConv")
	register(pool, "MaxPool", "AveragePool", "LpPool")
	register(globalPool, "GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
	register(unpool, "MaxUnpool")
	register(col2im, "Col2Im")
	register(deform, "DeformConv")
}

// window is what a sliding window has of attributes.
type window struct {
	spatial, kernel, strides, dilations, pads []int64
	auto                                      string
}

// slide draws a window over one to three axes that fits.
func (d *draw) slide() window {
	n := pick(d, 1, 2, 2, 2, 2, 3)
	w := window{auto: pick(d, "", "", "", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")}
	w.pads = make([]int64, 2*n)
	for i := range n {
		k, st, dil := pick(d, int64(1), 2, 3, 3, 3, 4, 5), pick(d, int64(1), 1, 1, 2, 3), pick(d, int64(1), 1, 1, 1, 2, 3)
		if w.auto == "SAME_UPPER" || w.auto == "SAME_LOWER" {
			dil = 1
		}
		e := d.between(1, 12)
		if n < 3 && d.chance(0.15) {
			e = d.between(13, 30)
		}
		span := (k-1)*dil + 1
		if w.auto == "SAME_UPPER" || w.auto == "SAME_LOWER" {
			st = min(st, k)
		} else {
			e = max(e, span)
			if w.auto == "" || w.auto == "NOTSET" {
				w.pads[i], w.pads[n+i] = d.between(0, k-1), d.between(0, k-1)
				if d.chance(0.3) {
					w.pads[n+i] = w.pads[i]
				}
			}
		}
		w.spatial, w.kernel, w.strides, w.dilations = append(w.spatial, e), append(w.kernel, k), append(w.strides, st), append(w.dilations, dil)
	}
	return w
}

func (w window) attrs(d *draw) (out []onnxpb.Attribute) {
	out = maybe(d, 0.8, ob.IntList("kernel_shape", w.kernel...))
	out = append(out, ob.IntList("strides", w.strides...))
	if slices.Max(w.dilations) > 1 || d.chance(0.3) {
		out = append(out, ob.IntList("dilations", w.dilations...))
	}
	if w.auto != "" {
		out = append(out, ob.Str("auto_pad", w.auto))
	}
	if w.auto == "" || w.auto == "NOTSET" {
		out = append(out, ob.IntList("pads", w.pads...))
	}
	return out
}

// channels are the groups, and the channels of input and output.
func (d *draw) channels() (groups, in, out int64) {
	groups = pick(d, int64(1), 1, 1, 2, 3)
	in, out = groups*d.between(1, 5), groups*d.between(1, 6)
	switch {
	case d.chance(0.15): // a depthwise convolution
		groups = pick(d, int64(3), 8, 16, 19)
		in, out = groups, groups*pick(d, int64(1), 1, 2)
	case d.chance(0.25): // whole blocks, or nearly
		groups, in, out = 1, pick(d, int64(8), 16, 17, 32), pick(d, int64(8), 16, 24, 33)
	}
	return groups, in, out
}

func conv(d *draw) {
	d.old(11)
	w := d.slide()
	groups, in, out := d.channels()
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Float, onnxpb.Float, onnxpb.Double)
	if dt == onnxpb.Double {
		dt = onnxpb.Float // ONNX Runtime has no other
	}
	d.tol = tolerance{rel: 1e-4, ofMax: 2e-5}
	x := d.input(d.values(dt, plain, slices.Concat([]int64{d.between(1, 2), in}, w.spatial)...))
	ops := []val{x, d.weight(0.8, d.values(dt, plain, slices.Concat([]int64{out, in / groups}, w.kernel)...))}
	if d.chance(0.5) {
		ops = append(ops, d.weight(0.8, d.values(dt, plain, out)))
	}
	d.result("Conv", dt, ops, append(w.attrs(d), ob.Int("group", groups))...)
}

func convTranspose(d *draw) {
	w := d.slide()
	groups, in, out := d.channels()
	d.tol = tolerance{rel: 1e-4, ofMax: 2e-5}
	x := d.input(d.values(onnxpb.Float, plain, slices.Concat([]int64{d.between(1, 2), in}, w.spatial)...))
	ops := []val{x, d.weight(0.8, d.values(onnxpb.Float, plain, slices.Concat([]int64{in, out / groups}, w.kernel)...))}
	if d.chance(0.5) {
		ops = append(ops, d.weight(0.8, d.values(onnxpb.Float, plain, out)))
	}
	attrs := append(w.attrs(d), ob.Int("group", groups))
	more := make([]int64, len(w.kernel))
	for i := range more {
		more[i] = d.between(0, max(w.strides[i], w.dilations[i])-1)
	}
	attrs = append(attrs, maybe(d, 0.4, ob.IntList("output_padding", more...))...)
	if d.chance(0.15) {
		var to []int64
		for i, e := range w.spatial {
			to = append(to, w.strides[i]*(e-1)+(w.kernel[i]-1)*w.dilations[i]+1-d.between(0, 2))
			to[i] = max(to[i], 1)
		}
		attrs = append(attrs, ob.IntList("output_shape", to...))
	}
	d.result("ConvTranspose", onnxpb.Float, ops, attrs...)
}

func convInteger(d *draw) {
	w := d.slide()
	groups, in, out := d.channels()
	xt := pick(d, onnxpb.Uint8, onnxpb.Uint8, onnxpb.Int8)
	wt := pick(d, onnxpb.Uint8, onnxpb.Int8)
	x := d.input(d.values(xt, special, slices.Concat([]int64{d.between(1, 2), in}, w.spatial)...))
	ops := []val{x, d.weight(0.8, d.values(wt, special, slices.Concat([]int64{out, in / groups}, w.kernel)...))}
	if d.chance(0.6) {
		ops = append(ops, d.either(0.8, d.values(xt, plain)))
		if d.chance(0.6) {
			ops = append(ops, d.weight(0.8, d.values(wt, plain)))
		}
	}
	d.result("ConvInteger", onnxpb.Int32, ops, append(w.attrs(d), ob.Int("group", groups))...)
}

func (d *draw) scale(dims ...int64) val {
	t := d.values(onnxpb.Float, above, dims...)
	for i := range t.Len() {
		t.SetFloat(i, t.Float(i)*0.05)
	}
	return d.either(0.9, t)
}

func qlinearConv(d *draw) {
	w := d.slide()
	groups, in, out := d.channels()
	xt := pick(d, onnxpb.Uint8, onnxpb.Int8)
	wt := pick(d, xt, onnxpb.Int8)
	x := d.input(d.values(xt, special, slices.Concat([]int64{d.between(1, 2), in}, w.spatial)...))
	per := []int64{}
	if d.chance(0.5) {
		per = []int64{out}
	}
	zero := d.values(wt, plain, per...)
	if len(per) > 0 && d.chance(0.6) {
		zero = empty(wt, per)
	}
	ops := []val{
		x, d.scale(), d.either(0.9, d.values(xt, plain)),
		d.weight(0.9, d.values(wt, special, slices.Concat([]int64{out, in / groups}, w.kernel)...)), d.scale(per...), d.either(0.9, zero),
		d.constant(tensor.MustOf(nil, []float32{float32(0.05 + d.Float64())})), d.either(0.9, d.values(xt, plain)),
	}
	if d.chance(0.5) {
		ops = append(ops, d.either(0.8, d.below(onnxpb.Int32, -3000, 3000, out)))
	}
	d.result("QLinearConv", xt, ops, append(w.attrs(d), ob.Int("group", groups))...)
}

func pool(d *draw) {
	d.old(12)
	w := d.slide()
	op := pick(d, "MaxPool", "AveragePool", "LpPool")
	if op == "LpPool" {
		d.opset = pick(d, d.opset, 18, 22)
	}
	if op == "AveragePool" && d.opset < 19 || op == "LpPool" && d.opset < 18 {
		for i := range w.dilations {
			w.dilations[i] = 1
		}
	}
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Double)
	if op == "LpPool" {
		dt = onnxpb.Float
	}
	if op == "MaxPool" {
		dt = pick(d, dt, dt, onnxpb.Int8, onnxpb.Uint8)
	}
	x := d.input(d.values(dt, plain, slices.Concat([]int64{d.between(1, 2), d.between(1, 9)}, w.spatial)...))
	attrs := w.attrs(d)
	if attrs[0].Name != "kernel_shape" {
		attrs = append(attrs, ob.IntList("kernel_shape", w.kernel...))
	}
	attrs = slices.DeleteFunc(attrs, func(a onnxpb.Attribute) bool {
		return a.Name == "dilations" && (op == "AveragePool" && d.opset < 19 || op == "LpPool" && d.opset < 18)
	})
	if op != "LpPool" || d.opset >= 18 {
		attrs = append(attrs, maybe(d, 0.6, ob.Int("ceil_mode", d.Int64N(2)))...)
	}
	n := 1
	switch op {
	case "AveragePool":
		attrs = append(attrs, maybe(d, 0.7, ob.Int("count_include_pad", d.Int64N(2)))...)
	case "LpPool":
		attrs = append(attrs, maybe(d, 0.7, ob.Int("p", d.between(1, 3)))...)
	default:
		n += d.IntN(2)
		if n > 1 && len(w.kernel) > 1 {
			attrs = append(attrs, maybe(d, 0.3, ob.Int("storage_order", d.Int64N(2)))...)
		}
	}
	ys := d.nodes(op, n, []val{x}, attrs...)
	d.out(ys[0], dt)
	if n > 1 {
		d.out(ys[1], onnxpb.Int64)
	}
}

func globalPool(d *draw) {
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Double)
	op := pick(d, "GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
	var attrs []onnxpb.Attribute
	if op == "GlobalLpPool" {
		dt = onnxpb.Float
		attrs = maybe(d, 0.7, ob.Int("p", d.between(1, 3)))
	}
	d.result(op, dt, []val{d.input(d.values(dt, plain, d.filled(3, 5)...))}, attrs...)
}

func unpool(d *draw) {
	n := pick(d, 1, 2, 2, 3)
	var spatial, kernel []int64
	for range n {
		k := d.between(2, 3)
		kernel, spatial = append(kernel, k), append(spatial, k*d.between(1, 4))
	}
	x := d.input(d.values(onnxpb.Float, plain, slices.Concat([]int64{d.between(1, 2), d.between(1, 3)}, spatial)...))
	k, s := ob.IntList("kernel_shape", kernel...), ob.IntList("strides", kernel...)
	ys := d.nodes("MaxPool", 2, []val{x}, k, s)
	d.result("MaxUnpool", onnxpb.Float, []val{{name: ys[0]}, {name: ys[1]}}, k, s)
}

func col2im(d *draw) {
	d.opset = max(d.opset, 18)
	w := d.slide()
	for len(w.kernel) != 2 {
		w = d.slide()
	}
	cols := int64(1)
	for i, e := range w.spatial {
		w.spatial[i] = max(e, (w.kernel[i]-1)*w.dilations[i]+1)
		w.pads[i], w.pads[len(w.spatial)+i] = d.between(0, 2), d.between(0, 2)
		cols *= (w.spatial[i]+w.pads[i]+w.pads[len(w.spatial)+i]-(w.kernel[i]-1)*w.dilations[i]-1)/w.strides[i] + 1
	}
	x := d.input(d.values(onnxpb.Float, plain, d.between(1, 2), d.between(1, 3)*count(w.kernel), cols))
	d.result("Col2Im", onnxpb.Float, []val{x, d.list(w.spatial...), d.list(w.kernel...)},
		ob.IntList("strides", w.strides...), ob.IntList("dilations", w.dilations...), ob.IntList("pads", w.pads...))
}

func deform(d *draw) {
	d.opset = pick(d, int64(19), 22)
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-3}
	k, out, group := []int64{d.between(1, 3), d.between(1, 3)}, []int64{d.between(1, 5), d.between(1, 5)}, d.between(1, 2)
	offsets := d.between(1, 2)
	c := group * offsets * d.between(1, 2)
	st := []int64{d.between(1, 2), d.between(1, 2)}
	pads := []int64{d.between(0, 1), d.between(0, 1), d.between(0, 1), d.between(0, 1)}
	in := []int64{}
	for i := range 2 {
		e := (out[i]-1)*st[i] + k[i] - pads[i] - pads[2+i]
		if e < 1 {
			pads[i], pads[2+i] = 0, 0
			e = (out[i]-1)*st[i] + k[i]
		}
		in = append(in, e)
	}
	m := group * d.between(1, 3)
	ops := []val{
		d.input(d.values(onnxpb.Float, plain, 1, c, in[0], in[1])), d.input(d.values(onnxpb.Float, plain, m, c/group, k[0], k[1])),
		d.input(d.values(onnxpb.Float, plain, 1, offsets*2*k[0]*k[1], out[0], out[1])),
	}
	if d.chance(0.5) {
		ops = append(ops, d.input(d.values(onnxpb.Float, plain, m)))
		if d.chance(0.5) {
			ops = append(ops, d.input(d.values(onnxpb.Float, plain, 1, offsets*k[0]*k[1], out[0], out[1])))
		}
	}
	d.result("DeformConv", onnxpb.Float, ops, ob.Int("group", group), ob.Int("offset_group", offsets), ob.IntList("strides", st...), ob.IntList("pads", pads...), ob.IntList("kernel_shape", k...))
}
