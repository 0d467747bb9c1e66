package transform

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// kernel is the kernel of one call in the making. Its rule asks for arguments, which become
// parameters in the order in which they are first asked for.
type kernel struct {
	l      *legalizer
	call   *relax.Call
	v      *relax.Var // what the call is bound to
	op     *op.Op
	info   relax.StructInfo // of the result
	params []*te.Tensor
	args   []relax.Expr // for params, at the call
	byVar  map[relax.Expr]*te.Tensor
	ext    extents // symbolic variables of the graph and of the kernel
	// plain says that extents of arguments that are expressions stay expressions of the graph's
	// variables, which become parameters.
	plain bool
	from  ir.OriginID // of the call
	// absorbed holds the origins of calls that are gone because this kernel does their work.
	absorbed []ir.OriginID
	before   []relax.Binding // what must be bound before the call
	ahead    []string        // what the results of those of them are for that are calls of kernels
	hidden   bool            // the call is in a dataflow block: what is bound before it is not seen outside
	pattern  opPattern       // how the kernel may be fused, 0 where its accesses say it
	budget   *budget.Budget
	err      error // the first that an accessor met
}

func (l *legalizer) newKernel(vb *relax.VarBinding) *kernel {
	c, v := vb.Value.(*relax.Call), vb.Var
	info := c.SInfo
	if info == nil {
		info = v.SInfo
	}
	return &kernel{
		l: l, call: c, v: v, from: cmp.Or(c.Origin, vb.Origin, v.Origin), op: op.Of(c), info: info,
	}
}

// build runs the rule; an error of an accessor wins over its result.
func (k *kernel) build(rule rule) ([]*te.Tensor, error) {
	fields := []relax.StructInfo{k.info}
	if t, ok := k.info.(*relax.TupleStructInfo); ok {
		fields = t.Fields
	}
	for _, f := range fields {
		t, ok := f.(*relax.TensorStructInfo)
		if err := k.productTypes(); err != nil {
			return nil, err
		}
		if !ok {
			return nil, skipf("its result is %s, not a tensor", relax.FormatSInfo(f))
		}
		if _, known := t.Dims(); !known || t.DType.IsVoid() {
			return nil, skipf("the shape of its result is not known: %s", relax.FormatSInfo(f))
		}
	}
	for i, a := range k.call.Args {
		if err := knownTensors(relax.SInfoOf(a)); err != nil {
			return nil, skipf("argument %d: %s", i, err)
		}
	}
	outs, err := rule(k)
	if k.err != nil {
		return nil, k.err
	}
	for i, t := range outs {
		if d := k.out(i).DType; err == nil && t.DType != d {
			outs[i] = topi.Cast(t, d) // such as a bool where the operator keeps the type
		}
	}
	return outs, err
}

// productTypes returns an error where k is a matmul of tensors whose shapes are known and whose types are not, which
// TVM refuses: a kernel adds in a type that follows from theirs.
func (k *kernel) productTypes() error {
	if k.call.Op.(*ir.Op).Name != "relax.matmul" {
		return nil
	}
	for i, a := range k.call.Args {
		t, ok := relax.SInfoOf(a).(*relax.TensorStructInfo)
		if !ok || !t.DType.IsVoid() {
			continue
		}
		if _, known := t.Dims(); known {
			return fmt.Errorf("the element type of argument %d is not known: %s; write it into the struct info, or check it by a match_cast", i, relax.FormatSInfo(t))
		}
	}
	return nil
}

