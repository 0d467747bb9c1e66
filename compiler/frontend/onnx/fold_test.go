package onnx

import (
	"math/rand/v2"
	"slices"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// TestFoldsAgree computes nodes on integers during the import, and by the evaluator from what is imported where the integers are data.
func TestFoldsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ints := func(dims []int64) *onnxpb.Tensor {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		list := make([]int64, n)
		for i := range list {
			list[i] = r.Int64N(9) - 4
		}
		return ptr(ob.Ints(dims, list...))
	}
	folded := map[string]int{}
	for range 600 {
		rank := 1 + r.IntN(3)
		dims := make([]int64, rank)
		for i := range dims {
			dims[i] = r.Int64N(4)
		}
		axis := r.IntN(rank)
		data := []*onnxpb.Tensor{ints(dims)}
		var operands []*onnxpb.Tensor // which are constants in both
		var attrs []onnxpb.Attribute
		op := []string{"Transpose", "Tile", "Concat", "Gather", "Slice", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "Abs"}[r.IntN(10)]
		switch op {
		case "Transpose":
			perm := make([]int64, rank)
			for i, p := range r.Perm(rank) {
				perm[i] = int64(p)
			}
			attrs = []onnxpb.Attribute{ob.IntList("perm", perm...)}
		case "Tile":
			operands = append(operands, ptr(ob.Ints([]int64{int64(rank)}, []int64{2, 0, 1, 3}[r.IntN(2):][:rank]...)))
		case "Concat":
			other := slices.Clone(dims)
			other[axis] = r.Int64N(3)
			data = append(data, ints(other))
			attrs = []onnxpb.Attribute{ob.Int("axis", int64(axis-rank*r.IntN(2)))}
		case "Gather":
			if dims[axis] == 0 {
				continue
			}
			at := []int64{r.Int64N(dims[axis]), -1 - r.Int64N(dims[axis])}
			operands = append(operands, ptr(ob.Ints([][]int64{{2}, {2, 1}, {1, 2}}[r.IntN(3)], at...)))
			attrs = []onnxpb.Attribute{ob.Int("axis", int64(axis))}
		case "Slice":
			for _, v := range []int64{r.Int64N(9) - 4, r.Int64N(9) - 4, int64(axis), []int64{-2, -1, 1, 2}[r.IntN(4)]} {
				operands = append(operands, ptr(ob.Shape(v)))
			}
		case "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd":
			attrs = []onnxpb.Attribute{ob.Int("keepdims", r.Int64N(2))}
			if r.IntN(3) > 0 {
				operands = append(operands, ptr(ob.Shape(int64(axis-rank*r.IntN(2)))))
			}
			if op == "ReduceMax" || op == "ReduceMin" {
				if slices.Contains(dims, 0) {
					continue
				}
			}
		}
		b := ob.New("fold", 18)
		var names []string
		bind := map[string]*onnxpb.Tensor{}
		var inputs []*tensor
		for i, x := range append(slices.Clone(data), operands...) {
			name := string(rune('a' + i))
			if i >= len(data) {
				x := *x
				names = append(names, b.Initializer(name, x))
				continue
			}
			list := make([]any, len(x.Dims))
			for k, d := range x.Dims {
				list[k] = int(d)
			}
			names = append(names, b.Input(name, onnxpb.Int64, list...))
			bind[name] = x
			y := &tensor{Dims: make([]int, len(x.Dims))}
			for k, d := range x.Dims {
				y.Dims[k] = int(d)
			}
			vs, err := x.Ints()
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range vs {
				y.Data = append(y.Data, float64(v))
			}
			inputs = append(inputs, y)
		}
		b.Output(b.Node(op, "y", names, attrs...), onnxpb.Int64)
		m := b.Model()
		run := func(o Options, in []*tensor) (*tensor, bool) {
			mod, err := Import(t.Context(), m, o)
			if err != nil {
				t.Fatalf("%s of %v: %v", op, dims, err)
			}
			out, err := evaluate(mod, in)
			if err != nil {
				t.Fatalf("%s of %v: %v", op, dims, err)
			}
			constant := true
			relax.EachBinding(ir.MustLookup[*relax.Function](mod, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
				_, call := b.BoundValue().(*relax.Call)
				constant = constant && !call
			})
			return out[0], constant
		}
		got, constant := run(Options{Bind: bind}, nil)
		want, _ := run(Options{}, inputs)
		if !slices.Equal(got.Dims, want.Dims) || !slices.Equal(got.Data, want.Data) {
			t.Errorf("%s of %v with %v: %v %v, want %v %v", op, dims, attrs, got.Dims, got.Data, want.Dims, want.Data)
		}
		if constant {
			folded[op]++
		}
	}
	for _, op := range []string{"Transpose", "Tile", "Concat", "Gather", "Slice", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "Abs"} {
		if folded[op] < 10 {
			t.Errorf("%s was computed during the import in %d cases", op, folded[op])
		}
	}
}
