package transform

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// attrOperatorName is the attribute of a kernel that says which operator it computes.
const attrOperatorName = "operator_name"

// removePad is the operator_name, and the name, of kernels that cut off what index maps filled up.
const removePad = "remove_pad"

// alterOpImpl follows TVM's AlterOpImplMutator (src/relax/transform/alter_op_impl.cc).
func alterOpImpl(c *pass.Context, m *ir.Module, impls map[string]OpImpl) (*ir.Module, error) {
	if len(impls) == 0 {
		return m, nil
	}
	a := &implAlterer{m: m, impls: impls, mu: newMutator(c, m, ruleAlterImpl), c: c}
	a.mu.Call = func(call *relax.Call) relax.Expr {
		out, err := a.call(call)
		if err != nil {
			a.mu.Fail(err)
			return call
		}
		return out
	}
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok {
			continue
		}
		if err := c.Err(); err != nil {
			return nil, err
		}
		c.Working(gv.Name)
		out, err := a.mu.Function(f)
		if err != nil {
			return nil, err
		}
		if out != f {
			a.mu.Builder().UpdateFunc(gv.Name, out)
		}
	}
	c.Working("")
	return a.mu.Builder().Module(), nil
}

type implAlterer struct {
	c     *pass.Context
	m     *ir.Module
	mu    *relax.ExprMutator
	impls map[string]OpImpl
}

// call returns what a call of a kernel becomes, call itself if no other kernel is for it.
func (a *implAlterer) call(call *relax.Call) (relax.Expr, error) {
	if opName(call) != opCallTIR {
		return call, nil
	}
	gv, ok := call.Args[0].(*ir.GlobalVar)
	if !ok {
		return call, nil
	}
	old, ok := a.m.Lookup(gv.Name).(*tir.PrimFunc)
	if !ok {
		return call, nil
	}
	kind := old.Attrs.Str(attrOperatorName, "")
	impl, ok := a.impls[kind]
	if !ok || kind == "" {
		return call, nil
	}
	args, ok := call.Args[1].(*relax.Tuple)
	if !ok {
		a.c.Declined(ruleAlterImpl, call, "its arguments are not written as a tuple")
		return call, nil
	}
	outputs := outputsOf(call.SInfoArgs[0])
	switch n := len(impl.Func.Params); {
	case n != len(old.Params):
		return nil, fmt.Errorf("op_impl_map: %s: the kernel %s has %d parameters, the one in its place %d", kind, gv.Name, len(old.Params), n)
	case len(impl.Transforms) == 0:
	case n != len(impl.Transforms), len(args.Fields)+len(outputs) != n:
		return nil, fmt.Errorf("op_buffer_transforms: %s: got %d index maps, expected one for each of the %d buffers, or none", kind, len(impl.Transforms), n)
	}
	to := a.mu.Builder().AddFunc(kind+"_replacement", impl.Func.WithFuncAttrs(impl.Func.Attrs.With(attrOperatorName, kind)))
	if to.Name == gv.Name {
		return call, nil // it is the one
	}
	if len(impl.Transforms) == 0 {
		return call.WithArgs(append([]relax.Expr{to}, call.Args[1:]...)), nil
	}
	if len(outputs) == 0 {
		return nil, fmt.Errorf("op_buffer_transforms: %s: the results of a call are %s, expected tensors of known shapes", kind, relax.FormatSInfo(call.SInfoArgs[0]))
	}
	fields := make([]relax.Expr, len(args.Fields))
	for i, x := range args.Fields {
		fields[i] = x
		if impl.Transforms[i] != nil && !isScalarConst(x) {
			fields[i] = a.mu.Emit(impl.transform(call, x, impl.Transforms[i], i), "lv")
		}
	}
	var infos []relax.StructInfo
	for i, t := range outputs {
		info := relax.StructInfo(t)
		if im := impl.Transforms[len(args.Fields)+i]; im != nil {
			made, err := a.mu.Builder().InferCall(impl.transform(call, &relax.Var{Name: "out", SInfo: t}, im, len(args.Fields)+i))
			if err != nil {
				return nil, fmt.Errorf("op_buffer_transforms: %s: %w", kind, err)
			}
			info = made
		}
		infos = append(infos, info)
	}
	info := infos[0]
	if _, single := call.SInfoArgs[0].(*relax.TensorStructInfo); !single {
		info = &relax.TupleStructInfo{Fields: infos}
	}
	made := a.mu.Emit(&relax.Call{
		Base: call.Base, Op: call.Op, Args: append([]relax.Expr{to, &relax.Tuple{Base: args.Base, Fields: fields}}, call.Args[2:]...),
		Attrs: call.Attrs, SInfoArgs: []relax.StructInfo{info}, SInfo: info,
	}, "lv")
	return a.back(call, impl, made, outputs, len(args.Fields))
}

