package ir

import (
	"maps"
	"reflect"
	"slices"
)

// WalkPaths calls visit for every node of root, a *Module or a Node, with its path, parents
// first and fields in the order of the schema: those that define variables first, the derived
// ones (inferred struct info) last. Where visit returns false, what is below is skipped.
// Shared nodes are visited once for each place that they stand in, but what is below a
// variable or a buffer only at its first place. The path is valid during the call: clone it
// to keep it.
func WalkPaths(root any, visit func(p Path, n Node) bool) {
	w := pathWalker{seen: map[Node]struct{}{}}
	w.enter = func(n Node, isVar bool) bool {
		if !visit(w.path, n) {
			return false
		}
		return !isVar || w.first(n)
	}
	w.root(root)
}

// PathOf returns the path of the first place in the order of WalkPaths at which target
// stands, compared by pointer, and whether there is one. The cost is linear in the number of
// distinct nodes.
func PathOf(root any, target Node) (Path, bool) {
	var out Path
	found := false
	w := pathWalker{seen: map[Node]struct{}{}}
	w.enter = func(n Node, _ bool) bool {
		if !found && n == target {
			found, out = true, slices.Clone(w.path)
		}
		return !found && w.first(n)
	}
	w.root(root)
	return out, found
}

type pathWalker struct {
	path  Path
	seen  map[Node]struct{}
	enter func(n Node, isVar bool) bool
}

// first reports whether n is new, and notes it.
func (w *pathWalker) first(n Node) bool {
	if _, ok := w.seen[n]; ok {
		return false
	}
	w.seen[n] = struct{}{}
	return true
}

func (w *pathWalker) in(s Step, f func()) {
	w.path = append(w.path, s)
	f()
	w.path = w.path[:len(w.path)-1]
}

func (w *pathWalker) root(root any) {
	switch x := root.(type) {
	case *Module:
		w.in(FieldStep(fieldFunctions), func() {
			for gv, f := range x.Funcs() {
				w.in(KeyStep(gv.Name), func() { w.node(f) })
			}
		})
		w.in(FieldStep(fieldAttrs), func() { w.attrs(x.attrs) })
		w.in(FieldStep(fieldGlobalInfos), func() {
			for _, kind := range slices.Sorted(maps.Keys(x.infos)) {
				w.in(KeyStep(kind), func() {
					for i, n := range x.infos[kind] {
						w.in(IndexStep(i), func() { w.node(n) })
					}
				})
			}
		})
	case Node:
		w.node(x)
	}
}

func (w *pathWalker) node(n Node) {
	if isNil(n) {
		return
	}
	v := reflect.ValueOf(n)
	s := schemaOf(v.Type())
	if !w.enter(n, s.isVar) {
		return
	}
	w.fields(s.Fields, v.Elem())
	w.fields(s.Derived, v.Elem())
}

func (w *pathWalker) fields(fs []Field, v reflect.Value) {
	for i := range fs {
		f := &fs[i]
		switch f.Kind {
		case FieldNode, FieldNodes, FieldAttrs:
		default:
			continue
		}
		w.path = append(w.path, FieldStep(f.Name))
		switch x := v.Field(f.index); f.Kind {
		case FieldNode:
			if !x.IsNil() {
				w.node(x.Interface().(Node))
			}
		case FieldNodes:
			for i := range x.Len() {
				if e, ok := x.Index(i).Interface().(Node); ok {
					w.path = append(w.path, IndexStep(i))
					w.node(e)
					w.path = w.path[:len(w.path)-1]
				}
			}
		case FieldAttrs:
			w.attrs(x.Interface().(*Attrs))
		}
		w.path = w.path[:len(w.path)-1]
	}
}

func (w *pathWalker) attrs(a *Attrs) {
	for i := range a.Len() {
		k, v := a.At(i)
		w.in(KeyStep(k), func() { w.value(v) })
	}
}

func (w *pathWalker) value(v Value) {
	switch v := v.(type) {
	case *Attrs:
		w.attrs(v)
	case []Value:
		for i, e := range v {
			w.in(IndexStep(i), func() { w.value(e) })
		}
	case Node:
		w.node(v)
	}
}
