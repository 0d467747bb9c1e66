package relaypass

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// FakeQuantizationToInteger computes with integers what is computed with real numbers between dequantize and quantize.
var FakeQuantizationToInteger = &pass.Pass{
	Name: "relay.FakeQuantizationToInteger", Kind: pass.Function, Required: []string{inferType, "relay.DivToMul"},
	Doc: "Replaces what is computed with real numbers between qnn.dequantize and qnn.quantize by operators on integers, whose results stand for about the same numbers: where every operator between them has a rule, or, with use_qat, one by one.",
	Options: []pass.Option{
		{Name: "hard_fail", Default: false, Doc: "an operator without a rule before a qnn.quantize is an error"},
		{Name: "use_qat", Default: false, Doc: "also single operators of dequantized values, where no qnn.quantize comes after them"},
		{Name: "optional_qnn_ops", Default: []ir.Value{}, Elem: "", Doc: "operators that are replaced only if asked for: nn.softmax"},
	},
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		var optional []string
		for _, v := range c.Arg("optional_qnn_ops").([]ir.Value) {
			if v != any("nn.softmax") {
				return nil, fmt.Errorf("optional_qnn_ops: %v has no rule, want nn.softmax", v)
			}
			optional = append(optional, "nn.softmax")
		}
		hard := c.Arg("hard_fail").(bool)
		out, err := fakeQuantize(c, f, hard, false, optional)
		if err == nil && c.Arg("use_qat").(bool) {
			out, err = fakeQuantize(c, out, hard, true, optional)
		}
		return out, err
	}),
}

const (
	quantizeOp   = "relay.qnn.quantize"
	dequantizeOp = "relay.qnn.dequantize"
)

// fakeQuantizer walks the dataflow blocks of a function forward. For each value it knows whether all that it was computed from, back to
// dequantize, has rules; before a quantize that is computed anew, on integers. Old values that nothing uses then are dropped. What does not depend on the
// type that a quantize asks for is computed once for all of them, so that the work is linear but for values whose rules ask for it.
type fakeQuantizer struct {
	c        *pass.Context
	m        *relax.ExprMutator
	ctx      *relax.InferContext
	hard     bool
	optional []string

	defs   map[*relax.Var]relax.Expr // what is bound in the block
	ready  map[*relax.Var]string     // why a value cannot be computed on integers, empty where it can
	shared map[*relax.Var]quantizedValue
	own    map[*relax.Var]quantizedValue      // for the quantize at hand
	out    *affine                            // what it asks for, nil where there is none
	asks   bool                               // whether a rule asked for it
	last   *relax.Var                         // the operand of that quantize
	moved  func(*relax.Call, *affine) *affine // what a value with a scale for each index of an axis stands for after a call that moves its elements, nil where it is not known; no such value is moved where it is nil itself
	table  map[string]quantizedRule           // the rules
	failed string
	trying bool
}

func fakeQuantize(c *pass.Context, f *relax.Function, hard, qat bool, optional []string) (*relax.Function, error) {
	mu := op.NewExprMutator(c.Step().Input)
	r := &fakeQuantizer{c: c, m: mu, ctx: mu.Builder().Context(), hard: hard, optional: optional, table: quantizedRules()}
	if c.Observed() {
		mu.Rewrote = func(b relax.Binding, list []relax.Binding) {
			after := make([]ir.Node, len(list))
			for i, x := range list {
				after[i] = x
			}
			c.RewriteAll("compute with integers", []ir.Node{b}, after)
		}
	}
	mu.Block = func(b *relax.BindingBlock) {
		outer := *r
		r.defs, r.ready, r.shared = map[*relax.Var]relax.Expr{}, map[*relax.Var]string{}, map[*relax.Var]quantizedValue{}
		mu.VisitBlock(b)
		r.defs, r.ready, r.shared = outer.defs, outer.ready, outer.shared
	}
	mu.Binding = func(b relax.Binding) {
		vb, ok := b.(*relax.VarBinding)
		if !ok {
			mu.VisitBinding(b)
			return
		}
		done := r.single
		if !qat {
			done = r.region
		}
		if !done(vb) {
			mu.VisitBinding(b)
		}
	}
	out, err := mu.Function(f)
	if err != nil || out == f {
		return out, err
	}
	return dropUnused(out, func(e relax.Expr) bool {
		call, ok := e.(*relax.Call)
		return !ok || relax.CallIsPure(call, op.Table(), r.ctx)
	}), nil
}

