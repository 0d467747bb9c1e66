package transform

import (
	"fmt"
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// ToMixedPrecision computes matrix products and convolutions in float16.
var ToMixedPrecision = &pass.Pass{
	Name: "ToMixedPrecision", Kind: pass.Function,
	Doc: "Gives products, convolutions and attention of float32, in dataflow blocks, operands of float16. Operators that are safe in float16 follow where all their operands are; the others, and what leaves a block, keep float32.",
	Options: []pass.Option{
		{Name: "out_dtype", Default: "float32", Choices: []ir.Value{"float32", "float16"}, Doc: "the element type in which products and convolutions add up"},
		{Name: "fp16_input_names", Default: []ir.Value{}, Elem: "", Doc: "names of parameters that become float16 themselves"},
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		out, err := dtype.Parse(c.Arg("out_dtype").(string))
		if err != nil {
			return nil, err
		}
		names := map[string]bool{}
		for _, v := range c.Arg("fp16_input_names").([]ir.Value) {
			names[v.(string)] = true
		}
		if err := checkInputNames(m, names); err != nil {
			return nil, err
		}
		return pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			return mixPrecision(c, f, out, names)
		})(c, m)
	},
}

// checkInputNames refuses names that no function has a parameter of, and parameters that are not float32.
func checkInputNames(m *ir.Module, names map[string]bool) error {
	found, there := map[string]bool{}, []string{}
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok {
			continue
		}
		for _, p := range f.Params {
			there = append(there, p.Name)
			if !names[p.Name] {
				continue
			}
			found[p.Name] = true
			if t, ok := p.SInfo.(*relax.TensorStructInfo); !ok || t.DType != dtype.Float32T && t.DType != dtype.Float16T {
				return fmt.Errorf("fp16_input_names: parameter %s of %s is %s, want a tensor of float32", p.Name, gv.Name, relax.FormatSInfo(p.SInfo))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !found[name] {
			slices.Sort(there)
			return fmt.Errorf("fp16_input_names: no function has a parameter called %s; there are %s", name, orNone(slices.Compact(there)))
		}
	}
	return nil
}

// mixer rewrites a function forward. A variable of a dataflow block is in the type that its value comes in; where it is used, it is cast to
// what is wanted there. What is used as float16 only (halfUses) is cast once, where it is bound.
type mixer struct {
	m     *relax.ExprMutator
	out   dtype.DType
	uses  map[*relax.Var]uses
	local bool    // in a dataflow block
	begin ir.Base // of the first value of the block
	// now is what stands for variables in this block that are used as float16 only.
	now map[*relax.Var]*relax.Var
	// params are those that became float16.
	params map[*relax.Var]bool
}

func mixPrecision(c *pass.Context, f *relax.Function, out dtype.DType, names map[string]bool) (*relax.Function, error) {
	x := &mixer{m: newMutator(c, c.Step().Input, "compute in float16"), out: out, uses: halfUses(f), params: map[*relax.Var]bool{}}
	for _, p := range f.Params {
		if t, ok := p.SInfo.(*relax.TensorStructInfo); ok && names[p.Name] && t.DType == dtype.Float32T {
			x.params[p] = true
		}
	}
	x.m.VarDef = func(v *relax.Var) *relax.Var {
		if x.params[v] {
			half := v.WithSInfo(v.SInfo.(*relax.TensorStructInfo).WithDType(dtype.Float16T))
			c.Rewrite("take a parameter in float16", v, half)
			return half
		}
		return v
	}
	x.m.Block = func(b *relax.BindingBlock) {
		local, now := x.local, x.now
		x.local, x.now = b.Dataflow, map[*relax.Var]*relax.Var{}
		x.m.InBlock(b, func() {
			if b.Dataflow {
				x.begin = b.Bindings[0].BoundValue().Meta()
				for _, p := range f.Params {
					x.castOnce(p)
				}
			}
			x.m.VisitBindings(b)
		})
		x.local, x.now = local, now
	}
	x.m.Binding = func(b relax.Binding) {
		if !x.local || !x.binding(b) {
			x.m.VisitBinding(b)
		}
		if x.local {
			x.castOnce(b.Bound())
		}
	}
	x.m.Expr = func(e relax.Expr) relax.Expr {
		if v, ok := e.(*relax.Var); ok && (x.local || x.params[v]) {
			return x.cast(x.current(v), x.sinfo(x.current(v)), v.SInfo)
		}
		return x.m.VisitExpr(e)
	}
	return x.m.Function(f)
}

// current returns an operand with the variables that stand for those in it now.
func (x *mixer) current(e relax.Expr) relax.Expr {
	switch e := e.(type) {
	case *relax.Var:
		if v := x.now[e]; v != nil {
			return v
		}
		return x.m.Lookup(e)
	case *relax.Tuple:
		fields := ir.MapSame(e.Fields, x.current)
		for i := range fields {
			if fields[i] != e.Fields[i] {
				return &relax.Tuple{Base: e.Base, Fields: fields}
			}
		}
		return e
	}
	return x.m.VisitExpr(e)
}

func (x *mixer) sinfo(e relax.Expr) relax.StructInfo { return x.m.Builder().Context().SInfoOf(e) }

// castOnce casts a variable that is used as float16 only.
func (x *mixer) castOnce(v *relax.Var) {
	want := x.uses[v].target(v.SInfo)
	cur := x.current(v)
	if e := x.cast(cur, x.sinfo(cur), want); e != cur && x.m.Err() == nil {
		x.now[v] = x.m.Emit(e, "")
	}
}

// base returns the place and origin of a cast of e: those of what is being visited or, before a block, of e or what the block begins with.
func (x *mixer) base(e relax.Expr) ir.Base {
	var list []ir.Base
	if at := x.m.At(); at != nil {
		list = append(list, at.BoundValue().Meta(), at.Meta(), at.Bound().Base)
	}
	for _, b := range append(list, e.Meta()) {
		if b.Origin != 0 {
			return b
		}
	}
	return x.begin
}

// cast returns e, of struct info from, with each tensor of float16 or float32 in the element type that it has in to. Other tensors stay.
func (x *mixer) cast(e relax.Expr, from, to relax.StructInfo) relax.Expr {
	if sameTypes(from, to) {
		return e
	}
	switch from := from.(type) {
	case *relax.TensorStructInfo:
		c := op.AsType(e, to.(*relax.TensorStructInfo).DType)
		c.Base = x.base(e)
		return c
	case *relax.TupleStructInfo:
		fields := make([]relax.Expr, len(from.Fields))
		t, literal := e.(*relax.Tuple)
		for i := range fields {
			if literal {
				fields[i] = t.Fields[i]
			} else {
				fields[i] = &relax.TupleGetItem{Tuple: e, Index: i}
			}
			fields[i] = x.cast(fields[i], from.Fields[i], to.(*relax.TupleStructInfo).Fields[i])
		}
		return &relax.Tuple{Fields: fields}
	}
	return e
}

// sameTypes reports whether nothing of a value of struct info from is to be cast for to.
func sameTypes(from, to relax.StructInfo) bool {
	switch from := from.(type) {
	case *relax.TensorStructInfo:
		t, ok := to.(*relax.TensorStructInfo)
		return !ok || t.DType.IsVoid() || t.DType == from.DType || !isMixed(from.DType)
	case *relax.TupleStructInfo:
		t, ok := to.(*relax.TupleStructInfo)
		if !ok || len(t.Fields) != len(from.Fields) {
			return true
		}
		for i := range t.Fields {
			if !sameTypes(from.Fields[i], t.Fields[i]) {
				return false
			}
		}
	}
	return true
}

// isMixed reports whether tensors of that type may be cast.
func isMixed(d dtype.DType) bool { return d == dtype.Float16T || d == dtype.Float32T }

// withType returns struct info s with all tensors of float16 and float32 in type d.
func withType(s relax.StructInfo, d dtype.DType) relax.StructInfo {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		if isMixed(s.DType) {
			return s.WithDType(d)
		}
	case *relax.TupleStructInfo:
		fields := make([]relax.StructInfo, len(s.Fields))
		for i, f := range s.Fields {
			fields[i] = withType(f, d)
		}
		return &relax.TupleStructInfo{Base: s.Base, Fields: fields}
	}
	return s
}

