package relax

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// DeriveBySInfoArgs is the Derive of an opaque function whose calls carry the struct info of
// their result as struct info arguments.
const DeriveBySInfoArgs = "tvm.relax.struct_info.infer_by_sinfo_args"

// DeriveOfView is the Derive of the function that makes views: it infers what the operator
// relax.memory.view does of the same arguments.
const DeriveOfView = "tvm.relax.struct_info.infer_view_sinfo"

// DeriveCall returns the struct info of a call of a function of struct info f. Symbolic
// variables of the parameters are bound by the arguments; those that the arguments leave
// open are forgotten in the result. It is an error if an argument cannot be one of its
// parameter.
func (c *InferContext) DeriveCall(call *Call, f *FuncStructInfo) (StructInfo, error) {
	if f.Opaque {
		if f.Derive == DeriveBySInfoArgs {
			return ResultOfSInfoArgs(call), nil
		}
		return f.Ret, nil
	}
	if len(call.Args) != len(f.Params) {
		return nil, fmt.Errorf("call of %s: expected %d arguments, got %d", calleeName(call.Op), len(f.Params), len(call.Args))
	}
	args := make([]StructInfo, len(call.Args))
	for i, a := range call.Args {
		if args[i] = c.SInfoOf(a); args[i] == nil {
			args[i] = objectSInfo
		}
	}
	sub, bad := c.MatchParams(f.Params, args)
	if bad >= 0 {
		return nil, fmt.Errorf("call of %s: argument %d: expected %s, got %s",
			calleeName(call.Op), bad, FormatSInfo(Subst{Prims: sub}.SInfo(f.Params[bad])), FormatSInfo(args[bad]))
	}
	return c.resultOf(f, sub), nil
}

// resultOf is the result of f under a substitution; the variables of f that it leaves open
// are forgotten.
func (c *InferContext) resultOf(f *FuncStructInfo, sub map[*tir.Var]tir.Expr) StructInfo {
	own := map[*tir.Var]bool{}
	for _, v := range FreeSymbolicVars(f.Params...) {
		own[v] = true
	}
	known := func(v *tir.Var) bool { _, bound := sub[v]; return bound || !own[v] }
	return Subst{Prims: sub}.SInfo(EraseToWellDefined(f.Ret, known, func(*Var) bool { return false }))
}

// ResultOfSInfoArgs returns the struct info that the struct info arguments of a call give to
// its result: the one there is, a tuple of several, an empty tuple of none.
func ResultOfSInfoArgs(call *Call) StructInfo {
	if len(call.SInfoArgs) == 1 {
		return call.SInfoArgs[0]
	}
	return &TupleStructInfo{Fields: call.SInfoArgs}
}

// MatchParams binds the symbolic variables that params define to what args have in their
// place. bad is the first argument that cannot be one of its parameter, -1 if there is none.
func (c *InferContext) MatchParams(params, args []StructInfo) (sub map[*tir.Var]tir.Expr, bad int) {
	sub = map[*tir.Var]tir.Expr{}
	for i := range params {
		c.match(sub, params[i], args[i])
	}
	for i := range params {
		if c.IsBaseOf(Subst{Prims: sub}.SInfo(params[i]), args[i]) == False {
			return sub, i
		}
	}
	return sub, -1
}

func (c *InferContext) match(sub map[*tir.Var]tir.Expr, param, arg StructInfo) {
	bind := func(xs, ys []tir.Expr) {
		if len(xs) != len(ys) {
			return
		}
		for i, x := range xs {
			if v, ok := x.(*tir.Var); ok {
				if _, done := sub[v]; !done {
					sub[v] = tir.CastTo(v.DType(), ys[i])
				}
			}
		}
	}
	switch p := param.(type) {
	case *PrimStructInfo:
		if a, ok := arg.(*PrimStructInfo); ok && p.Value != nil && a.Value != nil {
			bind([]tir.Expr{p.Value}, []tir.Expr{a.Value})
		}
	case *ShapeStructInfo:
		if a, ok := arg.(*ShapeStructInfo); ok && a.Values != nil {
			bind(p.Values, a.Values)
		}
	case *TensorStructInfo:
		if a, ok := arg.(*TensorStructInfo); ok {
			if x, ok := p.Dims(); ok {
				if y, ok := c.ShapeValues(a.Shape); ok {
					bind(x, y)
				}
			}
		}
	case *TupleStructInfo:
		if a, ok := arg.(*TupleStructInfo); ok && len(a.Fields) == len(p.Fields) {
			for i := range p.Fields {
				c.match(sub, p.Fields[i], a.Fields[i])
			}
		}
	}
}

func calleeName(op Expr) string {
	switch op := op.(type) {
	case ir.Callee:
		return op.CalleeName()
	case *Var:
		return op.Name
	case *ExternFunc:
		return op.Symbol
	}
	return fmt.Sprintf("%T", op)
}
