package parse

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
)

// normalize brings a value into normal form and returns its struct info: the annotation
// where there is one, which must not contradict what is inferred.
func (b *builder) normalize(e relax.Expr, at *syntax.Node, ann relax.StructInfo) (relax.Expr, relax.StructInfo) {
	bb := b.blockBuilder()
	value, err := bb.Normalize(e)
	if err != nil {
		if c, ok := e.(*relax.Call); ok && ann != nil {
			return b.asAnnotated(c, ann, at), ann
		}
		b.fail(at, "", "%s", opMessage(err))
	}
	info := bb.Context().SInfoOf(value)
	if ann == nil {
		if info == nil {
			b.fail(at, "annotate the variable with its struct info", "the struct info of this value is not known")
		}
		return value, info
	}
	if _, call := value.(*relax.Call); !call && info != nil && bb.Context().IsBaseOf(ann, info) == relax.False && bb.Context().IsBaseOf(info, ann) == relax.False {
		b.fail(at, "remove the annotation or correct it", "the annotation says %s, but the value is %s", relax.FormatSInfo(ann), relax.FormatSInfo(info))
	}
	switch x := value.(type) {
	case *relax.Call:
		x.SInfo = ann
	case *relax.TupleGetItem:
		x.SInfo = ann
	case *relax.If:
		x.SInfo = ann
	}
	return value, ann
}

// asAnnotated brings the arguments of a call of which nothing can be inferred into normal
// form.
func (b *builder) asAnnotated(c *relax.Call, ann relax.StructInfo, at *syntax.Node) *relax.Call {
	out := *c
	out.Args = append([]relax.Expr{}, c.Args...)
	for i, a := range out.Args {
		x, err := b.leaf(a)
		if err != nil {
			b.fail(at, "", "%s", opMessage(err))
		}
		out.Args[i] = x
	}
	out.SInfo = ann
	return &out
}

// leaf returns an argument in normal form, binding what is nested.
func (b *builder) leaf(e relax.Expr) (relax.Expr, error) {
	switch x := e.(type) {
	case *relax.Call, *relax.TupleGetItem, *relax.If, *relax.Function, *relax.SeqExpr:
		return b.blockBuilder().Emit(e, "")
	case *relax.Tuple:
		for i, f := range x.Fields {
			y, err := b.leaf(f)
			if err != nil {
				return nil, err
			}
			x.Fields[i] = y
		}
	}
	return e, nil
}