// nameOf names what is called.
func nameOf(call *relax.Call) string {
	if n := relayName(call); n != "" {
		return n
	}
	return "a call of a function"
}

// emit binds a value that a rule made. While it is tried, nothing is bound.
func (r *fakeQuantizer) emit(e relax.Expr) relax.Expr {
	if !r.trying {
		return r.m.Emit(e, "")
	}
	info := r.ctx.SInfoOf(e)
	if call, ok := e.(*relax.Call); ok && r.failed == "" {
		var err error
		if info, err = relax.InferCall(call, op.Table(), r.ctx); err != nil {
			r.failed = err.Error()
		}
	}
	if get, ok := e.(*relax.TupleGetItem); ok {
		if t, isTuple := r.ctx.SInfoOf(get.Tuple).(*relax.TupleStructInfo); isTuple && get.Index < len(t.Fields) {
			info = t.Fields[get.Index]
		}
	}
	return &relax.Var{Name: "lv", SInfo: info}
}

// rule is the rule of the operator that is called, nil where there is none.
func (r *fakeQuantizer) rule(call *relax.Call) quantizedRule {
	o, ok := call.Op.(*ir.Op)
	if !ok {
		return nil
	}
	if relayName(call) == "nn.softmax" && !slices.Contains(r.optional, "nn.softmax") {
		return nil
	}
	return r.table[o.Name]
}

// note says of a binding whether its value can be computed on integers.
func (r *fakeQuantizer) note(b *relax.VarBinding) {
	why := ""
	operand := func(e relax.Expr) {
		switch e := e.(type) {
		case *relax.Var:
			if w, ok := r.ready[e]; !ok {
				why = "it is computed from " + e.Name + ", which is not dequantized"
			} else if w != "" {
				why = w
			}
		case *relax.Constant, *relax.ShapeExpr, *relax.PrimValue:
		default:
			why = "an operand is no tensor"
		}
	}
	switch value := b.Value.(type) {
	case *relax.Call:
		switch {
		case isCall(value, dequantizeOp):
		case r.rule(value) == nil:
			why = nameOf(value) + " has no rule"
		default:
			for _, a := range value.Args {
				if t, ok := a.(*relax.Tuple); ok {
					for _, f := range t.Fields {
						operand(f)
					}
					continue
				}
				operand(a)
			}
		}
	case *relax.Tuple:
		for _, f := range value.Fields {
			operand(f)
		}
	case *relax.TupleGetItem:
		operand(value.Tuple)
	case *relax.Constant:
	case *relax.Var:
		operand(value)
	default:
		why = "it is computed by a function or a branch"
	}
	if b.Var.Dataflow || why != "" || isCall(b.Value, dequantizeOp) {
		r.ready[b.Var] = why
	} else {
		r.ready[b.Var] = ""
	}
	r.defs[b.Var] = b.Value
}

