package differ

import (
	"slices"
	"strings"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

func init() {
	register(matmul, "MatMul")
	register(matmulInteger, "MatMulInteger")
	register(qlinearMatMul, "QLinearMatMul")
	register(gemm, "Gemm")
	register(einsum, "Einsum")
	register(quantize, "QuantizeLinear")
	register(dequantize, "DequantizeLinear")
	register(dynamicQuantize, "DynamicQuantizeLinear")
	register(det, "Det")
}

// factors are the shapes of the operands of a matrix product.
func (d *draw) factors() (a, b []int64) {
	m, k, n := d.extent(), max(d.extent(), 1), d.extent()
	if d.chance(0.2) {
		m, k, n = d.between(1, 40), d.between(1, 70), d.between(1, 70)
	}
	lead := d.shape(0, 2)
	for i := range lead {
		lead[i] = min(lead[i], 3)
	}
	la, lb := d.broadcast(lead), slices.Clone(lead)
	if d.chance(0.5) {
		la, lb = lb, la
	}
	if d.chance(0.3) {
		lb = nil
	}
	a, b = append(la, m, k), append(lb, k, n)
	switch d.IntN(12) {
	case 0:
		a = []int64{k}
	case 1:
		b = []int64{k}
	}
	return a, b
}

func matmul(d *draw) {
	a, b := d.factors()
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Float, onnxpb.Double, onnxpb.Int32, onnxpb.Int64)
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5}
	d.result("MatMul", dt, []val{d.either(0.1, d.values(dt, plain, a...)), d.either(0.5, d.values(dt, plain, b...))})
}

func matmulInteger(d *draw) {
	a, b := d.factors()
	at, bt := pick(d, onnxpb.Uint8, onnxpb.Int8), pick(d, onnxpb.Uint8, onnxpb.Int8)
	in := []val{d.either(0.1, d.values(at, special, a...)), d.either(0.6, d.values(bt, special, b...))}
	if d.chance(0.6) {
		in = append(in, d.either(0.7, d.values(at, special)))
		if d.chance(0.7) {
			per := []int64{}
			if len(b) == 2 && d.chance(0.6) {
				per = b[1:]
			}
			in = append(in, d.either(0.7, d.values(bt, special, per...)))
		}
	}
	d.result("MatMulInteger", onnxpb.Int32, in)
}

func qlinearMatMul(d *draw) {
	a, b := d.factors()
	at := pick(d, onnxpb.Uint8, onnxpb.Int8)
	bt := pick(d, at, onnxpb.Int8)
	per := []int64{}
	if len(b) == 2 && d.chance(0.4) {
		per = b[1:]
	}
	d.result("QLinearMatMul", at, []val{
		d.input(d.values(at, special, a...)), d.scale(), d.either(0.9, d.values(at, plain)),
		d.either(0.7, d.values(bt, special, b...)), d.scale(per...), d.either(0.9, d.values(bt, plain, per...)),
		d.constant(tensor.MustOf(nil, []float32{float32(0.05 + d.Float64())})), d.either(0.9, d.values(at, plain)),
	})
}

func gemm(d *draw) {
	m, k, n := d.extent(), max(d.extent(), 1), d.extent()
	d.old(11)
	a, b := []int64{m, k}, []int64{k, n}
	var attrs []onnxpb.Attribute
	if d.chance(0.5) {
		attrs, a = append(attrs, ob.Int("transA", 1)), []int64{k, m}
	}
	if d.chance(0.5) {
		attrs, b = append(attrs, ob.Int("transB", 1)), []int64{n, k}
	}
	attrs = append(attrs, maybe(d, 0.5, ob.Float("alpha", float32(d.Float64()*2-1)))...)
	attrs = append(attrs, maybe(d, 0.5, ob.Float("beta", float32(d.Float64()*2-1)))...)
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Double)
	in := []val{d.either(0.1, d.values(dt, plain, a...)), d.either(0.6, d.values(dt, plain, b...))}
	if d.chance(0.7) {
		in = append(in, d.either(0.6, d.values(dt, plain, d.broadcast([]int64{m, n})...)))
	}
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5}
	d.result("Gemm", dt, in, attrs...)
}

