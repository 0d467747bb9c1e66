package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// CallTIRRewrite gives kernels the memory that they write.
var CallTIRRewrite = &pass.Pass{
	Name: "CallTIRRewrite", Kind: pass.Module, Lowering: true,
	Needs: []pass.Need{{Form: pass.NoDataflow, Why: "a dataflow block must not hold calls with effects", Strict: true}},
	Doc:   "Replaces call_tir and call_dps_packed by an allocation of each output and a call that writes into it. The output keeps the variable's name.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		return eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			mu := newMutator(c, m, "allocate the outputs")
			mu.Binding = func(b relax.Binding) {
				if err := rewriteCallTIR(mu, b); err != nil {
					mu.Fail(fmt.Errorf("variable %s: %w", b.Bound().Name, err))
				}
			}
			return mu.Function(f)
		})
	},
}

// rewriteCallTIR emits what takes the place of b.
func rewriteCallTIR(m *relax.ExprMutator, b relax.Binding) error {
	vb, ok := b.(*relax.VarBinding)
	name := opName(b.BoundValue())
	if !ok || name != opCallTIR && name != opCallDPS && name != opCallTIRInplace {
		m.VisitBinding(b)
		return nil
	}
	c := vb.Value.(*relax.Call)
	var args []relax.Expr
	switch a := c.Args[1].(type) {
	case *relax.Tuple:
		args = append(args, a.Fields...)
	default:
		args = append(args, a)
	}
	outs, multiple := outputInfos(c)
	inplace := c.Attrs.Ints("inplace_indices")
	results := make([]relax.Expr, len(outs))
	numIn := len(args)
	for i, info := range outs {
		if i < len(inplace) && inplace[i] >= 0 {
			if int(inplace[i]) >= numIn {
				return fmt.Errorf("inplace index %d is beyond the %d arguments", inplace[i], numIn)
			}
			results[i] = args[inplace[i]]
			continue
		}
		if info.Shape == nil {
			return fmt.Errorf("the shape of the output %s is unknown, so it cannot be allocated", relax.FormatSInfo(info))
		}
		alloc := callOpAt(c.Base, opBuiltinAlloc, info, info.Shape, dtypeImm(info.DType), primInt(0), str("global"))
		var nb *relax.VarBinding
		if multiple {
			nb = bindNew(vb.Base, m.FreshName(fmt.Sprintf("%s_%d", vb.Var.Name, i)), info, alloc)
		} else {
			nb = vb.WithValue(alloc)
		}
		m.EmitNormalized(nb)
		results[i] = nb.Var
		args = append(args, nb.Var)
	}
	switch {
	case len(c.Args) > 2: // shape arguments that the kernel cannot find in its buffers
		m.EmitNormalized(effect(vb.Base, callOpAt(c.Base, opVMCallTIRDyn, void, c.Args[0], &relax.Tuple{Fields: append(args, c.Args[2])})))
	default:
		call := &relax.Call{Base: c.Base, Op: c.Args[0], Args: args}
		if name == opCallDPS { // a function that is not of the module does not say what it returns
			call.SInfoArgs = []relax.StructInfo{void}
		}
		m.EmitNormalized(effect(vb.Base, call))
	}
	if multiple {
		m.EmitNormalized(vb.WithValue(&relax.Tuple{Fields: results}))
	} else if len(inplace) > 0 {
		m.EmitNormalized(vb.WithValue(results[0]))
	}
	return nil
}

// outputInfos returns the struct info of the outputs of a call_tir and whether they form a tuple.
func outputInfos(c *relax.Call) ([]*relax.TensorStructInfo, bool) {
	var out []*relax.TensorStructInfo
	add := func(s relax.StructInfo) {
		if t, ok := s.(*relax.TensorStructInfo); ok {
			out = append(out, t)
		}
	}
	multiple := len(c.SInfoArgs) > 1
	for _, s := range c.SInfoArgs {
		if t, ok := s.(*relax.TupleStructInfo); ok {
			multiple = true
			for _, f := range t.Fields {
				add(f)
			}
		}
		add(s)
	}
	return out, multiple
}
