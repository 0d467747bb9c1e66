package tirpass

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// Filter removes the PrimFuncs that a condition on their attributes rules out.
var Filter = &pass.Pass{
	Name: "tir.Filter", Kind: pass.Module,
	Doc: "Removes PrimFuncs whose attributes are not as the option fcond says. Refuses to remove a function that another one calls.",
	Options: []pass.Option{{
		Name: "fcond", Default: ir.NewAttrs(),
		Doc: `what attributes a function must have to stay: {"tir.is_entry_func": true, "target.kind": ["llvm", "c"]}; a list is for one of its values, true for any value but 0, false and null for none; target.kind is the kind of the target`,
	}},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		fcond := c.Arg("fcond").(*ir.Attrs)
		removed := map[string]bool{}
		out, err := ir.MapFuncs(m, func(gv *ir.GlobalVar, f *tir.PrimFunc) (ir.Function, error) {
			key := unmet(f, fcond)
			if key == "" {
				return f, nil
			}
			c.Rewrite("remove a function", f, nil)
			c.Took("remove a function", f, "its attribute "+key+" is not as fcond says")
			removed[gv.Name] = true
			return nil, nil
		})
		if err != nil || len(removed) == 0 {
			return m, err
		}
		for gv, fn := range out.Funcs() {
			if called := callsAny(fn, removed); called != "" {
				return nil, fmt.Errorf("fcond rules out function %s, but function %s, which stays, calls it", called, gv.Name)
			}
		}
		return out, nil
	},
}

// keyTargetKind is the kind of the target of a function among its attributes, for Filter.
const keyTargetKind = "target.kind"

// unmet returns the first attribute of f that is not as fcond says, "" if all are.
func unmet(f *tir.PrimFunc, fcond *ir.Attrs) string {
	for i := range fcond.Len() {
		key, want := fcond.At(i)
		v, _ := f.Attrs.Get(key)
		if key == keyTargetKind {
			v = targetKind(f.Attrs.Str(ir.AttrTarget, ""))
		}
		v = scalarOf(v)
		list, ok := want.([]ir.Value)
		if !ok {
			list = []ir.Value{want}
		}
		if !slices.ContainsFunc(list, func(w ir.Value) bool { return fits(v, scalarOf(w)) }) {
			return key
		}
	}
	return ""
}

// scalarOf returns a value as a number or a text where it is a constant.
func scalarOf(v ir.Value) ir.Value {
	switch v := v.(type) {
	case *tir.IntImm:
		return v.Value
	case *tir.StringImm:
		return v.Value
	case *ir.Attrs:
		return fmt.Sprint(v)
	case []ir.Value:
		return fmt.Sprint(v)
	}
	return v
}

// fits reports whether v, nil for an attribute that is not there, is as want says.
func fits(v, want ir.Value) bool {
	set := v != nil && v != ir.Value(false) && v != ir.Value(int64(0)) && v != ir.Value("")
	switch want {
	case ir.Value(true):
		return set
	case ir.Value(false), nil:
		return !set
	}
	return v == want
}

// callsAny returns the name of a function among names that fn calls, "" if there is none.
func callsAny(fn ir.Function, names map[string]bool) string {
	found := ""
	ir.Walk(fn, func(n ir.Node) bool {
		gv, ok := n.(*ir.GlobalVar)
		if call, isCall := n.(*tir.Call); isCall && !ok {
			gv, ok = call.Op.(*ir.GlobalVar)
		}
		if ok && names[gv.Name] {
			found = gv.Name
		}
		return found == ""
	})
	return found
}
