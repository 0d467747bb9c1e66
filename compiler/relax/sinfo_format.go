package relax

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/tir"
)

// FormatSInfo writes s for messages, close to TVMScript: Tensor((2, n), "float32"),
// Tensor(ndim=2), Shape((n, 4)), Tuple(...), Prim("int64"), Object, Callable. Printing
// modules is the business of package script.
func FormatSInfo(s StructInfo) string {
	switch s := s.(type) {
	case nil:
		return "an unknown value"
	case *ObjectStructInfo:
		return "Object"
	case *PrimStructInfo:
		if s.Value != nil {
			return "Prim(" + FormatPrim(s.Value) + ")"
		}
		return "Prim(" + strconv.Quote(s.DType.String()) + ")"
	case *ShapeStructInfo:
		if s.Values != nil || s.NDim == 0 {
			return "Shape(" + FormatDims(s.Values) + ")"
		}
		return "Shape(ndim=" + ndimString(s.NDim) + ")"
	case *TensorStructInfo:
		var parts []string
		switch shape := s.Shape.(type) {
		case *ShapeExpr:
			parts = append(parts, FormatDims(shape.Values))
		case *Var:
			parts = append(parts, shape.Name)
		default:
			parts = append(parts, "ndim="+ndimString(s.NDim))
		}
		if !s.DType.IsVoid() {
			parts = append(parts, strconv.Quote(s.DType.String()))
		}
		if s.Sharding != nil {
			return "DTensor(" + strings.Join(append(parts, strconv.Quote(PlacementText(s.Sharding.Placement))), ", ") + ")"
		}
		return "Tensor(" + strings.Join(parts, ", ") + ")"
	case *TupleStructInfo:
		parts := make([]string, len(s.Fields))
		for i, f := range s.Fields {
			parts[i] = FormatSInfo(f)
		}
		return "Tuple(" + strings.Join(parts, ", ") + ")"
	case *FuncStructInfo:
		if s.Opaque {
			return "Callable"
		}
		parts := make([]string, len(s.Params))
		for i, f := range s.Params {
			parts[i] = FormatSInfo(f)
		}
		return "Callable((" + strings.Join(parts, ", ") + "), " + FormatSInfo(s.Ret) + ")"
	}
	panic(unknownNode("FormatSInfo", s))
}

func ndimString(n int) string {
	if n < 0 {
		return "?"
	}
	return strconv.Itoa(n)
}

// FormatDims writes extents as (2, n, n*4).
func FormatDims(es []tir.Expr) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = FormatPrim(e)
	}
	if len(parts) == 1 {
		return "(" + parts[0] + ",)"
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

var primOps = [...]string{"+", "-", "*", "/", "%", "//", "%", "min", "max", "==", "!=", "<", "<=", ">", ">=", "and", "or"}

// FormatPrim writes a scalar expression for messages. Kinds that shapes rarely hold are
// written by their node type.
func FormatPrim(e tir.Expr) string {
	switch e := e.(type) {
	case *tir.Var:
		return e.Name
	case *tir.IntImm:
		return strconv.FormatInt(e.Value, 10)
	case *tir.FloatImm:
		return strconv.FormatFloat(e.Value, 'g', -1, 64)
	case *tir.Cast:
		return e.Type.String() + "(" + FormatPrim(e.Value) + ")"
	case *tir.Binary:
		op := primOps[e.Op]
		if e.Op == tir.OpMin || e.Op == tir.OpMax {
			return op + "(" + FormatPrim(e.A) + ", " + FormatPrim(e.B) + ")"
		}
		return primOperand(e.A) + " " + op + " " + primOperand(e.B)
	case *tir.Select:
		return "(" + FormatPrim(e.True) + " if " + FormatPrim(e.Cond) + " else " + FormatPrim(e.False) + ")"
	case *tir.Not:
		return "not " + primOperand(e.A)
	case nil:
		return "?"
	}
	return fmt.Sprintf("%T", e)
}

func primOperand(e tir.Expr) string {
	if _, ok := e.(*tir.Binary); ok {
		return "(" + FormatPrim(e) + ")"
	}
	return FormatPrim(e)
}
