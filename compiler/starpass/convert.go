package starpass

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// exprOf returns v as a loop-level expression. A number takes type like if that fits it.
func exprOf(v starlark.Value, like dtype.DType) (tir.Expr, error) {
	switch v := v.(type) {
	case *equality:
		n, err := v.node()
		if err != nil {
			return nil, err
		}
		return n.n.(tir.Expr), nil
	case *iterSum:
		return v.expr(), nil
	case *iterSplit:
		return v.sum().expr(), nil
	case *Node:
		switch n := v.n.(type) {
		case *relax.PrimValue:
			return n.Value, nil
		case *tir.IterVar:
			return n.Var, nil
		}
		return asNode[tir.Expr](v, "a loop-level expression")
	case starlark.Bool:
		return tir.Bool(bool(v)), nil
	case starlark.Int:
		n, ok := v.Int64()
		if !ok {
			return nil, errors.New("the integer needs more than 64 bits")
		}
		d := like.Elem()
		switch {
		case like.IsFloat():
			return tir.FloatConst(d, float64(n)), nil
		case like.IsInteger():
			return tir.Const(d, n), nil
		case n == int64(int32(n)):
			return tir.Int32(n), nil
		}
		return tir.Int(n), nil
	case starlark.Float:
		d := dtype.Float32T
		if like.IsFloat() {
			d = like.Elem()
		}
		return tir.FloatConst(d, float64(v)), nil
	case starlark.String:
		return &tir.StringImm{Value: string(v)}, nil
	}
	return nil, fmt.Errorf("%w, got %s", errNotNumber, describe(v))
}

// dimOf is exprOf for extents of the graph level, which are int64.
func dimOf(v starlark.Value) (tir.Expr, error) {
	e, err := exprOf(v, dtype.Int64T)
	if err == nil && !e.DType().IsInteger() {
		err = fmt.Errorf("an extent is an integer, got a %s", e.DType())
	}
	return e, err
}

func dimsOf(v starlark.Value) ([]tir.Expr, error) {
	var out []tir.Expr
	err := eachOf(v, func(x starlark.Value) error {
		e, err := dimOf(x)
		out = append(out, e)
		return err
	})
	return out, err
}

// valueExpr returns v as an expression of the graph level.
func valueExpr(v starlark.Value) (relax.Expr, error) {
	v, err := plain(v)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case *Node:
		if e, ok := v.n.(tir.Expr); ok {
			return &relax.PrimValue{Value: e}, nil
		}
		return asNode[relax.Expr](v, "a graph-level expression")
	case starlark.String:
		return &relax.StringImm{Value: string(v)}, nil
	case starlark.Int, starlark.Bool:
		e, err := exprOf(v, dtype.Int64T)
		return &relax.PrimValue{Value: e}, err
	case starlark.Float:
		return &relax.PrimValue{Value: tir.FloatConst(dtype.Float64T, float64(v))}, nil
	case starlark.Tuple, *starlark.List:
		var fields []relax.Expr
		err := eachOf(v, func(x starlark.Value) error {
			e, err := valueExpr(x)
			fields = append(fields, e)
			return err
		})
		return &relax.Tuple{Fields: fields}, err
	}
	return nil, fmt.Errorf("expected a graph-level expression, got %s", describe(v))
}

var (
	typeRelax  = reflect.TypeFor[relax.Expr]()
	typeTIR    = reflect.TypeFor[tir.Expr]()
	typeIRType = reflect.TypeFor[ir.Type]()
	typeCallee = reflect.TypeFor[ir.Callee]()
	typeSeq    = reflect.TypeFor[*relax.SeqExpr]()
	typeDType  = reflect.TypeFor[dtype.DType]()
	typeAttrs  = reflect.TypeFor[*ir.Attrs]()
	typeBlob   = reflect.TypeFor[*ir.Blob]()
	typeNode   = reflect.TypeFor[ir.Node]()
)

