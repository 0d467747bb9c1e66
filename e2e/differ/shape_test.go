package differ

import (
	"slices"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

func init() {
	register(reshape, "Reshape")
	register(transpose, "Transpose")
	register(squeeze, "Squeeze", "Unsqueeze", "Flatten")
	register(expand, "Expand", "Tile")
	register(concat, "Concat")
	register(split, "Split")
	register(slice, "Slice")
	register(pad, "Pad")
	register(gather, "Gather", "GatherElements")
	register(gatherND, "GatherND")
	register(scatter, "ScatterElements")
	register(scatterND, "ScatterND")
	register(blocks, "DepthToSpace", "SpaceToDepth")
	register(trilu, "Trilu")
	register(create, "EyeLike", "Range", "ConstantOfShape")
	register(oneHot, "OneHot")
	register(shapeOf, "Shape", "Size")
	register(reverse, "ReverseSequence")
	register(compress, "Compress")
	register(crop, "CenterCropPad")
}

func count(dims []int64) int64 {
	n := int64(1)
	for _, e := range dims {
		n *= e
	}
	return n
}

func reshape(d *draw) {
	dims := d.shape(0, 4)
	dt := pick(d, allOf...)
	x := d.input(d.values(dt, special, dims...))
	// The factors of all extents in an order are gathered anew.
	to := []int64{1}
	for _, e := range dims {
		if d.chance(0.5) {
			to = append(to, e)
		} else {
			to[len(to)-1] *= e
		}
	}
	if d.chance(0.5) {
		to = slices.Insert(to, d.IntN(len(to)+1), 1)
	}
	var attrs []onnxpb.Attribute
	if d.opset >= 14 {
		attrs = maybe(d, 0.3, ob.Int("allowzero", d.Int64N(2)))
	}
	if count(dims) > 0 {
		if d.chance(0.4) {
			to[d.IntN(len(to))] = -1
		}
		for i := range to {
			if i < len(dims) && to[i] == dims[i] && d.chance(0.3) && len(attrs) == 0 {
				to[i] = 0
			}
		}
	}
	d.result("Reshape", dt, []val{x, d.list(to...)}, attrs...)
}

func transpose(d *draw) {
	dims := d.shape(0, 6)
	dt := pick(d, allOf...)
	if d.chance(0.1) && len(dims) > 1 {
		dims[0], dims[len(dims)-1] = d.between(30, 70), d.between(30, 70)
		for i := 1; i < len(dims)-1; i++ {
			dims[i] = min(dims[i], 3)
		}
	}
	d.result("Transpose", dt, []val{d.input(d.values(dt, special, dims...))}, maybe(d, 0.9, ob.IntList("perm", d.perm(len(dims))...))...)
}

func squeeze(d *draw) {
	dims := d.shape(1, 4)
	dt := pick(d, common...)
	switch d.IntN(3) {
	case 0:
		var axes []int64
		for i, e := range dims {
			if e == 1 && d.chance(0.7) {
				axes = append(axes, int64(i)-truth(d.chance(0.4))*int64(len(dims)))
			}
		}
		if len(axes) == 0 {
			d.symbolic = false // extents that are not known are taken to be other than 1
		}
		in := []val{d.input(d.values(dt, plain, dims...))}
		d.Shuffle(len(axes), func(i, j int) { axes[i], axes[j] = axes[j], axes[i] })
		if len(axes) > 0 {
			in = append(in, d.list(axes...))
		}
		d.result("Squeeze", dt, in)
	case 1:
		n := d.IntN(3) + 1
		var axes []int64
		for _, a := range d.Perm(len(dims) + n)[:n] {
			axes = append(axes, int64(a)-truth(d.chance(0.4))*int64(len(dims)+n))
		}
		d.result("Unsqueeze", dt, []val{d.input(d.values(dt, plain, dims...)), d.list(axes...)})
	default:
		d.result("Flatten", dt, []val{d.input(d.values(dt, plain, dims...))}, maybe(d, 0.8, ob.Int("axis", d.between(-int64(len(dims)), int64(len(dims)))))...)
	}
}

func expand(d *draw) {
	dims := d.shape(0, 4)
	dt := pick(d, common...)
	if d.chance(0.5) {
		a, b := d.pair()
		d.result("Expand", dt, []val{d.input(d.values(dt, plain, a...)), d.list(b...)})
		return
	}
	if len(dims) == 0 {
		dims = []int64{1}
	}
	n := make([]int64, len(dims))
	for i := range n {
		n[i] = pick(d, int64(0), 1, 1, 1, 2, 3)
	}
	d.result("Tile", dt, []val{d.input(d.values(dt, plain, dims...)), d.list(n...)})
}

func concat(d *draw) {
	dims := d.shape(1, 4)
	dt := pick(d, allOf...)
	axis := d.axis(len(dims))
	var in []val
	for range d.between(1, 5) {
		s := slices.Clone(dims)
		s[at(axis, len(dims))] = d.extent()
		in = append(in, d.either(0.2, d.values(dt, plain, s...)))
	}
	if d.chance(0.1) {
		in = append(in, in[0])
	}
	d.result("Concat", dt, in, ob.Int("axis", axis))
}

func split(d *draw) {
	dims := d.shape(1, 4)
	dt := pick(d, common...)
	axis := d.axis(len(dims))
	a := at(axis, len(dims))
	n := d.between(1, 5)
	attrs := maybe(d, 0.9, ob.Int("axis", axis))
	if len(attrs) == 0 {
		a = 0
	}
	in := []val{none}
	switch {
	case d.chance(0.6): // uneven parts
		sizes := make([]int64, n)
		dims[a] = 0
		for i := range sizes {
			sizes[i] = d.between(0, 6)
			dims[a] += sizes[i]
		}
		in = append(in, d.list(sizes...))
	case d.opset >= 18:
		attrs = append(attrs, ob.Int("num_outputs", n))
		if dims[a] < n {
			dims[a] = n * 2
		}
	default:
		dims[a] = n * d.between(1, 4)
	}
	in[0] = d.input(d.values(dt, plain, dims...))
	for _, y := range d.nodes("Split", int(n), in, attrs...) {
		d.out(y, dt)
	}
}

func slice(d *draw) {
	dims := d.shape(1, 5)
	dt := pick(d, allOf...)
	axes := d.axes(len(dims), 0)
	var starts, ends, steps []int64
	bound := func(e int64) int64 {
		if d.chance(0.1) {
			return pick(d, int64(1)<<62, -1<<62, 1<<40, -1<<31)
		}
		return d.between(-e-2, e+2)
	}
	for _, a := range axes {
		e := dims[at(a, len(dims))]
		starts, ends = append(starts, bound(e)), append(ends, bound(e))
		steps = append(steps, pick(d, int64(1), 1, 2, 3, -1, -2, -3, 5))
	}
	x := d.input(d.values(dt, plain, dims...))
	give := d.list
	if d.chance(0.15) { // bounds that are data
		give = func(vs ...int64) val {
			return d.input(tensor.MustOf([]int64{int64(len(vs))}, append([]int64{}, vs...)))
		}
	}
	in := []val{x, give(starts...), give(ends...), d.list(axes...)}
	if d.chance(0.8) {
		in = append(in, d.list(steps...))
	}
	d.result("Slice", dt, in)
}

func pad(d *draw) {
	dims := d.filled(1, 4)
	dt := pick(d, common...)
	mode := pick(d, "constant", "constant", "edge", "reflect", "wrap")
	if mode == "wrap" {
		d.opset = max(d.opset, 19)
	}
	var axes []int64
	rank := len(dims)
	n := rank
	if d.opset >= 18 && d.chance(0.4) {
		axes = d.axes(rank, 0)
		n = len(axes)
	}
	pads := make([]int64, 2*n)
	for i := range n {
		a := i
		if axes != nil {
			a = at(axes[i], rank)
		}
		e := dims[a]
		lo, hi := int64(0), int64(4)
		if mode == "reflect" || mode == "wrap" {
			hi = e - 1
		}
		pads[i], pads[n+i] = d.between(lo, hi), d.between(lo, hi)
		if mode == "constant" && d.chance(0.2) {
			pads[i] = -d.between(0, e-1)
		}
	}
	in := []val{d.input(d.values(dt, plain, dims...)), d.list(pads...)}
	if mode == "constant" && d.chance(0.6) {
		in = append(in, d.either(0.6, d.values(dt, special)))
	}
	if axes != nil {
		if len(in) == 2 {
			in = append(in, none)
		}
		in = append(in, d.list(axes...))
	}
	var attrs []onnxpb.Attribute
	if mode != "constant" || d.chance(0.5) {
		attrs = append(attrs, ob.Str("mode", mode))
	}
	d.result("Pad", dt, in, attrs...)
}

func gather(d *draw) {
	dims := d.filled(1, 4)
	dt := pick(d, allOf...)
	axis := d.axis(len(dims))
	e := dims[at(axis, len(dims))]
	x := d.either(0.2, d.values(dt, plain, dims...))
	it := pick(d, onnxpb.Int32, onnxpb.Int64)
	if d.chance(0.5) {
		i := d.either(0.4, d.below(it, -e, e, d.shape(0, 3)...))
		d.result("Gather", dt, []val{x, i}, maybe(d, 1, ob.Int("axis", axis))...)
		return
	}
	s := slices.Clone(dims)
	for i := range s {
		if i == at(axis, len(dims)) {
			s[i] = d.extent()
		} else {
			s[i] = d.between(1, s[i])
		}
	}
	d.result("GatherElements", dt, []val{x, d.either(0.4, d.below(it, -e, e, s...))}, ob.Int("axis", axis))
}

// tuples draws indices of parts of a tensor.
func (d *draw) tuples(dims []int64, lead []int64, n int, apart bool) *tensor.Tensor {
	t := empty(onnxpb.Int64, append(slices.Clone(lead), int64(n)))
	order := d.Perm(int(max(count(dims[:n]), 1)))
	for i := range t.Len() / max(n, 1) {
		flat := int64(d.IntN(len(order)))
		if apart {
			flat = int64(order[i%len(order)])
		}
		for k := n - 1; k >= 0; k-- {
			v := flat % dims[k]
			flat /= dims[k]
			if d.chance(0.3) {
				v -= dims[k]
			}
			t.SetInt(i*n+k, v)
		}
	}
	return t
}

func gatherND(d *draw) {
	dims := d.filled(1, 4)
	dt := pick(d, common...)
	batch := d.IntN(len(dims))
	n := 1 + d.IntN(len(dims)-batch)
	lead := append(slices.Clone(dims[:batch]), d.shape(0, 2)...)
	i := d.either(0.4, d.tuples(dims[batch:], lead, n, false))
	d.result("GatherND", dt, []val{d.input(d.values(dt, plain, dims...)), i}, ob.Int("batch_dims", int64(batch)))
}

func reduction(d *draw) (string, []onnxpb.Attribute) {
	if d.opset < 16 || d.chance(0.2) {
		return "none", nil
	}
	s := pick(d, "none", "add", "mul")
	if d.opset >= 18 {
		s = pick(d, s, "max", "min")
	}
	return s, []onnxpb.Attribute{ob.Str("reduction", s)}
}

func scatter(d *draw) {
	dims := d.filled(1, 4)
	dt := pick(d, common...)
	axis := d.axis(len(dims))
	a := at(axis, len(dims))
	s := slices.Clone(dims)
	for i := range s {
		s[i] = d.between(truth(d.chance(0.95)), s[i])
	}
	mode, attrs := reduction(d)
	if mode != "none" {
		s[a] = d.between(1, 6)
	}
	it := pick(d, onnxpb.Int32, onnxpb.Int64)
	idx := d.below(it, -dims[a], dims[a], s...)
	if mode == "none" { // each place once
		stride := count(s[a+1:])
		for i := range idx.Len() {
			along := int64(i) / stride % s[a]
			v := (along + dims[a]/2) % dims[a]
			if d.chance(0.3) {
				v -= dims[a]
			}
			idx.SetInt(i, v)
		}
	}
	x := d.either(0.2, d.values(dt, plain, dims...))
	i := d.either(0.3, idx)
	d.result("ScatterElements", dt, []val{x, i, d.either(0.2, d.values(dt, pick(d, plain, small), s...))}, append(attrs, ob.Int("axis", axis))...)
}

func scatterND(d *draw) {
	dims := d.filled(1, 4)
	dt := pick(d, common...)
	n := 1 + d.IntN(len(dims))
	mode, attrs := reduction(d)
	lead := d.shape(0, 2)
	apart := mode == "none"
	if apart && count(lead) > count(dims[:n]) {
		lead = []int64{d.between(1, count(dims[:n]))}
	}
	idx := d.tuples(dims, lead, n, apart)
	x := d.either(0.2, d.values(dt, plain, dims...))
	i := d.either(0.3, idx)
	u := d.either(0.2, d.values(dt, plain, append(slices.Clone(lead), dims[n:]...)...))
	d.result("ScatterND", dt, []val{x, i, u}, attrs...)
}

func blocks(d *draw) {
	dims := d.filled(4, 4)
	b := d.between(1, 4)
	if d.chance(0.5) {
		dims[1] = b * b * d.between(1, 3)
		d.result("DepthToSpace", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, dims...))}, append(maybe(d, 0.7, ob.Str("mode", pick(d, "DCR", "CRD"))), ob.Int("blocksize", b))...)
		return
	}
	dims[2], dims[3] = b*d.between(1, 4), b*d.between(1, 4)
	d.result("SpaceToDepth", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, dims...))}, ob.Int("blocksize", b))
}

