package onnx

import (
	"math"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// lowbias32 is the function of that name, with arithmetic of 32 bits.
func lowbias32(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x7feb352d
	x ^= x >> 15
	x *= 0x846ca68b
	return x ^ x>>16
}

// units are the first numbers of a generator with a seed.
func units(seed float32, stream uint32, count int) []float64 {
	out := make([]float64, count)
	for i := range out {
		out[i] = float64(lowbias32(lowbias32(uint32(i))+math.Float32bits(seed)+stream*0x9e3779b9)>>8) / (1 << 24)
	}
	return out
}

// ownRandom test that random numbers are those that the documents say.
func ownRandom() []onnxtest.NodeCase {
	floats := func(dims []int64, f func(i int) float64) *onnxpb.Tensor {
		t := ob.Floats(dims)
		n := 1
		for _, d := range dims {
			n *= int(d)
		}
		vals := make([]float32, n)
		for i := range vals {
			vals[i] = float32(f(i))
		}
		t = ob.Floats(dims, vals...)
		return &t
	}
	u, v := units(3, 0, 40), units(3, 1, 40)
	uniform := func(i int) float64 { return u[i]*5 - 2 }
	normal := func(i int) float64 { return math.Sqrt(-2*math.Log(1-u[i]))*math.Cos(2*math.Pi*v[i])*2 + 1 }
	seed := ob.Float("seed", 3)
	like := []*onnxpb.Tensor{floats([]int64{2, 3}, func(i int) float64 { return float64(i) / 5 })}
	logits := []*onnxpb.Tensor{floats([]int64{2, 3}, func(i int) float64 { return math.Log([]float64{.25, .25, .5, 1, 2, 1}[i]) })}
	draw := func(u float64, ends ...float64) (class int64) {
		for _, e := range ends {
			if u >= e {
				class++
			}
		}
		return class
	}
	var drawn []int64
	for i := range 10 {
		if i < 5 {
			drawn = append(drawn, draw(u[i], .25, .5))
		} else {
			drawn = append(drawn, draw(u[i], .25, .75))
		}
	}
	kept := units(math.Float32frombits(7), 0, 8)
	training := &onnxpb.Tensor{Type: onnxpb.Bool, Data: []byte{1}}
	numbers := floats([]int64{2, 4}, func(i int) float64 { return float64(i) - 3 })
	mask := &onnxpb.Tensor{Type: onnxpb.Bool, Dims: []int64{2, 4}}
	for _, u := range kept {
		mask.Data = append(mask.Data, byte(truth(u >= .25)))
	}
	all := &onnxpb.Tensor{Type: onnxpb.Bool, Dims: []int64{2, 4}, Data: []byte{1, 1, 1, 1, 1, 1, 1, 1}}
	return []onnxtest.NodeCase{
		ownNode("Dropout", []*onnxpb.Tensor{numbers, floats([]int64{}, func(int) float64 { return .25 }), training},
			[]*onnxpb.Tensor{floats([]int64{2, 4}, func(i int) float64 { return (float64(i) - 3) / .75 * float64(mask.Data[i]) }), mask}, ob.Int("seed", 7)),
		ownNode("Dropout", []*onnxpb.Tensor{numbers, floats([]int64{}, func(int) float64 { return 0 }), training}, []*onnxpb.Tensor{numbers, all}),
		ownNode("Dropout", []*onnxpb.Tensor{numbers}, []*onnxpb.Tensor{numbers, all}),
		ownNode("RandomUniform", nil, []*onnxpb.Tensor{floats([]int64{4, 2}, uniform)}, seed, ob.IntList("shape", 4, 2), ob.Float("low", -2), ob.Float("high", 3)),
		ownNode("RandomUniformLike", like, []*onnxpb.Tensor{floats([]int64{2, 3}, uniform)}, seed, ob.Float("low", -2), ob.Float("high", 3)),
		ownNode("RandomNormal", nil, []*onnxpb.Tensor{floats([]int64{5}, normal)}, seed, ob.IntList("shape", 5), ob.Float("mean", 1), ob.Float("scale", 2)),
		ownNode("RandomNormalLike", like, []*onnxpb.Tensor{floats([]int64{2, 3}, normal)}, seed, ob.Float("mean", 1), ob.Float("scale", 2)),
		ownNode("Bernoulli", like, []*onnxpb.Tensor{floats([]int64{2, 3}, func(i int) float64 { return truth(u[i] < float64(float32(i)/5)) })}, seed),
		ownNode("Multinomial", logits, []*onnxpb.Tensor{ptr(ob.Ints([]int64{2, 5}, drawn...))}, seed, ob.Int("sample_size", 5), ob.Int("dtype", 7)),
	}
}

// TestRandomNumbers: numbers have the mean and the deviation that they should, and those of nodes without a seed differ.
func TestRandomNumbers(t *testing.T) {
	b := ob.New("g", 17)
	for _, name := range []string{"a", "b"} {
		b.NodeOut("RandomNormal", "node_"+name, nil, []string{name}, ob.IntList("shape", 10000))
		b.Output(name, onnxpb.Float)
	}
	m, err := onnxpb.Read(b.Bytes(), onnxpb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mod, err := Import(t.Context(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "random", mod)
	out, err := evaluate(mod, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f := ir.MustLookup[*relax.Function](mod, "main"); len(f.Params) != 0 {
		t.Errorf("main has %d parameters", len(f.Params))
	}
	product, n := 0.0, float64(len(out[0].Data))
	for _, x := range out {
		sum, squares := 0.0, 0.0
		for _, v := range x.Data {
			sum += v
			squares += v * v
		}
		if mean := sum / n; math.Abs(mean) > .04 || math.Abs(squares/n-1) > .06 {
			t.Errorf("mean %g, variance %g", mean, squares/n)
		}
	}
	for i, v := range out[0].Data {
		product += v * out[1].Data[i]
	}
	if math.Abs(product/n) > .04 {
		t.Errorf("the numbers of two nodes correlate by %g", product/n)
	}
}