// back brings the results of the new kernel into the layouts of the old one.
func (a *implAlterer) back(call *relax.Call, impl OpImpl, made *relax.Var, outputs []*relax.TensorStructInfo, first int) (relax.Expr, error) {
	if _, single := call.SInfoArgs[0].(*relax.TensorStructInfo); single {
		return a.inverse(call, impl, made, outputs[0], first)
	}
	var fields []relax.Expr
	for i, t := range outputs {
		x, err := a.inverse(call, impl, a.mu.Emit(&relax.TupleGetItem{Base: call.Base, Tuple: made, Index: i}, "lv"), t, first+i)
		if err != nil {
			return nil, err
		}
		fields = append(fields, a.mu.Emit(x, "lv"))
	}
	return &relax.Tuple{Base: call.Base, Fields: fields}, nil
}

// inverse undoes the index map of buffer i of a kernel, and cuts off what it filled up.
func (a *implAlterer) inverse(call *relax.Call, impl OpImpl, x relax.Expr, want *relax.TensorStructInfo, i int) (relax.Expr, error) {
	m := impl.Transforms[i]
	if m == nil {
		return x, nil
	}
	dims, _ := want.Dims()
	inv, padded, err := inverseMap(m, dims)
	if err != nil {
		return nil, fmt.Errorf("op_buffer_transforms: buffer %d of %s: %w", i, a.m.Lookup(call.Args[0].(*ir.GlobalVar).Name).FuncAttrs().Str(attrOperatorName, ""), err)
	}
	whole := impl.transform(call, x, inv, i)
	if !padded {
		return whole, nil
	}
	cut, err := padRemover(len(dims), want.DType)
	if err != nil {
		return nil, err
	}
	return &relax.Call{
		Base: call.Base, Op: call.Op, Args: []relax.Expr{a.mu.Builder().AddFunc(removePad, cut), &relax.Tuple{Base: call.Base, Fields: []relax.Expr{a.mu.Emit(whole, "lv")}}},
		SInfoArgs: []relax.StructInfo{want}, SInfo: want,
	}, nil
}

// transform returns the layout_transform of x, buffer i of the kernel, at the place of call.
func (impl OpImpl) transform(call *relax.Call, x relax.Expr, m *tir.IndexMap, i int) *relax.Call {
	at := func(list [][]int64) []int64 {
		if i < len(list) && list[i] != nil {
			return list[i]
		}
		return []int64{}
	}
	out := *op.LayoutTransform(x, renewedMap(m))
	out.Base, out.Attrs = call.Base, out.Attrs.With("axis_separators", at(impl.Separators)).With("input_axis_separators", at(impl.InputSeparators))
	return &out
}

// renewedMap returns m over variables of its own: those of an index map belong to one call.
func renewedMap(m *tir.IndexMap) *tir.IndexMap {
	out := &tir.IndexMap{Base: m.Base}
	at := make([]tir.Expr, len(m.Initial))
	for i, v := range m.Initial {
		out.Initial = append(out.Initial, tir.NewVar(v.Name, v.DType()))
		at[i] = out.Initial[i]
	}
	out.Final = m.Apply(at)
	return out
}

// outputsOf returns what is known of the results of a kernel; nil if that is not all of their shapes.
func outputsOf(info relax.StructInfo) []*relax.TensorStructInfo {
	list := []relax.StructInfo{info}
	if t, ok := info.(*relax.TupleStructInfo); ok {
		list = t.Fields
	}
	var out []*relax.TensorStructInfo
	for _, x := range list {
		t, ok := x.(*relax.TensorStructInfo)
		if !ok {
			return nil
		}
		if _, known := t.Dims(); !known {
			return nil
		}
		out = append(out, t)
	}
	return out
}

