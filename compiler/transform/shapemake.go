package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// ruleShape is the name of the rule that lowers a binding.
func ruleShape(b relax.Binding) string {
	if _, ok := b.(*relax.MatchCast); ok {
		return "check a match_cast at run time"
	}
	return "make shapes at run time"
}

func (l *shapeLowerer) seq(s *relax.SeqExpr) (*relax.SeqExpr, error) {
	var failed error
	m := &relax.Mapper{}
	m.Block = func(b *relax.BindingBlock) *relax.BindingBlock {
		var out []relax.Binding
		changed := false
		for _, x := range b.Bindings {
			list, err := l.binding(x)
			if err != nil {
				failed = err
				return b
			}
			rewrote(l.c, ruleShape(x), x, list)
			if len(list) != 1 || list[0] != x {
				changed = true
			}
			out = append(out, list...)
		}
		if !changed {
			return b
		}
		return b.WithBindings(out)
	}
	out := m.MapSeq(s)
	if failed != nil {
		return nil, failed
	}
	var before []relax.Binding
	body, err := l.value(out.Body, &before)
	if err != nil {
		return nil, err
	}
	if body == out.Body {
		return out, nil
	}
	if call, ok := body.(*relax.Call); ok { // a sequence yields no call
		nb := bindNew(ir.Base{}, l.names.fresh("result"), call.SInfo, call)
		before, body = append(before, nb), nb.Var
	}
	c := *out
	c.Body = body
	c.Blocks = append([]*relax.BindingBlock{}, out.Blocks...)
	if n := len(c.Blocks); n > 0 && !c.Blocks[n-1].Dataflow {
		last := *c.Blocks[n-1]
		last.Bindings = append(append([]relax.Binding{}, last.Bindings...), before...)
		c.Blocks[n-1] = &last
	} else {
		c.Blocks = append(c.Blocks, &relax.BindingBlock{Bindings: before})
	}
	return &c, nil
}

func (l *shapeLowerer) binding(b relax.Binding) ([]relax.Binding, error) {
	var before []relax.Binding
	switch b := b.(type) {
	case *relax.MatchCast:
		value, err := l.value(b.Value, &before)
		if err != nil {
			return nil, err
		}
		if call, ok := value.(*relax.Call); ok { // the checks read it
			nb := bindNew(b.Base, l.names.fresh("shape"), call.SInfo, call)
			before, value = append(before, nb), nb.Var
		}
		ctx := ""
		if l.errCtx {
			ctx = fmt.Sprintf("ErrorContext(match_cast, struct_info=%s)", relax.FormatSInfo(b.SInfo))
		}
		clear(l.passed)
		before = append(before, l.check(value, b.SInfo, ctx)...)
		before = append(before, l.match(value, b.SInfo, ctx)...)
		before = append(before, l.computeReady()...)
		before = append(before, l.matchComputed(value, b.SInfo, ctx)...)
		return append(before, &relax.VarBinding{Base: b.Base, Var: b.Var, Value: value}), nil
	case *relax.VarBinding:
		if cond, ok := b.Value.(*relax.If); ok {
			then, err := l.branch(cond.Then)
			if err != nil {
				return nil, err
			}
			otherwise, err := l.branch(cond.Else)
			if err != nil {
				return nil, err
			}
			if then == cond.Then && otherwise == cond.Else {
				return []relax.Binding{b}, nil
			}
			return []relax.Binding{&relax.VarBinding{Base: b.Base, Var: b.Var, Value: cond.WithThen(then).WithElse(otherwise)}}, nil
		}
		value, err := l.value(b.Value, &before)
		if err != nil {
			return nil, err
		}
		if value == b.Value {
			return []relax.Binding{b}, nil
		}
		return append(before, &relax.VarBinding{Base: b.Base, Var: b.Var, Value: value}), nil
	}
	return []relax.Binding{b}, nil
}

// branch lowers a branch. What it stores into the heap is not there if it does not run, so
// nothing after it may rely on that.
func (l *shapeLowerer) branch(s *relax.SeqExpr) (*relax.SeqExpr, error) {
	before := make([]bool, len(l.all))
	for i, x := range l.all {
		before[i] = x.ready
	}
	out, err := l.seq(s)
	for i, x := range l.all {
		x.ready = before[i]
	}
	return out, err
}

// value replaces symbolic shapes and scalars in e by values made from the heap.
func (l *shapeLowerer) value(e relax.Expr, before *[]relax.Binding) (relax.Expr, error) {
	var failed error
	m := &relax.Mapper{}
	m.Expr = func(x relax.Expr) relax.Expr {
		switch x := x.(type) {
		case *relax.ShapeExpr:
			if _, static := relax.StaticInts(x.Values); static {
				return x
			}
			args := []relax.Expr{l.heap, primInt(int64(len(x.Values)))}
			for _, d := range x.Values {
				code, operand, err := l.makeCode(d)
				if err != nil && failed == nil {
					failed = err
				}
				args = append(args, primInt(code), primInt(operand))
			}
			return l.make("vm.builtin.make_shape", "shape", relax.ShapeOf(x.Values...), args, before, x == e)
		case *relax.PrimValue:
			if _, isConst := tir.AsInt(x.Value); isConst || !x.Value.DType().IsInteger() {
				return x
			}
			code, operand, err := l.makeCode(x.Value)
			if err != nil && failed == nil {
				failed = err
			}
			return l.make("vm.builtin.make_prim_value", "prim", relax.SInfoOf(x), []relax.Expr{l.heap, primInt(code), primInt(operand)}, before, x == e)
		case *relax.Call, *relax.Tuple, *relax.TupleGetItem:
			return m.MapExpr(x)
		}
		return x
	}
	out := m.Expr(e)
	return out, failed
}

func (l *shapeLowerer) make(fn, hint string, info relax.StructInfo, args []relax.Expr, before *[]relax.Binding, top bool) relax.Expr {
	call := &relax.Call{Op: &relax.ExternFunc{Symbol: fn}, Args: args, SInfoArgs: []relax.StructInfo{info}, SInfo: info}
	if top {
		return call
	}
	nb := bindNew(ir.Base{}, l.names.fresh(hint), info, call)
	*before = append(*before, nb)
	return nb.Var
}

func (l *shapeLowerer) makeCode(d tir.Expr) (code, operand int64, err error) {
	if n, ok := tir.AsInt(d); ok {
		return makeImm, n, nil
	}
	s := l.known(d)
	if s == nil || !s.ready {
		return 0, 0, fmt.Errorf("the extent %s is used before its variables are known", relax.FormatPrim(d))
	}
	return makeLoad, int64(s.index), nil
}
