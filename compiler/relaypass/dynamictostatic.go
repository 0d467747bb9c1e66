package relaypass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/tensor"
)

const staticRule = "make a dynamic operator static"

// DynamicToStatic replaces operators that are told a shape by a tensor by those that have it as an attribute, where the tensor is known.
var DynamicToStatic = &pass.Pass{
	Name: "relay.DynamicToStatic", Level: 2, Kind: pass.Function, Breaks: []*pass.Form{pass.NoDataflow},
	Doc: "Replaces dynamic operators (dyn.reshape, dyn.tile), whose shapes, sizes and widths are tensors, by static ones where these tensors can be computed from constants and known shapes. What is computed from constants on the way is replaced by its value.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		return dynamicToStatic(c, f)
	}),
}

// dynamicToStatic walks a function forward. Types become more exact on the way, so that shapes that depend on those of a replaced operator are known behind it: each
// binding is visited once, where TVM (src/relay/transforms/dynamic_to_static.cc) folds all constants again for each operator.
func dynamicToStatic(c *pass.Context, f *relax.Function) (*relax.Function, error) {
	if isPrimitive(f) || !hasDynamic(f) {
		return f, nil
	}
	mod := c.Step().Input
	mu := op.NewExprMutator(mod)
	cf := &constantFolder{
		c: c, folder: transform.NewFolder(c, mod), ctx: mu.Builder().Context(),
		known: map[*relax.Var]relax.Expr{}, tuples: map[*relax.Var]*relax.Tuple{},
	}
	cf.names.Expr = cf.operand
	mu.Expr = func(e relax.Expr) relax.Expr {
		if fn, ok := e.(*relax.Function); ok && fn != f && isPrimitive(fn) {
			return e
		}
		return mu.VisitExpr(e)
	}
	changed := false
	mu.Binding = func(b relax.Binding) {
		vb, ok := b.(*relax.VarBinding)
		if _, isCall := b.BoundValue().(*relax.Call); !ok || !isCall {
			mu.VisitBinding(b)
			if v, isVar := mu.Lookup(b.Bound()).(*relax.Var); isVar {
				if t, tuple := mu.Builder().LookupBinding(v).(*relax.Tuple); tuple {
					cf.tuples[v] = t
				}
			}
			return
		}
		now, ok := mu.MapBinding(b).(*relax.VarBinding)
		if !ok || mu.Err() != nil {
			return
		}
		call, ok := now.Value.(*relax.Call)
		if !ok {
			mu.EmitNormalized(now)
			return
		}
		to := staticCall(c, call)
		if to != nil {
			call = to
		}
		k, err := cf.call(call, vb)
		switch {
		case err != nil:
			mu.Fail(fmt.Errorf("variable %s: %w", vb.Var.Name, err))
		case k != nil:
			changed = true
			mu.Remap(b.Bound(), k)
			c.Rewrite(ruleFold, vb, k)
		case to != nil:
			changed = true
			c.Rewrite(staticRule, vb, to)
			mu.EmitNormalized(mu.WithValue(b, to))
		default:
			mu.EmitNormalized(now)
		}
	}
	out, err := mu.Function(f)
	if err != nil || !changed {
		return f, err
	}
	ctx := mu.Builder().Context()
	return dropUnused(out, func(e relax.Expr) bool { return effectless(e, ctx) }), nil
}

func hasDynamic(f *relax.Function) bool {
	return ir.Any(f.Body, func(n ir.Node) bool {
		call, ok := n.(*relax.Call)
		return ok && staticRules[relayName(call)].attrs != nil
	})
}

// staticRow says what becomes of a dynamic operator: each of the operands from the first one on is the value of an attribute.
type staticRow struct {
	op    string
	first int
	attrs []string // with ! a number, not a list
	drop  string   // attributes that the static operator lacks
}

