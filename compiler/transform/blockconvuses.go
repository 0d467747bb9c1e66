package transform

import (
	"encoding/binary"
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// convWeights are the extents of the weights of a conv2d that are constant.
type convWeights struct {
	out, in, window int64 // channels, and the points of the window
	groups          int64
	stride          int64 // points of the data that one of the result moves on
}

// weightsOf returns the extents of the constant weights of a conv2d, nil of another call.
func weightsOf(call *relax.Call, k *constantValues) *convWeights {
	if opName(call) != conv2d || !k.has(call.Args[1]) {
		return nil
	}
	t, ok := relax.SInfoOf(call.Args[1]).(*relax.TensorStructInfo)
	if !ok {
		return nil
	}
	dims, known := t.StaticDims()
	if !known || len(dims) != imageRank {
		return nil
	}
	w := &convWeights{out: dims[0], in: dims[1], window: dims[2] * dims[3], groups: call.Attrs.Int("groups", 1), stride: 1}
	for _, n := range call.Attrs.Ints("strides") {
		w.stride *= n
	}
	return w
}

// depthwise reports whether each output channel is that of one input channel.
func (w *convWeights) depthwise() bool { return w.in == 1 && w.groups == w.out && w.groups > 1 }

// betweenConvs returns the results that convolutions alone read, behind what works on each channel by itself.
func betweenConvs(f *relax.Function) map[*relax.Var]bool {
	k, readers := constantsOf(f), map[*relax.Var][]relax.Binding{}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		seen := map[*relax.Var]bool{}
		eachUsed(b.BoundValue(), func(v *relax.Var) {
			if !seen[v] {
				seen[v] = true
				readers[v] = append(readers[v], b)
			}
		})
	})
	usedVars(f.Body.Body, func(v *relax.Var) { readers[v] = append(readers[v], nil) })
	// only says that nothing else reads a result, some that a convolution does.
	type answer struct{ only, some bool }
	known := map[*relax.Var]answer{}
	var ask func(v *relax.Var) answer
	ask = func(v *relax.Var) answer {
		if a, ok := known[v]; ok {
			return a
		}
		a := answer{only: true}
		for _, b := range readers[v] {
			next := answer{}
			if b != nil {
				call, _ := b.BoundValue().(*relax.Call)
				w := (*convWeights)(nil)
				if call != nil {
					w = weightsOf(call, k)
				}
				switch {
				case call == nil:
				case w != nil && w.groups == 1 && call.Args[0] == relax.Expr(v):
					next = answer{true, true}
				case w != nil && w.depthwise() && call.Args[0] == relax.Expr(v),
					perChannelOps[opName(call)] && call.Args[0] == relax.Expr(v) && keepsChannels(call),
					broadcasting[opName(call)]:
					next = ask(b.Bound())
				}
			}
			a.only, a.some = a.only && next.only, a.some || next.some
		}
		known[v] = a
		return a
	}
	out := map[*relax.Var]bool{}
	for v := range readers {
		if a := ask(v); a.only && a.some {
			out[v] = true
		}
	}
	return out
}

// allFinite reports whether e is a constant of float32 without infinities and NaN, and, where it divides, without zeros.
func allFinite(e relax.Expr, divides bool) bool {
	c, ok := e.(*relax.Constant)
	if !ok || c.Data.DType() != dtype.Float32T {
		return false
	}
	data := c.Data.Stored()
	for ; len(data) >= 4; data = data[4:] {
		x := float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
		if math.IsInf(x, 0) || math.IsNaN(x) || divides && x == 0 {
			return false
		}
	}
	return true
}
