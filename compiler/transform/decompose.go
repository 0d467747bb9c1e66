package transform

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// DecomposeOps replaces operators that exist for training by what they do in inference. In
// TVM's API it is DecomposeOpsForInference.
var DecomposeOps = &pass.Pass{
	Name: "DecomposeOps", Kind: pass.Function,
	Doc:     "Replaces batch_norm by arithmetic on the moving mean and variance, and tensor_to_shape by a call of the runtime and a match_cast that names the extents, for inference.",
	Options: []pass.Option{{Name: "func_name", Default: "", Doc: "the only function to work on; empty is all"}},
	Run: pass.EachRelax(func(c *pass.Context, gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		if name := c.Arg("func_name").(string); name != "" && name != gv.Name {
			return f, nil
		}
		d := &decomposer{c: c, m: op.NewExprMutator(c.Step().Input), renamed: map[*relax.Var]relax.Expr{}}
		d.m.Binding = d.binding
		if c.Observed() {
			d.m.Rewrote = func(b relax.Binding, list []relax.Binding) {
				c.RewriteAll("decompose "+strings.TrimPrefix(strings.TrimPrefix(opName(b.BoundValue()), "relax."), "nn."), []ir.Node{b}, nodesOf(list))
			}
		}
		out, err := d.m.Function(f)
		if err != nil || len(d.renamed) == 0 {
			return out, err
		}
		return relax.Bind(out, relax.Subst{Vars: d.renamed}).(*relax.Function), nil
	}),
}

type decomposer struct {
	c       *pass.Context
	m       *relax.ExprMutator
	renamed map[*relax.Var]relax.Expr // variables whose struct info became more precise
}

func (d *decomposer) binding(b relax.Binding) {
	if vb, ok := b.(*relax.VarBinding); ok {
		switch opName(vb.Value) {
		case "relax.nn.batch_norm":
			d.m.EmitNormalized(vb.WithValue(d.batchNorm(vb, vb.Value.(*relax.Call))))
			return
		case "relax.tensor_to_shape":
			if d.tensorToShape(vb, vb.Value.(*relax.Call)) {
				return
			}
		}
	}
	d.m.VisitBinding(b)
}

// tensorToShape reads the shape at run time and names its extents, so that what depends on
// them has symbolic shapes. Where the rank is unknown the call stays, and it is false.
func (d *decomposer) tensorToShape(vb *relax.VarBinding, c *relax.Call) bool {
	info, ok := vb.Var.SInfo.(*relax.ShapeStructInfo)
	if !ok || info.NDim < 0 || info.Values != nil {
		d.c.Declined("decompose tensor_to_shape", vb, "the rank of the shape is not known, or its extents are")
		return false
	}
	raw := relax.StructInfo(&relax.ShapeStructInfo{NDim: info.NDim})
	call := &relax.Call{
		Base: c.Base, Op: ir.NewOp(opCallPurePacked), Args: append([]relax.Expr{&relax.ExternFunc{Symbol: "vm.builtin.tensor_to_shape"}}, c.Args...),
		SInfoArgs: []relax.StructInfo{raw}, SInfo: raw,
	}
	read := d.m.Emit(call, vb.Var.Name+"_read")
	extents := make([]tir.Expr, info.NDim)
	for i := range extents {
		extents[i] = tir.NewVar(fmt.Sprintf("%s_%d", vb.Var.Name, i), dtype.Int64T)
	}
	known := vb.Var.WithSInfo(relax.ShapeOf(extents...))
	d.renamed[vb.Var] = known
	d.m.EmitNormalized(&relax.MatchCast{Base: vb.Base, Var: known, Value: read, SInfo: known.SInfo})
	return true
}

// batchNorm computes (x - mean) / sqrt(var + epsilon) * gamma + beta. The parameters are
// combined first, so that with constant ones only a multiplication and an addition per
// element are left: x * (gamma / sqrt(var + epsilon)) + (beta - mean * that).
func (d *decomposer) batchNorm(vb *relax.VarBinding, c *relax.Call) relax.Expr {
	x, gamma, beta, mean, variance := c.Args[0], c.Args[1], c.Args[2], c.Args[3], c.Args[4]
	info, ok := relax.SInfoOf(x).(*relax.TensorStructInfo)
	if !ok || info.NDim < 0 {
		d.m.Fail(fmt.Errorf("variable %s: batch_norm of a tensor of unknown rank: %s", vb.Var.Name, relax.FormatSInfo(relax.SInfoOf(x))))
		return c
	}
	axis := int(c.Attrs.Int("axis", 1))
	if axis < 0 {
		axis += info.NDim
	}
	var axes []int64
	for i := range info.NDim {
		if i != axis {
			axes = append(axes, int64(i))
		}
	}
	emit := func(hint string, call *relax.Call) relax.Expr { return d.m.Emit(call, vb.Var.Name+"_"+hint) }
	// Halves are computed in float32 and rounded once.
	dt := info.DType.Accumulator()
	rounds := dt != info.DType
	wide := func(hint string, e relax.Expr) relax.Expr {
		if t, ok := relax.SInfoOf(e).(*relax.TensorStructInfo); rounds && ok && t.DType != dt {
			return emit(hint, op.AsType(e, dt))
		}
		return e
	}
	scalar := func(v float64) relax.Expr { return floatConst(dt, v) }
	std := emit("std", op.Unary("sqrt", emit("var", op.Add(wide("var_wide", variance), scalar(c.Attrs.Float("epsilon", 1e-5))))))
	numerator := scalar(1)
	if c.Attrs.Bool("scale", true) {
		numerator = wide("gamma_wide", gamma)
	}
	scale := emit("scale", op.Divide(numerator, std))
	shift := emit("shift", op.Multiply(wide("mean_wide", mean), scale))
	if c.Attrs.Bool("center", true) {
		shift = emit("bias", op.Subtract(wide("beta_wide", beta), shift))
	} else {
		shift = emit("bias", op.Unary("negative", shift))
	}
	scaled := emit("scaled", op.Multiply(wide("x_wide", x), emit("scale_nd", op.ExpandDims(scale, axes...))))
	y := emit("out", op.Add(scaled, emit("bias_nd", op.ExpandDims(shift, axes...))))
	if rounds {
		y = emit("rounded", op.AsType(y, info.DType))
	}
	return &relax.Tuple{Base: vb.Base, Fields: []relax.Expr{y, mean, variance}}
}

// floatConst returns a 0-dimensional constant of a floating-point type.
func floatConst(dt dtype.DType, v float64) relax.Expr {
	t := tensor.MustNew(dt)
	t.SetFloat(0, v)
	blob, err := ir.NewBlob(dt, nil, t.Data)
	if err != nil {
		panic(err) // one element of its own type
	}
	return &relax.Constant{Data: blob}
}
