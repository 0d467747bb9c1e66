package hostile

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments"
)

// choices hands out small decisions from the bytes of the fuzzer.
type choices struct{ b []byte }

func (c *choices) next(n int) int {
	if len(c.b) == 0 || n == 0 {
		return 0
	}
	v := int(c.b[0]) % n
	c.b = c.b[1:]
	return v
}

// model builds a model of a few nodes that use each other's results.
func (c *choices) model() *onnxpb.Model {
	b := ob.New("fuzz", 13+int64(c.next(8)))
	sizes := []any{1, 2, 3, 4, 5, 8, 0, "n", 17}
	shape := func() []any {
		out := make([]any, c.next(5))
		for i := range out {
			out[i] = sizes[c.next(len(sizes))]
		}
		return out
	}
	types := []onnxpb.DataType{onnxpb.Float, onnxpb.Float, onnxpb.Float, onnxpb.Int64, onnxpb.Bool, onnxpb.Double, onnxpb.Float16, onnxpb.Int8}
	values := []string{
		b.Input("x", types[c.next(len(types))], shape()...),
		b.Input("y", types[c.next(len(types))], shape()...),
		b.Initializer("s", ob.Shape(int64(c.next(4)), int64(c.next(9)-1))),
		b.Initializer("a", ob.Ints([]int64{1}, int64(c.next(4)-2))),
		b.Initializer("w", ob.Random("w", 0, 1, int64(1+c.next(4)), int64(1+c.next(4)), int64(1+c.next(3)), int64(1+c.next(3)))),
		b.Initializer("m", ob.Random("m", 0, 1, int64(1+c.next(8)), int64(1+c.next(8)))),
	}
	ops := onnx.Operators()
	last := values[0]
	for i := range 1 + c.next(6) {
		op := ops[c.next(256)*len(ops)/256]
		in := []string{last}
		for range c.next(3) {
			in = append(in, values[c.next(len(values))])
		}
		var attrs []onnxpb.Attribute
		switch c.next(6) {
		case 0:
			attrs = append(attrs, ob.Int("axis", int64(c.next(5)-2)))
		case 1:
			attrs = append(attrs, ob.IntList("kernel_shape", int64(c.next(4)), int64(c.next(4))))
		case 2:
			attrs = append(attrs, ob.Int("keepdims", int64(c.next(2))))
		}
		last = b.NodeOut(op, fmt.Sprintf("n%d", i), in, []string{fmt.Sprintf("v%d", i)}, attrs...)
		values = append(values, last)
	}
	b.Output(last, onnxpb.Float)
	b.Model().Graph.Outputs[0].Type = nil
	return b.Model()
}

// FuzzCompile takes random models through the importer, the passes with the verifier after
// each of them, and the code generator: nothing may panic, and no pass may leave a module
// that is not well formed.
func FuzzCompile(f *testing.F) {
	for i := range len(onnx.Operators()) {
		n := len(onnx.Operators())
		f.Add([]byte{3, 0, 2, 1, 2, 0, 2, 1, 2, 1, 2, 3, 1, 1, 2, 2, 3, 3, 0, byte((i*256 + n - 1) / n), 0, 5})
		f.Add([]byte{3, 0, 4, 1, 2, 5, 5, 0, 2, 1, 2, 1, 2, 3, 1, 1, 2, 2, 3, 3, 1, byte((i*256 + n - 1) / n), 1, 1, 0, 1, byte((i*97 + 31) % 256), 1, 4, 5})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		m, err := onnx.Import(ctx, (&choices{data}).model(), onnx.Options{})
		if err != nil {
			return
		}
		for _, level := range []int{0, 3} {
			_, err = compiler.Compile(ctx, compiler.Request{
				Module: m, OptLevel: &level, Instruments: []*pass.Instrument{instruments.WellFormed(false)},
			})
			var failed *pass.Error
			var broken *pass.InstrumentError
			switch {
			case errors.As(err, &failed) && failed.Stack != "":
				t.Fatalf("opt_level %d: %v\n%s", level, err, failed.Stack)
			case errors.As(err, &broken):
				t.Fatalf("opt_level %d: %v", level, err)
			case ctx.Err() != nil:
				t.Fatal("the compiler did not end")
			}
		}
	})
}
