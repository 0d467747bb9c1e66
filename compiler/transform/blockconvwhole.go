package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

const (
	// fewChannels is how many times as many channels as are added a convolution must have to be filled up to whole blocks whatever reads it: 1000 get 8 more for blocks of
	// 16. The work grows as the channels do, and a convolution in NCHW wastes some 15 % at the ends of small images.
	fewChannels = 16
	// moreWork is how much more work filling up may make, as a part of the work, between convolutions that then have blocks all the way: in NCHW a convolution takes twice
	// its time.
	moreWork = 2
	// transformWork is what an element counts whose layout changes, where a product and a sum count one.
	transformWork = 8
)

// perChannelOps work on each channel of an image by itself, whatever the others hold, and have the image as their first operand. What they make of zeros is finite.
var perChannelOps = map[string]bool{
	"relax.nn.relu": true, "relax.nn.leakyrelu": true, "relax.nn.gelu": true, "relax.nn.silu": true, "relax.sigmoid": true, "relax.tanh": true, "relax.clip": true,
	"relax.round": true, "relax.astype": true,
	"relax.nn.max_pool2d": true, "relax.nn.avg_pool2d": true, "relax.nn.adaptive_avg_pool2d": true,
	"relax.mean": true, "relax.sum": true, "relax.max": true, "relax.min": true,
}

// filler gives convolutions whole blocks of channels.
type filler struct {
	m         *relax.ExprMutator
	constants *constantValues
	block     int64
	words     ByteWords
	// between says of a result that convolutions alone read it, behind what works on each channel by itself. gains says so of the one that is being made.
	between map[*relax.Var]bool
	gains   bool
	// wide are the results with added channels.
	wide map[*relax.Var]widened
}

// widened is a result with added channels.
type widened struct {
	channels int64 // without those
	// finite says that the added channels hold finite numbers, so that a convolution may read them with weights of zero.
	finite bool
}

// withWholeBlocks adds channels to convolutions that lack some for whole blocks: output channels of zeros, which are cut off behind what works on each channel by itself, or
// which the next convolution reads with weights of zero.
func withWholeBlocks(c *pass.Context, f *relax.Function, words ByteWords, block int64) (*relax.Function, error) {
	s := &filler{words: words, m: newMutator(c, c.Step().Input, ruleBlockConv), block: block, between: betweenConvs(f), wide: map[*relax.Var]widened{}}
	s.constants = newConstantValues(s.m.Builder().LookupBinding)
	s.m.Call = s.call
	s.m.Binding = func(b relax.Binding) {
		s.gains = s.between[b.Bound()]
		s.m.VisitBinding(b)
	}
	out, err := s.m.Function(f)
	if err != nil || out == f {
		return out, err
	}
	return removeUnused(c, c.Step().Input, out)
}

// lacking is how many channels n lack for whole blocks.
func lacking(n, block int64) int64 { return (block - n%block) % block }

// added is how many output channels a convolution gets for whole blocks, 0 if it has them or lacks too many. gains says that convolutions alone read the result.
func added(call *relax.Call, k *constantValues, block int64, gains bool) int64 {
	w := weightsOf(call, k)
	if w == nil || w.groups != 1 || w.in > block && w.in%block != 0 {
		return 0
	}
	n := lacking(w.out, block)
	if w.in%block == 0 && n*fewChannels <= w.out || gains && w.worth(n*w.in*w.window) {
		return n
	}
	return 0
}

// worth reports whether filling up pays that makes more work for each point of the result.
func (w *convWeights) worth(more int64) bool {
	own := w.out * w.in * w.window
	return more*moreWork <= own || more <= transformWork*(w.out+w.in*w.stride)
}

// call returns what a call becomes: the part of a wider result that it has, call itself where there is none.
func (s *filler) call(call *relax.Call) relax.Expr {
	if w := weightsOf(call, s.constants); w != nil {
		return s.conv(call, w)
	}
	name := opName(call)
	for i, a := range call.Args {
		wide, of := s.whole(a)
		if wide == nil {
			continue
		}
		args := slices.Clone(call.Args)
		args[i] = wide
		switch {
		case name == "relax.divide" && integers(wide): // by zeros that are added, an integer cannot be divided
			return call
		case broadcasting[name] && len(args) == 2:
			var finite bool
			if args[1-i], finite = s.filled(args[1-i], of.channels); args[1-i] == nil {
				return call
			}
			switch name {
			case "relax.divide":
				finite = i == 0 && s.allFinite(args[1], true)
			case "relax.power":
				finite = false
			}
			of.finite = of.finite && finite
		case !perChannelOps[name] || i > 0 || !keepsChannels(call):
			return call
		}
		return s.part(call.WithArgs(args), of)
	}
	return call
}

