package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// ConvertLayout brings convolutions into other layouts, and what comes after them along.
var ConvertLayout = &pass.Pass{
	Name: "ConvertLayout", Kind: pass.Function,
	Doc: "Brings the operators of desired_layouts, in dataflow blocks, into the layouts that are asked for, by permute_dims or, where a layout splits an axis, by layout_transform. Other operators take what they are given, as far as they can, so that layouts change as seldom as possible; what leaves a dataflow block is in its old layout.",
	Options: []pass.Option{
		{Name: "desired_layouts", Default: &ir.Attrs{}, Doc: `layouts by the name of the operator: of data, weights and, if it is another than that of the data, result, e.g. {"relax.nn.conv2d": ["NHWC", "OHWI"]}`},
	},
	Run: pass.EachRelax(BeforeInplace(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		desired, err := desiredLayouts(c.Arg("desired_layouts").(*ir.Attrs))
		if err != nil {
			return nil, err
		}
		return convertLayout(c, f, nil, func(call *relax.Call) ([]tensorlayout.Layout, error) {
			return desired[op.Of(call).Name], nil
		})
	})),
}

// ConvertLayoutBy is ConvertLayout with a function that says the layouts for each call of an operator, as the option layout_cb of TVM's
// pass does: by the name of the operator, nil for no wish. Layouts for other operators than the one called do not matter.
func ConvertLayoutBy(layouts func(call *relax.Call) map[string][]string) *pass.Pass {
	p := *ConvertLayout
	p.Options = nil
	p.Run = pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		return convertLayout(c, f, nil, func(call *relax.Call) ([]tensorlayout.Layout, error) {
			name := op.Of(call).Name
			list, ok := layouts(call)[name]
			if !ok {
				return nil, nil
			}
			return op.DesiredLayouts(name, list)
		})
	})
	return &p
}

// desiredLayouts reads the option.
func desiredLayouts(arg *ir.Attrs) (map[string][]tensorlayout.Layout, error) {
	out := map[string][]tensorlayout.Layout{}
	for i := range arg.Len() {
		name, v := arg.At(i)
		values, ok := v.([]ir.Value)
		names := make([]string, len(values))
		for j, x := range values {
			s, isString := x.(string)
			names[j], ok = s, ok && isString
		}
		if !ok {
			return nil, fmt.Errorf(`desired_layouts: the value of %s is %v, want a list of layouts such as ["NHWC", "OHWI"]`, name, v)
		}
		list, err := op.DesiredLayouts(name, names)
		if err != nil {
			return nil, fmt.Errorf("desired_layouts: %w", err)
		}
		out[name] = list
	}
	return out, nil
}

// layoutConverter walks a function forward. Each variable of a dataflow block may get another layout than in the module, as its value comes;
// where it is used, it is brought into the layout that is wanted there.
//
// The rules of operators say what is wanted (op.InferLayout). What has no rule, and all outside of dataflow blocks, wants the layouts of the
// module. The work is linear in the bindings.
type layoutConverter struct {
	c       *pass.Context
	m       *relax.ExprMutator
	desired func(*relax.Call) ([]tensorlayout.Layout, error)
	blocks  bool                               // as in op.LayoutContext
	ahead   map[*relax.Var]tensorlayout.Layout // what is brought into a layout before anything reads it
	// layouts are those of the variables that are not in the layout of the module.
	layouts map[*relax.Var]op.NLayout
	local   bool   // in a dataflow block
	rule    string // what is done with the binding at hand
}

// convertLayout brings the calls of a function into the layouts that desired wants for them. ahead are values that are brought into layouts of blocks before anything reads them; nil leaves blocks
// out, as in op.LayoutContext.
func convertLayout(c *pass.Context, f *relax.Function, ahead map[*relax.Var]tensorlayout.Layout, desired func(*relax.Call) ([]tensorlayout.Layout, error)) (*relax.Function, error) {
	l := &layoutConverter{c: c, m: op.NewExprMutator(c.Step().Input), desired: desired, blocks: ahead != nil, ahead: ahead, layouts: map[*relax.Var]op.NLayout{}}
	if c.Observed() {
		l.m.Rewrote = func(b relax.Binding, list []relax.Binding) { c.RewriteAll(l.rule, []ir.Node{b}, nodesOf(list)) }
	}
	l.m.Block = func(b *relax.BindingBlock) {
		l.local = b.Dataflow
		l.m.VisitBlock(b)
		l.local = false
	}
	l.m.Expr = func(e relax.Expr) relax.Expr {
		v, ok := e.(*relax.Var)
		if !ok {
			return l.m.VisitExpr(e)
		}
		if from, moved := l.layouts[v]; moved {
			return l.convert(l.m.Lookup(v), from, op.InitialLayout(v.SInfo))
		}
		return l.m.VisitExpr(e)
	}
	l.m.Binding = l.binding
	return l.m.Function(f)
}

