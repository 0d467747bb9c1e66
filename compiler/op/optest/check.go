package optest

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// Failer is the part of testing.TB that checks need.
type Failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// Documented checks the row of an operator: sentences for all that it has, names, an order of the arguments in which they can be left out, and defaults
// that are values of their attributes.
func Documented(t Failer, o *op.Op) {
	t.Helper()
	if o.Doc == "" || !strings.HasSuffix(o.Doc, ".") {
		t.Errorf("%s: doc %q is not a sentence", o.Name, o.Doc)
	}
	if o.Infer == nil || o.Ref().Name != o.Name {
		t.Errorf("%s: incomplete entry", o.Name)
	}
	optional := false
	for i, a := range o.Args {
		if a.Name == "" || !strings.HasSuffix(a.Doc, ".") {
			t.Errorf("%s: argument %d has no name or doc", o.Name, i)
		}
		if optional && !a.Optional && !a.Variadic {
			t.Errorf("%s: argument %s follows an optional one", o.Name, a.Name)
		}
		optional = a.Optional
		if a.Variadic && i != len(o.Args)-1 {
			t.Errorf("%s: variadic argument %s is not the last", o.Name, a.Name)
		}
	}
	for _, a := range o.Attrs {
		if a.Name == "" || !strings.HasSuffix(a.Doc, ".") {
			t.Errorf("%s: attribute %q has no name or doc", o.Name, a.Name)
		}
		if a.Required {
			continue
		}
		if _, err := o.Call(nil, ir.NewAttrs(a.Name, a.Default)); err != nil && !strings.HasSuffix(err.Error(), "got nothing") {
			t.Errorf("%s: default of %s: %v", o.Name, a.Name, err)
		}
	}
}

// Inferred makes n random calls of an operator: whatever the arguments are, the rule yields struct info, the same each time, or an error. It returns
// how many calls it takes.
func (g *Gen) Inferred(t Failer, o *op.Op, n int) int {
	t.Helper()
	taken := 0
	for range n {
		call, ok := g.Call(o)
		if !ok {
			continue
		}
		info, err := infer(call)
		again, err2 := infer(call)
		switch {
		case err == nil && info == nil:
			t.Errorf("%s: neither struct info nor an error", o.Name)
		case (err == nil) != (err2 == nil) || err == nil && !relax.EqualSInfo(info, again):
			t.Errorf("%s: %v, and then %v", o.Name, info, again)
		case err != nil && strings.HasPrefix(err.Error(), panicked):
			t.Errorf("%s: %v", o.Name, err)
		case err == nil:
			taken++
		}
	}
	return taken
}

const panicked = "panic: "

func infer(call *relax.Call) (info relax.StructInfo, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s%v", panicked, r)
		}
	}()
	return op.Table().InferCall(call, op.NewBlockBuilder(nil).Context())
}
