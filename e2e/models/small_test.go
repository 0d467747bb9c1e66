package models

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestSmallTypes converts numbers to floats and integers of at most eight bits and back, moves them, and takes some as inputs: they are data, not constants.
func TestSmallTypes(t *testing.T) {
	const rows, columns = 33, 65
	for _, to := range []onnxpb.DataType{
		onnxpb.Float8E4M3FN, onnxpb.Float8E4M3FNUZ, onnxpb.Float8E5M2, onnxpb.Float8E5M2FNUZ, onnxpb.Float4E2M1, onnxpb.Int4, onnxpb.Uint4, onnxpb.Int2, onnxpb.Uint2,
	} {
		d, err := to.DType()
		if err != nil {
			t.Fatal(err)
		}
		t.Run(d.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(6, uint64(to)))
			x, moved, back := tensor.MustNew(dtype.Float32T, rows, columns), tensor.MustNew(d, columns, rows), tensor.MustNew(dtype.Float32T, columns, rows)
			lo, hi := d.IntLimits()
			for i := range x.Len() {
				v := math.Ldexp(r.Float64()*2-1, r.IntN(27)-20) // NaNs have other bits in places
				if d.IsInteger() {                              // beyond their limits the text leaves results open
					v = float64(lo) + r.Float64()*float64(hi-lo)
				}
				x.SetFloat(i, v)
				k := i%columns*rows + i/columns
				if d.IsInteger() {
					moved.SetInt(k, int64(x.Float(i)))
				} else {
					moved.SetFloat(k, x.Float(i))
				}
				back.SetFloat(k, moved.Float(k))
			}
			s, wide := tensor.MustNew(d, 7, 37), tensor.MustNew(dtype.Float16T, 14, 37)
			for i := range s.Len() {
				s.Data[i] = byte(r.Uint32()) & (1<<min(d.Bits, 8) - 1)
				if s.Float(i) != s.Float(i) {
					s.Data[i] = 0
				}
				wide.SetFloat(i, s.Float(i))
				wide.SetFloat(i+s.Len(), s.Float(i))
			}
			checkControl(t, control{d.String(), func(b *Builder) {
				b.Model().OpsetImports[0].Version = 25
				x, s := b.Input("x", onnxpb.Float, rows, columns), b.Input("s", to, 7, 37)
				b.NodeOut("Cast", "narrow", ids(x), ids("n"), Int("to", int64(to)), Int("saturate", 0))
				b.NodeOut("Transpose", "move", ids("n"), ids("moved"), IntList("perm", 1, 0))
				b.NodeOut("Cast", "widen", ids("moved"), ids("back"), Int("to", int64(onnxpb.Float)))
				b.NodeOut("Concat", "join", ids(s, s), ids("both"), Int("axis", 0))
				b.NodeOut("Cast", "half", ids("both"), ids("wide"), Int("to", int64(onnxpb.Float16)))
				b.Output("moved", to)
				b.Output("back", onnxpb.Float)
				b.Output("wide", onnxpb.Float16)
			}, [][]*tensor.Tensor{{x, s}}, [][]*tensor.Tensor{{moved, back, wide}}})
		})
	}
}