// region computes anew what a quantize takes. It returns false where the binding stays.
func (r *fakeQuantizer) region(b *relax.VarBinding) bool {
	r.note(b)
	q, ok := op.Is(b.Value, quantizeOp)
	if !ok {
		return false
	}
	from, ok := q.Args[0].(*relax.Var)
	if !ok {
		return false
	}
	if why, known := r.ready[from]; !known || why != "" {
		if !known {
			why = from.Name + " is not dequantized"
		}
		return r.refuse(b, why)
	}
	t := &affine{scale: q.Args[1], zero: q.Args[2], dtype: q.Attrs.DType("out_dtype"), axis: q.Attrs.Int("axis", -1)}
	v, why := r.tried(t, from, func() quantizedValue { return r.value(from) })
	if why != "" {
		if !r.asks {
			r.ready[from] = why
		}
		return r.refuse(b, why)
	}
	if r.sameType(v.typ, t) {
		r.m.EmitNormalized(r.m.WithValue(b, v.expr))
	} else {
		r.m.EmitNormalized(r.m.WithValue(b, requantized(v, t, v.typ.axis)))
	}
	return true
}

// tried computes something for a quantize that asks for a type, if its rules can: first without binding anything.
func (r *fakeQuantizer) tried(out *affine, last *relax.Var, compute func() quantizedValue) (v quantizedValue, why string) {
	for _, r.trying = range []bool{true, false} {
		r.own, r.out, r.failed, r.asks, r.last = map[*relax.Var]quantizedValue{}, out, "", false, last
		if v = compute(); r.failed == "" && v.typ == nil {
			r.failed = "nothing before it is dequantized"
		}
		if r.failed != "" {
			r.trying = false
			return v, r.failed
		}
	}
	return v, ""
}

func (r *fakeQuantizer) refuse(b *relax.VarBinding, why string) bool {
	if r.hard {
		r.m.Fail(fmt.Errorf("%s: what is before it cannot be computed with integers: %s; leave hard_fail out to keep it", b.Var.Name, why))
		return true
	}
	r.c.Declined("compute with integers", b, why)
	return false
}

func requantized(v quantizedValue, to *affine, axis int64) relax.Expr {
	return &relax.Call{Op: ir.NewOp("relay.qnn.requantize"), Args: []relax.Expr{v.expr, v.typ.scale, v.typ.zero, to.scale, to.zero}, Attrs: ir.NewAttrs("axis", axis, "rounding", "None", "compute_dtype", "None", "out_dtype", to.dtype)}
}

// value returns what stands for an operand, computed on integers. Chains are followed without recursion, as they may be long.
func (r *fakeQuantizer) value(e relax.Expr) quantizedValue {
	v, ok := e.(*relax.Var)
	if !ok {
		if t, isTuple := e.(*relax.Tuple); isTuple {
			return r.tuple(t)
		}
		return quantizedValue{expr: e}
	}
	stack := []*relax.Var{v}
	for len(stack) > 0 && r.failed == "" {
		top := stack[len(stack)-1]
		if _, done := r.known(top); done {
			stack = stack[:len(stack)-1]
			continue
		}
		open := false
		if !isCall(r.defs[top], dequantizeOp) {
			eachOperand(r.defs[top], func(u *relax.Var) {
				if _, done := r.known(u); !done {
					stack, open = append(stack, u), true
				}
			})
		}
		if !open {
			r.compute(top)
			stack = stack[:len(stack)-1]
		}
	}
	out, _ := r.known(v)
	return out
}

func eachOperand(e relax.Expr, f func(*relax.Var)) {
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*relax.Var); ok {
			f(v)
			return false
		}
		_, info := n.(relax.StructInfo)
		return !info
	})
}

func (r *fakeQuantizer) known(v *relax.Var) (quantizedValue, bool) {
	if q, ok := r.shared[v]; ok {
		return q, true
	}
	q, ok := r.own[v]
	return q, ok
}

func (r *fakeQuantizer) tuple(t *relax.Tuple) quantizedValue {
	out := &relax.Tuple{Fields: make([]relax.Expr, len(t.Fields))}
	fields := make([]*affine, len(t.Fields))
	for i, f := range t.Fields {
		x := r.value(f)
		if x.typ == nil {
			r.failed = "a field of a tuple is not dequantized"
			return quantizedValue{expr: t}
		}
		out.Fields[i], fields[i] = x.expr, x.typ
	}
	return quantizedValue{expr: out, fields: fields}
}

