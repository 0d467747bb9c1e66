package inproc

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/opdoc"
	"github.com/irscope/irscope/web/catalog"
)

// Operators describes the operators of Relax.
type Operators struct{}

// Operators implements catalog.Operators.
func (Operators) Operators() []catalog.Operator { return operators() }

var operators = sync.OnceValue(func() []catalog.Operator {
	var out []catalog.Operator
	for _, o := range op.All() {
		out = append(out, describeOperator(o))
	}
	return out
})

func describeOperator(o *op.Op) catalog.Operator {
	d := catalog.Operator{
		Name: strings.TrimPrefix(o.Name, "relax."), Doc: o.Doc, Pattern: o.Pattern.String(), Pure: !o.Impure,
		Precision: [...]string{op.KeepPrecision: "never", op.FollowPrecision: "follow", op.HalfPrecision: "always"}[o.Precision],
		Gradient:  o.HasGradient(),
	}
	switch {
	case o.TakesLayouts():
		d.Layout = "takes"
	case o.Layout != nil:
		d.Layout = "follows"
	}
	for _, a := range o.Args {
		d.Args = append(d.Args, catalog.OperatorArg{Name: a.Name, Kind: a.Kind.String(), Doc: a.Doc, Optional: a.Optional, Variadic: a.Variadic})
	}
	for i := range o.Attrs {
		a := &o.Attrs[i]
		attr := catalog.OperatorAttr{Name: a.Name, Type: a.Type.String(), Required: a.Required, Choices: a.Enum, Doc: a.Doc}
		if !a.Required {
			attr.Default = a.DefaultText()
		}
		d.Attrs = append(d.Attrs, attr)
	}
	return d
}

// Example implements catalog.Operators.
func (Operators) Example(ctx context.Context, name string) (*catalog.OperatorExample, error) {
	o := op.Lookup("relax." + name)
	if o == nil {
		return nil, fmt.Errorf("there is no operator %s", name)
	}
	e, err := opdoc.ExampleOf(ctx, o)
	if err != nil {
		return nil, err
	}
	out := &catalog.OperatorExample{Module: e.Module, Lowered: e.Lowered}
	for _, row := range e.Shapes {
		out.Shapes = append(out.Shapes, catalog.OperatorShapes(row))
	}
	return out, nil
}