// knownTensors returns an error where s has a tensor whose shape or type is not known.
func knownTensors(s relax.StructInfo) error {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		if _, known := s.Dims(); !known || s.DType.IsVoid() {
			return fmt.Errorf("its shape or element type is not known: %s", relax.FormatSInfo(s))
		}
	case *relax.TupleStructInfo:
		for _, f := range s.Fields {
			if err := knownTensors(f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k *kernel) fail(err error) {
	if k.err == nil {
		k.err = err
	}
}

// origin is that of the call and those of others that the kernel does the work of.
func (k *kernel) origin() ir.OriginID {
	if len(k.absorbed) == 0 {
		return k.l.mod.Origins().Merge(k.l.pass, k.from)
	}
	return k.l.mod.Origins().Merge(k.l.pass, append([]ir.OriginID{k.from}, k.absorbed...)...)
}

// base is the place and origin of what the kernel needs in the graph.
func (k *kernel) base() ir.Base { return ir.Base{Span: k.call.Span, Origin: k.origin()} }

// sym maps a scalar expression of the graph into the kernel.
func (k *kernel) sym(e tir.Expr) tir.Expr { return k.ext.expr(e) }

func (k *kernel) syms(es []tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(es))
	for i, e := range es {
		out[i] = k.sym(e)
	}
	return out
}

// arg returns argument i, following variables to tuples, shapes and scalars that they are
// bound to; nil if it was left out.
func (k *kernel) arg(i int) relax.Expr {
	if i >= len(k.call.Args) {
		return nil
	}
	e := k.call.Args[i]
	for {
		v, ok := e.(*relax.Var)
		if !ok {
			return e
		}
		switch b := k.l.bound[v].(type) {
		case *relax.Tuple, *relax.ShapeExpr, *relax.PrimValue:
			return b
		case *relax.Var:
			e = b
		default:
			return e
		}
	}
}

// has reports whether the call has argument i.
func (k *kernel) has(i int) bool { return i < len(k.call.Args) }

// tensor returns argument i as a parameter of the kernel.
func (k *kernel) tensor(i int) *te.Tensor { return k.param(k.call.Args[i], i) }

// param returns e as a parameter; the same expression is one parameter.
func (k *kernel) param(e relax.Expr, i int) *te.Tensor {
	if t := k.byVar[e]; t != nil && k.l.tuned {
		return t
	}
	info, ok := relax.SInfoOf(e).(*relax.TensorStructInfo)
	if !ok {
		k.fail(skipf("argument %d is not a tensor", i))
		return te.Placeholder("bad", dtype.Float32T)
	}
	dims, ok := info.Dims()
	if !ok || info.DType.IsVoid() {
		k.fail(skipf("the shape of argument %d is not known: %s", i, relax.FormatSInfo(info)))
		return te.Placeholder("bad", dtype.Float32T)
	}
	name := string(rune('A' + len(k.params)%26))
	if v, ok := e.(*relax.Var); ok {
		name = relax.Identifier(v.Name)
	}
	if k.l.tuned && !k.plain {
		k.ext.add(dims)
	}
	t := te.Placeholder(name, info.DType, k.syms(dims)...)
	return k.parameter(e, t)
}

// parameter makes t, which stands for e, a parameter.
func (k *kernel) parameter(e relax.Expr, t *te.Tensor) *te.Tensor {
	if k.byVar == nil {
		k.byVar = map[relax.Expr]*te.Tensor{}
	}
	k.byVar[e] = t
	k.params, k.args = append(k.params, t), append(k.args, e)
	return t
}

// tensors returns the fields of argument i, a tuple.
func (k *kernel) tensors(i int) []*te.Tensor {
	e := k.arg(i)
	var out []*te.Tensor
	if t, ok := e.(*relax.Tuple); ok {
		for j, f := range t.Fields {
			out = append(out, k.param(f, j))
		}
		return out
	}
	info, ok := relax.SInfoOf(e).(*relax.TupleStructInfo)
	if !ok {
		k.fail(skipf("argument %d is not a tuple", i))
		return nil
	}
	for j, f := range info.Fields {
		get := bindNew(k.base(), k.v.Name+"_in", f, &relax.TupleGetItem{Tuple: e, Index: j, SInfo: f})
		get.Var.Dataflow = k.v.Dataflow
		k.before = append(k.before, get)
		out = append(out, k.param(get.Var, j))
	}
	return out
}

// bind binds a call of an operator before that of the kernel, and returns the variable.
func (k *kernel) bind(name string, call *relax.Call) relax.Expr {
	call.Base = k.base()
	info, err := op.Table().InferCall(call, &relax.InferContext{
		Func: k.l.mod.Lookup, Bound: func(v *relax.Var) relax.Expr { return k.l.bound[v] },
	})
	if err != nil {
		k.fail(err)
		info = k.info
	}
	call.SInfo = info
	b := bindNew(k.base(), k.v.Name+"_"+name, info, call)
	b.Var.Dataflow = k.hidden || k.v.Dataflow
	k.before = append(k.before, b)
	return b.Var
}

// bindKernel binds a call of a kernel of its own, which computes out from params, before that of the kernel, and returns the variable. The parameters stand for args.
func (k *kernel) bindKernel(name string, out *te.Tensor, params []*te.Tensor, args []relax.Expr) relax.Expr {
	fn, err := te.CreatePrimFunc(append(slices.Clone(params), out), te.FuncOpts{Tuned: k.l.tuned, Origin: k.origin(), Budget: k.budget})
	if err != nil {
		k.fail(err)
		return args[0]
	}
	info := &relax.TensorStructInfo{Shape: &relax.ShapeExpr{Values: out.Shape}, DType: out.DType, NDim: len(out.Shape)}
	return k.callAhead(name, k.l.add(name, fn), args, info)
}

// callAhead binds a call of a kernel before that of the kernel, and returns the variable.
func (k *kernel) callAhead(name, fn string, args []relax.Expr, info relax.StructInfo) relax.Expr {
	call := k.callOf(fn, args)
	call.SInfoArgs, call.SInfo = []relax.StructInfo{info}, info
	b := bindNew(k.base(), k.v.Name+"_"+name, info, call)
	b.Var.Dataflow = k.hidden || k.v.Dataflow
	k.before, k.ahead = append(k.before, b), append(k.ahead, name)
	return b.Var
}

// operand returns argument i: a constant without dimensions and a scalar as part of the
// kernel, anything else as a parameter.
func (k *kernel) operand(i int) topi.Operand {
	if s := k.immediate(i); s != nil {
		return topi.Operand{Scalar: s}
	}
	return k.value(i)
}

// immediate returns argument i where it is a constant without dimensions, else nil.
func (k *kernel) immediate(i int) tir.Expr {
	if c, ok := k.arg(i).(*relax.Constant); ok {
		return immediate(c.Data)
	}
	return nil
}

// value returns argument i: a scalar as an expression, a tensor as a parameter.
func (k *kernel) value(i int) topi.Operand {
	if _, ok := relax.SInfoOf(k.arg(i)).(*relax.PrimStructInfo); ok {
		return topi.Operand{Scalar: k.prim(i)}
	}
	return topi.T(k.tensor(i))
}

// immediate returns a constant without dimensions as an expression; nil for others.
func immediate(b *ir.Blob) tir.Expr {
	d := b.DType()
	if len(b.Shape()) != 0 || d.IsHandle() {
		return nil
	}
	t := &tensor.Tensor{DType: d, Shape: []int64{}, Data: b.Bytes()}
	if d.IsFloat() {
		return &tir.FloatImm{Type: d, Value: t.Float(0)}
	}
	return &tir.IntImm{Type: d, Value: t.Int(0)}
}

// prim returns argument i, a scalar, as an expression: its value where that is known, else a
// parameter of the kernel.
func (k *kernel) prim(i int) tir.Expr {
	switch e := k.arg(i).(type) {
	case *relax.PrimValue:
		return k.sym(e.Value)
	case *relax.Constant:
		if s := immediate(e.Data); s != nil {
			return s
		}
	case relax.Expr:
		p, ok := relax.SInfoOf(e).(*relax.PrimStructInfo)
		if ok && p.Value != nil {
			return k.sym(p.Value)
		}
		if ok && !p.DType.IsVoid() {
			return k.scalar(e, p.DType).At()
		}
	}
	k.fail(skipf("the value of argument %d is not known", i))
	return tir.Int(0)
}

// scalar returns e, a scalar of type d whose value is not known, as a parameter.
func (k *kernel) scalar(e relax.Expr, d dtype.DType) *te.Tensor {
	if t := k.byVar[e]; t != nil {
		return t
	}
	name := "scalar"
	if v, ok := e.(*relax.Var); ok {
		name = relax.Identifier(v.Name)
	}
	t := te.Scalar(name, d)
	return k.parameter(e, t)
}

// prims returns the fields of argument i, a tuple of scalars.
func (k *kernel) prims(i int) []tir.Expr {
	t, ok := k.arg(i).(*relax.Tuple)
	if !ok {
		k.fail(skipf("the values of argument %d are not known", i))
		return nil
	}
	var out []tir.Expr
	for _, f := range t.Fields {
		info, ok := relax.SInfoOf(f).(*relax.PrimStructInfo)
		if !ok || info.Value == nil {
			k.fail(skipf("the values of argument %d are not known", i))
			return nil
		}
		out = append(out, k.sym(info.Value))
	}
	return out
}

// out returns result i.
func (k *kernel) out(i int) *relax.TensorStructInfo {
	if t, ok := k.info.(*relax.TupleStructInfo); ok {
		return t.Fields[i].(*relax.TensorStructInfo)
	}
	return k.info.(*relax.TensorStructInfo)
}

// shape returns the extents of result i.
func (k *kernel) shape(i int) []tir.Expr {
	dims, _ := k.out(i).Dims()
	return k.syms(dims)
}

// elements is the number of elements of argument i.
func (k *kernel) elements(i int) tir.Expr {
	n := tir.Expr(tir.Int(1))
	info, ok := relax.SInfoOf(k.call.Args[i]).(*relax.TensorStructInfo)
	if !ok {
		k.fail(skipf("argument %d is not a tensor", i))
		return n
	}
	dims, known := info.Dims()
	if !known {
		k.fail(skipf("the shape of argument %d is not known", i))
	}
	for _, d := range k.syms(dims) {
		n = tir.Mul(n, d)
	}
	return n
}