// binding rewrites a binding.
func (l *layoutConverter) binding(b relax.Binding) {
	l.rule = "bring into the layout of the module"
	if l.local {
		var done bool
		switch value := b.BoundValue().(type) {
		case *relax.Call:
			done = l.call(b, value)
		case *relax.Tuple:
			done = l.moved(b, value, func() relax.Expr { return l.now(value) })
		case *relax.TupleGetItem:
			done = l.moved(b, value, func() relax.Expr {
				return &relax.TupleGetItem{Base: value.Base, Tuple: l.now(value.Tuple), Index: value.Index}
			})
		}
		if mc, ok := b.(*relax.MatchCast); ok {
			done = l.matchCast(mc)
		}
		if done {
			return
		}
	}
	l.m.VisitBinding(b)
}

// layoutOf returns the layout of an expression as it is now.
func (l *layoutConverter) layoutOf(e relax.Expr) op.NLayout {
	switch e := e.(type) {
	case *relax.Var:
		if n, ok := l.layouts[e]; ok {
			return n
		}
	case *relax.Tuple:
		out := op.NLayout{Known: true, Fields: make([]op.NLayout, len(e.Fields))}
		for i, f := range e.Fields {
			out.Fields[i] = l.layoutOf(f)
		}
		return out
	case *relax.TupleGetItem:
		if t := l.layoutOf(e.Tuple); e.Index < len(t.Fields) {
			return t.Fields[e.Index]
		}
	}
	if s := l.m.Builder().Context().SInfoOf(e); s != nil {
		return op.InitialLayout(s)
	}
	return op.NLayout{}
}

// now returns what stands for an operand, in the layout that it is in.
func (l *layoutConverter) now(e relax.Expr) relax.Expr {
	switch e := e.(type) {
	case *relax.Var:
		return l.m.Lookup(e)
	case *relax.Tuple:
		fields := ir.MapSame(e.Fields, l.now)
		for i, f := range fields {
			if f != e.Fields[i] {
				return &relax.Tuple{Base: e.Base, Fields: fields}
			}
		}
		return e
	}
	return l.m.VisitExpr(e)
}

// moved binds a variable of the block to a value whose operands are in other layouts than in the module. It returns false where none is.
func (l *layoutConverter) moved(b relax.Binding, value relax.Expr, renew func() relax.Expr) bool {
	layout := l.layoutOf(value)
	if !b.Bound().Dataflow || layout.Equal(op.InitialLayout(b.Bound().SInfo)) {
		return false
	}
	l.rule = "follow a layout"
	l.m.EmitNormalized(l.m.WithValue(b, renew()))
	l.layouts[b.Bound()] = layout
	return true
}

// call rewrites a call of an operator that has a rule. It returns false where the call takes what it took.
func (l *layoutConverter) call(b relax.Binding, call *relax.Call) bool {
	o := op.Of(call)
	if o == nil || o.Layout == nil {
		return false
	}
	desired, err := l.desired(call)
	if err != nil {
		l.m.Fail(err)
		return true
	}
	l.rule = "follow a layout"
	if desired != nil {
		l.rule = "bring into the desired layout"
	}
	l.early(call)
	layouts := make([]op.NLayout, len(call.Args))
	for i, a := range call.Args {
		layouts[i] = l.layoutOf(a)
	}
	d, err := op.InferLayout(call, l.m.Builder().Context(), desired, l.blocks, layouts)
	if err != nil {
		l.m.Fail(err)
		return true
	}
	if d == nil {
		l.c.Declined(l.rule, b, "an axis would be split that its extent is not known to be a multiple for, or a rank is not known")
		l.rule = "bring into the layout of the module"
		return false
	}
	if desired != nil && !d.Attrs.Has("data_layout") && !d.Attrs.Has("layout") {
		l.c.Declined(l.rule, b, "it is in that layout, or does not fit into it: the parts of an axis must divide its extent, which must be known")
	}
	old := op.InitialLayout(b.Bound().SInfo)
	if !b.Bound().Dataflow && !old.Known {
		return false
	}
	next := l.renewed(call, layouts, d)
	switch {
	case next == call && d.Result.Equal(old):
		l.reinfer(b, call)
		return true
	case b.Bound().Dataflow:
		l.m.EmitNormalized(l.m.WithValue(b, next))
		if !d.Result.Equal(old) {
			l.layouts[b.Bound()] = d.Result
		}
	case d.Result.Equal(old):
		l.m.EmitNormalized(l.m.WithValue(b, next))
	default:
		v := l.m.Emit(next, "")
		l.m.EmitNormalized(l.m.WithValue(b, l.convert(v, d.Result, old)))
	}
	return true
}

// reinfer emits a binding whose call stays as it is. A variable of which the text says less than its value does is known better then, as in
// TVM.
func (l *layoutConverter) reinfer(b relax.Binding, call *relax.Call) {
	if t, ok := b.Bound().SInfo.(*relax.TensorStructInfo); ok && t.Shape == nil {
		fresh := *call
		fresh.SInfo = nil
		if out := l.m.WithValue(b, &fresh); !relax.EqualSInfo(out.Bound().SInfo, t) {
			l.rule = "infer the struct info again"
			l.m.EmitNormalized(out)
			return
		}
	}
	l.m.VisitBinding(b)
}