func trilu(d *draw) {
	d.opset = max(d.opset, 14)
	dt := pick(d, common...)
	in := []val{d.input(d.values(dt, special, d.shape(2, 4)...))}
	if d.chance(0.7) {
		in = append(in, d.either(0.6, tensor.MustOf(nil, []int64{d.between(-8, 8)})))
	}
	d.result("Trilu", dt, in, maybe(d, 0.7, ob.Int("upper", d.Int64N(2)))...)
}

func create(d *draw) {
	switch d.IntN(3) {
	case 0:
		dt := pick(d, onnxpb.Float, onnxpb.Int64, onnxpb.Double)
		attrs := []onnxpb.Attribute{ob.Int("dtype", int64(dt))}
		d.result("EyeLike", dt, []val{d.input(d.values(pick(d, onnxpb.Float, onnxpb.Int32), plain, d.filled(2, 2)...))}, append(attrs, maybe(d, 0.7, ob.Int("k", d.between(-5, 5)))...)...)
	case 1:
		dt := pick(d, common...)
		p := pick(d, 0.0, 1)
		k := pick(d, apart, above)
		x, y := d.either(p, d.values(dt, plain)), d.either(p, d.values(dt, plain))
		d.result("Range", dt, []val{x, y, d.either(p, d.values(dt, k))})
	default:
		dt := pick(d, allOf...)
		dims := d.shape(0, 4)
		s := tensor.MustOf([]int64{int64(len(dims))}, append([]int64{}, dims...))
		v := d.values(dt, special, 1)
		d.result("ConstantOfShape", dt, []val{d.either(0.6, s)}, ob.Tensor("value", onnxpb.Tensor{Type: dt, Dims: []int64{1}, Data: v.Data}))
	}
}

