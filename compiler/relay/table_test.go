package relay

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
)

// TestTableFitsTheOperators: each row's attributes are those of its operator, with defaults of their types, and each attribute of the
// operator that a row does not name has a default that reading leaves in place.
func TestTableFitsTheOperators(t *testing.T) {
	if len(rows()) < 180 {
		t.Fatalf("%d operators", len(rows()))
	}
	for name, first := range rows() {
		for r := first; r != nil; r = r.own {
			if r.name != name || byOp()[r.op.Name] != r {
				t.Errorf("%s: %s", name, r.op.Name)
			}
			said := map[string]bool{}
			for _, a := range r.attrs {
				said[a.to] = true
				if a.to == "" {
					continue
				}
				of := r.op.Attr(a.to)
				if of == nil {
					t.Errorf("%s: %s has no attribute %s", name, r.op.Name, a.to)
					continue
				}
				if _, err := op.New(r.op.Name, nil, required(r.op).With(a.to, r.normal(a, a.def))); !a.required && err != nil {
					t.Errorf("%s: the default of %s: %v", name, a.name, err)
				}
			}
			for i := range r.op.Attrs {
				if a := &r.op.Attrs[i]; !said[a.Name] && a.Required {
					t.Errorf("%s: %s of %s is not said", name, a.Name, r.op.Name)
				}
			}
		}
	}
}

// required are some values for the attributes of an operator that have no default.
func required(o *op.Op) *ir.Attrs {
	some := map[op.AttrType]ir.Value{
		op.IntAttr: int64(1), op.FloatAttr: 1.0, op.StringAttr: "x", op.IntsAttr: []ir.Value{int64(1)}, op.IntOrIntsAttr: int64(1), op.OptIntsAttr: []ir.Value{},
	}
	var out *ir.Attrs
	for i := range o.Attrs {
		if a := &o.Attrs[i]; a.Required {
			if v, ok := some[a.Type]; ok {
				out = out.With(a.Name, v)
				continue
			}
			v, _ := convert("float32", a.Type)
			out = out.With(a.Name, v)
		}
	}
	return out
}
