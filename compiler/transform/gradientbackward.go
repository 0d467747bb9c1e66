package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// differ emits the derivatives of a function behind its bindings: it visits these from the last to the first, and knows of each variable that it
// comes to the adjoint, the derivative of the target by it.
type differ struct {
	c   *pass.Context
	m   *ir.Module
	bb  *relax.BlockBuilder
	fwd *forward
	// adjoint is the variable that holds what was added up so far.
	adjoint map[*relax.Var]*relax.Var
	// pending are the adjoints of the fields of wide tuples, which are no variable yet.
	pending map[*relax.Var][]relax.Expr
	again   *recompute
	kernels map[string]KernelGradient
}

// backward returns f with the derivatives of target by sources behind its result, and m with the kernels that these call.
func backward(c *pass.Context, m *ir.Module, f *relax.Function, fwd *forward, target *relax.Var, sources []*relax.Var, kernels map[string]KernelGradient) (*relax.Function, *ir.Module, error) {
	d := &differ{c: c, m: m, kernels: kernels, bb: op.NewBlockBuilder(m), fwd: fwd, adjoint: map[*relax.Var]*relax.Var{}, pending: map[*relax.Var][]relax.Expr{}}
	d.again = newRecompute(d.bb, fwd)
	d.bb.BeginFunction("", f.Params, relax.FuncOpts{Attrs: f.Attrs, Impure: !f.Pure, Base: f.Base, Private: true})
	d.bb.BeginDataflow()
	for _, b := range fwd.bindings {
		d.bb.EmitNormalized(withoutGradient(b))
	}
	info := target.SInfo.(*relax.TensorStructInfo)
	one, err := op.New("relax.ones", []relax.Expr{info.Shape}, ir.NewAttrs("dtype", info.DType))
	if err != nil {
		return nil, nil, err
	}
	if err := d.add(target, one); err != nil {
		return nil, nil, err
	}
	for i := len(fwd.bindings) - 1; i >= 0; i-- {
		b := fwd.bindings[i]
		if i%1024 == 0 {
			if err := c.Err(); err != nil {
				return nil, nil, err
			}
		}
		d.bb.SetOrigin(b.Var.Origin)
		grad, err := d.of(b.Var)
		if err == nil && grad != nil { // else the target does not depend on it
			err = d.binding(b, grad)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("at %s: %w", b.Var.Name, err)
		}
	}
	d.bb.SetOrigin(0)
	out := make([]relax.Expr, len(sources))
	for i, v := range sources {
		grad, err := d.of(v)
		if err != nil {
			return nil, nil, fmt.Errorf("the derivative by %s: %w", v.Name, err)
		}
		if grad == nil {
			zero, err := zerosLike(v.SInfo)
			if err != nil {
				return nil, nil, fmt.Errorf("%s, by which the result is differentiated, does not reach it, and its derivative cannot be written: %w", v.Name, err)
			}
			if err := d.add(v, zero); err != nil {
				return nil, nil, err
			}
		}
		if out[i], err = d.bb.EmitOutput(d.adjoint[v], v.Name+"_adjoint_out"); err != nil {
			return nil, nil, err
		}
	}
	d.bb.EndDataflow()
	fn, err := d.bb.EndLocalFunction(&relax.Tuple{Fields: []relax.Expr{fwd.result, &relax.Tuple{Fields: out}}})
	return fn, d.bb.Module(), err
}

// withoutGradient makes a call of call_tir_with_grad one of call_tir.
func withoutGradient(b *relax.VarBinding) *relax.VarBinding {
	call := callsOp(b.Value, opCallTIRWithGrad)
	if call == nil {
		return b
	}
	return b.WithValue(&relax.Call{Base: call.Base, Op: ir.NewOp(opCallTIR), Args: call.Args, SInfoArgs: call.SInfoArgs, SInfo: call.SInfo})
}

const opCallTIRWithGrad = "relax.call_tir_with_grad"

// binding passes the adjoint of a variable on to what its value is made of.
func (d *differ) binding(b *relax.VarBinding, grad *relax.Var) error {
	switch value := b.Value.(type) {
	case *relax.Call:
		return d.call(b, value, grad)
	case *relax.Tuple:
		return d.add(value, grad)
	case *relax.TupleGetItem:
		return d.field(value, grad)
	case *relax.Var:
		return d.add(value, grad)
	case *relax.Constant:
		return nil
	}
	return fmt.Errorf("its value is a %T, which cannot be differentiated", b.Value)
}

func (d *differ) call(b *relax.VarBinding, call *relax.Call, grad *relax.Var) error {
	if _, ok := call.Op.(*ir.Op); !ok {
		return fmt.Errorf("calls of functions cannot be differentiated: inline %s first, by InlinePrivateFunctions", calleeText(call.Op))
	}
	result, again, err := d.again.binding(b.Var, call)
	if err != nil {
		return err
	}
	var parts []relax.Expr
	operands := call.Args
	switch opName(call) {
	case opCallTIR, opCallTIRInplace:
		return fmt.Errorf("the derivative of %s is not known: call it by R.call_tir_with_grad, with a te_grad_name, or run Gradient before LegalizeOps", calleeText(call.Args[0]))
	case opCallTIRWithGrad:
		args, ok := call.Args[1].(*relax.Tuple)
		if !ok {
			return fmt.Errorf("the arguments of %s are no tuple", opCallTIRWithGrad)
		}
		operands = args.Fields
		parts, err = d.registered(again, grad, len(operands))
	default:
		parts, err = op.Gradient(again, result, grad, d.bb)
	}
	if err != nil {
		return err
	}
	for i, p := range parts {
		if p == nil {
			continue
		}
		if err := d.add(operands[i], p); err != nil {
			return err
		}
	}
	return nil
}

func calleeText(e relax.Expr) string {
	switch e := e.(type) {
	case *ir.GlobalVar:
		return e.Name
	case *relax.Var:
		return e.Name
	case *relax.ExternFunc:
		return e.Symbol
	}
	return "it"
}

// registered returns the derivatives of a call of call_tir_with_grad: what the function makes that is registered under te_grad_name, or a call of the PrimFunc of the
// module of that name, which takes the adjoint and the arguments and gives a derivative for each argument.
func (d *differ) registered(call *relax.Call, grad *relax.Var, n int) ([]relax.Expr, error) {
	name := call.Attrs.Str("te_grad_name", "")
	if derive := d.kernels[name]; derive != nil {
		parts, err := derive(d.bb, call, grad)
		if err == nil && len(parts) != n {
			err = fmt.Errorf("te_grad_name: %s gives %d derivatives for %d arguments", name, len(parts), n)
		}
		return parts, err
	}
	if _, ok := d.m.Lookup(name).(*tir.PrimFunc); !ok {
		return nil, fmt.Errorf("te_grad_name: the module has no PrimFunc called %s, of the adjoint and the %d arguments, that computes the derivatives", name, n)
	}
	fields := call.Args[1].(*relax.Tuple).Fields
	var infos []relax.StructInfo
	for _, f := range fields {
		infos = append(infos, d.bb.Context().SInfoOf(f))
	}
	v, err := d.bb.Emit(op.CallTIR(d.m.GlobalVar(name), append([]relax.Expr{grad}, fields...), infos), "")
	if err != nil {
		return nil, err
	}
	if n == 1 {
		return []relax.Expr{v}, nil
	}
	parts := make([]relax.Expr, n)
	for i := range parts {
		parts[i] = &relax.TupleGetItem{Tuple: v, Index: i}
	}
	return parts, nil
}