func oneHot(d *draw) {
	dims := d.shape(0, 3)
	n := d.between(1, 7)
	it := pick(d, onnxpb.Int64, onnxpb.Int32, onnxpb.Float)
	vt := pick(d, onnxpb.Float, onnxpb.Int64, onnxpb.Int32)
	if it == onnxpb.Int32 {
		vt = onnxpb.Float
	}
	i := d.input(d.below(it, -n-1, n+1, dims...))
	values := d.either(0.6, d.values(vt, plain, 2))
	depth := d.scalar(n)
	if it == onnxpb.Int32 {
		depth = d.constant(d.below(onnxpb.Int32, n, n+1))
	}
	d.result("OneHot", vt, []val{i, depth, values}, maybe(d, 0.8, ob.Int("axis", d.between(-int64(len(dims))-1, int64(len(dims)))))...)
}

func shapeOf(d *draw) {
	x := d.input(d.values(onnxpb.Float, plain, d.shape(0, 5)...))
	if d.chance(0.3) {
		d.result("Size", onnxpb.Int64, []val{x})
		return
	}
	var attrs []onnxpb.Attribute
	if d.opset >= 15 {
		attrs = append(maybe(d, 0.7, ob.Int("start", d.between(-7, 7))), maybe(d, 0.7, ob.Int("end", d.between(-7, 7)))...)
	}
	d.result("Shape", onnxpb.Int64, []val{x}, attrs...)
}

