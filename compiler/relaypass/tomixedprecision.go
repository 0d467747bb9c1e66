package relaypass

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

const (
	mixedRule       = "compute in mixed precision"
	keepOutputDType = "relay.ToMixedPrecision.keep_orig_output_dtype"
)

// ToMixedPrecision computes products and convolutions, and what follows them, in another floating-point type.
var ToMixedPrecision = &pass.Pass{
	Name: "relay.ToMixedPrecision", Kind: pass.Function,
	Doc: "Gives products and convolutions operands of mixed_precision_type. Operators that are safe in it follow where their operands are in it, or are parameters, lets and constants; others keep the type that they have, as do functions that the module calls.",
	Options: []pass.Option{
		{Name: "mixed_precision_type", Default: "float16", Choices: []ir.Value{"float16", "bfloat16", "float32", "float64"}, Doc: "the type to compute in"},
		{Name: "missing_op_mode", Default: 1, Choices: []ir.Value{0, 1, 2}, Doc: "what is done where an operator has no category, and so follows its operands: 0 is an error, 1 warns, 2 says nothing"},
	},
	Config: []string{keepOutputDType},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		to, err := dtype.Parse(c.Arg("mixed_precision_type").(string))
		if err != nil {
			return nil, err
		}
		called := map[string]bool{}
		for _, fn := range m.Funcs() {
			if f, ok := fn.(*relax.Function); ok {
				ir.Walk(f.Body, func(n ir.Node) bool {
					if gv, ok := n.(*ir.GlobalVar); ok {
						called[gv.Name] = true
					}
					return true
				})
			}
		}
		return pass.EachRelax(func(c *pass.Context, gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			x := &mixed{c: c, m: op.NewExprMutator(c.Step().Input), to: to, keep: called[gv.Name] || c.ConfigBool(keepOutputDType), missing: map[string]bool{}}
			return x.function(gv.Name, f)
		})(c, m)
	},
}

// mixed rewrites a function forward, as MixedPrecisionPass of TVM's to_mixed_precision.cc does. Each value is in the type that its operator computes it in; what
// is not rewritten, and what leaves a branch or a local function, takes it in the type that it had. Unlike there, an operator that stays
// does so in its own type, which is float32 there whatever it was, and a constant that the type does not hold is not cast.
type mixed struct {
	c       *pass.Context
	m       *relax.ExprMutator
	to      dtype.DType
	keep    bool // the result has the type that it had
	scope   *mixedScope
	open    bool // in a block
	depth   int  // of branches and local functions
	missing map[string]bool
}

// mixedScope is a block: what its values are in other types.
type mixedScope struct {
	outer *mixedScope
	casts map[mixedCast]relax.Expr
}

type mixedCast struct {
	of relax.Expr
	to dtype.DType
}

func (x *mixed) function(name string, f *relax.Function) (*relax.Function, error) {
	x.m.Rewrote = func(b relax.Binding, list []relax.Binding) {
		after := make([]ir.Node, len(list))
		for i, n := range list {
			after[i] = n
		}
		x.c.RewriteAll(mixedRule, []ir.Node{b}, after)
	}
	x.m.Block = func(b *relax.BindingBlock) {
		x.scope = &mixedScope{x.scope, map[mixedCast]relax.Expr{}}
		x.open = true
		x.m.VisitBlock(b)
		x.scope, x.open = x.scope.outer, false
	}
	x.m.Binding = func(b relax.Binding) {
		if vb, ok := b.(*relax.VarBinding); !ok || !x.binding(vb) {
			x.m.VisitBinding(b)
		}
	}
	x.m.Expr = func(e relax.Expr) relax.Expr {
		switch v := e.(type) {
		case *relax.Var:
			now := x.m.Lookup(v)
			if x.depth == 0 && !x.open && !x.keep {
				return now
			}
			return x.castAs(now, x.sinfo(now), v.SInfo)
		case *relax.If:
			return x.inside(e)
		case *relax.Function:
			if v != f {
				return x.inside(e)
			}
		}
		return x.m.VisitExpr(e)
	}
	out, err := x.m.Function(f)
	if err == nil && out != f {
		ctx := x.m.Builder().Context()
		out = dropUnused(out, func(e relax.Expr) bool { return isPure(e, ctx) })
	}
	if err != nil || len(x.missing) == 0 {
		return out, err
	}
	names := strings.Join(slices.Sorted(maps.Keys(x.missing)), ", ")
	switch mode := x.c.Arg("missing_op_mode").(int64); {
	case mode == 0:
		return nil, fmt.Errorf("missing_op_mode is 0, and of these operators it is not known whether they are safe in %s: %s", x.to, names)
	case mode == 1:
		x.c.Report(ir.Diagnostic{Severity: ir.Warning, Func: name, Code: "uncategorized", Message: "operators that mixed precision has no category for follow their operands: " + names})
	}
	return out, nil
}