func isScalarConst(e relax.Expr) bool {
	k, ok := e.(*relax.Constant)
	return ok && len(k.Data.Shape()) == 0
}

// padRemover returns the kernel that keeps the first elements along each axis.
func padRemover(rank int, dt dtype.DType) (*tir.PrimFunc, error) {
	var from, to []tir.Expr
	for i := range rank {
		from, to = append(from, tir.NewVar(fmt.Sprintf("p%d", i), dtype.Int64T)), append(to, tir.NewVar(fmt.Sprintf("i%d", i), dtype.Int64T))
	}
	x := te.Placeholder("input", dt, from...)
	f, err := te.CreatePrimFunc([]*te.Tensor{x, te.Compute("output", to, func(i []tir.Expr) tir.Expr { return x.At(i...) })}, te.FuncOpts{})
	if err != nil {
		return nil, err
	}
	return f.WithFuncAttrs(f.Attrs.With(attrOperatorName, removePad)).(*tir.PrimFunc), nil
}

var errNotInvertible = errors.New("the index map is not known to be invertible on a tensor of this shape: expected one that gives each element a place of its own")

// inverseMap returns the inverse of m for a tensor of these extents, over axis0, axis1, ... as TVM names them, and whether m fills the tensor up:
// then the map is inverted on extents that it divides evenly.
func inverseMap(m *tir.IndexMap, dims []tir.Expr) (inv *tir.IndexMap, padded bool, err error) {
	if len(dims) != len(m.Initial) {
		return nil, false, fmt.Errorf("the index map takes %d indices, the tensor has %d axes", len(m.Initial), len(dims))
	}
	doms := map[*tir.Var]*tir.Range{}
	for k, v := range m.Initial {
		doms[v] = &tir.Range{Min: tir.Const(v.DType(), 0), Extent: tir.CastTo(v.DType(), dims[k])}
	}
	r := arith.DetectIterMap(m.Final, doms, tir.Bool(true), arith.Bijective, arith.NewAnalyzer(), false)
	if len(r.Indices) == 0 {
		padded = true
		roundUp(m, doms)
		if r = arith.DetectIterMap(m.Final, doms, tir.Bool(true), arith.Bijective, arith.NewAnalyzer(), false); len(r.Indices) == 0 {
			return nil, false, errNotInvertible
		}
	}
	inv = &tir.IndexMap{Base: m.Base}
	outputs := make([]tir.Expr, len(m.Final))
	for i, e := range m.Final {
		v := tir.NewVar(fmt.Sprintf("axis%d", i), e.DType())
		inv.Initial, outputs[i] = append(inv.Initial, v), v
	}
	values, err := arith.InverseAffineIterMap(r.Indices, outputs)
	if err != nil {
		return nil, false, errNotInvertible
	}
	an := arith.NewAnalyzer()
	for _, v := range m.Initial {
		e := values[v]
		if e == nil { // an axis of extent 1
			e = tir.Const(v.DType(), 0)
		}
		inv.Final = append(inv.Final, an.Simplify(e))
	}
	return inv, padded, nil
}

// roundUp makes constant extents multiples of what the map divides their axes by.
func roundUp(m *tir.IndexMap, doms map[*tir.Var]*tir.Range) {
	const limit = 1 << 30
	by := map[*tir.Var]int64{}
	for _, e := range m.Final {
		ir.Walk(e, func(n ir.Node) bool {
			x, ok := n.(*tir.Binary)
			if !ok || x.Op != tir.OpFloorDiv && x.Op != tir.OpFloorMod {
				return true
			}
			d, ok := tir.AsInt(x.B)
			if !ok || d <= 0 {
				return true
			}
			for _, v := range relax.VarsOf(x.A) {
				old := max(by[v], 1)
				if lcm := old / arith.GCD(old, d) * d; lcm > 0 && lcm < limit {
					by[v] = lcm
				}
			}
			return true
		})
	}
	for v, f := range by {
		r := doms[v]
		if r == nil {
			continue
		}
		if n, ok := tir.AsInt(r.Extent); ok && n < limit {
			doms[v] = &tir.Range{Min: r.Min, Extent: tir.Const(v.DType(), (n+f-1)/f*f)}
		}
	}
}
