package op

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// Table is the operator table as package relax sees it: pass it to relax.NewBlockBuilder.
func Table() relax.OpTable { return table{} }

type table struct{}

// VerifyOpts returns how Relax functions are verified wherever all is to be right: the struct
// info of each call is inferred anew and compared, dimensions by value.
func VerifyOpts() relax.VerifyOpts {
	return relax.VerifyOpts{Ops: Table(), Prover: arith.NewAnalyzer(), SInfo: true}
}

// InferCall returns the struct info of a call of an operator.
func (table) InferCall(call *relax.Call, ctx *relax.InferContext) (relax.StructInfo, error) {
	c, err := newContext(call, ctx)
	if err != nil {
		return nil, err
	}
	out, err := c.Op.Infer(call, c)
	if err != nil {
		return nil, err
	}
	return c.distributed(out), c.checkSize(out)
}

// MaxExtentNodes bounds the expression of an extent. A product of 64 sizes exceeds 64 bits unless
// they are 0 or 1; without a bound, operators that multiply extents double the expression with
// each call.
const MaxExtentNodes = 1024

// checkExtents refuses extents that are too large to work with.
func (c *InferContext) checkExtents(shape relax.Expr) error {
	s, ok := shape.(*relax.ShapeExpr)
	if !ok {
		return nil
	}
	for i, e := range s.Values {
		if arith.LargerThan(e, MaxExtentNodes) {
			return c.callErr(fmt.Sprintf("an extent at axis %d that is an expression of more than %d terms", i, MaxExtentNodes/2), "extents that can be computed: give the inputs fixed shapes, or name the extent with R.match_cast")
		}
	}
	return nil
}