// inside visits branches or a local function.
func (x *mixed) inside(e relax.Expr) relax.Expr {
	open := x.open
	x.depth, x.open = x.depth+1, false
	out := x.m.VisitExpr(e)
	x.depth, x.open = x.depth-1, open
	return out
}

func (x *mixed) sinfo(e relax.Expr) relax.StructInfo { return x.m.Builder().Context().SInfoOf(e) }

// current is an operand in the type that it is computed in.
func (x *mixed) current(e relax.Expr) relax.Expr {
	switch e := e.(type) {
	case *relax.Var:
		return x.m.Lookup(e)
	case *relax.Tuple:
		if fields := ir.MapSame(e.Fields, x.current); !slices.Equal(fields, e.Fields) {
			return &relax.Tuple{Base: e.Base, Fields: fields}
		}
	}
	return e
}

// castAs casts a value of struct info from so that each floating-point tensor in it has the type that it has in to.
func (x *mixed) castAs(e relax.Expr, from, to relax.StructInfo) relax.Expr {
	switch from := from.(type) {
	case *relax.TensorStructInfo:
		if t, ok := to.(*relax.TensorStructInfo); ok && t.DType.IsFloat() {
			return x.cast(e, from, t.DType)
		}
	case *relax.TupleStructInfo:
		if t, ok := to.(*relax.TupleStructInfo); ok && len(t.Fields) == len(from.Fields) {
			return x.fields(e, from, func(f relax.Expr, i int) relax.Expr { return x.castAs(f, from.Fields[i], t.Fields[i]) })
		}
	}
	return e
}

// castTo casts all floating-point tensors of a value.
func (x *mixed) castTo(e relax.Expr, from relax.StructInfo, to dtype.DType) relax.Expr {
	switch from := from.(type) {
	case *relax.TensorStructInfo:
		return x.cast(e, from, to)
	case *relax.TupleStructInfo:
		return x.fields(e, from, func(f relax.Expr, i int) relax.Expr { return x.castTo(f, from.Fields[i], to) })
	}
	return e
}

// isLocal reports whether a value is known in its dataflow block alone.
func isLocal(e relax.Expr) bool {
	v, ok := e.(*relax.Var)
	return ok && v.Dataflow
}

// fields rewrites the fields of a tuple, and returns the tuple itself where none changes.
func (x *mixed) fields(e relax.Expr, info *relax.TupleStructInfo, f func(relax.Expr, int) relax.Expr) relax.Expr {
	literal, ok := e.(*relax.Tuple)
	visible := ok
	if v, isVar := e.(*relax.Var); isVar {
		literal, ok = x.m.Builder().LookupBinding(v).(*relax.Tuple)
		visible = ok && (v.Dataflow || !slices.ContainsFunc(literal.Fields, isLocal))
	}
	out, same := &relax.Tuple{Fields: make([]relax.Expr, len(info.Fields))}, true
	for i := range info.Fields {
		get := &relax.TupleGetItem{Tuple: e, Index: i}
		var field relax.Expr = get
		switch {
		case visible:
			field = literal.Fields[i]
		case ok:
			get.Base = x.computed(literal.Fields[i])
		}
		out.Fields[i] = f(field, i)
		same = same && out.Fields[i] == field
	}
	if same {
		return e
	}
	return out
}

// cast casts a floating-point tensor once in a block, and what was cast back to what it was cast from.
func (x *mixed) cast(e relax.Expr, from *relax.TensorStructInfo, to dtype.DType) relax.Expr {
	if !from.DType.IsFloat() || from.DType == to {
		return e
	}
	for s := x.scope; s != nil; s = s.outer {
		if out := s.casts[mixedCast{e, to}]; out != nil {
			return out
		}
	}
	c := op.AsType(e, to)
	if at := x.m.At(); at != nil {
		c.Base = at.BoundValue().Meta()
	}
	if c.Base.Origin == 0 { // a result is cast for what computed it
		c.Base = x.computed(e)
	}
	if !x.open { // behind the last block
		return c
	}
	out := x.m.Emit(c, "")
	x.scope.casts[mixedCast{e, to}] = out
	x.scope.casts[mixedCast{out, from.DType}] = e
	return out
}

// computed says where what computes a value comes from.
func (x *mixed) computed(e relax.Expr) ir.Base {
	switch e := e.(type) {
	case *relax.Var:
		if bound := x.m.Builder().LookupBinding(e); bound != nil {
			return bound.Meta()
		}
	case *relax.TupleGetItem:
		return e.Base
	}
	return ir.Base{}
}

// binding rewrites a binding; it returns false where the value takes its operands as they were.
func (x *mixed) binding(b *relax.VarBinding) bool {
	switch e := b.Value.(type) {
	case *relax.Call:
		if o, ok := e.Op.(*ir.Op); ok && o != nil {
			return x.call(b, e)
		}
	case *relax.Var, *relax.Tuple:
		x.m.EmitNormalized(x.m.WithValue(b, x.current(e)))
		return true
	case *relax.TupleGetItem:
		value := relax.Expr(e)
		if t := x.current(e.Tuple); t != e.Tuple {
			value = &relax.TupleGetItem{Base: e.Base, Tuple: t, Index: e.Index}
		}
		x.m.EmitNormalized(x.m.WithValue(b, value))
		return true
	}
	return false
}

