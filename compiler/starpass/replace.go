package starpass

import (
	"fmt"
	"reflect"
	"slices"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// replaceBuiltin is replace(node, field=value, ...): the node with other fields, the node
// itself if they are the same.
func replaceBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, nil, 1, &v); err != nil {
		return nil, err
	}
	old, ok := v.(*Node)
	if !ok {
		return nil, fmt.Errorf("replace: expected a node, got %s", describe(v))
	}
	typ := reflect.TypeOf(old.n)
	k := kindOfType()[typ]
	_, binary := old.n.(*tir.Binary)
	if k == nil && !binary {
		return nil, fmt.Errorf("replace: a %s cannot be changed", old.Type())
	}
	n := reflect.New(typ.Elem())
	n.Elem().Set(reflect.ValueOf(old.n).Elem())
	given := map[string]bool{"pure": true, "ndim": true, "data_alignment": true, "offset_factor": true}
	changed := false
	for _, kv := range kwargs {
		f, err := fieldToSet(old.n, string(kv[0].(starlark.String)))
		if err == nil && kv[1] == starlark.None && k != nil && !slices.Contains(k.optional, f.Name) {
			err = fmt.Errorf("the field %s of a %s cannot be None", f.Name, old.Type())
		}
		if err == nil {
			err = set(n, f, kv[1])
		}
		if err != nil {
			return nil, fmt.Errorf("replace: %w", err)
		}
		before, after := reflect.ValueOf(old.n).Elem().Field(f.Index()), n.Elem().Field(f.Index())
		if sameField(before, after) {
			after.Set(before)
			continue
		}
		changed = true
		given[f.Name] = true
		forget(n, f)
	}
	if !changed {
		return v, nil
	}
	out, err := complete(n.Interface().(ir.Node), given)
	if err != nil {
		return nil, fmt.Errorf("replace: %w", err)
	}
	if bin, ok := out.(*tir.Binary); ok {
		if out, err = arithmetic(bin.Op, bin.A, bin.B, false); err != nil {
			return nil, fmt.Errorf("replace: %w", err)
		}
	}
	runOf(t).replaced(t, old.n, out)
	return &Node{out}, nil
}

// forget drops struct info that was inferred from a field that changed.
func forget(n reflect.Value, changed ir.Field) {
	switch x := n.Interface().(type) {
	case *relax.Call:
		if changed.Name != "sinfo" {
			x.SInfo = nil
		}
	case *relax.If:
		if changed.Name != "sinfo" {
			x.SInfo = nil
		}
	case *relax.TupleGetItem:
		if changed.Name != "sinfo" {
			x.SInfo = nil
		}
	}
}

// sameField reports whether two values of a field are the same: nodes by identity, lists
// entry by entry.
func sameField(a, b reflect.Value) bool {
	if a.Kind() == reflect.Slice {
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !sameField(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	if a.Type() == typeAttrs {
		x, y := a.Interface().(*ir.Attrs), b.Interface().(*ir.Attrs)
		return ir.StructuralEqual((&relax.Function{}).WithFuncAttrs(x), (&relax.Function{}).WithFuncAttrs(y), ir.EqualOpts{})
	}
	return a.Equal(b)
}
