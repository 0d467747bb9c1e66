package relaypass

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
)

const ruleInteger = "compute with integers"

// QuantizedProducts is FakeQuantizationToInteger for operators that have kernels.
//
// ONNX Runtime does so with the models that its quantize_static writes, TVM with those of Relay. There the whole of what is between dequantize and quantize is computed with integers; here products are, and
// what only moves or compares elements in front of them or behind them. The scales stand behind the sums, so that nothing else is rounded otherwise than before.
var QuantizedProducts = &pass.Pass{
	Name: "FakeQuantizationToInteger", Level: 2, Kind: pass.Function, ReadsTarget: true,
	Doc: "Computes matmul, conv2d and conv1d of dequantized values (the integers less their zero point, times their scale) as sums of products of bytes in int32, which are multiplied by both scales behind that: where the target has faster instructions for bytes and the sums have room in int32. A bias of the same scale is added to the sums; what only moves or compares elements between these and the conversions takes the integers; a quantization of a sum multiplies by one number, and one that only undoes a dequantization goes. Results may differ by one quantum where the real numbers are about in the middle between two.",
	Options: []pass.Option{
		{Name: "products", Default: "", Choices: []ir.Value{"", "all"}, Doc: `the products that are computed with integers: "" for those that the target has faster instructions for, or "all"`},
	},
	Run: pass.EachRelax(transform.BeforeInplace(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		mu := op.NewExprMutator(c.Step().Input)
		p := &quantizedProducts{
			fakeQuantizer: &fakeQuantizer{c: c, m: mu, ctx: mu.Builder().Context()},
			words:         transform.ByteWordsOf(c.TargetOf()), all: c.Arg("products").(string) == "all",
		}
		p.moved, p.table = p.movedType, p.rules()
		return p.function(f)
	})),
}

// quantizedProducts walks the blocks of a function forward, and knows of each value that is dequantized the integers that it stands for.
type quantizedProducts struct {
	*fakeQuantizer
	values   map[*relax.Var]quantizedValue // in the block
	wanted   map[*relax.Var]bool           // leads to a product or to a quantization
	constant map[*relax.Var]bool
	words    transform.ByteWords
	all      bool
}

func (p *quantizedProducts) function(f *relax.Function) (*relax.Function, error) {
	mu := p.m
	if p.c.Observed() {
		mu.Rewrote = func(b relax.Binding, list []relax.Binding) {
			after := make([]ir.Node, len(list))
			for i, x := range list {
				after[i] = x
			}
			p.c.RewriteAll(ruleInteger, []ir.Node{b}, after)
		}
	}
	mu.Block = func(b *relax.BindingBlock) {
		defs, values, wanted, constant := p.defs, p.values, p.wanted, p.constant
		p.defs, p.values, p.wanted, p.constant = map[*relax.Var]relax.Expr{}, map[*relax.Var]quantizedValue{}, map[*relax.Var]bool{}, map[*relax.Var]bool{}
		p.want(b)
		mu.VisitBlock(b)
		p.defs, p.values, p.wanted, p.constant = defs, values, wanted, constant
	}
	mu.Binding = func(b relax.Binding) {
		vb, ok := b.(*relax.VarBinding)
		if ok {
			p.defs[vb.Var] = vb.Value
		}
		if !ok || !p.binding(vb) {
			mu.VisitBinding(b)
		}
	}
	out, err := mu.Function(f)
	if err != nil || out == f {
		return out, err
	}
	return dropUnused(out, func(e relax.Expr) bool {
		call, ok := e.(*relax.Call)
		return !ok || relax.CallIsPure(call, op.Table(), p.ctx)
	}), nil
}

// want finds what leads to a product or to a quantization, from the end of a block to its start.
func (p *quantizedProducts) want(b *relax.BindingBlock) {
	all := func(list []relax.Expr) {
		for _, a := range list {
			if t, ok := a.(*relax.Tuple); ok {
				list = slices.Concat(list, t.Fields)
			}
		}
		for _, a := range list {
			if v, ok := a.(*relax.Var); ok {
				p.wanted[v] = true
			}
		}
	}
	for _, bind := range slices.Backward(b.Bindings) {
		switch value := bind.BoundValue().(type) {
		case *relax.Call:
			name := relayName(value)
			if isProduct(name) || name == "divide" || name == "quantize" || p.wanted[bind.Bound()] && p.rule(value) != nil {
				all(value.Args)
			}
		case *relax.TupleGetItem:
			if p.wanted[bind.Bound()] {
				all([]relax.Expr{value.Tuple})
			}
		case *relax.Var, *relax.Tuple:
			if p.wanted[bind.Bound()] {
				all([]relax.Expr{value})
			}
		}
	}
}

