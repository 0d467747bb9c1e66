package op

import (
	"reflect"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// NLayout says in which layout a value is: a tensor in one of the axes A, B, C, ..., which are those that the tensor has in the module that a
// pass was given, in their order; a tuple in those of its fields. It is TVM's NLayout.
type NLayout struct {
	// Tensor is the layout of a tensor whose rank is known.
	Tensor tensorlayout.Layout
	// Fields are those of a tuple.
	Fields []NLayout
	// Known is false for tensors of unknown rank and for what is neither tensor nor tuple.
	Known bool
}

// Leaf returns the layout of a tensor.
func Leaf(l tensorlayout.Layout) NLayout { return NLayout{Tensor: l, Known: true} }

// InitialLayout returns the layout that a value of struct info s has in the module.
func InitialLayout(s relax.StructInfo) NLayout {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		if s.NDim >= 0 && s.NDim <= tensorlayout.MaxRank {
			return Leaf(tensorlayout.Initial(s.NDim))
		}
	case *relax.TupleStructInfo:
		out := NLayout{Known: true, Fields: make([]NLayout, len(s.Fields))}
		for i, f := range s.Fields {
			out.Fields[i] = InitialLayout(f)
		}
		return out
	}
	return NLayout{}
}

// Equal reports whether two layouts are the same.
func (l NLayout) Equal(m NLayout) bool {
	if l.Known != m.Known || len(l.Fields) != len(m.Fields) || !l.Tensor.Equal(m.Tensor) {
		return false
	}
	for i := range l.Fields {
		if !l.Fields[i].Equal(m.Fields[i]) {
			return false
		}
	}
	return true
}

// InferLayoutFunc decides in which layouts a call takes its arguments, by those that they are in, and what becomes of its attributes then. It
// returns nil where the call stays as it is and takes what it took. It is TVM's FRelaxInferLayout.
type InferLayoutFunc func(c *LayoutContext) *LayoutDecision

// LayoutDecision is what an InferLayoutFunc decides.
type LayoutDecision struct {
	// Args are the layouts that the first arguments are brought into; the others stay as they are.
	Args []NLayout
	// Result is the layout of the result.
	Result NLayout
	// Attrs are the attributes of the new call.
	Attrs *ir.Attrs
	// NewArgs take the place of arguments that are no tensors, by their index.
	NewArgs map[int]relax.Expr
}

// LayoutContext is what an InferLayoutFunc may ask: of the call as it is in the module, all that an inference rule may, and in which layouts
// its arguments are.
type LayoutContext struct {
	*InferContext
	// Desired are the layouts that the user asks for, nil if there are none for this operator.
	Desired []tensorlayout.Layout
	// Blocks is whether a rule follows a layout that splits channels also where TVM's does not.
	Blocks bool
	args   []NLayout
}

// InferLayout decides the layouts of a call of an operator whose arguments are in layouts args. It returns nil where the call stays as it is:
// also where an argument or the result would not fit into a layout that splits an axis, as far as is known.
func InferLayout(call *relax.Call, ctx *relax.InferContext, desired []tensorlayout.Layout, blocks bool, args []NLayout) (*LayoutDecision, error) {
	ic, err := newContext(call, ctx)
	if err != nil {
		return nil, err
	}
	if ic.Op.Layout == nil {
		return nil, nil
	}
	for i, a := range args {
		if isNestedTensor(ic.SInfo(i)) && !a.isKnown() {
			return nil, nil
		}
	}
	result, err := ic.Op.Infer(call, ic)
	if err != nil {
		return nil, err
	}
	d := ic.Op.Layout(&LayoutContext{InferContext: ic, Desired: desired, Blocks: blocks, args: args})
	if d == nil || !ic.fits(result, d.Result) {
		return nil, nil
	}
	for i, l := range d.Args {
		if !ic.fits(ic.SInfo(i), l) {
			return nil, nil
		}
	}
	return d, nil
}

// isNestedTensor reports whether s is a tensor or a tuple of such.
func isNestedTensor(s relax.StructInfo) bool {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		return true
	case *relax.TupleStructInfo:
		for _, f := range s.Fields {
			if !isNestedTensor(f) {
				return false
			}
		}
		return true
	}
	return false
}

// isKnown reports whether the rank of all tensors is known.
func (l NLayout) isKnown() bool {
	for _, f := range l.Fields {
		if !f.isKnown() {
			return false
		}
	}
	return l.Known
}

// fits reports whether a value of struct info s, as it is in the module, is known to fit into a layout.
func (c *InferContext) fits(s relax.StructInfo, l NLayout) bool {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		if !l.Known || !l.Tensor.Blocked() {
			return true
		}
		d, ok := c.dimsOf(s)
		return ok && tensorlayout.Fits(tensorlayout.Initial(len(d)), l.Tensor, d)
	case *relax.TupleStructInfo:
		for i, f := range s.Fields {
			if i < len(l.Fields) && !c.fits(f, l.Fields[i]) {
				return false
			}
		}
	}
	return true
}

// layoutOf returns the layout of argument i, a tensor.
func (c *LayoutContext) layoutOf(i int) tensorlayout.Layout { return c.args[i].Tensor }

// plain returns the layout of argument i, that of the module if it splits an axis.
func (c *LayoutContext) plain(i int) tensorlayout.Layout {
	if l := c.layoutOf(i); !l.Blocked() {
		return l
	}
	return c.initial(i)
}

// initial returns the layout of argument i, a tensor, in the module.
func (c *LayoutContext) initial(i int) tensorlayout.Layout { return InitialLayout(c.SInfo(i)).Tensor }

// canTake reports whether argument i is known to fit into l, which may split axes.
func (c *LayoutContext) canTake(i int, l tensorlayout.Layout) bool {
	return len(c.initial(i)) == l.Rank() && c.fits(c.SInfo(i), Leaf(l))
}

// dims returns the extents of argument i.
func (c *LayoutContext) dims(i int) ([]tir.Expr, bool) {
	t, err := c.Tensor(i)
	if err != nil {
		return nil, false
	}
	return c.dimsOf(t)
}

// at returns where the axis with that number in the module stands in l.
func at(l tensorlayout.Layout, axis int64) int64 {
	n := int64(l.Rank())
	return int64(l.Pos(byte('A' + (axis%n+n)%n)))
}

// allAt is at for a list of axes.
func allAt(l tensorlayout.Layout, axes []int64) []int64 {
	out := make([]int64, len(axes))
	for i, a := range axes {
		out[i] = at(l, a)
	}
	return out
}

// with returns the attributes of the call with a value of one.
func (c *LayoutContext) with(name string, v any) *ir.Attrs { return c.set(c.call.Attrs, name, v) }

// set returns attrs, those of the call, with a value of one, attrs itself where the call has it already.
func (c *LayoutContext) set(attrs *ir.Attrs, name string, v any) *ir.Attrs {
	if reflect.DeepEqual(c.attr(name), ir.Normalize(v)) {
		return attrs
	}
	return attrs.With(name, v)
}

// decide returns a decision: the layouts of the first arguments, which are tensors, and that of the result, a tensor.
func decide(attrs *ir.Attrs, result tensorlayout.Layout, args ...tensorlayout.Layout) *LayoutDecision {
	d := &LayoutDecision{Attrs: attrs, Result: Leaf(result)}
	for _, a := range args {
		d.Args = append(d.Args, Leaf(a))
	}
	return d
}
