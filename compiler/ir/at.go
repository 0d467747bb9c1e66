package ir

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir/nearest"
)

// PathError says that a path leads nowhere.
type PathError struct {
	Path   Path
	Prefix Path // the longest part that exists
	Found  any  // what At returns for Prefix
	Reason string
}

// Error names the path, its longest prefix that exists, and what is there.
func (e *PathError) Error() string {
	at := "the root"
	if len(e.Prefix) > 0 {
		at = e.Prefix.String()
	}
	return fmt.Sprintf("no %s: %s %s", e.Path, at, e.Reason)
}

// At returns what p leads to from root, a *Module or a Node: a Node, a slice, *Attrs, *Blob,
// a string, a number. The functions of a module come as a map[string]Function, its global
// infos as a map[string][]Node. What is not set is a nil of the field's type. An error is a
// *PathError, or says that root is neither a module nor a node.
func At(root any, p Path) (any, error) {
	switch root.(type) {
	case *Module, Node:
	default:
		return nil, fmt.Errorf("ir: a path starts at a module or a node, not at a %T", root)
	}
	v := root
	for i, s := range p {
		next, reason := stepInto(v, s)
		if reason != "" {
			return nil, &PathError{Path: p, Prefix: p[:i:i], Found: settled(v), Reason: reason}
		}
		v = next
	}
	return settled(v), nil
}

// NodeAt returns the node that p leads to from root.
func NodeAt(root any, p Path) (Node, error) {
	v, err := At(root, p)
	if err != nil {
		return nil, err
	}
	n, ok := v.(Node)
	if !ok || isNil(n) {
		return nil, &PathError{Path: p, Prefix: p, Found: v, Reason: "is " + describe(v) + ", expected a node"}
	}
	return n, nil
}

// functionsOf is the field of a module that holds its functions.
type functionsOf struct{ m *Module }

func settled(v any) any {
	f, ok := v.(functionsOf)
	if !ok {
		return v
	}
	out := make(map[string]Function, f.m.Len())
	for gv, fn := range f.m.Funcs() {
		out[gv.Name] = fn
	}
	return out
}

// Names of a module's fields in paths.
const (
	fieldFunctions   = "functions"
	fieldAttrs       = "attrs"
	fieldGlobalInfos = "global_infos"
)

var moduleFields = []string{fieldFunctions, fieldAttrs, fieldGlobalInfos}

// stepInto takes one step from v; where there is no such thing, reason says what v is.
func stepInto(v any, s Step) (next any, reason string) {
	if n, ok := v.(Node); v == nil || ok && isNil(n) {
		return nil, "is not set"
	}
	switch s.Kind {
	case StepField:
		return fieldOf(v, s.Name)
	case StepIndex:
		r := reflect.ValueOf(v)
		if r.Kind() != reflect.Slice {
			return nil, "is " + describe(v) + ", which has no index"
		}
		if s.Index >= r.Len() {
			return nil, "is " + describe(v)
		}
		return r.Index(s.Index).Interface(), ""
	}
	return entryOf(v, s.Name)
}

func fieldOf(v any, name string) (any, string) {
	switch x := v.(type) {
	case *Module:
		switch name {
		case fieldFunctions:
			return functionsOf{x}, ""
		case fieldAttrs:
			return x.attrs, ""
		case fieldGlobalInfos:
			return x.infos, ""
		}
		return nil, "is " + describe(v) + " with " + listOf("fields", moduleFields) + suggest(name, moduleFields)
	case Node:
		if f, ok := FieldByName(x, name); ok {
			return f, ""
		}
		names := SchemaOf(x).names()
		return nil, "is " + describe(v) + " with " + listOf("fields", names) + suggest(name, names)
	}
	return nil, "is " + describe(v) + ", which has no fields"
}

func entryOf(v any, key string) (any, string) {
	var keys []string
	switch x := v.(type) {
	case functionsOf:
		if f := x.m.Lookup(key); f != nil {
			return f, ""
		}
		for gv := range x.m.Funcs() {
			keys = append(keys, gv.Name)
		}
	case map[string][]Node:
		if l, ok := x[key]; ok {
			return l, ""
		}
		keys = slices.Sorted(maps.Keys(x))
	case *Attrs:
		if e, ok := x.Get(key); ok {
			return e, ""
		}
		for i := range x.Len() {
			k, _ := x.At(i)
			keys = append(keys, k)
		}
	default:
		return nil, "is " + describe(v) + ", which has no keys"
	}
	return nil, "is " + describe(v) + " with " + listOf("keys", keys) + suggest(key, keys)
}

// describe says what v is, with an article.
func describe(v any) string {
	switch x := v.(type) {
	case nil:
		return "not set"
	case *Module:
		return "a module"
	case functionsOf:
		return "the functions of a module"
	case map[string][]Node:
		return "the global infos of a module"
	case *Attrs:
		return "a dictionary"
	case *Blob:
		return "a constant"
	case Node:
		if isNil(x) {
			return "not set"
		}
		return "a " + TypeName(x)
	case string:
		return "a string"
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice {
		return fmt.Sprintf("a list of length %d", r.Len())
	}
	return fmt.Sprintf("the value %v", v)
}

// TypeName returns the name of n's type with its package, such as "relax.Call".
func TypeName(n Node) string { return strings.TrimPrefix(fmt.Sprintf("%T", n), "*") }

// maxListed bounds the names that an error lists.
const maxListed = 20

func listOf(what string, names []string) string {
	if len(names) == 0 {
		return "no " + what
	}
	more := ""
	if len(names) > maxListed {
		more = fmt.Sprintf(" and %d more", len(names)-maxListed)
		names = names[:maxListed]
	}
	return what + " " + strings.Join(names, ", ") + more
}

func suggest(name string, names []string) string {
	if n := nearest.Name(name, slices.Values(names)); n != "" {
		return fmt.Sprintf("; did you mean %s?", n)
	}
	return ""
}
