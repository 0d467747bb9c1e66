package op

import (
	"fmt"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// GradientFunc returns, for each argument of a call, what the adjoint of the result adds to that of the argument, nil where it adds
// nothing. What it cannot differentiate it tells by GradientContext.Fail.
type GradientFunc func(g *GradientContext) []relax.Expr

// GradientContext is what a rule knows: a call in normal form, its value, and the adjoint of that.
type GradientContext struct {
	Call   *relax.Call
	Result relax.Expr
	Grad   relax.Expr

	bb  *relax.BlockBuilder
	err error
}

// HasGradient tells whether calls of o can be differentiated.
func (o *Op) HasGradient() bool { return gradients()[o.Name] != nil }

// Gradient returns what each argument of a call adds to its adjoint, where grad is the adjoint of its value result. An entry is nil
// where that is nothing; the others may hold calls that are not bound yet, and what their shapes depend on is bound by bb. A rule of TVM that is not the
// derivative for some arguments is not followed there: see the rules.
func Gradient(call *relax.Call, result, grad relax.Expr, bb *relax.BlockBuilder) ([]relax.Expr, error) {
	o := Of(call)
	if o == nil || !o.HasGradient() {
		return nil, fmt.Errorf("%s has no gradient", calleeOf(call))
	}
	g := &GradientContext{Call: call, Result: result, Grad: grad, bb: bb}
	out := gradients()[o.Name](g)
	if g.err != nil {
		return nil, fmt.Errorf("gradient of %s: %w", o.Name, g.err)
	}
	for i := range out {
		if t := g.infoOf(i); t == nil && !g.isTuple(i) || t != nil && !t.DType.IsVoid() && !t.DType.IsFloat() {
			out[i] = nil // integers and what is no tensor have none
		}
	}
	return out, nil
}

// gradientRow registers the rule of some operators.
type gradientRow struct {
	ops  string // names without "relax."
	rule GradientFunc
}

// gradientRows are the operators to which TVM v0.23 gives an FPrimalGradient (python/tvm/relax/op/_op_gradient.py), and
// relax.grad.no_grad, behind which nothing is differentiated.
func gradientRows() []gradientRow {
	return []gradientRow{
		{"add", gradAdd},
		{"subtract", gradSubtract},
		{"multiply", gradMultiply},
		{"divide", gradDivide},
		{"power", gradPower},
		{"maximum", gradExtremum("less", "greater_equal")},
		{"minimum", gradExtremum("greater_equal", "less")},
		{"equal greater greater_equal less less_equal not_equal zeros_like ones_like full_like zeros ones full grad.no_grad", gradNone},
		{"triu", gradTriu},
		{"abs", gradAbs},
		{"cos", gradCos},
		{"exp", gradExp},
		{"log", gradLog},
		{"negative", gradNegative},
		{"sigmoid", gradSigmoid},
		{"sin", gradSin},
		{"sqrt", gradSqrt},
		{"tanh", gradTanh},
		{"sum", gradSum},
		{"mean", gradMean},
		{"variance", gradVariance},
		{"cumsum", gradCumsum},
		{"permute_dims", gradPermuteDims},
		{"concat", gradConcat},
		{"split", gradSplit},
		{"expand_dims", gradExpandDims},
		{"reshape", gradReshape},
		{"broadcast_to", gradBroadcastTo},
		{"take", gradTake},
		{"where", gradWhere},
		{"matmul", gradMatmul},
		{"astype", gradAsType},
		{"nn.relu", gradRelu},
		{"nn.silu", gradSilu},
		{"nn.softmax", gradSoftmax},
		{"nn.log_softmax", gradLogSoftmax},
		{"nn.cross_entropy_with_logits", gradCrossEntropy},
		{"nn.nll_loss", gradNLLLoss},
		{"nn.conv2d", gradConv2D},
		{"nn.max_pool2d", gradPool2D("max")},
		{"nn.avg_pool2d", gradPool2D("avg")},
	}
}

// gradients returns the rules by the full names of operators. They stand beside the table and not in it, as they build calls of what is in it.
var gradients = sync.OnceValue(func() map[string]GradientFunc {
	rules := map[string]GradientFunc{}
	for _, r := range gradientRows() {
		for _, n := range strings.Fields(r.ops) {
			rules["relax."+n] = r.rule
		}
	}
	return rules
})

// Fail says why a call cannot be differentiated; the first reason counts.
func (g *GradientContext) Fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

// none is the result of a rule that cannot differentiate.
func (g *GradientContext) none() []relax.Expr { return make([]relax.Expr, len(g.Call.Args)) }

// infoOf returns what is known of the tensor that is argument i, nil where it is none.
func (g *GradientContext) infoOf(i int) *relax.TensorStructInfo {
	t, _ := g.bb.Context().SInfoOf(g.Call.Args[i]).(*relax.TensorStructInfo)
	return t
}

func (g *GradientContext) isTuple(i int) bool {
	_, ok := g.bb.Context().SInfoOf(g.Call.Args[i]).(*relax.TupleStructInfo)
	return ok
}

// shape returns the extents of argument i, which must be known.
func (g *GradientContext) shape(i int) []tir.Expr {
	t := g.infoOf(i)
	if t == nil {
		g.Fail("argument %d is no tensor", i)
		return nil
	}
	d, ok := t.Dims()
	if !ok {
		g.Fail("the shape of argument %d, %s, is not known: name its extents with R.match_cast before the dataflow block", i, relax.FormatSInfo(t))
	}
	return d
}

// static returns the extents of argument i, which must be numbers.
func (g *GradientContext) static(i int) []int64 {
	d := g.shape(i)
	n, ok := relax.StaticInts(d)
	if !ok && g.err == nil {
		g.Fail("argument %d has symbolic extents, %s; it needs numbers: bind them with BindSymbolicVars", i, relax.FormatDims(d))
	}
	return n
}

// number returns a constant of the element type of the adjoint.
func (g *GradientContext) number(v float64) relax.Expr {
	t, ok := g.bb.Context().SInfoOf(g.Grad).(*relax.TensorStructInfo)
	if !ok {
		g.Fail("the adjoint is no tensor")
		return &relax.Constant{}
	}
	return g.constant(t.DType, v)
}

func (g *GradientContext) constant(dt dtype.DType, v float64) relax.Expr {
	c, err := Scalar(dt, v)
	if err != nil {
		g.Fail("%v", err)
		return &relax.Constant{}
	}
	return c
}

// operand returns argument i as a tensor: a scalar that is part of the call is a constant.
func (g *GradientContext) operand(i int) relax.Expr {
	p, ok := g.Call.Args[i].(*relax.PrimValue)
	if !ok {
		return g.Call.Args[i]
	}
	switch v := p.Value.(type) {
	case *tir.IntImm:
		return g.number(float64(v.Value))
	case *tir.FloatImm:
		return g.number(v.Value)
	}
	g.Fail("argument %d is a symbolic scalar", i)
	return p
}

// fit adds up e along the axes that argument i was broadcast along. What e is made of is bound.
func (g *GradientContext) fit(e relax.Expr, i int) relax.Expr {
	if g.infoOf(i) == nil || g.err != nil {
		return nil
	}
	to := g.shape(i)
	n, err := g.bb.Normalize(e)
	if err != nil {
		g.Fail("%w", err)
		return nil
	}
	from, ok := g.bb.Context().SInfoOf(n).(*relax.TensorStructInfo).Dims()
	if !ok || g.bb.Context().EqualDims(from, to) != relax.True {
		return build("relax.collapse_sum_to", nil, n, &relax.ShapeExpr{Values: to})
	}
	return n
}

// like returns e broadcast to the shape of argument i.
func (g *GradientContext) like(e relax.Expr, i int) relax.Expr {
	return BroadcastTo(e, &relax.ShapeExpr{Values: g.shape(i)})
}

func calleeOf(call *relax.Call) string {
	if o := Of(call); o != nil {
		return o.Name
	}
	return fmt.Sprintf("a call of a %T", call.Op)
}
