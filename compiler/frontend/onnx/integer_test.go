package onnx

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/internal/refeval"
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// byteModel is a model of one node on tensors of bytes, some of which are constants and others inputs.
type byteModel struct {
	r      *rand.Rand
	b      *ob.Builder
	names  []string
	inputs []*tensor
}

func newByteModel(r *rand.Rand) *byteModel { return &byteModel{r: r, b: ob.New("bytes", 20)} }

// operand adds one, of bytes with or without signs, and returns its elements.
func (m *byteModel) operand(signed bool, dims ...int64) *tensor {
	t := onnxpb.Tensor{Type: onnxpb.Uint8, Dims: dims}
	if signed {
		t.Type = onnxpb.Int8
	}
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	for range n {
		t.Data = append(t.Data, byte([]int{0, 0x7f, 0x80, 0xff, m.r.IntN(256), m.r.IntN(256)}[m.r.IntN(6)]))
	}
	x, err := refeval.FromONNX(&t)
	if err != nil {
		panic(err)
	}
	name := string(rune('a' + len(m.names)))
	if m.names = append(m.names, name); m.r.IntN(2) == 0 {
		m.b.Initializer(name, t)
		return x
	}
	extents := make([]any, len(dims))
	for i, d := range dims {
		extents[i] = int(d)
	}
	m.b.Input(name, t.Type, extents...)
	m.inputs = append(m.inputs, x)
	return x
}

// absent adds an operand that is left out, which stands for zero.
func (m *byteModel) absent() *tensor {
	m.names = append(m.names, "")
	return refeval.New()
}

// zero adds a zero point: none, one number, or a vector of n elements.
func (m *byteModel) zero(signed bool, n int64) *tensor {
	switch k := m.r.IntN(4); {
	case k == 0:
		return m.absent()
	case k == 1:
		return m.operand(signed, 1)
	case k == 2 && n > 0:
		return m.operand(signed, n)
	}
	return m.operand(signed)
}

// of is the element of a scalar or a vector.
func of(x *tensor, i int) float64 { return x.Data[min(i, len(x.Data)-1)] }

// check imports the model and compares its values.
func (m *byteModel) check(t *testing.T, op string, want []float64, attrs ...onnxpb.Attribute) {
	t.Helper()
	m.b.NodeOut(op, "node", m.names, []string{"out"}, attrs...)
	m.b.Output("out", onnxpb.Int32)
	mod, err := Import(t.Context(), m.b.Model(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, op, mod)
	out, err := evaluate(mod, m.inputs)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(out[0].Data, want) {
		t.Errorf("%s is %v, want %v", op, out[0].Data, want)
	}
}

// TestMatMulInteger compares products of random shapes, with zero points of all forms, with loops.
func TestMatMulInteger(t *testing.T) {
	seed.Each(t, 150, func(t *testing.T, r *rand.Rand) {
		m, sa, sb := newByteModel(r), r.IntN(2) == 0, r.IntN(2) == 0
		rows, depth, columns, batch := 1+r.IntN(4), 1+r.IntN(9), 1+r.IntN(4), 1+r.IntN(2)
		left := []int64{int64(batch), int64(rows), int64(depth)}
		if batch == 1 {
			left = left[1:]
		}
		x, y := m.operand(sa, left...), m.operand(sb, int64(depth), int64(columns))
		za, zb := m.zero(sa, int64(rows)), m.zero(sb, int64(columns))
		var want []float64
		for i := range batch * rows {
			for j := range columns {
				sum := 0.0
				for k := range depth {
					sum += (x.Data[i*depth+k] - of(za, i%rows)) * (y.Data[k*columns+j] - of(zb, j))
				}
				want = append(want, sum)
			}
		}
		m.check(t, "MatMulInteger", want)
	})
}

// TestMatMulIntegerOfVectors has factors of one dimension.
func TestMatMulIntegerOfVectors(t *testing.T) {
	seed.Each(t, 20, func(t *testing.T, r *rand.Rand) {
		m, depth := newByteModel(r), 1+r.IntN(6)
		x, y := m.operand(true, int64(depth)), m.operand(false, int64(depth))
		za, zb := m.zero(true, 0), m.zero(false, 0)
		sum := 0.0
		for k := range depth {
			sum += (x.Data[k] - of(za, 0)) * (y.Data[k] - of(zb, 0))
		}
		m.check(t, "MatMulInteger", []float64{sum})
	})
}

// TestConvInteger compares convolutions with padding, groups and zero points, known and not, with loops.
func TestConvInteger(t *testing.T) {
	seed.Each(t, 150, func(t *testing.T, r *rand.Rand) {
		m, sx, sw := newByteModel(r), r.IntN(2) == 0, r.IntN(2) == 0
		groups, each, outs := 1+r.IntN(2), 1+r.IntN(3), 1+r.IntN(2)
		h, kh, pad, stride := 3+r.IntN(3), 1+r.IntN(3), r.IntN(2), 1+r.IntN(2)
		channels, features := groups*each, groups*outs
		x := m.operand(sx, 1, int64(channels), int64(h), 2)
		w := m.operand(sw, int64(features), int64(each), int64(kh), 1)
		zx, zw := m.zero(sx, 0), m.zero(sw, int64(features))
		var want []float64
		for f := range features {
			for i := range (h+2*pad-kh)/stride + 1 {
				for j := range 2 {
					sum := 0.0
					for c := range each {
						for k := range kh {
							at, v := i*stride+k-pad, 0.0
							if at >= 0 && at < h {
								v = x.Data[((f/outs*each+c)*h+at)*2+j] - of(zx, 0)
							}
							sum += v * (w.Data[(f*each+c)*kh+k] - of(zw, f))
						}
					}
					want = append(want, sum)
				}
			}
		}
		m.check(t, "ConvInteger", want, ob.IntList("pads", int64(pad), 0, int64(pad), 0), ob.IntList("strides", int64(stride), 1), ob.Int("group", int64(groups)))
	})
}

// TestQuantizedErrors lists what is refused.
func TestQuantizedErrors(t *testing.T) {
	for _, c := range []struct {
		op, want string
		dims     [][]any
		types    []onnxpb.DataType
	}{
		{"MatMulInteger", "has element type float32, expected int8 or uint8", [][]any{{2, 2}, {2, 2}}, []onnxpb.DataType{onnxpb.Float, onnxpb.Int8}},
		{"QuantizeLinear", "input 1 has 2 dimensions, supported are scalars and an element for each index of an axis", [][]any{{2, 2}, {2, 2}}, []onnxpb.DataType{onnxpb.Float, onnxpb.Float}},
		{"ConvInteger", "has shape (3,), supported is one number for the whole result", [][]any{{1, 3, 4, 4}, {2, 3, 1, 1}, {3}}, []onnxpb.DataType{onnxpb.Int8, onnxpb.Int8, onnxpb.Int8}},
	} {
		b := ob.New("wrong", 20)
		var names []string
		for i, d := range c.dims {
			names = append(names, b.Input(fmt.Sprint("i", i), c.types[i], d...))
		}
		b.Output(b.Node(c.op, "out", names), onnxpb.Int32)
		if _, err := Import(t.Context(), b.Model(), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.op, err, c.want)
		}
	}
}