// renewed returns the call with its arguments in the layouts that were decided, call itself if nothing differs.
func (l *layoutConverter) renewed(call *relax.Call, layouts []op.NLayout, d *op.LayoutDecision) *relax.Call {
	args := make([]relax.Expr, len(call.Args))
	same := d.Attrs == call.Attrs
	for i, a := range call.Args {
		switch {
		case d.NewArgs[i] != nil:
			args[i] = d.NewArgs[i]
			if ir.StructuralEqual(args[i], a, ir.EqualOpts{}) {
				args[i] = a
			}
		case i < len(d.Args):
			args[i] = l.converted(a, d.Args[i])
		default:
			args[i] = l.m.VisitExpr(a)
		}
		same = same && args[i] == a
	}
	if same {
		return call
	}
	return &relax.Call{Base: call.Base, Op: call.Op, Args: args, Attrs: d.Attrs, SInfoArgs: call.SInfoArgs}
}

// converted returns an operand in layout to.
func (l *layoutConverter) converted(e relax.Expr, to op.NLayout) relax.Expr {
	if t, ok := e.(*relax.Tuple); ok && len(to.Fields) == len(t.Fields) {
		fields := make([]relax.Expr, len(t.Fields))
		same := true
		for i, f := range t.Fields {
			fields[i] = l.converted(f, to.Fields[i])
			same = same && fields[i] == f
		}
		if same {
			return t
		}
		return &relax.Tuple{Base: t.Base, Fields: fields}
	}
	return l.convert(l.now(e), l.layoutOf(e), to)
}

// convert returns e, which is in layout from, in layout to.
func (l *layoutConverter) convert(e relax.Expr, from, to op.NLayout) relax.Expr {
	if !from.Known || !to.Known || from.Equal(to) {
		return e
	}
	if from.Fields != nil {
		out := &relax.Tuple{Fields: make([]relax.Expr, len(from.Fields))}
		for i := range from.Fields {
			out.Fields[i] = l.convert(&relax.TupleGetItem{Tuple: e, Index: i}, from.Fields[i], to.Fields[i])
		}
		return out
	}
	if axes := permutation(from.Tensor, to.Tensor); axes != nil {
		return op.PermuteDims(e, axes...)
	}
	m, err := tensorlayout.IndexMap(from.Tensor, to.Tensor)
	if err != nil {
		l.m.Fail(err)
		return e
	}
	return op.LayoutTransform(e, m)
}

// permutation returns the axes by which permute_dims makes layout to of layout from, nil if it does not.
func permutation(from, to tensorlayout.Layout) []int64 {
	if len(from) != len(to) {
		return nil
	}
	out := make([]int64, len(to))
	used := make([]bool, len(from))
	for i, a := range to {
		found := false
		for j, b := range from {
			if a == b && !used[j] {
				out[i], used[j], found = int64(j), true, true
				break
			}
		}
		if !found {
			return nil
		}
	}
	return out
}

// matchCast rewrites a match_cast of a value that is in another layout, whose shape is then asked for in that. It returns false where the
// value is brought into the layout of the module instead.
func (l *layoutConverter) matchCast(b *relax.MatchCast) bool {
	now := l.layoutOf(b.Value)
	if !b.Var.Dataflow || now.Equal(op.InitialLayout(b.SInfo)) {
		return false
	}
	info, ok := permutedSInfo(b.SInfo, now)
	if !ok {
		return false
	}
	l.rule = "follow a layout"
	v := b.Var.WithSInfo(info)
	l.m.EmitNormalized(&relax.MatchCast{Base: b.Base, Var: v, Value: l.now(b.Value), SInfo: info})
	l.m.Remap(b.Var, v)
	l.layouts[b.Var] = now
	return true
}

// permutedSInfo returns the struct info of what is s in the layout of the module and is in layout l; ok is false if its extents are not known
// or an axis is split.
func permutedSInfo(s relax.StructInfo, l op.NLayout) (out relax.StructInfo, ok bool) {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		if l.Equal(op.InitialLayout(s)) {
			return s, true
		}
		d, known := s.Dims()
		if !known || l.Tensor.Blocked() || len(d) != len(l.Tensor) {
			return nil, false
		}
		values := make([]tir.Expr, len(d))
		for i, a := range l.Tensor {
			values[i] = d[a.Letter-'A']
		}
		return &relax.TensorStructInfo{Base: s.Base, Shape: &relax.ShapeExpr{Values: values}, DType: s.DType, NDim: s.NDim, VDevice: s.VDevice}, true
	case *relax.TupleStructInfo:
		if len(l.Fields) != len(s.Fields) {
			return nil, false
		}
		fields := make([]relax.StructInfo, len(s.Fields))
		for i, f := range s.Fields {
			if fields[i], ok = permutedSInfo(f, l.Fields[i]); !ok {
				return nil, false
			}
		}
		return &relax.TupleStructInfo{Base: s.Base, Fields: fields}, true
	}
	return s, !l.Known
}