// binding rewrites a binding of a dataflow block; false leaves it to the mutator.
func (x *mixer) binding(b relax.Binding) bool {
	vb, ok := b.(*relax.VarBinding)
	if !ok {
		return false
	}
	switch e := vb.Value.(type) {
	case *relax.Call:
		return x.call(vb, e)
	case *relax.Tuple:
		return x.put(vb, x.current(e))
	case *relax.TupleGetItem:
		if t := x.current(e.Tuple); t != e.Tuple {
			return x.put(vb, &relax.TupleGetItem{Base: e.Base, Tuple: t, Index: e.Index})
		}
	}
	return false
}

// put binds the variable to a value that took the place of the old one. What leaves the block has the old type.
func (x *mixer) put(b *relax.VarBinding, value relax.Expr) bool {
	if value == b.Value {
		return false
	}
	if !b.Var.Dataflow {
		value = x.castValue(value, b.Var.SInfo)
	}
	x.m.EmitNormalized(x.m.WithValue(b, value))
	return true
}

// castValue casts a value that is not in normal form yet, to float16 if to is nil.
func (x *mixer) castValue(value relax.Expr, to relax.StructInfo) relax.Expr {
	n, err := x.m.Builder().Normalize(value)
	if err != nil {
		x.m.Fail(err)
		return value
	}
	from := x.sinfo(n)
	if to == nil {
		to = withType(from, dtype.Float16T)
	}
	if sameTypes(from, to) {
		return n
	}
	if _, tuple := n.(*relax.Tuple); !tuple {
		if _, many := from.(*relax.TupleStructInfo); many {
			n = x.m.Emit(n, "")
		}
	}
	return x.cast(n, from, to)
}

