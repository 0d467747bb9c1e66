package models

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// quantized is a model of one operator on bytes in the making.
type quantized struct {
	r      *rand.Rand
	b      *ob.Builder
	names  []string
	inputs []*onnxpb.Tensor
}

func (q *quantized) n(most int) int64 { return 1 + q.r.Int64N(int64(most)) }

func (q *quantized) kind() onnxpb.DataType {
	return []onnxpb.DataType{onnxpb.Int8, onnxpb.Uint8}[q.r.IntN(2)]
}

func (q *quantized) data(t onnxpb.DataType, dims ...int64) onnxpb.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	x := onnxpb.Tensor{Type: t, Dims: dims, Data: make([]byte, n)}
	for i := range x.Data {
		if x.Data[i] = byte(q.r.IntN(256)); q.r.IntN(4) == 0 {
			x.Data[i] = []byte{0, 0x7f, 0x80, 0xff}[q.r.IntN(4)]
		}
	}
	return x
}

// name is that of the next operand.
func (q *quantized) name() string {
	q.names = append(q.names, string(rune('a'+len(q.names))))
	return q.names[len(q.names)-1]
}

func (q *quantized) constant(t onnxpb.Tensor) { q.b.Initializer(q.name(), t) }

// input adds an input; named gives its extents, where they are not those of t.
func (q *quantized) input(t onnxpb.Tensor, named ...any) {
	if named == nil {
		for _, d := range t.Dims {
			named = append(named, int(d))
		}
	}
	q.b.Input(q.name(), t.Type, named...)
	q.inputs = append(q.inputs, &t)
}

// zero adds a zero point, of one number or a vector.
func (q *quantized) zero(t onnxpb.DataType, n int64) {
	dims := []int64{}
	if n > 0 && q.r.IntN(2) == 0 {
		dims = []int64{n}
	}
	x := q.data(t, dims...)
	switch q.r.IntN(3) {
	case 0:
		clear(x.Data)
		q.constant(x)
	case 1:
		q.constant(x)
	default:
		q.input(x)
	}
}

// matmul is MatMulInteger of bytes, with rows of a number that may be known when it runs only.
func (q *quantized) matmul() {
	da, db, rows, depth, columns := q.kind(), q.kind(), q.n(40), q.n(70), q.n(40)
	switch q.r.IntN(3) {
	case 0:
		q.input(q.data(da, rows, depth), "n", int(depth))
	case 1:
		q.input(q.data(da, rows, depth))
	case 2:
		q.input(q.data(da, 2, rows, depth))
	}
	w := q.data(db, depth, columns)
	if q.r.IntN(3) == 0 {
		q.input(w)
	} else {
		q.constant(w)
	}
	q.zero(da, 0)
	q.zero(db, columns)
	q.b.NodeOut("MatMulInteger", "node", q.names, []string{"out"})
	q.b.Output("out", onnxpb.Int32)
}

// conv is QLinearConv.
func (q *quantized) conv() {
	dx, dw, h, width, kh, kw := q.kind(), q.kind(), 3+q.n(7), 3+q.n(20), q.n(3), q.n(3)
	groups, channels, features := int64(1), q.n(9), q.n(40)
	if q.r.IntN(4) == 0 {
		groups, channels, features = 2, 2*q.n(3), 2*q.n(3)
	}
	one := func(v float32) { q.constant(ob.Floats(nil, v)) }
	q.input(q.data(dx, q.n(2), channels, h, width))
	one(0.05)
	q.zero(dx, 0)
	q.constant(q.data(dw, features, channels/groups, kh, kw))
	one(0.01)
	if z := q.data(dw); q.r.IntN(3) == 0 {
		q.constant(z)
	} else {
		clear(z.Data)
		q.constant(z)
	}
	one(0.3)
	q.zero(q.kind(), 0)
	out := onnxpb.Int8
	if last := q.names[len(q.names)-1]; q.typeOf(last) == onnxpb.Uint8 {
		out = onnxpb.Uint8
	}
	q.b.NodeOut("QLinearConv", "node", q.names, []string{"out"}, ob.Int("group", groups), ob.IntList("pads", q.n(2)-1, q.n(2)-1, q.n(2)-1, q.n(2)-1), ob.IntList("strides", q.n(2), q.n(2)))
	q.b.Output("out", out)
}

// typeOf is the type of an operand.
func (q *quantized) typeOf(name string) onnxpb.DataType {
	g := q.b.Model().Graph
	for _, t := range g.Initializers {
		if t.Name == name {
			return t.Type
		}
	}
	return q.inputs[len(q.inputs)-1].Type
}