// staticRules are those of TVM v0.18.
var staticRules = map[string]staticRow{
	"dyn.reshape":         {"relay.reshape", 1, []string{"newshape"}, ""},
	"dyn.squeeze":         {"relax.squeeze", 1, []string{"axis"}, ""},
	"dyn.tile":            {"relax.tile", 1, []string{"repeats"}, "reps"},
	"dyn.topk":            {"relay.topk", 1, []string{"!k"}, ""},
	"dyn.broadcast_to":    {"relay.broadcast_to", 1, []string{"shape"}, "dtype"},
	"dyn.zeros":           {"relay.zeros", 0, []string{"shape"}, ""},
	"dyn.ones":            {"relay.ones", 0, []string{"shape"}, ""},
	"dyn.full":            {"relay.full", 1, []string{"shape"}, ""},
	"dyn.one_hot":         {"relay.one_hot", 3, []string{"!depth"}, ""},
	"dyn.image.resize2d":  {"relay.image.resize2d", 1, []string{"size", "roi"}, ""},
	"dyn.nn.upsampling":   {"relay.nn.upsampling", 1, []string{"!scale_h", "!scale_w"}, ""},
	"dyn.nn.upsampling3d": {"relay.nn.upsampling3d", 1, []string{"!scale_d", "!scale_h", "!scale_w"}, ""},
	"dyn.nn.pad":          {"relay.nn.pad", 1, []string{"pad_width"}, ""},
	"dyn.strided_slice":   {"relay.strided_slice", 1, []string{"begin", "end", "strides"}, ""},
	"dyn.sparse_to_dense": {"relay.sparse_to_dense", 3, []string{"output_shape"}, ""},
}

// mostExtents is how many numbers a shape may have, or the widths of a pad.
const mostExtents = 128

// staticCall returns the static operator for a call of a dynamic one, nil where an operand is not known.
func staticCall(c *pass.Context, call *relax.Call) *relax.Call {
	row, ok := staticRules[relayName(call)]
	if !ok {
		return nil
	}
	attrs := call.Attrs
	if row.drop != "" {
		attrs = attrs.Without(row.drop)
	}
	args := append([]relax.Expr{}, call.Args...)
	for _, name := range row.attrs {
		k, ok := args[row.first].(*relax.Constant)
		short, scalar := strings.CutPrefix(name, "!")
		if !ok || scalar && k.Data.NumElements() != 1 || k.Data.NumElements() > mostExtents {
			c.Declined(staticRule, call, "the operand for "+short+" is not known")
			return nil
		}
		v := attrValue(short, k.Data, scalar)
		if list, ok := v.([]int64); ok && strings.HasSuffix(short, "shape") && short != "newshape" && slices.ContainsFunc(list, func(n int64) bool { return n < 0 }) {
			c.Declined(staticRule, call, "the shape has a negative extent")
			return nil
		}
		attrs = attrs.With(short, v)
		args = append(args[:row.first], args[row.first+1:]...)
	}
	out, err := op.New(row.op, args, attrs)
	if err != nil {
		c.Declined(staticRule, call, err.Error())
		return nil
	}
	return out
}

// attrValue is a constant as an attribute of that name has it: regions and scales are floating-point numbers, the others integers, cut off as in TVM.
func attrValue(name string, b *ir.Blob, scalar bool) ir.Value {
	t := &tensor.Tensor{DType: b.DType(), Shape: []int64{b.NumElements()}, Data: b.Bytes()}
	ints, floats := []int64{}, []float64{}
	for i := range int(b.NumElements()) {
		if b.DType().IsFloat() {
			floats, ints = append(floats, t.Float(i)), append(ints, int64(t.Float(i)))
		} else {
			floats, ints = append(floats, float64(t.Int(i))), append(ints, t.Int(i))
		}
	}
	switch float := name == "roi" || strings.HasPrefix(name, "scale_"); {
	case scalar && float:
		return floats[0]
	case scalar:
		return ints[0]
	case float:
		return floats
	}
	return ints
}