func reverse(d *draw) {
	dims := d.filled(2, 4)
	batch := d.Int64N(2)
	x := d.input(d.values(onnxpb.Float, plain, dims...))
	lens := d.either(0.3, d.below(onnxpb.Int64, 0, dims[1-batch]+1, dims[batch]))
	d.result("ReverseSequence", onnxpb.Float, []val{x, lens}, ob.Int("batch_axis", batch), ob.Int("time_axis", 1-batch))
}

func compress(d *draw) {
	dims := d.filled(1, 3)
	dt := pick(d, common...)
	x := d.input(d.values(dt, plain, dims...))
	if d.chance(0.3) {
		d.result("Compress", dt, []val{x, d.either(0.4, d.values(onnxpb.Bool, plain, d.between(1, count(dims))))})
		return
	}
	axis := d.axis(len(dims))
	d.result("Compress", dt, []val{x, d.either(0.4, d.values(onnxpb.Bool, plain, d.between(1, dims[at(axis, len(dims))])))}, ob.Int("axis", axis))
}

func crop(d *draw) {
	d.opset = max(d.opset, 18)
	dims := d.filled(1, 4)
	axes := d.axes(len(dims), 1)
	var to []int64
	for range axes {
		to = append(to, d.between(1, 9))
	}
	d.result("CenterCropPad", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, dims...)), d.list(to...)}, ob.IntList("axes", axes...))
}