// call rewrites the call of an operator by its category.
func (x *mixed) call(b *relax.VarBinding, call *relax.Call) bool {
	if len(call.SInfoArgs) > 0 {
		return false // a kernel takes what it was made for
	}
	if o := op.Of(call); o != nil && o.Impure {
		return false // what it does is done to its operands, as when it ends their lives
	}
	category, known := mixedCategoryOf(call)
	if !known {
		x.missing[relayName(call)] = true
	}
	args := ir.MapSame(call.Args, x.current)
	if isCall(call, "relax.astype") && call.Attrs.DType("dtype") == x.to {
		x.casted(b, call, args[0])
		return true
	}
	if category == mixedFollow {
		category = mixedAlways
		for i, a := range args {
			if !x.follows(call.Args[i], a) {
				category = mixedNever
			}
		}
	}
	if lo, hi, ok := mixedClip(call); category == mixedNever || ok && (lo < -mixedMost(x.to) || hi > mixedMost(x.to)) {
		return false
	}
	attrs := call.Attrs
	set := func(key string) {
		if d := attrs.DType(key); d != x.to && (d.IsVoid() || d.IsFloat()) {
			attrs = attrs.With(key, x.to)
		}
	}
	args = ir.MapSame(args, func(e relax.Expr) relax.Expr { return x.castTo(e, x.sinfo(e), x.to) })
	switch {
	case mixedAccumulates(call) && !x.integers(args):
		set("out_dtype")
	case mixedCreates(call):
		set("dtype")
	}
	if slices.Equal(args, call.Args) && attrs == call.Attrs {
		x.m.EmitNormalized(x.m.WithValue(b, call))
		return true
	}
	value := &relax.Call{Base: call.Base, Op: call.Op, Args: args, Attrs: attrs, SInfoArgs: call.SInfoArgs}
	if _, err := x.m.Builder().Normalize(value); err != nil {
		x.c.Declined(mixedRule, b, "the operator does not take such operands: "+err.Error())
		return false
	}
	x.m.EmitNormalized(x.m.WithValue(b, value))
	return true
}

// casted keeps a cast to the type, which is taken wherever its operand is wanted in it.
func (x *mixed) casted(b *relax.VarBinding, call *relax.Call, of relax.Expr) {
	if of != call.Args[0] {
		call = call.WithArgs([]relax.Expr{of})
	}
	x.m.EmitNormalized(x.m.WithValue(b, call))
	if x.scope != nil {
		x.scope.casts[mixedCast{of, x.to}] = x.m.Lookup(b.Var)
	}
}

// integers reports whether no operand is a floating-point tensor.
func (x *mixed) integers(args []relax.Expr) bool {
	for _, a := range args {
		if t, ok := x.sinfo(a).(*relax.TensorStructInfo); ok && t.DType.IsFloat() {
			return false
		}
	}
	return true
}

// follows reports whether an operand lets an operator follow: it is in the type, or it is a parameter, a let or a constant that can be cast.
func (x *mixed) follows(old, now relax.Expr) bool {
	switch old := old.(type) {
	case *relax.Var:
		if !old.Dataflow {
			return true
		}
	case *relax.Constant:
		return holdsAll(x.to, old.Data)
	}
	return x.inType(x.sinfo(now))
}

func (x *mixed) inType(s relax.StructInfo) bool {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		return !s.DType.IsFloat() || s.DType == x.to
	case *relax.TupleStructInfo:
		return !slices.ContainsFunc(s.Fields, func(f relax.StructInfo) bool { return !x.inType(f) })
	}
	return true
}

// mixedClip returns the bounds of a clip.
func mixedClip(call *relax.Call) (lo, hi float64, ok bool) {
	if !isCall(call, "relax.clip") {
		return 0, 0, false
	}
	return clipRange(call)
}

// mixedMost is the greatest finite number of a type.
func mixedMost(d dtype.DType) float64 {
	switch d {
	case dtype.Float16T:
		return 65504
	case dtype.BFloat16T:
		return math.Ldexp(255, 120)
	case dtype.Float32T:
		return math.MaxFloat32
	}
	return math.MaxFloat64
}

// holdsAll reports whether no number of a constant becomes infinite in a type.
func holdsAll(d dtype.DType, b *ir.Blob) bool {
	if !b.DType().IsFloat() || b.DType().Bits <= 16 {
		return true
	}
	data := b.Stored()
	n := len(data) / b.DType().Bytes()
	t := &tensor.Tensor{DType: b.DType(), Shape: []int64{int64(n)}, Data: data}
	for i := range n {
		if v := math.Abs(t.Float(i)); v > mixedMost(d) && !math.IsInf(v, 1) {
			return false
		}
	}
	return true
}
