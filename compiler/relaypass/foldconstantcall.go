package relaypass

import (
	"encoding/binary"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// ruleFold is the name of the rule in decisions.
const ruleFold = "fold a call on constants"

// call returns what a call computes, nil where that is not known or the call is to stay.
func (cf *constantFolder) call(c *relax.Call, vb *relax.VarBinding) (*relax.Constant, error) {
	o, ok := c.Op.(*ir.Op)
	if !ok || len(c.Args) == 0 || !relax.CallIsPure(c, op.Table(), cf.ctx) {
		return nil, nil
	}
	switch o.Name {
	case "relay.shape_of", "relay.vm.shape_of", "relay.ndarray_size":
		return cf.extents(c, vb, o.Name == "relay.ndarray_size")
	}
	constant := false
	args := make([]relax.Expr, len(c.Args))
	for i, a := range c.Args {
		args[i] = a
		if t, ok := cf.value(a).(*relax.Tuple); ok {
			args[i] = t
		}
		if !cf.isConstant(args[i]) {
			if constant {
				cf.c.Declined(ruleFold, vb, "an argument is no constant")
			}
			return nil, nil
		}
		constant = true
	}
	if strings.HasPrefix(o.Name, "relay.qnn.") && !cf.qnn {
		cf.c.Declined(ruleFold, vb, "quantized operators are folded with fold_qnn alone")
		return nil, nil
	}
	return cf.evaluate(&relax.Call{Base: c.Base, Op: c.Op, Args: args, Attrs: c.Attrs, SInfoArgs: c.SInfoArgs}, vb)
}

// isConstant reports whether e is a constant, or a tuple of such.
func (cf *constantFolder) isConstant(e relax.Expr) bool {
	switch e := e.(type) {
	case *relax.Constant, *relax.PrimValue, *relax.ShapeExpr, *relax.DataTypeImm, *relax.StringImm:
		return true
	case *relax.Tuple:
		for _, f := range e.Fields {
			if !cf.isConstant(cf.value(f)) {
				return false
			}
		}
		return true
	}
	return false
}

// evaluate computes a nest of calls on constants, operators of Relay by what they mean; nil where one is not known.
func (cf *constantFolder) evaluate(e relax.Expr, vb *relax.VarBinding) (*relax.Constant, error) {
	switch e := e.(type) {
	case *relax.Constant:
		return e, nil
	case *relax.Call:
		args := make([]relax.Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = a
			switch a := a.(type) {
			case *relax.Call:
				k, err := cf.evaluate(a, vb)
				if k == nil || err != nil {
					return nil, err
				}
				args[i] = k
			case *relax.Tuple:
				fields := make([]relax.Expr, len(a.Fields))
				for j, f := range a.Fields {
					fields[j] = cf.value(f)
				}
				args[i] = a.WithFields(fields)
			}
		}
		c := &relax.Call{Base: e.Base, Op: e.Op, Args: args, Attrs: e.Attrs, SInfoArgs: e.SInfoArgs}
		info, err := op.Table().InferCall(c, cf.ctx)
		if err != nil {
			return nil, err
		}
		c.SInfo = info
		if name := c.Op.(*ir.Op).Name; strings.HasPrefix(name, op.RelayPrefix) {
			s := &site{c: cf.c, rule: ruleFold, value: c, ctx: cf.ctx}
			to := s.meaning(c, name)
			if to == nil {
				cf.c.Declined(ruleFold, vb, "no kernel computes "+strings.TrimPrefix(name, op.RelayPrefix))
				return nil, nil
			}
			return cf.evaluate(to, vb)
		}
		return cf.folder.Fold(&relax.VarBinding{Base: vb.Base, Var: &relax.Var{Base: vb.Base, Name: vb.Var.Name, SInfo: info}, Value: c})
	}
	return nil, nil
}

// extents is the shape of the argument of a call, or how many elements it has, in the element type of the call.
func (cf *constantFolder) extents(c *relax.Call, vb *relax.VarBinding, size bool) (*relax.Constant, error) {
	t, ok := cf.ctx.SInfoOf(c.Args[0]).(*relax.TensorStructInfo)
	if !ok {
		return nil, nil
	}
	d, ok := t.StaticDims()
	if !ok {
		cf.c.Declined(ruleFold, vb, "the shape of the argument is not known")
		return nil, nil
	}
	shape := []int64{int64(len(d))}
	if size {
		n := int64(1) // TVM says 0 of a scalar, which has one element
		for _, x := range d {
			n *= x
		}
		shape, d = nil, []int64{n}
	}
	k, err := int32s(shape, d)
	if out, ok := cf.ctx.SInfoOf(c).(*relax.TensorStructInfo); err == nil && ok && out.DType != dtype.Int32T {
		return cf.evaluate(op.AsType(k, out.DType), vb)
	}
	return k, err
}

// int32s is a constant of small numbers.
func int32s(shape, list []int64) (*relax.Constant, error) {
	var data []byte
	for _, n := range list {
		data = binary.LittleEndian.AppendUint32(data, uint32(n))
	}
	blob, err := ir.NewBlob(dtype.Int32T, shape, data)
	return &relax.Constant{Data: blob}, err
}
