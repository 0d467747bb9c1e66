package transform_test

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/tensor"
)

// evaluator runs a legalized module: kernels by the interpreter, tuples and scalars itself.
// An operator that was not lowered is an error.
type evaluator struct {
	ctx      context.Context
	mod      *ir.Module
	vals     map[*relax.Var]any // *tensor.Tensor or []any
	syms     map[*tir.Var]tir.Expr
	programs map[string]*interp.Program
}

func evalMain(ctx context.Context, mod *ir.Module, inputs []*tensor.Tensor) ([]*tensor.Tensor, error) {
	f := ir.MustLookup[*relax.Function](mod, "main")
	ev := &evaluator{ctx: ctx, mod: mod, vals: map[*relax.Var]any{}, syms: map[*tir.Var]tir.Expr{}, programs: map[string]*interp.Program{}}
	if len(inputs) != len(f.Params) {
		return nil, fmt.Errorf("main has %d parameters, got %d inputs", len(f.Params), len(inputs))
	}
	for i, p := range f.Params {
		ev.vals[p] = inputs[i]
		ev.match(p.SInfo, inputs[i])
	}
	out, err := ev.seq(f.Body)
	if err != nil {
		return nil, err
	}
	return flat(out), nil
}

func flat(v any) []*tensor.Tensor {
	if t, ok := v.(*tensor.Tensor); ok {
		return []*tensor.Tensor{t}
	}
	var out []*tensor.Tensor
	for _, x := range v.([]any) {
		out = append(out, flat(x)...)
	}
	return out
}

// match binds the symbolic variables of info.
func (ev *evaluator) match(info relax.StructInfo, t *tensor.Tensor) {
	if s, ok := info.(*relax.TensorStructInfo); ok {
		dims, _ := s.Dims()
		for k, d := range dims {
			if v, ok := d.(*tir.Var); ok {
				ev.syms[v] = tir.Int(t.Shape[k])
			}
		}
	}
}

func (ev *evaluator) int(e tir.Expr) (int64, error) {
	e = tir.SubstExpr(e, ev.syms)
	e = tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
		if b, ok := e.(*tir.Binary); ok {
			return tir.BinaryExpr(b.Op, b.A, b.B)
		}
		return e
	})
	n, ok := tir.AsInt(e)
	if !ok {
		return 0, fmt.Errorf("the extent %T has no value", e)
	}
	return n, nil
}

func (ev *evaluator) seq(s *relax.SeqExpr) (any, error) {
	for _, blk := range s.Blocks {
		for _, b := range blk.Bindings {
			v, err := ev.expr(b.BoundValue())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.Bound().Name, err)
			}
			ev.vals[b.Bound()] = v
			if t, ok := v.(*tensor.Tensor); ok {
				ev.match(b.Bound().SInfo, t)
			}
		}
	}
	return ev.expr(s.Body)
}

func (ev *evaluator) expr(e relax.Expr) (any, error) {
	switch e := e.(type) {
	case *relax.Var:
		v, ok := ev.vals[e]
		if !ok {
			return nil, fmt.Errorf("%s has no value", e.Name)
		}
		return v, nil
	case *relax.Constant:
		return interp.FromBlob(e.Data)
	case *relax.Tuple:
		out := []any{}
		for _, f := range e.Fields {
			v, err := ev.expr(f)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case *relax.TupleGetItem:
		t, err := ev.expr(e.Tuple)
		if err != nil {
			return nil, err
		}
		return t.([]any)[e.Index], nil
	case *relax.ShapeExpr, *relax.PrimValue, *relax.StringImm, *relax.DataTypeImm:
		return []any{}, nil // operands of operators only
	case *relax.Call:
		if c, ok := op.Is(e, "relax.call_tir"); ok {
			return ev.kernel(c)
		}
		return nil, fmt.Errorf("%s was not lowered: %w", relax.FormatSInfo(e.SInfo), errNotKernel)
	}
	return nil, fmt.Errorf("cannot evaluate a %T: %w", e, errNotKernel)
}

func (ev *evaluator) kernel(c *relax.Call) (any, error) {
	name := c.Args[0].(*ir.GlobalVar).Name
	p := ev.programs[name]
	if p == nil {
		fn := ir.MustLookup[*tir.PrimFunc](ev.mod, name)
		if found := tir.Verify(name, fn); len(found) > 0 {
			return nil, fmt.Errorf("not well formed: %v", found)
		}
		var err error
		if p, err = interp.Compile(fn, &interp.Options{Name: name}); err != nil {
			return nil, err
		}
		ev.programs[name] = p
	}
	in, err := ev.expr(c.Args[1])
	if err != nil {
		return nil, err
	}
	args := append([]any{}, in.([]any)...)
	fields := []relax.StructInfo{c.SInfoArgs[0]}
	tuple, isTuple := c.SInfoArgs[0].(*relax.TupleStructInfo)
	if isTuple {
		fields = tuple.Fields
	}
	outs := []any{}
	for _, f := range fields {
		info := f.(*relax.TensorStructInfo)
		dims, _ := info.Dims()
		shape := make([]int64, len(dims))
		for k, d := range dims {
			if shape[k], err = ev.int(d); err != nil {
				return nil, err
			}
		}
		t, err := tensor.New(info.DType, shape)
		if err != nil {
			return nil, err
		}
		outs = append(outs, t)
	}
	args = append(args, outs...)
	if len(c.Args) > 2 {
		for _, e := range c.Args[2].(*relax.ShapeExpr).Values {
			n, err := ev.int(e)
			if err != nil {
				return nil, err
			}
			args = append(args, n)
		}
	}
	if _, err := p.Call(ev.ctx, args); err != nil {
		return nil, err
	}
	if isTuple {
		return outs, nil
	}
	return outs[0], nil
}
