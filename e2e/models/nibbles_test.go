package models

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestNibbles multiplies by weights of two and four bits, with a scale for each block of rows, more of them than are computed at compile time.
func TestNibbles(t *testing.T) {
	const rows, columns, block = 320, 240, 32
	for _, c := range []struct {
		name   string
		dt     onnxpb.DataType
		bits   uint
		signed bool
	}{
		{"int4", onnxpb.Int4, 4, true},
		{"uint4", onnxpb.Uint4, 4, false},
		{"int2", onnxpb.Int2, 2, true},
		{"uint2", onnxpb.Uint2, 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, uint64(c.dt)))
			data := make([]byte, rows*columns*c.bits/8)
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			weight := func(i int) float64 {
				bit := uint(i) * c.bits
				v := data[bit/8] >> (bit % 8) << (8 - c.bits)
				if c.signed {
					return float64(int8(v) >> (8 - c.bits))
				}
				return float64(v >> (8 - c.bits))
			}
			few := func(shape ...int64) plain { // sums of products of which are exact
				p := random(r, 2, shape...)
				for i, v := range p.data {
					p.data[i] = math.Round(v) / 2
				}
				return p
			}
			x, scales := few(2, rows), few(rows/block, columns)
			y := plain{shape: []int64{2, columns}}
			counter(y.shape, func(i []int64) {
				sum := 0.0
				for k := range int64(rows) {
					sum += x.at(i[0], k) * weight(int(k*columns+i[1])) * scales.at(k/block, i[1])
				}
				y.data = append(y.data, sum)
			})
			checkControl(t, control{c.name, func(b *Builder) {
				b.Model().OpsetImports[0].Version = 25
				x, s := b.Input("x", onnxpb.Float, 2, rows), b.Input("s", onnxpb.Float, rows/block, columns)
				w := b.Initializer("w", onnxpb.Tensor{Type: c.dt, Dims: []int64{rows, columns}, Data: data})
				b.NodeOut("DequantizeLinear", "wide", ids(w, s), ids("v"), Int("axis", 0), Int("block_size", block))
				b.NodeOut("MatMul", "product", ids(x, "v"), ids("y"))
				b.Output("y", onnxpb.Float)
			}, [][]*tensor.Tensor{tensors(x.tensor(), scales.tensor())}, [][]*tensor.Tensor{tensors(y.tensor())}})
		})
	}
}
