package transform

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
)

// fieldCount returns the number of fields of a tuple.
func fieldCount(s relax.StructInfo) (int, bool) {
	t, ok := s.(*relax.TupleStructInfo)
	if !ok {
		return 0, false
	}
	return len(t.Fields), true
}

// indexRule returns the rules of operators that choose elements by values.
func indexRule(name string) rule {
	switch name {
	case "where":
		return func(k *kernel) ([]*te.Tensor, error) {
			return list(topi.Where(k.operand(0), k.operand(1), k.operand(2)))
		}
	case "take":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			axis, _ := k.axis("axis", x.NDim())
			if p, ok := k.arg(1).(*relax.PrimValue); ok {
				return takeScalar(x, k.sym(p.Value), axis)
			}
			return topi.Take(x, k.tensor(1), axis, k.str("mode"))
		})
	case "grad.take_backward":
		return one(func(k *kernel) *te.Tensor {
			grad, x := k.tensor(0), k.tensor(1) // in the order of the kernel's parameters
			axis, _ := k.axis("axis", x.NDim())
			return topi.TakeBackward(grad, x, k.tensor(2), axis)
		})
	case "gather_elements":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			axis, _ := k.axis("axis", x.NDim())
			return topi.GatherElements(x, k.tensor(1), axis)
		})
	case "gather_nd":
		return one(func(k *kernel) *te.Tensor {
			return topi.GatherND(k.tensor(0), k.tensor(1), int(k.int("batch_dims")))
		})
	case "scatter_elements":
		return func(k *kernel) ([]*te.Tensor, error) {
			x := k.tensor(0)
			axis, _ := k.axis("axis", x.NDim())
			if !topi.IsScatterReduction(k.str("reduction")) {
				return nil, skipf("reduction %q has no kernel", k.str("reduction"))
			}
			return list(topi.ScatterElements(x, k.tensor(1), k.tensor(2), axis, k.str("reduction")), nil)
		}
	case "scatter_nd":
		return func(k *kernel) ([]*te.Tensor, error) {
			x, idx := k.tensor(0), k.tensor(1)
			if k.err != nil {
				return nil, k.err
			}
			if _, known := tir.AsInt(idx.Shape[idx.NDim()-1]); !known {
				return nil, skipf("the number of dimensions that an index has is not known")
			}
			return list(topi.ScatterND(x, idx, k.tensor(2), k.str("reduction")), nil)
		}
	case "one_hot":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			axis, _ := k.axis("axis", x.NDim()+1)
			return topi.OneHot(x, k.prim(1), k.prim(2), k.int("depth"), axis)
		})
	case "sort", "argsort", "topk":
		return func(k *kernel) ([]*te.Tensor, error) { return sortRule(k, name) }
	}
	return nil
}

// takeScalar takes one slice of x.
func takeScalar(x *te.Tensor, at tir.Expr, axis int) *te.Tensor {
	shape := append(append([]tir.Expr{}, x.Shape[:axis]...), x.Shape[axis+1:]...)
	return te.Compute("T_take", shape, func(i []tir.Expr) tir.Expr {
		return x.At(append(append(append([]tir.Expr{}, i[:axis]...), tir.CastTo(x.Shape[axis].DType(), at)), i[axis:]...)...)
	})
}

func sortRule(k *kernel, name string) ([]*te.Tensor, error) {
	x := k.tensor(0)
	axis, _ := k.axis("axis", x.NDim())
	o := topi.SortOpts{Axis: axis, Descending: k.bool("descending"), Indices: k.dtype("dtype")}
	if k.err != nil {
		return nil, k.err
	}
	o.Keep = x.Shape[axis]
	if name == "topk" {
		o.Descending, o.Keep = k.bool("largest"), k.shape(0)[axis]
	}
	if o.Indices.IsVoid() {
		o.Indices = k.out(0).DType
	}
	values, indices := topi.Sort(x, o)
	which := k.str("ret_type")
	switch {
	case name == "sort", which == "values":
		return []*te.Tensor{topi.Copy(values)}, nil
	case name == "argsort", which == "indices":
		return []*te.Tensor{topi.Copy(indices)}, nil
	}
	return []*te.Tensor{values, indices}, nil
}

// createRule returns the rules of operators that make tensors from no others.
func createRule(name string) rule {
	switch name {
	case "ones", "ones_like":
		return one(func(k *kernel) *te.Tensor { return filled(k, tir.Const(k.out(0).DType, 1)) })
	case "zeros", "zeros_like":
		return one(func(k *kernel) *te.Tensor { return filled(k, tir.Const(k.out(0).DType, 0)) })
	case "full", "full_like":
		return one(func(k *kernel) *te.Tensor { return topi.Full(k.operand(1), k.out(0).DType, k.shape(0)) })
	case "size":
		return one(func(k *kernel) *te.Tensor { return filled(k, k.elements(0)) })
	case "arange":
		return one(func(k *kernel) *te.Tensor {
			return topi.Arange(k.prim(0), k.prim(2), k.shape(0)[0], k.out(0).DType)
		})
	case "eye":
		return one(func(k *kernel) *te.Tensor { return topi.Eye(k.shape(0), k.prim(2), k.out(0).DType) })
	case "eye_like":
		return one(func(k *kernel) *te.Tensor { return topi.Eye(k.shape(0), k.prim(1), k.out(0).DType) })
	case "tril", "triu":
		return one(func(k *kernel) *te.Tensor { return topi.Trilu(k.tensor(0), k.prim(1), name == "triu") })
	case "astype":
		return one(func(k *kernel) *te.Tensor { return topi.Cast(k.tensor(0), k.out(0).DType) })
	}
	return nil
}

func filled(k *kernel, v tir.Expr) *te.Tensor {
	return topi.Full(topi.Operand{Scalar: v}, k.out(0).DType, k.shape(0))
}
