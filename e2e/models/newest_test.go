package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

// plain is a tensor for plain loops.
type plain struct {
	shape []int64
	data  []float64
}

func random(r *rand.Rand, scale float64, shape ...int64) plain {
	n := 1
	for _, d := range shape {
		n *= int(d)
	}
	return plain{shape, noise(r, n, scale)}
}

func (p plain) tensor() *tensor.Tensor { return f32(p.shape, p.data...) }

func (p plain) at(index ...int64) float64 {
	i := int64(0)
	for k, x := range index {
		i = i*p.shape[k] + x
	}
	return p.data[i]
}

// deformed is a deformable convolution of one to three spatial axes as plain loops.
type deformed struct {
	group, parts                    int64
	kernel, strides, dilations, pad []int64 // the same pad at both ends
}

// counter calls f with each index below the extents.
func counter(extents []int64, f func(index []int64)) {
	index := make([]int64, len(extents))
	for _, e := range extents {
		if e == 0 {
			return
		}
	}
	for {
		f(index)
		k := len(index) - 1
		for ; k >= 0; k-- {
			if index[k]++; index[k] < extents[k] {
				break
			}
			index[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

func (d deformed) run(x, w, offset, bias, mask plain) plain {
	r := len(d.kernel)
	out := plain{shape: append([]int64{x.shape[0], w.shape[0]}, offset.shape[2:]...)}
	taps := int64(1)
	for _, k := range d.kernel {
		taps *= k
	}
	channels, results := x.shape[1], w.shape[0]
	counter(out.shape, func(o []int64) {
		sum := bias.data[o[1]]
		for c := range channels / d.group {
			channel := o[1]/(results/d.group)*(channels/d.group) + c
			part, tap := channel/(channels/d.parts), int64(0)
			counter(d.kernel, func(k []int64) {
				place := make([]float64, r)
				for a := range r {
					at := append([]int64{o[0], (part*taps+tap)*int64(r) + int64(a)}, o[2:]...)
					place[a] = float64(float32(o[2+a]*d.strides[a]-d.pad[a]+k[a]*d.dilations[a])) + offset.at(at...)
				}
				v := 0.0
				for corner := range 1 << r { // linear interpolation, zeros outside
					index, weight := []int64{o[0], channel}, 1.0
					for a := range r {
						low := math.Floor(place[a])
						share := place[a] - low
						if corner>>a&1 == 1 {
							low++
						} else {
							share = 1 - share
						}
						if low < 0 || low >= float64(x.shape[2+a]) {
							weight = 0
							low = 0
						}
						index, weight = append(index, int64(low)), weight*share
					}
					if weight != 0 {
						v += weight * x.at(index...)
					}
				}
				m := mask.at(append([]int64{o[0], part*taps + tap}, o[2:]...)...)
				sum += v * m * w.at(append([]int64{o[1], c}, k...)...)
				tap++
			})
		}
		out.data = append(out.data, sum)
	})
	return out
}

// deformModels have one to three spatial axes, odd extents, groups, an axis of one element, and no batch.
func deformModels() (out []control) {
	r := rand.New(rand.NewPCG(3, 4))
	for i, c := range []struct {
		deformed
		batch, channels, results int64
		in                       []int64
		symbolic                 bool
	}{
		{deformed{1, 1, []int64{3, 3}, []int64{1, 1}, []int64{1, 1}, []int64{1, 1}}, 2, 3, 5, []int64{7, 5}, false},
		{deformed{2, 3, []int64{2, 3}, []int64{2, 1}, []int64{1, 2}, []int64{0, 2}}, 1, 6, 4, []int64{5, 6}, false},
		{deformed{1, 2, []int64{3}, []int64{2}, []int64{2}, []int64{1}}, 2, 4, 3, []int64{9}, false},
		{deformed{1, 1, []int64{2, 2, 2}, []int64{1, 1, 2}, []int64{1, 1, 1}, []int64{0, 1, 0}}, 1, 2, 2, []int64{3, 1, 4}, false},
		{deformed{1, 1, []int64{3, 3}, []int64{1, 1}, []int64{1, 1}, []int64{1, 1}}, 3, 2, 2, []int64{4, 5}, true},
		{deformed{1, 1, []int64{1, 1}, []int64{1, 1}, []int64{1, 1}, []int64{0, 0}}, 0, 2, 2, []int64{4, 5}, true},
	} {
		taps := int64(1)
		spatial := []int64{}
		for a, k := range c.kernel {
			taps *= k
			spatial = append(spatial, (c.in[a]+2*c.pad[a]-(k-1)*c.dilations[a]-1)/c.strides[a]+1)
		}
		shape := func(first, second int64, rest []int64) []int64 { return append([]int64{first, second}, rest...) }
		x := random(r, 1, shape(c.batch, c.channels, c.in)...)
		w := random(r, 1, shape(c.results, c.channels/c.group, c.kernel)...)
		offset := random(r, 2, shape(c.batch, c.parts*taps*int64(len(c.kernel)), spatial)...)
		mask, bias := random(r, 1, shape(c.batch, c.parts*taps, spatial)...), random(r, 1, c.results)
		want := c.run(x, w, offset, bias, mask)
		dims := func(p plain, free ...int) []any {
			list := make([]any, len(p.shape))
			for k, d := range p.shape {
				list[k] = int(d)
			}
			for _, k := range free {
				if c.symbolic {
					list[k] = fmt.Sprint("d", k)
				}
			}
			return list
		}
		out = append(out, control{fmt.Sprintf("deformable convolution %d", i), func(b *Builder) {
			b.Input("x", onnxpb.Float, dims(x, 0, 2, 3)...)
			b.Input("w", onnxpb.Float, dims(w)...)
			b.Input("o", onnxpb.Float, dims(offset, 0, 2, 3)...)
			b.Input("b", onnxpb.Float, dims(bias)...)
			b.Input("m", onnxpb.Float, dims(mask, 0, 2, 3)...)
			b.Model().OpsetImports[0].Version = 22
			b.Output(b.Node("DeformConv", "y", ids("x", "w", "o", "b", "m"), Int("group", c.group), Int("offset_group", c.parts),
				IntList("strides", c.strides...), IntList("dilations", c.dilations...), IntList("pads", append(append([]int64{}, c.pad...), c.pad...)...)), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(x.tensor(), w.tensor(), offset.tensor(), bias.tensor(), mask.tensor())}, [][]*tensor.Tensor{tensors(want.tensor())}})
	}
	return out
}

// linearModels are linear attention with each rule, for fixed and symbolic numbers of tokens, 0 and 1 among them.
func linearModels() (out []control) {
	r := rand.New(rand.NewPCG(5, 6))
	const batch, heads, shared, dk, dv = 2, 4, 2, 3, 2
	for _, rule := range []string{"linear", "gated", "delta", "gated_delta"} {
		gated, delta := rule[0] == 'g', rule[len(rule)-1] == 'a'
		var in, want [][]*tensor.Tensor
		for _, tokens := range []int64{5, 1, 0, 40} {
			q, k, v := random(r, 1, batch, tokens, heads*dk), random(r, .5, batch, tokens, shared*dk), random(r, 1, batch, tokens, shared*dv)
			state, decay, beta := random(r, 1, batch, shared, dk, dv), random(r, .3, batch, tokens, shared*dk), random(r, 1, batch, tokens, shared)
			list := tensors(q.tensor(), k.tensor(), v.tensor(), state.tensor())
			if gated {
				list = append(list, decay.tensor())
			}
			if delta {
				list = append(list, beta.tensor())
			}
			y := plain{shape: []int64{batch, tokens, heads * dv}, data: make([]float64, batch*tokens*heads*dv)}
			s := plain{shape: state.shape, data: append([]float64{}, state.data...)}
			counter([]int64{batch, shared, tokens}, func(i []int64) {
				n, h, t := i[0], i[1], i[2]
				m := func(a, b int64) *float64 { return &s.data[((n*shared+h)*dk+a)*dv+b] }
				for b := range int64(dv) {
					got := 0.0
					for a := range int64(dk) {
						if gated {
							*m(a, b) *= math.Exp(decay.at(n, t, h*dk+a))
						}
						got += *m(a, b) * k.at(n, t, h*dk+a)
					}
					value := v.at(n, t, h*dv+b)
					if delta {
						value = beta.at(n, t, h) * (value - got)
					}
					for a := range int64(dk) {
						*m(a, b) += k.at(n, t, h*dk+a) * value
					}
					for g := range int64(heads / shared) {
						head := h*(heads/shared) + g
						for a := range int64(dk) {
							y.data[(n*tokens+t)*heads*dv+head*dv+b] += q.at(n, t, head*dk+a) * *m(a, b) / math.Sqrt(dk)
						}
					}
				}
			})
			in, want = append(in, list), append(want, tensors(y.tensor(), s.tensor()))
		}
		for _, fixed := range []bool{false, true}[:1+len(rule)/len("gated_delta")] {
			in, want, tokens := in, want, any("t")
			if fixed {
				in, want, tokens = in[:1], want[:1], any(5)
			}
			out = append(out, control{fmt.Sprintf("linear attention by the rule %s, tokens %v", rule, tokens), func(b *Builder) {
				inputs := ids(b.Input("q", onnxpb.Float, batch, tokens, heads*dk), b.Input("k", onnxpb.Float, batch, tokens, shared*dk),
					b.Input("v", onnxpb.Float, batch, tokens, shared*dv), b.Input("s", onnxpb.Float, batch, shared, dk, dv), "", "")
				if gated {
					inputs[4] = b.Input("g", onnxpb.Float, batch, tokens, shared*dk)
				}
				if delta {
					inputs[5] = b.Input("r", onnxpb.Float, batch, tokens, shared)
				}
				b.Model().OpsetImports[0].Version = 27
				b.NodeOut("LinearAttention", "attention", inputs, ids("y", "z"), Str("update_rule", rule), Int("q_num_heads", heads), Int("kv_num_heads", shared))
				b.Output("y", onnxpb.Float)
				b.Output("z", onnxpb.Float)
			}, in, want})
		}
	}
	return out
}

// causalModel convolves sequences of any length piece by piece, which gives what the whole gives.
func causalModel() control {
	r := rand.New(rand.NewPCG(7, 8))
	const channels, k = 3, 4
	w, bias := random(r, 1, channels, 1, k), random(r, 1, channels)
	var in, want [][]*tensor.Tensor
	for _, length := range []int64{5, 1, 2, 0} {
		x, past := random(r, 1, 2, channels, length), random(r, 1, 2, channels, k-1)
		all := func(n, c, t int64) float64 { // behind the past
			if t < k-1 {
				return past.at(n, c, t)
			}
			return x.at(n, c, t-k+1)
		}
		y, z := plain{shape: x.shape}, plain{shape: past.shape}
		counter(x.shape, func(i []int64) {
			sum := bias.data[i[1]]
			for j := range int64(k) {
				sum += w.at(i[1], 0, j) * all(i[0], i[1], i[2]+j)
			}
			y.data = append(y.data, sum/(1+math.Exp(-sum)))
		})
		counter(past.shape, func(i []int64) { z.data = append(z.data, all(i[0], i[1], i[2]+length)) })
		in, want = append(in, tensors(x.tensor(), past.tensor(), w.tensor(), bias.tensor())), append(want, tensors(y.tensor(), z.tensor()))
	}
	return control{"causal convolution", func(b *Builder) {
		x, past := b.Input("x", onnxpb.Float, "n", channels, "t"), b.Input("p", onnxpb.Float, "n", channels, k-1)
		b.Model().OpsetImports[0].Version = 27
		b.NodeOut("CausalConvWithState", "conv", ids(x, b.Input("w", onnxpb.Float, channels, 1, k), b.Input("b", onnxpb.Float, channels), past), ids("y", "z"), Str("activation", "silu"))
		b.Output("y", onnxpb.Float)
		b.Output("z", onnxpb.Float)
	}, in, want}
}

// TestNewestOperators compares operators that are made of several kernels with plain loops.
func TestNewestOperators(t *testing.T) {
	for i, c := range append(append(deformModels(), linearModels()...), causalModel()) {
		if testing.Short() && i%3 != 1 {
			continue
		}
		t.Run(c.name, func(t *testing.T) { checkControl(t, c) })
	}
}