// quantizedTargets are those that multiply bytes in different ways, the interpreter, whose results hold, first.
func quantizedTargets(t *testing.T) (out []target.Target) {
	t.Helper()
	for _, name := range []string{"interp", "wasm", "x86 -mattr=+avx2", "x86 -mattr=+avx512f", "x86 -mattr=+avx512vnni", "x86 -mattr=+avx512vnni -max-simd-width=256"} {
		tg, err := target.Parse(name)
		if err == nil {
			tg, err = tg.Explicit(nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if tg.Kind().Name == "x86" && !nativeHas(tg) {
			t.Logf("without %s", name)
			continue
		}
		out = append(out, tg)
	}
	return out
}

// nativeHas reports whether this machine runs code for a target.
func nativeHas(t target.Target) bool {
	f := native.Host()
	return native.Available() == nil && f.AVX2 && (f.AVX512 || !t.Feature("avx512f")) && (f.VNNI || !t.Feature("avx512vnni"))
}

// TestQuantized runs random products and convolutions of bytes, with zero points of all kinds, on all targets, which must agree bit for bit.
func TestQuantized(t *testing.T) {
	targets := quantizedTargets(t)
	h := newHarness(t)
	seed.Each(t, 16, func(t *testing.T, r *rand.Rand) {
		q := &quantized{r: r, b: ob.New("quantized", 20)}
		if r.IntN(2) == 0 {
			q.matmul()
		} else {
			q.conv()
		}
		mod, in := h.importModel(q.b.Model()), [][]*tensor.Tensor{h.tensors(q.inputs)}
		var want []byte
		for _, tg := range targets {
			out, err := h.compileAndRun(mod, settings{target: tg, level: pass.DefaultOptLevel, verify: true, readBack: r.IntN(12) == 0}, in)
			if err != nil {
				t.Fatalf("%s: %v", tg, err)
			}
			if got := out[0][0].Data; want == nil {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s differs from the interpreter: %s", tg, fmt.Sprint(q.names, mod.Lookup("main")))
			}
		}
	})
}

// TestQuantizedDeep sums up more products of bytes than an int32 has room for the largest of: sums are modulo 2^32 on all targets.
func TestQuantizedDeep(t *testing.T) {
	targets := quantizedTargets(t)
	h := newHarness(t)
	for _, depth := range []int64{1 << 16, 1<<17 + 3} {
		for _, extreme := range []bool{false, true} {
			for _, kinds := range [][2]onnxpb.DataType{{onnxpb.Uint8, onnxpb.Uint8}, {onnxpb.Uint8, onnxpb.Int8}, {onnxpb.Int8, onnxpb.Int8}, {onnxpb.Int8, onnxpb.Uint8}} {
				q := &quantized{r: seed.Rand(t), b: ob.New("deep", 20)}
				const rows, columns = 2, 20
				a, b := q.data(kinds[0], rows, depth), q.data(kinds[1], depth, columns)
				zero := byte(q.r.IntN(256))
				if extreme { // all factors as large as can be
					for _, x := range []onnxpb.Tensor{a, b} {
						for i := range x.Data {
							x.Data[i] = map[onnxpb.DataType]byte{onnxpb.Uint8: 255, onnxpb.Int8: 0x80}[x.Type]
						}
					}
					zero = 0
				}
				q.input(a)
				q.constant(b)
				q.constant(onnxpb.Tensor{Type: kinds[0], Data: []byte{zero}})
				q.b.NodeOut("MatMulInteger", "node", q.names, []string{"out"})
				q.b.Output("out", onnxpb.Int32)
				value := func(x onnxpb.Tensor, i int64) int64 {
					if x.Type == onnxpb.Int8 {
						return int64(int8(x.Data[i]))
					}
					return int64(x.Data[i])
				}
				z := value(onnxpb.Tensor{Type: kinds[0], Data: []byte{zero}}, 0)
				mod, in := h.importModel(q.b.Model()), [][]*tensor.Tensor{h.tensors(q.inputs)}
				for _, tg := range targets {
					out, err := h.compileAndRun(mod, settings{target: tg, level: pass.DefaultOptLevel}, in)
					if err != nil {
						t.Fatalf("%s: %v", tg, err)
					}
					for i := range int64(rows) {
						for j := range int64(columns) {
							sum := int64(0)
							for k := range depth {
								sum += (value(a, i*depth+k) - z) * value(b, k*columns+j)
							}
							if got := out[0][0].Int(int(i*columns + j)); got != int64(int32(sum)) {
								t.Fatalf("%s, %s by %s, depth %d: %d, want %d", tg, kinds[0], kinds[1], depth, got, int32(sum))
							}
						}
					}
				}
			}
		}
	}
}
