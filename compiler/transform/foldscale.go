package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

const ruleFoldScale = "fold a scale into conv2d"

// FoldScaleToConv2D multiplies the weights of a convolution by what its result is multiplied by.
//
// It is the part of Relay's BackwardFoldScaleAxis that models need: a scale for each channel, and the additions between. A batch normalization behind an
// addition is such a scale with an addition, which FoldBatchnormToConv2D, as TVM's, does not see: it takes those directly behind a convolution. Values are
// rounded otherwise than before, as those of FoldBatchnormToConv2D are.
var FoldScaleToConv2D = &pass.Pass{
	Name: "FoldScaleToConv2D", Kind: pass.Function,
	Doc: "Replaces a multiplication of the result of conv2d by a constant for each channel by a conv2d with other weights, also where a constant is added in between, and joins constants that are added one after the other. A batch_norm with constant parameters behind such an addition is a scale and an addition, as for inference. The weights, which must be constant, are computed by operators, which can be folded.",
	Run: pass.EachRelax(BeforeInplace(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		s := &scaleFolder{c: c, m: newMutator(c, c.Step().Input, ruleFoldScale), uses: map[*relax.Var]int{}}
		use := func(v *relax.Var) { s.uses[v]++ }
		live, err := removeUnused(c, c.Step().Input, f) // what nothing uses is no use
		if err != nil {
			return nil, err
		}
		relax.EachBinding(live.Body, func(_ *relax.BindingBlock, b relax.Binding) { eachUsed(b.BoundValue(), use) })
		usedVars(live.Body.Body, use)
		s.constants = newConstantValues(s.m.Builder().LookupBinding)
		s.m.Call = s.call
		s.m.Expr = s.expr
		out, err := s.m.Function(f)
		if err != nil || out == f {
			return out, err
		}
		return removeUnused(c, c.Step().Input, out)
	})),
}

type scaleFolder struct {
	c         *pass.Context
	m         *relax.ExprMutator
	constants *constantValues
	uses      map[*relax.Var]int // in the function before
}

// call returns what a multiplication or an addition becomes, call itself if nothing.
func (s *scaleFolder) call(call *relax.Call) relax.Expr {
	name := opName(call)
	if name != "relax.multiply" && name != "relax.add" {
		return call
	}
	for i, a := range call.Args {
		v, ok := a.(*relax.Var)
		k := call.Args[1-i]
		if !ok || !s.constants.has(k) || s.constants.has(a) {
			continue
		}
		result, conv, bias := s.behind(v)
		if conv == nil {
			continue
		}
		if why := s.reason(name, v, result, conv, bias, k); why != "" {
			s.c.Declined(ruleFoldScale, call, why)
			continue
		}
		switch {
		case name == "relax.add" && bias == nil:
			return call
		case name == "relax.add":
			return op.Add(result, s.emit(op.Add(bias, k)))
		case bias == nil:
			return s.scaled(conv, k)
		}
		return op.Add(s.again(conv, k, result), s.emit(op.Multiply(bias, k)))
	}
	return call
}

// behind returns the convolution that v is, or that v adds a constant to: its result and the call.
func (s *scaleFolder) behind(v *relax.Var) (result *relax.Var, conv *relax.Call, bias relax.Expr) {
	value := s.m.Builder().LookupBinding(v)
	if conv := callsOp(value, "relax.nn.conv2d"); conv != nil {
		return v, conv, nil
	}
	add := callsOp(value, "relax.add")
	if add == nil {
		return nil, nil, nil
	}
	for i, a := range add.Args {
		if result, ok := a.(*relax.Var); ok && s.constants.has(add.Args[1-i]) {
			if conv := callsOp(s.m.Builder().LookupBinding(result), "relax.nn.conv2d"); conv != nil {
				return result, conv, add.Args[1-i]
			}
		}
	}
	return nil, nil, nil
}

// reason says why a multiplication of v by k, or an addition to it, stays, "" if it need not. The result of conv is v, or what v adds bias to.
func (s *scaleFolder) reason(name string, v, result *relax.Var, conv *relax.Call, bias, k relax.Expr) string {
	infer := s.m.Builder().Context()
	w, ok := infer.SInfoOf(conv.Args[1]).(*relax.TensorStructInfo)
	if !ok || !w.DType.IsFloat() {
		return "the weights are not floating-point numbers"
	}
	dims, ok := w.StaticDims()
	if !ok || len(dims) != 4 || conv.Attrs.Str("kernel_layout", "OIHW") != "OIHW" || conv.Attrs.Str("data_layout", "NCHW") != "NCHW" {
		return "where the output channels stand in the weights is not known"
	}
	if y := conv.Attrs.Str("out_layout", ""); y != "" && y != "NCHW" {
		return "where the channels stand in the result is not known"
	}
	for _, x := range []relax.Expr{k, bias} {
		if x == nil {
			continue
		}
		t, ok := infer.SInfoOf(x).(*relax.TensorStructInfo)
		if !ok || t.DType != w.DType || !perChannel(t, dims[0]) {
			return "what it is multiplied by, or what is added, is not one number for each channel"
		}
	}
	if name == "relax.multiply" && !s.constants.has(conv.Args[1]) {
		return "the weights are not constant"
	}
	if s.uses[v] != 1 || s.uses[result] != 1 {
		return "the result before is used elsewhere too"
	}
	if out, ok := infer.SInfoOf(v).(*relax.TensorStructInfo); !ok || out.DType != w.DType {
		return "the result has another element type than the weights"
	}
	return ""
}

// perChannel reports whether a tensor broadcasts to NCHW as one number for each of n channels, or for all.
func perChannel(t *relax.TensorStructInfo, n int64) bool {
	dims, ok := t.StaticDims()
	if !ok || len(dims) > 4 {
		return false
	}
	for i, d := range dims {
		if channel := len(dims)-i == 3; d != 1 && (!channel || d != n) {
			return false
		}
	}
	return true
}

// scaled returns the convolution with weights multiplied by k.
func (s *scaleFolder) scaled(conv *relax.Call, k relax.Expr) *relax.Call {
	dims, _ := s.m.Builder().Context().SInfoOf(k).(*relax.TensorStructInfo).StaticDims()
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	one := tir.Int(1)
	perOutput := s.emit(op.Reshape(k, tir.Int(n), one, one, one))
	return conv.WithArgs([]relax.Expr{conv.Args[0], s.emit(op.Multiply(conv.Args[1], perOutput))})
}

// again binds the convolution that is in the place of one with a result, by a name like that of the result, which names its kernel.
func (s *scaleFolder) again(conv *relax.Call, k relax.Expr, result *relax.Var) *relax.Var {
	v := s.m.Emit(s.scaled(conv, k), result.Name)
	s.uses[v] = 1
	return v
}

// emit binds what the rule uses once.
func (s *scaleFolder) emit(e relax.Expr) *relax.Var {
	v := s.m.Emit(e, "")
	s.uses[v] = 1
	return v
}