// setField sets a field of a node under construction to v.
func setField(dst reflect.Value, v starlark.Value) error {
	t := dst.Type()
	if _, truth := v.(*equality); truth && t.Kind() == reflect.Bool {
		v = v.Truth()
	}
	v, err := plain(v)
	if err != nil {
		return err
	}
	if v == starlark.None {
		dst.SetZero()
		return nil
	}
	switch t {
	case typeAttrs:
		a, err := attrsOf(v)
		dst.Set(reflect.ValueOf(a))
		return err
	case typeBlob:
		b, ok := v.(*Tensor)
		if !ok {
			return fmt.Errorf("expected a Tensor, as relax.const(...).data is, got %s", describe(v))
		}
		dst.Set(reflect.ValueOf(b.b))
		return nil
	case typeDType:
		d, err := dtypeOf(v)
		dst.Set(reflect.ValueOf(d))
		return err
	}
	if t.Implements(typeNode) {
		n, err := nodeOf(t, v)
		if err == nil {
			dst.Set(reflect.ValueOf(n))
		}
		return err
	}
	switch t.Kind() {
	case reflect.Slice:
		out := reflect.MakeSlice(t, 0, max(shallow(v), 1))
		err := eachOf(v, func(x starlark.Value) error {
			e := reflect.New(t.Elem()).Elem()
			if x == starlark.None && t.Elem() != reflect.TypeFor[*tir.Buffer]() {
				return fmt.Errorf("entry %d is None", out.Len())
			}
			if err := setField(e, x); err != nil {
				return fmt.Errorf("entry %d: %w", out.Len(), err)
			}
			out = reflect.Append(out, e)
			return nil
		})
		dst.Set(out)
		return err
	case reflect.Bool:
		b, ok := v.(starlark.Bool)
		if !ok {
			return fmt.Errorf("expected a bool, got %s", describe(v))
		}
		dst.SetBool(bool(b))
		return nil
	case reflect.String:
		s, ok := starlark.AsString(v)
		if !ok {
			return fmt.Errorf("expected a string, got %s", describe(v))
		}
		dst.SetString(s)
		return nil
	case reflect.Float32, reflect.Float64:
		f, ok := starlark.AsFloat(v)
		if !ok {
			return fmt.Errorf("expected a number, got %s", describe(v))
		}
		dst.SetFloat(f)
		return nil
	case reflect.Uint8:
		return setEnum(dst, v)
	}
	n, ok := v.(starlark.Int)
	if !ok {
		return fmt.Errorf("expected an integer, got %s", describe(v))
	}
	i, ok := n.Int64()
	if !ok || t.Kind() == reflect.Int && (i > math.MaxInt32 || i < math.MinInt32) {
		return fmt.Errorf("%s is too large", n)
	}
	dst.SetInt(i)
	return nil
}

// setEnum sets an enumeration by the name or number of its value.
func setEnum(dst reflect.Value, v starlark.Value) error {
	var names []string
	switch dst.Interface().(type) {
	case tir.ForKind:
		for k := tir.Serial; k <= tir.ThreadBinding; k++ {
			names = append(names, k.String())
		}
	case tir.IterKind:
		for k := tir.DataPar; k <= tir.Opaque; k++ {
			names = append(names, k.String())
		}
	case tir.BufferKind:
		names = []string{"default", "auto_broadcast"}
	default:
		return fmt.Errorf("a %s cannot be set", dst.Type())
	}
	if n, err := starlark.AsInt32(v); err == nil && n >= 0 && n < len(names) {
		dst.SetUint(uint64(n))
		return nil
	}
	s, _ := starlark.AsString(v)
	for i, name := range names {
		if name == s {
			dst.SetUint(uint64(i))
			return nil
		}
	}
	return fmt.Errorf("expected one of %s, got %s", strings.Join(names, ", "), describe(v))
}

// nodeOf returns v as a node that a field of type t can hold. Numbers, strings and lists
// become the nodes that they stand for.
func nodeOf(t reflect.Type, v starlark.Value) (ir.Node, error) {
	if n, ok := v.(*Node); ok && reflect.TypeOf(n.n).AssignableTo(t) {
		return n.n, nil
	}
	switch t {
	case typeTIR:
		return exprOf(v, dtype.Void)
	case typeRelax:
		return valueExpr(v)
	case typeIRType:
		d, err := dtypeOf(v)
		return &ir.PrimType{DType: d}, err
	case typeCallee:
		if s, ok := starlark.AsString(v); ok {
			return calleeOf(s)
		}
	case typeSeq: // a branch or body that is an expression
		e, err := valueExpr(v)
		return &relax.SeqExpr{Body: e}, err
	}
	return nil, fmt.Errorf("expected %s, got %s", wanted(t), describe(v))
}

// calleeOf returns the operator that a loop-level call calls by name.
func calleeOf(name string) (ir.Callee, error) {
	if tir.LookupBuiltin(name) == nil {
		msg := fmt.Sprintf("there is no intrinsic %q", name)
		if near := nearestOf(name, tir.Builtins()); near != "" {
			msg += fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, errors.New(msg)
	}
	return ir.NewOp(name), nil
}

// wanted names the nodes that a type of Go stands for.
func wanted(t reflect.Type) string {
	if t.Kind() == reflect.Interface {
		switch t.String() {
		case "tir.Stmt":
			return "a statement"
		case "relax.StructInfo":
			return "struct info"
		case "relax.Binding":
			return "a binding"
		case "ir.Callee":
			return "an operator or function"
		}
		return "a " + t.String()
	}
	return strings.TrimPrefix(t.String(), "*")
}