// checkSize refuses results with more elements than a tensor may have, and extents that are too
// large as expressions.
func (c *InferContext) checkSize(s relax.StructInfo) error {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		if err := c.checkExtents(s.Shape); err != nil {
			return err
		}
		if d, ok := s.StaticDims(); ok {
			if _, err := ir.CheckedElements(d); err != nil {
				return c.callErr(describe(s), "a result of at most %d elements and no negative extent", int64(ir.MaxElements))
			}
		}
	case *relax.ShapeStructInfo:
		return c.checkExtents(&relax.ShapeExpr{Values: s.Values})
	case *relax.TupleStructInfo:
		for _, f := range s.Fields {
			if err := c.checkSize(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// NormalizeCall brings a call into the operator's normal form.
func (table) NormalizeCall(call *relax.Call, ctx *relax.InferContext) (*relax.Call, error) {
	ref, ok := call.Op.(*ir.Op)
	if !ok {
		return call, nil
	}
	o := byName()[ref.Name]
	if o == nil || o.Normalize == nil {
		return call, nil
	}
	c, err := newContext(call, ctx)
	if err != nil {
		return nil, err
	}
	return o.Normalize(call, c)
}

// Purity reports whether the operator has no side effects, and whether it is in the table.
func (table) Purity(ref *ir.Op) (pure, known bool) {
	o := OfRef(ref)
	return o != nil && !o.Impure, o != nil
}

func newContext(call *relax.Call, ctx *relax.InferContext) (*InferContext, error) {
	ref, ok := call.Op.(*ir.Op)
	if !ok {
		return nil, fmt.Errorf("struct info of a call of a %T cannot be inferred from the operator table", call.Op)
	}
	o := OfRef(ref)
	if o == nil {
		return nil, unknownOp(ref.Name)
	}
	if ctx == nil {
		ctx = &relax.InferContext{}
	}
	c := &InferContext{InferContext: ctx, Op: o, call: call}
	if err := c.checkCount(); err != nil {
		return nil, err
	}
	return c, o.checkAttrs(call.Attrs)
}

func unknownOp(name string) error {
	msg := fmt.Sprintf("unknown operator %q", name)
	if near := nearest.Name(name, slices.Values(Names())); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("%s", msg)
}

func (c *InferContext) checkCount() error {
	n, lo, hi := len(c.call.Args), c.Op.minArgs(), c.Op.maxArgs()
	if n >= lo && (hi < 0 || n <= hi) {
		return nil
	}
	want := strconv.Itoa(lo)
	switch {
	case hi < 0:
		want += " or more"
	case hi > lo:
		want += " to " + strconv.Itoa(hi)
	}
	names := make([]string, len(c.Op.Args))
	for i, a := range c.Op.Args {
		names[i] = a.Name
	}
	return c.callErr(strconv.Itoa(n), "%s arguments (%s)", want, strings.Join(names, ", "))
}

// checkAttrs reports unknown attributes, missing ones and those of a wrong type.
func (o *Op) checkAttrs(attrs *ir.Attrs) error {
	for i := range attrs.Len() {
		name, v := attrs.At(i)
		a := o.Attr(name)
		if a == nil {
			return &Error{Op: o.Name, Arg: "attribute " + name, Want: o.attrNames(), Got: "an attribute that it does not have"}
		}
		if !a.accepts(v) {
			want := a.Type.String()
			if len(a.Enum) > 0 {
				want = "one of " + strings.Join(a.Enum, ", ")
			}
			return &Error{Op: o.Name, Arg: "attribute " + name, Want: want, Got: formatValue(v)}
		}
	}
	for i := range o.Attrs {
		if a := &o.Attrs[i]; a.Required && !attrs.Has(a.Name) {
			return &Error{Op: o.Name, Arg: "attribute " + a.Name, Want: a.Type.String(), Got: "nothing"}
		}
	}
	return nil
}

func (o *Op) attrNames() string {
	if len(o.Attrs) == 0 {
		return "no attributes"
	}
	names := make([]string, len(o.Attrs))
	for i, a := range o.Attrs {
		names[i] = a.Name
	}
	return "one of " + strings.Join(names, ", ")
}

// accepts reports whether v is a value of the attribute.
func (a *Attr) accepts(v ir.Value) bool {
	if v == nil {
		return !a.Required && a.Type.optional()
	}
	switch a.Type {
	case IntAttr, OptIntAttr:
		_, ok := v.(int64)
		return ok
	case FloatAttr, OptFloatAttr:
		switch v.(type) {
		case float64, int64:
			return true
		}
		return false
	case BoolAttr:
		switch v.(type) {
		case bool, int64:
			return true
		}
		return false
	case StringAttr, OptStringAttr:
		s, ok := v.(string)
		return ok && (len(a.Enum) == 0 || slices.Contains(a.Enum, s))
	case IntsAttr, OptIntsAttr:
		return isList(v, func(x ir.Value) bool { _, ok := x.(int64); return ok })
	case FloatsAttr:
		return isList(v, func(x ir.Value) bool { _, ok := x.(float64); return ok })
	case DTypeAttr:
		_, ok := v.(dtype.DType)
		return ok
	case NodeAttr:
		_, ok := v.(ir.Node)
		return ok
	case DictAttr:
		return isAttrs(v)
	case IntOrIntsAttr:
		if _, ok := v.(int64); ok {
			return true
		}
		return isList(v, func(x ir.Value) bool { _, ok := x.(int64); return ok })
	}
	return false
}

func (t AttrType) optional() bool {
	switch t {
	case OptIntAttr, OptFloatAttr, OptStringAttr, OptIntsAttr, NodeAttr, DictAttr:
		return true
	}
	return false
}

func isList(v ir.Value, ok func(ir.Value) bool) bool {
	list, isList := v.([]ir.Value)
	if !isList {
		return false
	}
	for _, x := range list {
		if !ok(x) {
			return false
		}
	}
	return true
}

func formatValue(v ir.Value) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case string:
		return strconv.Quote(v)
	case []ir.Value:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = formatValue(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case ir.Node:
		return fmt.Sprintf("a %T", v)
	}
	return fmt.Sprint(v)
}

// isAttrs reports whether v is a dictionary of attributes.
func isAttrs(v ir.Value) bool { _, ok := v.(*ir.Attrs); return ok || v == nil }