func isProduct(name string) bool {
	return slices.Contains([]string{"matmul", "nn.conv2d", "nn.conv1d"}, name)
}

// binding emits what takes the place of a binding. It returns false where that stays.
func (p *quantizedProducts) binding(b *relax.VarBinding) bool {
	if v, ok := p.stored(b.Value); ok {
		p.values[b.Var] = v
		return false
	}
	switch value := b.Value.(type) {
	case *relax.Var:
		if v, ok := p.values[value]; ok {
			p.values[b.Var] = v
		}
		return false
	case *relax.TupleGetItem:
		return p.field(b, value)
	case *relax.Call:
		if to, from, ok := p.quantized(value); ok {
			return p.requantize(b, to, from)
		}
		if isProduct(relayName(value)) || p.wanted[b.Var] && p.rule(value) != nil {
			return p.integers(b, value)
		}
	}
	return false
}

// integers computes a call on integers, and makes real numbers of the result.
func (p *quantizedProducts) integers(b *relax.VarBinding, call *relax.Call) bool {
	args, real := make([]quantizedValue, len(call.Args)), 0
	for i, a := range call.Args {
		args[i] = p.operand(a)
		if t := args[i]; t.typ == nil && t.fields == nil {
			real++
		}
	}
	if real == len(args) { // of real numbers alone
		return false
	}
	var fields []*affine
	v, why := p.tried(nil, nil, func() quantizedValue {
		q := &quantizedCall{r: p.fakeQuantizer, call: call, args: args}
		e, t, ok := p.rule(call)(q)
		if !ok || t == nil && q.fields == nil {
			if p.failed == "" {
				p.failed = nameOf(call) + " is called with scales, zero points or types that its rule does not cover"
			}
			return quantizedValue{}
		}
		if _, bound := e.(*relax.Var); !bound {
			e = p.emit(e)
		}
		if t == nil {
			t = q.fields[0]
		}
		fields = q.fields
		return quantizedValue{expr: e, typ: t}
	})
	if why != "" {
		p.c.Declined(ruleInteger, b, why)
		return false
	}
	if fields != nil {
		p.values[b.Var] = quantizedValue{expr: v.expr, fields: fields}
		return false
	}
	if len(args) > 0 && v.expr == args[0].expr { // limits that are noted: the real numbers are limited as they are
		p.values[b.Var] = v
		return false
	}
	p.define(b, v)
	return true
}

// define makes real numbers of integers.
func (p *quantizedProducts) define(b *relax.VarBinding, v quantizedValue) {
	p.values[b.Var] = v
	p.m.EmitNormalized(p.m.WithValue(b, p.real(v)))
}

// operand is what an operand stands for, without a type where it is not dequantized.
func (p *quantizedProducts) operand(e relax.Expr) quantizedValue {
	switch e := e.(type) {
	case *relax.Var:
		if v, ok := p.values[e]; ok {
			return v
		}
	case *relax.Tuple:
		out := quantizedValue{expr: e}
		list := make([]relax.Expr, len(e.Fields))
		for i, f := range e.Fields {
			v := p.operand(f)
			if v.typ == nil {
				return quantizedValue{expr: e}
			}
			list[i], out.fields = v.expr, append(out.fields, v.typ)
		}
		out.expr = &relax.Tuple{Fields: list}
		return out
	}
	return quantizedValue{expr: e}
}

// field takes a value out of a tuple of integers.
func (p *quantizedProducts) field(b *relax.VarBinding, get *relax.TupleGetItem) bool {
	v, _ := get.Tuple.(*relax.Var)
	t, ok := p.values[v]
	if !ok || !p.wanted[b.Var] || get.Index >= len(t.fields) {
		return false
	}
	p.trying = false
	p.define(b, quantizedValue{expr: p.emit(&relax.TupleGetItem{Tuple: t.expr, Index: get.Index}), typ: t.fields[get.Index]})
	return true
}

// roomy fails where sums up to most in magnitude have no room in int32.
func (p *quantizedProducts) roomy(most float64) bool {
	if most >= 1<<31 {
		p.failed = fmt.Sprintf("its sums may be as large as %.0f, for which int32 has no room", most)
	}
	return most < 1<<31
}
