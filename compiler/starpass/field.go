package starpass

import (
	"fmt"
	"reflect"
	"slices"
	"sort"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// tvmFields maps TVM's names of fields to those of the schema, where they differ.
var tvmFields = map[string]string{
	"Function.ret_struct_info": "ret", "Function.is_pure": "pure", "ExternFunc.global_symbol": "symbol",
	"If.true_branch": "then", "If.false_branch": "else", "TupleGetItem.tuple_value": "tuple",
	"Var.name_hint": "name", "GlobalVar.name_hint": "name", "Block.name_hint": "name",
	"Select.condition": "cond", "Select.true_value": "true", "Select.false_value": "false",
	"IfThenElse.condition": "cond", "IfThenElse.then_case": "then", "IfThenElse.else_case": "else",
	"While.condition": "cond", "AssertStmt.condition": "cond", "For.thread_binding": "thread",
	"AttrStmt.attr_key": "key", "Allocate.buffer_var": "var", "AllocateConst.buffer_var": "var",
	"Ramp.base": "start", "BlockRealize.iter_values": "values", "IterVar.iter_type": "kind",
	"Call.dtype": "type", "Cast.dtype": "type", "IntImm.dtype": "type", "FloatImm.dtype": "type", "Var.dtype": "type",
	"Allocate.dtype": "type", "AllocateConst.dtype": "type", "Call.struct_info": "sinfo", "Var.struct_info": "sinfo",
	"If.struct_info": "sinfo", "TupleGetItem.struct_info": "sinfo", "MatchCast.struct_info": "sinfo",
}

// fieldsOf returns the fields of a node type in the order of its struct, with those that
// follow from others.
func fieldsOf(n ir.Node) []ir.Field {
	s := ir.SchemaOf(n)
	all := append(slices.Clone(s.Fields), s.Derived...)
	sort.Slice(all, func(i, j int) bool { return all[i].Index() < all[j].Index() })
	return all
}

// findField returns the field of n called name, by the schema's name or TVM's.
func findField(n ir.Node, name string) (ir.Field, bool) {
	plain := reflect.TypeOf(n).Elem().Name()
	fields := fieldsOf(n)
	for _, want := range []string{name, tvmFields[plain+"."+name]} {
		for _, f := range fields {
			if f.Name == want {
				return f, true
			}
		}
	}
	return ir.Field{}, false
}

func fieldNames(n ir.Node) []string {
	var out []string
	for _, f := range fieldsOf(n) {
		out = append(out, f.Name)
	}
	return out
}

func nearestOf(name string, names []string) string { return nearest.Name(name, slices.Values(names)) }

// value returns v, a part of a node or module, as a Starlark value. Lists and dictionaries
// come frozen: nodes do not change.
func value(v any) starlark.Value {
	switch v := v.(type) {
	case nil:
		return starlark.None
	case bool:
		return starlark.Bool(v)
	case int64:
		return starlark.MakeInt64(v)
	case float64:
		return starlark.Float(v)
	case string:
		return starlark.String(v)
	case dtype.DType:
		return starlark.String(v.String())
	case *ir.Blob:
		if v == nil {
			return starlark.None
		}
		return &Tensor{v}
	case *ir.Attrs:
		return attrsValue(v)
	case *ir.Module:
		return &Module{m: v}
	case ir.Node:
		return nodeValue(v)
	case []ir.Value:
		return listOf(v)
	case map[string]ir.Function:
		d := starlark.NewDict(len(v))
		for _, k := range sortedKeys(v) {
			_ = d.SetKey(starlark.String(k), value(v[k])) // strings hash
		}
		d.Freeze()
		return d
	case map[string][]ir.Node:
		d := starlark.NewDict(len(v))
		for _, k := range sortedKeys(v) {
			_ = d.SetKey(starlark.String(k), listOf(v[k]))
		}
		d.Freeze()
		return d
	case fmt.Stringer: // enumerations
		return starlark.String(v.String())
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return starlark.MakeInt64(r.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return starlark.MakeUint64(r.Uint())
	case reflect.Slice:
		list := make([]starlark.Value, r.Len())
		for i := range list {
			list[i] = value(r.Index(i).Interface())
		}
		l := starlark.NewList(list)
		l.Freeze()
		return l
	}
	panic(fmt.Sprintf("starpass: no value for a %T", v))
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func nodeValue(n ir.Node) starlark.Value {
	if n == nil || reflect.ValueOf(n).IsNil() {
		return starlark.None
	}
	return &Node{n}
}

func listOf[T any](xs []T) *starlark.List {
	out := make([]starlark.Value, len(xs))
	for i, x := range xs {
		out[i] = value(x)
	}
	l := starlark.NewList(out)
	l.Freeze()
	return l
}

func attrsValue(a *ir.Attrs) *starlark.Dict {
	d := starlark.NewDict(a.Len())
	for i := range a.Len() {
		k, v := a.At(i)
		_ = d.SetKey(starlark.String(k), value(v))
	}
	d.Freeze()
	return d
}

// computed returns what a node has besides its fields.
func computed(n ir.Node, name string) starlark.Value {
	switch name {
	case "span":
		return spanValue(n.Meta().Span)
	case "struct_info":
		if e, ok := n.(relax.Expr); ok {
			return nodeValue(relax.SInfoOf(e))
		}
	case "dtype":
		switch n := n.(type) {
		case tir.Expr:
			return starlark.String(n.DType().String())
		case *relax.Constant:
			return starlark.String(n.Data.DType().String())
		}
	case "op":
		if b, ok := n.(*tir.Binary); ok {
			return starlark.String(b.Op.String())
		}
	case "buffer_map":
		if f, ok := n.(*tir.PrimFunc); ok {
			d := starlark.NewDict(len(f.Params))
			for i, p := range f.Params {
				if i < len(f.Buffers) && f.Buffers[i] != nil {
					_ = d.SetKey(&Node{p}, &Node{f.Buffers[i]})
				}
			}
			d.Freeze()
			return d
		}
	}
	return nil
}

func spanValue(s *ir.Span) starlark.Value {
	if s == nil {
		return starlark.None
	}
	source := ""
	if s.Source != nil {
		source = s.Source.Name
	}
	return starlarkstruct.FromStringDict(starlark.String("Span"), starlark.StringDict{
		"source_name": starlark.String(source),
		"line":        starlark.MakeInt(int(s.Line)),
		"column":      starlark.MakeInt(int(s.Col)),
		"end_line":    starlark.MakeInt(int(s.EndLine)),
		"end_column":  starlark.MakeInt(int(s.EndCol)),
	})
}