// conv gives a convolution the output channels that it lacks, and has it read all of its data where that has added channels.
func (s *filler) conv(call *relax.Call, w *convWeights) relax.Expr {
	more, args := []int64{0, 0}, slices.Clone(call.Args) // output and input channels
	attrs, of := call.Attrs, widened{channels: w.out, finite: true}
	if wide, data := s.whole(call.Args[0]); wide != nil && data.finite {
		n := lacking(data.channels, s.block)
		switch {
		case w.depthwise():
			args[0], more[0], attrs = wide, n, attrs.With("groups", w.groups+n)
		case w.groups == 1 && w.worth(n*w.out*w.window):
			args[0], more[1] = wide, n
		}
	}
	filled := func() *relax.Call {
		args[1] = call.Args[1]
		if more[0]+more[1] > 0 {
			args[1] = s.m.Emit(op.Pad(call.Args[1], []int64{0, more[0], 0, more[1], 0, 0, 0, 0}, "constant", 0), "")
		}
		return &relax.Call{Base: call.Base, Op: call.Op, Args: args, Attrs: attrs, SInfoArgs: call.SInfoArgs}
	}
	whole := filled()
	if more[0] == 0 {
		if n := added(whole, s.constants, s.block, s.gains); n > 0 {
			more[0] = n
			whole = filled()
		}
	}
	if more[0]+more[1] == 0 {
		return call
	}
	if _, why := blockedConv(whole, s.constants, s.words, s.block); why != "" {
		return call
	}
	if more[0] == 0 {
		return whole
	}
	return s.part(whole, of)
}

// part emits a call whose result has more channels, and returns the part without those.
func (s *filler) part(call *relax.Call, of widened) relax.Expr {
	v := s.m.Emit(&relax.Call{Base: call.Base, Op: call.Op, Args: call.Args, Attrs: call.Attrs, SInfoArgs: call.SInfoArgs}, "")
	s.wide[v] = of
	return op.StridedSlice(v, []int64{1}, []tir.Expr{tir.Int(0)}, []tir.Expr{tir.Int(of.channels)}, nil)
}

// whole returns the result of which e is the part without added channels, nil if it is none.
func (s *filler) whole(e relax.Expr) (wide *relax.Var, of widened) {
	v, ok := e.(*relax.Var)
	if !ok {
		return nil, of
	}
	slice := callsOp(s.m.Builder().LookupBinding(v), "relax.strided_slice")
	if slice == nil {
		return nil, of
	}
	wide, _ = slice.Args[0].(*relax.Var)
	if of, ok = s.wide[wide]; !ok {
		return nil, of
	}
	return wide, of
}

// filled gives what broadcasts to images of n channels as many as whole blocks have, and says whether what is added is finite; nil if it has another number.
func (s *filler) filled(e relax.Expr, n int64) (relax.Expr, bool) {
	if wide, of := s.whole(e); wide != nil && of.channels == n {
		return wide, of.finite
	}
	t, ok := relax.SInfoOf(e).(*relax.TensorStructInfo)
	if !ok || !s.constants.has(e) {
		return nil, false
	}
	dims, known := t.StaticDims()
	switch {
	case !known || len(dims) > imageRank:
		return nil, false
	case len(dims) < imageRank-1 || dims[len(dims)-3] == 1: // the same for all channels
		return e, s.allFinite(e, false)
	case dims[len(dims)-3] != n:
		return nil, false
	}
	widths := make([]int64, 2*len(dims))
	widths[2*(len(dims)-3)+1] = lacking(n, s.block)
	return s.m.Emit(op.Pad(e, widths, "constant", 0), ""), true
}

// allFinite reports whether e is known to hold neither infinities nor NaN, nor zeros where it divides: a constant, or a number that an integer became.
func (s *filler) allFinite(e relax.Expr, divides bool) bool {
	if v, ok := e.(*relax.Var); ok {
		if call := callsOp(s.m.Builder().LookupBinding(v), "relax.astype"); call != nil {
			e = call.Args[0]
		}
	}
	if integers(e) {
		return !divides
	}
	return allFinite(e, divides)
}

// integers reports whether e is a tensor of integers.
func integers(e relax.Expr) bool {
	t, ok := relax.SInfoOf(e).(*relax.TensorStructInfo)
	return ok && t.DType.IsInteger()
}

// keepsChannels reports whether channels are the second axis of the result, each made of the same one of an image in NCHW.
func keepsChannels(call *relax.Call) bool {
	if call.Attrs.Str("layout", "NCHW") != "NCHW" || !plainResult(call) {
		return false
	}
	switch opName(call) {
	case "relax.mean", "relax.sum", "relax.max", "relax.min":
		axes := call.Attrs.Ints("axis")
		return call.Attrs.Bool("keepdims", false) && len(axes) > 0 && !slices.ContainsFunc(axes, func(a int64) bool { return (a+imageRank)%imageRank < 2 })
	}
	return true
}
