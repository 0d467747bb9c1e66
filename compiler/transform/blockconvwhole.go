package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// fewChannels is how many times as many channels as are added a convolution must have to be filled up to whole blocks: 1000 get 8 more for blocks of 16. The
// work grows as the channels do, and a convolution in NCHW wastes some 15 % at the ends of small images.
const fewChannels = 16

// perChannelOps work on each channel of an image by itself, whatever the others hold, and have the image as their first operand.
var perChannelOps = map[string]bool{
	"relax.nn.relu": true, "relax.nn.leakyrelu": true, "relax.nn.gelu": true, "relax.nn.silu": true, "relax.sigmoid": true, "relax.tanh": true, "relax.clip": true,
	"relax.nn.max_pool2d": true, "relax.nn.avg_pool2d": true, "relax.nn.adaptive_avg_pool2d": true,
	"relax.mean": true, "relax.sum": true, "relax.max": true, "relax.min": true,
}

// filler gives convolutions whole blocks of output channels.
type filler struct {
	m         *relax.ExprMutator
	constants *constantValues
	block     int64
	// wide are the results with added channels, and how many they have without.
	wide map[*relax.Var]int64
}

// withWholeBlocks adds output channels to convolutions that lack a few for whole blocks: channels of zeros, which are cut off behind what works on each channel by itself.
func withWholeBlocks(c *pass.Context, f *relax.Function, block int64) (*relax.Function, error) {
	s := &filler{m: newMutator(c, c.Step().Input, ruleBlockConv), block: block, wide: map[*relax.Var]int64{}}
	s.constants = newConstantValues(s.m.Builder().LookupBinding)
	s.m.Call = s.call
	out, err := s.m.Function(f)
	if err != nil || out == f {
		return out, err
	}
	return removeUnused(c, c.Step().Input, out)
}

// added is how many output channels a convolution lacks for whole blocks, 0 if it has them or lacks too many.
func added(call *relax.Call, k *constantValues, block int64) int64 {
	if opName(call) != conv2d {
		return 0
	}
	w, ok := relax.SInfoOf(call.Args[1]).(*relax.TensorStructInfo)
	if !ok || !k.has(call.Args[1]) || call.Attrs.Int("groups", 1) != 1 {
		return 0
	}
	dims, known := w.StaticDims()
	if !known || len(dims) != 4 || dims[0]%block == 0 || dims[1]%block != 0 {
		return 0
	}
	if n := block - dims[0]%block; n*fewChannels <= dims[0] {
		return n
	}
	return 0
}

// call returns what a call becomes: the part of a wider result that it has, call itself where there is none.
func (s *filler) call(call *relax.Call) relax.Expr {
	name := opName(call)
	if n := added(call, s.constants, s.block); n > 0 {
		dims, _ := relax.SInfoOf(call.Args[1]).(*relax.TensorStructInfo).StaticDims()
		w := s.m.Emit(op.Pad(call.Args[1], []int64{0, n, 0, 0, 0, 0, 0, 0}, "constant", 0), "")
		filled := call.WithArgs([]relax.Expr{call.Args[0], w})
		if _, why := blockedConv(filled, s.constants, s.block); why != "" {
			return call
		}
		return s.part(filled, dims[0])
	}
	for i, a := range call.Args {
		wide, n := s.whole(a)
		if wide == nil {
			continue
		}
		args := slices.Clone(call.Args)
		args[i] = wide
		switch {
		case broadcasting[name] && len(args) == 2:
			if args[1-i] = s.filled(args[1-i], n); args[1-i] == nil {
				return call
			}
		case !perChannelOps[name] || i > 0 || !keepsChannels(call):
			return call
		}
		return s.part(call.WithArgs(args), n)
	}
	return call
}

// part emits a call whose result has more than n channels, and returns the part of n.
func (s *filler) part(call *relax.Call, n int64) relax.Expr {
	v := s.m.Emit(&relax.Call{Base: call.Base, Op: call.Op, Args: call.Args, Attrs: call.Attrs, SInfoArgs: call.SInfoArgs}, "")
	s.wide[v] = n
	return op.StridedSlice(v, []int64{1}, []tir.Expr{tir.Int(0)}, []tir.Expr{tir.Int(n)}, nil)
}

// whole returns the result of which e is the part of n channels, nil if it is none.
func (s *filler) whole(e relax.Expr) (wide *relax.Var, n int64) {
	v, ok := e.(*relax.Var)
	if !ok {
		return nil, 0
	}
	slice := callsOp(s.m.Builder().LookupBinding(v), "relax.strided_slice")
	if slice == nil {
		return nil, 0
	}
	if wide, ok = slice.Args[0].(*relax.Var); !ok || s.wide[wide] == 0 {
		return nil, 0
	}
	return wide, s.wide[wide]
}

// filled gives a constant that broadcasts to images of n channels as many as whole blocks have, nil if it is no such constant.
func (s *filler) filled(e relax.Expr, n int64) relax.Expr {
	t, ok := relax.SInfoOf(e).(*relax.TensorStructInfo)
	if !ok || !s.constants.has(e) {
		return nil
	}
	dims, known := t.StaticDims()
	switch {
	case !known || len(dims) > imageRank:
		return nil
	case len(dims) < imageRank-1 || dims[len(dims)-3] == 1:
		return e // the same for all channels
	case dims[len(dims)-3] != n:
		return nil
	}
	widths := make([]int64, 2*len(dims))
	widths[2*(len(dims)-3)+1] = (s.block - n%s.block) % s.block
	return s.m.Emit(op.Pad(e, widths, "constant", 0), "")
}

// keepsChannels reports whether channels are the second axis of the result, each made of the same one of an image in NCHW.
func keepsChannels(call *relax.Call) bool {
	if l := call.Attrs.Str("layout", "NCHW"); l != "NCHW" {
		return false
	}
	if l := call.Attrs.Str("out_layout", "NCHW"); l != "" && l != "NCHW" {
		return false
	}
	switch opName(call) {
	case "relax.mean", "relax.sum", "relax.max", "relax.min":
		axes := call.Attrs.Ints("axis")
		return call.Attrs.Bool("keepdims", false) && len(axes) > 0 && !slices.ContainsFunc(axes, func(a int64) bool { return (a+imageRank)%imageRank < 2 })
	}
	return true
}