func einsum(d *draw) {
	sizes := map[byte]int64{}
	letters := "abcde"
	term := func() string {
		var s strings.Builder
		for _, i := range d.Perm(len(letters))[:d.between(1, 3)] {
			s.WriteByte(letters[i])
		}
		return s.String()
	}
	terms := []string{term()}
	for d.chance(0.6) && len(terms) < 3 {
		terms = append(terms, term())
	}
	if d.chance(0.1) {
		terms[0] += terms[0][:1]
	}
	all := strings.Join(terms, "")
	for i := range letters {
		sizes[letters[i]] = d.between(1, 5)
	}
	var in []val
	for _, t := range terms {
		var dims []int64
		for i := range t {
			dims = append(dims, sizes[t[i]])
		}
		in = append(in, d.either(0.1, d.values(onnxpb.Float, plain, dims...)))
	}
	text := strings.Join(terms, ",")
	if d.chance(0.8) {
		text += "->"
		for _, i := range d.Perm(len(letters)) {
			if strings.IndexByte(all, letters[i]) >= 0 && d.chance(0.5) {
				text += letters[i : i+1]
			}
		}
	}
	if d.chance(0.3) {
		text = strings.ReplaceAll(strings.ReplaceAll(text, ",", " , "), "->", " -> ")
	}
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5}
	d.result("Einsum", onnxpb.Float, in, ob.Str("equation", text))
}

// perAxis are attributes and the extents of scales of a quantization.
func (d *draw) perAxis(dims []int64) (per []int64, attrs []onnxpb.Attribute) {
	if len(dims) == 0 || d.chance(0.4) {
		return nil, nil
	}
	axis := d.axis(len(dims))
	if d.opset >= 21 && d.chance(0.4) { // blocks
		a := at(axis, len(dims))
		size := d.between(1, max(dims[a], 1))
		per = slices.Clone(dims)
		per[a] = (dims[a] + size - 1) / size
		return per, []onnxpb.Attribute{ob.Int("axis", axis), ob.Int("block_size", size)}
	}
	return []int64{dims[at(axis, len(dims))]}, []onnxpb.Attribute{ob.Int("axis", axis)}
}

func quantize(d *draw) {
	dims := d.filled(0, 4)
	per, attrs := d.perAxis(dims)
	to := pick(d, onnxpb.Uint8, onnxpb.Int8)
	if d.opset >= 21 {
		to = pick(d, to, onnxpb.Uint16, onnxpb.Int16)
	}
	s := d.values(onnxpb.Float, above, per...)
	x := d.values(onnxpb.Float, plain, dims...)
	for i := range x.Len() {
		x.SetFloat(i, x.Float(i)*pick(d, 1.0, 30, 1000))
	}
	in := []val{d.input(x), d.either(0.8, s)}
	if to != onnxpb.Uint8 || d.chance(0.6) {
		in = append(in, d.either(0.8, d.values(to, special, per...)))
	}
	d.result("QuantizeLinear", to, in, attrs...)
}

func dequantize(d *draw) {
	dims := d.filled(0, 4)
	per, attrs := d.perAxis(dims)
	from := pick(d, onnxpb.Uint8, onnxpb.Int8, onnxpb.Int32)
	if d.opset >= 21 {
		from = pick(d, from, onnxpb.Uint16, onnxpb.Int16)
	}
	in := []val{d.either(0.2, d.values(from, special, dims...)), d.either(0.8, d.values(onnxpb.Float, above, per...))}
	if from != onnxpb.Int32 && d.chance(0.7) {
		in = append(in, d.either(0.8, d.values(from, special, per...)))
	}
	d.tol = tolerance{rel: 1e-6, ofMax: 0}
	d.result("DequantizeLinear", onnxpb.Float, in, attrs...)
}

func dynamicQuantize(d *draw) {
	ys := d.nodes("DynamicQuantizeLinear", 3, []val{d.input(d.values(onnxpb.Float, plain, d.filled(1, 3)...))})
	d.out(ys[0], onnxpb.Uint8)
	d.out(ys[1], onnxpb.Float)
	d.out(ys[2], onnxpb.Uint8)
}

func det(d *draw) {
	n := d.between(1, 5)
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-3}
	d.result("Det", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, append(d.filled(0, 2), n, n)...))})
}
