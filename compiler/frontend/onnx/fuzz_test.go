package onnx

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// importWithin imports a model that may be anything: it must not panic, and must come back.
func importWithin(t *testing.T, m *onnxpb.Model) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := Import(ctx, m, Options{}); errors.Is(err, context.DeadlineExceeded) {
		t.Fatal("the import did not end")
	}
}

// FuzzImport imports what the reader accepts.
func FuzzImport(f *testing.F) {
	for _, g := range gallery.Models() {
		f.Add(g.Bytes)
	}
	f.Add(one(9, "Softmax", nil, "x:f:2 3 n").Bytes())
	f.Add(one(17, "Slice", nil, "x:f:2 3", "s:i:1", "e:i:1").Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := onnxpb.Read(data, onnxpb.Options{Limits: onnxpb.Limits{Memory: 8 << 20, Nodes: 5000}})
		if err == nil {
			importWithin(t, m)
		}
	})
}

// entropy hands out small decisions from fuzzer bytes.
type entropy struct{ b []byte }

func (e *entropy) next(n int) int {
	if len(e.b) == 0 {
		return 0
	}
	v := int(e.b[0])
	e.b = e.b[1:]
	return v % n
}

var oddInts = []int64{0, 1, 2, 3, 4, 5, 8, 16, -1, -2, -3, -5, 64, 1000, 1 << 31, 1 << 40, 1 << 62, math.MaxInt64, math.MinInt64, -(1 << 40)}

func (e *entropy) int() int64 { return oddInts[e.next(len(oddInts))] }

func (e *entropy) ints() []int64 {
	out := make([]int64, e.next(7))
	for i := range out {
		out[i] = e.int()
	}
	return out
}

func (e *entropy) dims() []any {
	choices := []any{1, 2, 3, 4, 5, 8, 0, 7, "n", "m", 1 << 40}
	out := make([]any, e.next(6))
	for i := range out {
		out[i] = choices[e.next(len(choices))]
	}
	return out
}

// FuzzOperators imports chains of operators with random operands and attributes.
func FuzzOperators(f *testing.F) {
	names := Operators()
	for i := range names {
		f.Add([]byte{byte(i), 10, 0, 0, 3, 2, 1, 3, 0, 0, 2, 1, 1, 0, 0, 1})
		f.Add([]byte{byte(i), 4, 1, 2, 3, 5, 1, 7, 2, 1, 0, 3, 0, 9, 8, 2, 2, 3, 5, 4, 1})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e := &entropy{data}
		b := ob.New("fuzz", int64(1+e.next(28)))
		var values []string
		for i := range 1 + e.next(4) {
			row := tables()[""][names[e.next(len(names))]]
			inputs := make([]string, row.minIn+e.next(4))
			for k := range inputs {
				name := fmt.Sprintf("v%d_%d", i, k)
				switch e.next(6) {
				case 0:
					name = ""
				case 1:
					dims := []int64{}
					vals := e.ints()
					if len(vals) != 1 || e.next(2) == 0 {
						dims = []int64{int64(len(vals))}
					}
					b.Initializer(name, ob.Ints(dims, vals...))
				case 2:
					if len(values) > 0 {
						name = values[e.next(len(values))]
						break
					}
					fallthrough
				default:
					types := []onnxpb.DataType{onnxpb.Float, onnxpb.Int64, onnxpb.Bool, onnxpb.Float16, onnxpb.Uint8}
					b.Input(name, types[e.next(len(types))], e.dims()...)
				}
				inputs[k] = name
			}
			var attrs []onnxpb.Attribute
			for _, name := range row.attrs {
				switch e.next(7) {
				case 0:
					attrs = append(attrs, ob.Int(name, e.int()))
				case 1, 2:
					attrs = append(attrs, ob.IntList(name, e.ints()...))
				case 3:
					attrs = append(attrs, ob.Float(name, float32(e.int())))
				case 4:
					attrs = append(attrs, ob.Str(name, []string{"SAME_UPPER", "VALID", "edge", "tanh", "...ij,jk->ik"}[e.next(5)]))
				}
			}
			outs := make([]string, 1+e.next(3))
			for k := range outs {
				outs[k] = fmt.Sprintf("o%d_%d", i, k)
			}
			b.NodeOut(row.name, "", inputs, outs, attrs...)
			values = append(values, outs...)
		}
		for _, v := range values {
			b.Output(v, onnxpb.Undefined)
		}
		importWithin(t, b.Model())
	})
}
