package transform

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/tensor"
)

// collectiveOps are the numbers of reductions over workers.
var collectiveOps = map[string]int64{"sum": 0, "prod": 1, "min": 2, "max": 3, "avg": 4}

// graphForm returns what an operator becomes that needs no kernel, nil where it needs one: a
// collective is a call of the runtime, and what follows from constants alone is a constant, as TVM
// has it. With tuned kernels constants are left to FoldConstant.
func (k *kernel) graphForm(name string) relax.Expr {
	info, _ := k.info.(*relax.TensorStructInfo)
	if !k.has(0) {
		return nil
	}
	switch name {
	case "relax.grad.no_grad", "relax.grad.start_checkpoint", "relax.grad.end_checkpoint":
		return k.call.Args[0]
	case "relax.ccl.allreduce":
		kind := &relax.ShapeExpr{Values: []tir.Expr{tir.Int(collectiveOps[k.str("op_type")])}}
		return k.packed("runtime.disco.allreduce", k.call.Args[0], kind, flagValue(k.bool("in_group")))
	case "relax.ccl.allgather":
		return k.packed("runtime.disco.allgather", k.call.Args[0], flagValue(k.bool("in_group")))
	case "relax.ccl.broadcast_from_worker0":
		return k.packed("runtime.disco.broadcast_from_worker0", k.call.Args[0], flagValue(false))
	case "relax.arange":
		if !k.l.tuned && info != nil {
			return k.constantRange(info)
		}
	case "relax.astype":
		if v := k.immediate(0); !k.l.tuned && info != nil && v != nil {
			return constantOf(info, func(int) float64 { return valueOf(v) })
		}
	}
	return nil
}

func flagValue(v bool) relax.Expr { return &relax.PrimValue{Value: tir.Bool(v)} }

// packed is a call of a function of the runtime that writes the result.
func (k *kernel) packed(name string, args ...relax.Expr) relax.Expr {
	return &relax.Call{
		Base: k.base(), Op: ir.NewOp("relax.call_dps_packed"), SInfoArgs: []relax.StructInfo{k.info}, SInfo: k.info,
		Args: []relax.Expr{&relax.ExternFunc{Symbol: name}, &relax.Tuple{Fields: args}},
	}
}

// maxConstantRange is how many numbers become a constant.
const maxConstantRange = 1 << 16

// constantRange is the constant that arange of constants is, nil for others and for long ones.
func (k *kernel) constantRange(info *relax.TensorStructInfo) relax.Expr {
	var v [3]float64
	for i := range v {
		p, ok := k.arg(i).(*relax.PrimValue)
		if !ok || math.IsNaN(valueOf(p.Value)) {
			return nil
		}
		v[i] = valueOf(p.Value)
	}
	return constantOf(info, func(i int) float64 { return v[0] + float64(i)*v[2] })
}

// valueOf is the value of a constant, NaN for what is none.
func valueOf(e tir.Expr) float64 {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Float()
	case *tir.FloatImm:
		return e.Value
	}
	return math.NaN()
}

// constantOf is a constant of numbers that float64 holds, nil where the extents are not known or too many.
func constantOf(info *relax.TensorStructInfo, f func(i int) float64) relax.Expr {
	dims, known := info.StaticDims()
	if !known || info.DType.IsHandle() {
		return nil
	}
	n, err := ir.CheckedElements(dims)
	if err != nil || n > maxConstantRange {
		return nil
	}
	t, err := tensor.New(info.DType, dims)
	if err != nil {
		return nil
	}
	for i := range int(n) {
		v := f(i)
		if info.DType.IsInteger() {
			v = math.Trunc(v)
		}
		t.SetFloat(i, v)
	}
	blob, err := ir.NewBlob(info.DType, dims, t.Data)
	if err != nil {
		return nil
	}
	return &relax.Constant{Data: blob}
}