// call rewrites a call by the policy of its operator.
func (x *mixer) call(b *relax.VarBinding, call *relax.Call) bool {
	o := op.Of(call)
	if o == nil {
		return false
	}
	if o.Name == "relax.wrap_param" {
		return x.put(b, x.current(call.Args[0]))
	}
	args := ir.MapSame(call.Args, x.current)
	attrs := call.Attrs
	switch x.policy(o, call) {
	case op.HalfPrecision:
		args = x.castArgs(args, dtype.Float16T)
		if o.Attr("out_dtype") != nil && attrs.DType("out_dtype") != x.out {
			attrs = attrs.With("out_dtype", x.out)
		}
		if s := x.sinfo(call); slices.Equal(args, call.Args) && attrs == call.Attrs && (!b.Var.Dataflow || s != nil && sameTypes(s, withType(s, dtype.Float16T))) {
			return false
		}
		to := b.Var.SInfo
		if b.Var.Dataflow {
			to = nil
		}
		value := x.castValue(&relax.Call{Base: call.Base, Op: call.Op, Args: args, Attrs: attrs, SInfoArgs: call.SInfoArgs}, to)
		x.m.EmitNormalized(x.m.WithValue(b, value))
		return true
	case op.FollowPrecision:
		d := dtype.Float32T
		if x.allHalf(args) {
			d = dtype.Float16T
		}
		args = x.castArgs(args, d)
		if slices.Equal(args, call.Args) {
			return false
		}
		return x.put(b, &relax.Call{Base: call.Base, Op: call.Op, Args: args, Attrs: attrs, SInfoArgs: call.SInfoArgs})
	}
	return false
}

// policy is what is done with a call. A product of other types than float16 and float32 keeps its precision.
func (x *mixer) policy(o *op.Op, call *relax.Call) op.MixedPrecision {
	if o.Precision != op.HalfPrecision {
		return o.Precision
	}
	for i, a := range call.Args {
		if t, ok := x.sinfo(a).(*relax.TensorStructInfo); ok && i < 2 && !isMixed(t.DType) {
			return op.KeepPrecision
		}
	}
	return op.HalfPrecision
}

// castArgs casts the tensors among arguments.
func (x *mixer) castArgs(args []relax.Expr, d dtype.DType) []relax.Expr {
	return ir.MapSame(args, func(e relax.Expr) relax.Expr {
		s := x.sinfo(e)
		return x.cast(e, s, withType(s, d))
	})
}

// allHalf reports whether all tensors among operands are of float16, or are constants that can be.
func (x *mixer) allHalf(args []relax.Expr) bool {
	for _, a := range args {
		s := x.sinfo(a)
		if t, ok := s.(*relax.TensorStructInfo); ok && t.DType == dtype.Float16T || !holdsTensors(s) {
			continue
		}
		switch a := a.(type) {
		case *relax.Constant:
			if !fitsHalf(a.Data) {
				return false
			}
		case *relax.Tuple:
			if !x.allHalf(a.Fields) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// holdsTensors reports whether s is a tensor or a tuple of such only.
func holdsTensors(s relax.StructInfo) bool {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		return true
	case *relax.TupleStructInfo:
		return !slices.ContainsFunc(s.Fields, func(f relax.StructInfo) bool { return !holdsTensors(f) })
	}
	return false
}
