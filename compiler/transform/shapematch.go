package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Codes of the runtime's builtins match_shape and make_shape (TVM's MatchShapeCode and
// MakeShapeCode).
const (
	matchEqualImm  = 0
	matchStore     = 1
	matchNothing   = 2
	matchEqualLoad = 3

	makeImm  = 0
	makeLoad = 1
)

func packedCall(name string, args ...relax.Expr) relax.Binding {
	return effect(ir.Base{}, &relax.Call{Op: &relax.ExternFunc{Symbol: name}, Args: args, SInfoArgs: []relax.StructInfo{void}})
}

// check verifies at run time that value is of struct info s but for extents.
func (l *shapeLowerer) check(value relax.Expr, s relax.StructInfo, ctx string) []relax.Binding {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		return []relax.Binding{packedCall("vm.builtin.check_tensor_info", value, primInt(int64(s.NDim)), dtypeImm(s.DType), str(ctx))}
	case *relax.ShapeStructInfo:
		return []relax.Binding{packedCall("vm.builtin.check_shape_info", value, primInt(int64(s.NDim)), str(ctx))}
	case *relax.PrimStructInfo:
		return []relax.Binding{packedCall("vm.builtin.check_prim_value_info", value, dtypeImm(s.DType), str(ctx))}
	case *relax.TupleStructInfo:
		list := []relax.Binding{packedCall("vm.builtin.check_tuple_info", value, primInt(int64(len(s.Fields))), str(ctx))}
		return append(list, l.fields(value, s, func(v relax.Expr, f relax.StructInfo) []relax.Binding { return l.check(v, f, ctx) })...)
	case *relax.FuncStructInfo:
		return []relax.Binding{packedCall("vm.builtin.check_func_info", value, str(ctx))}
	}
	return nil
}

// fields binds the fields of a tuple that need a look, and looks at them.
func (l *shapeLowerer) fields(value relax.Expr, s *relax.TupleStructInfo, look func(relax.Expr, relax.StructInfo) []relax.Binding) []relax.Binding {
	var out []relax.Binding
	for i, f := range s.Fields {
		if t, ok := value.(*relax.Tuple); ok {
			out = append(out, look(t.Fields[i], f)...)
			continue
		}
		nb := bindNew(ir.Base{}, l.names.fresh("field"), f, &relax.TupleGetItem{Tuple: value, Index: i, SInfo: f})
		if list := look(nb.Var, f); len(list) > 0 {
			out = append(append(out, nb), list...)
		}
	}
	return out
}

// match compares the extents of value with those of s, and stores in the heap those that
// are variables seen for the first time.
func (l *shapeLowerer) match(value relax.Expr, s relax.StructInfo, ctx string) []relax.Binding {
	var dims []tir.Expr
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		d, ok := s.Dims()
		if !ok {
			return nil
		}
		dims = d
	case *relax.ShapeStructInfo:
		if s.Values == nil {
			return nil
		}
		dims = s.Values
	case *relax.PrimStructInfo:
		if s.Value == nil {
			return nil
		}
		code, operand := l.matchCode(s.Value)
		return []relax.Binding{packedCall("vm.builtin.match_prim_value", value, l.heap, primInt(code), primInt(operand), str(ctx))}
	case *relax.TupleStructInfo:
		return l.fields(value, s, func(v relax.Expr, f relax.StructInfo) []relax.Binding { return l.match(v, f, ctx) })
	default:
		return nil
	}
	args := []relax.Expr{value, l.heap, primInt(int64(len(dims)))}
	for _, d := range dims {
		code, operand := l.matchCode(d)
		args = append(args, primInt(code), primInt(operand))
	}
	return []relax.Binding{packedCall("vm.builtin.match_shape", append(args, str(ctx))...)}
}

// matchComputed compares the extents of value that match had to pass over, now that they have
// been computed.
func (l *shapeLowerer) matchComputed(value relax.Expr, s relax.StructInfo, ctx string) []relax.Binding {
	if t, ok := s.(*relax.TupleStructInfo); ok {
		return l.fields(value, t, func(v relax.Expr, f relax.StructInfo) []relax.Binding { return l.matchComputed(v, f, ctx) })
	}
	if p, ok := s.(*relax.PrimStructInfo); ok {
		if slot := l.computed(p.Value); slot != nil {
			return []relax.Binding{packedCall("vm.builtin.match_prim_value", value, l.heap, primInt(matchEqualLoad), primInt(int64(slot.index)), str(ctx))}
		}
		return nil
	}
	dims, _ := dimsOf(s)
	args := []relax.Expr{value, l.heap, primInt(int64(len(dims)))}
	any := false
	for _, d := range dims {
		code, operand := int64(matchNothing), int64(0)
		if slot := l.computed(d); slot != nil {
			code, operand, any = matchEqualLoad, int64(slot.index), true
		}
		args = append(args, primInt(code), primInt(operand))
	}
	if !any {
		return nil
	}
	return []relax.Binding{packedCall("vm.builtin.match_shape", append(args, str(ctx))...)}
}

// computed returns the place of an extent that match had to pass over and that has been computed
// since, nil for others.
func (l *shapeLowerer) computed(d tir.Expr) *shapeSlot {
	if d == nil {
		return nil
	}
	if s := l.known(d); s != nil && s.ready && l.passed[s] {
		return s
	}
	return nil
}

// matchCode says what match_shape does with an extent. One that is an expression of variables
// which are not known yet is passed over.
func (l *shapeLowerer) matchCode(d tir.Expr) (code, operand int64) {
	if n, ok := tir.AsInt(d); ok {
		return matchEqualImm, n
	}
	s := l.slot(d)
	if s.ready {
		return matchEqualLoad, int64(s.index)
	}
	if _, ok := d.(*tir.Var); ok {
		s.ready = true
		return matchStore, int64(s.index)
	}
	l.passed[s] = true
	return matchNothing, 0
}