// compute computes a variable whose operands are done.
func (r *fakeQuantizer) compute(v *relax.Var) {
	asked := r.asks
	r.asks = false
	if !r.trying {
		eachOperand(r.defs[v], func(u *relax.Var) {
			if _, ok := r.own[u]; ok {
				r.asks = true
			}
		})
	}
	var out quantizedValue
	switch value := r.defs[v].(type) {
	case *relax.Call:
		out = r.call(v, value)
	case *relax.Tuple:
		out = r.tuple(value)
	case *relax.TupleGetItem:
		t := r.value(value.Tuple)
		if value.Index >= len(t.fields) {
			r.failed = "a tuple is not dequantized"
			break
		}
		out = quantizedValue{typ: t.fields[value.Index]}
		if list, ok := t.expr.(*relax.Tuple); ok {
			out.expr = list.Fields[value.Index]
		} else {
			out.expr = r.emit(&relax.TupleGetItem{Tuple: t.expr, Index: value.Index})
		}
	case *relax.Var:
		out = r.value(value)
	default:
		out = quantizedValue{expr: value}
	}
	if r.asks || r.trying {
		r.own[v] = out
	} else {
		r.shared[v] = out
	}
	r.asks = r.asks || asked
}

// call computes a call.
func (r *fakeQuantizer) call(v *relax.Var, call *relax.Call) quantizedValue {
	if isCall(call, dequantizeOp) {
		t, ok := r.ctx.SInfoOf(call.Args[0]).(*relax.TensorStructInfo)
		if !ok {
			r.failed = "the type of what is dequantized is not known"
			return quantizedValue{}
		}
		return quantizedValue{r.m.VisitExpr(call.Args[0]), &affine{scale: call.Args[1], zero: call.Args[2], dtype: t.DType, axis: call.Attrs.Int("axis", -1)}, nil}
	}
	q := &quantizedCall{r: r, call: call, last: v == r.last}
	for _, a := range call.Args {
		q.args = append(q.args, r.value(a))
	}
	if r.failed != "" {
		return quantizedValue{}
	}
	e, t, ok := r.rule(call)(q)
	if !ok || t == nil && q.fields == nil {
		if r.failed == "" {
			r.failed = nameOf(call) + " is called with scales, zero points or types that its rule does not cover"
		}
		return quantizedValue{}
	}
	if _, isVar := e.(*relax.Var); !isVar {
		if c, isCall := e.(*relax.Call); isCall && c.Origin == 0 {
			c.Base = call.Base
		}
		e = r.emit(e)
	}
	return quantizedValue{e, t, q.fields}
}

// single computes one call of dequantized values on integers, and dequantizes the result.
func (r *fakeQuantizer) single(b *relax.VarBinding) bool {
	r.defs[b.Var] = b.Value
	call, ok := b.Value.(*relax.Call)
	if !ok || isCall(call, dequantizeOp) || isCall(call, quantizeOp) || r.rule(call) == nil || !slices.Contains(singleOps, relayName(call)) {
		return false
	}
	found := false
	for _, a := range call.Args {
		switch a := a.(type) {
		case *relax.Constant, *relax.ShapeExpr, *relax.PrimValue:
		case *relax.Var:
			if d := r.defs[a]; !isCall(d, dequantizeOp) {
				return false
			}
			found = true
		default:
			return false
		}
	}
	if !found {
		return false
	}
	v, why := r.tried(nil, nil, func() quantizedValue { return r.call(b.Var, call) })
	if why != "" {
		r.c.Declined("compute with integers", b, why)
		return false
	}
	dq := &relax.Call{Base: call.Base, Op: ir.NewOp(dequantizeOp), Args: []relax.Expr{v.expr, v.typ.scale, v.typ.zero}, Attrs: ir.NewAttrs("out_dtype", dtype.Float32T, "axis", v.typ.axis)}
	r.m.EmitNormalized(r.m.WithValue(b, dq))
	r.defs[b.Var] = dq
	return true
}
