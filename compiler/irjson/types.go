package irjson

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// nodeType is what a type key stands for: a Go type, where a key stands for one value of a
// field (tir.Add is a Binary whose op is OpAdd) also that.
type nodeType struct {
	key    string
	typ    reflect.Type // of the struct
	fields []field      // in the order of the schema, the derived ones last; without the fixed one
	byName map[string]*field
	fixed  int // index in the struct of the field that the key fixes, -1 if none
	value  reflect.Value
}

type field struct {
	ir.Field
	optional bool // a node or constant may be missing
	holes    bool // entries of a list may be missing
	enum     []string
	what     string // the field in errors
}

type typeTable struct {
	byKey  map[string]*nodeType
	byType map[reflect.Type][]*nodeType // more than one where the key depends on a field
}

// moduleKey is the type key of a module, which stands only at the root.
const moduleKey = "ir.IRModule"

// plainKeys are the type keys that stand for a Go type: TVM's where TVM has the node.
var plainKeys = map[string]ir.Node{
	"ir.GlobalVar": &ir.GlobalVar{}, "ir.Op": &ir.Op{}, "ir.PrimType": &ir.PrimType{},
	"ir.PointerType": &ir.PointerType{}, "ir.TupleType": &ir.TupleType{}, "ir.FuncType": &ir.FuncType{},
	"ir.IntImm": &tir.IntImm{}, "ir.FloatImm": &tir.FloatImm{}, "ir.Range": &tir.Range{}, "ir.VDevice": &relax.VDevice{},
	"tir.StringImm": &tir.StringImm{}, "tir.Cast": &tir.Cast{}, "tir.Not": &tir.Not{}, "tir.Select": &tir.Select{},
	"tir.BufferLoad": &tir.BufferLoad{}, "tir.Ramp": &tir.Ramp{}, "tir.Broadcast": &tir.Broadcast{}, "tir.Let": &tir.Let{},
	"tir.Call": &tir.Call{}, "tir.Shuffle": &tir.Shuffle{}, "tir.CommReducer": &tir.CommReducer{}, "tir.Reduce": &tir.Reduce{},
	"tir.IterVar": &tir.IterVar{}, "tir.LetStmt": &tir.LetStmt{}, "tir.AttrStmt": &tir.AttrStmt{},
	"tir.AssertStmt": &tir.AssertStmt{}, "tir.BufferStore": &tir.BufferStore{}, "tir.BufferRealize": &tir.BufferRealize{},
	"tir.Allocate": &tir.Allocate{}, "tir.AllocateConst": &tir.AllocateConst{}, "tir.DeclBuffer": &tir.DeclBuffer{},
	"tir.SeqStmt": &tir.SeqStmt{}, "tir.Evaluate": &tir.Evaluate{}, "tir.IfThenElse": &tir.IfThenElse{}, "tir.For": &tir.For{},
	"tir.While": &tir.While{}, "tir.Block": &tir.Block{}, "tir.BlockRealize": &tir.BlockRealize{}, "tir.PrimFunc": &tir.PrimFunc{},
	"tir.Buffer": &tir.Buffer{}, "tir.BufferRegion": &tir.BufferRegion{}, "tir.MatchBufferRegion": &tir.MatchBufferRegion{},
	"tir.IndexMap": &tir.IndexMap{}, "ffi.Array": &tir.Array{},
	"relax.expr.Call": &relax.Call{}, "relax.expr.Tuple": &relax.Tuple{}, "relax.expr.TupleGetItem": &relax.TupleGetItem{},
	"relax.expr.ShapeExpr": &relax.ShapeExpr{}, "relax.expr.Constant": &relax.Constant{}, "relax.expr.PrimValue": &relax.PrimValue{},
	"relax.expr.StringImm": &relax.StringImm{}, "relax.expr.DataTypeImm": &relax.DataTypeImm{}, "relax.expr.SeqExpr": &relax.SeqExpr{},
	"relax.expr.If": &relax.If{}, "relax.expr.Function": &relax.Function{}, "relax.expr.ExternFunc": &relax.ExternFunc{},
	"relax.expr.VarBinding": &relax.VarBinding{}, "relax.expr.MatchCast": &relax.MatchCast{},
	"relax.ObjectStructInfo": &relax.ObjectStructInfo{}, "relax.PrimStructInfo": &relax.PrimStructInfo{},
	"relax.ShapeStructInfo": &relax.ShapeStructInfo{}, "relax.TensorStructInfo": &relax.TensorStructInfo{},
	"relax.distributed.DeviceMesh": &relax.DeviceMesh{}, "relax.distributed.Sharding": &relax.Sharding{},
	"relax.TupleStructInfo": &relax.TupleStructInfo{}, "relax.FuncStructInfo": &relax.FuncStructInfo{},
}

// splitKeys are the type keys of types that TVM has several of: the key for each value of a
// field.
var splitKeys = []struct {
	node  ir.Node
	field string
	value any
	key   string
}{
	{&tir.Var{}, "Size", false, "tir.Var"},
	{&tir.Var{}, "Size", true, "tir.SizeVar"},
	{&relax.Var{}, "Dataflow", false, "relax.expr.Var"},
	{&relax.Var{}, "Dataflow", true, "relax.expr.DataflowVar"},
	{&relax.BindingBlock{}, "Dataflow", false, "relax.expr.BindingBlock"},
	{&relax.BindingBlock{}, "Dataflow", true, "relax.expr.DataflowBlock"},
}

// optionalFields are the fields that may hold no node.
var optionalFields = map[string]string{
	"tir.BufferLoad": "predicate", "tir.BufferStore": "predicate", "tir.For": "thread step", "tir.IfThenElse": "else",
	"tir.Block": "init", "tir.BlockRealize": "predicate", "tir.Buffer": "elem_offset", "tir.IterVar": "dom",
	"tir.IndexMap": "inverse", "tir.AttrStmt": "node", "tir.Allocate": "condition", "tir.BufferRealize": "condition",
	"tir.Reduce": "condition", "tir.PrimFunc": "ret_type",
	"relax.PrimStructInfo": "value", "relax.TensorStructInfo": "shape vdevice sharding", "relax.expr.Constant": "sharding", "relax.FuncStructInfo": "ret",
	"relax.expr.ExternFunc": "sinfo", "relax.expr.Function": "ret", "relax.expr.Call": "sinfo", "relax.expr.If": "sinfo",
	"relax.expr.TupleGetItem": "sinfo", "relax.expr.Var": "sinfo", "relax.expr.DataflowVar": "sinfo",
}

// holedLists are the lists in which an entry may be missing: a parameter without a buffer.
var holedLists = map[string]string{"tir.PrimFunc": "buffers"}

var enumNames = map[reflect.Type][]string{
	reflect.TypeFor[tir.ForKind]():    names(tir.Serial, tir.ThreadBinding),
	reflect.TypeFor[tir.IterKind]():   names(tir.DataPar, tir.Opaque),
	reflect.TypeFor[tir.BufferKind](): {"default", "auto_broadcast"},
}

// names spells the values of an enumeration from first to last.
func names[T interface {
	~uint8
	String() string
}](first, last T) []string {
	var out []string
	for x := first; x <= last; x++ {
		out = append(out, x.String())
	}
	return out
}

var types = sync.OnceValue(func() *typeTable {
	t := &typeTable{byKey: map[string]*nodeType{}, byType: map[reflect.Type][]*nodeType{}}
	for key, n := range plainKeys {
		t.add(newType(key, n, "", nil))
	}
	for _, s := range splitKeys {
		t.add(newType(s.key, s.node, s.field, s.value))
	}
	for op := tir.OpAdd; op <= tir.OpOr; op++ {
		t.add(newType("tir."+op.String(), &tir.Binary{}, "Op", op))
	}
	return t
})

func (t *typeTable) add(nt *nodeType) {
	t.byKey[nt.key] = nt
	t.byType[nt.typ] = append(t.byType[nt.typ], nt)
}

func newType(key string, n ir.Node, fixed string, value any) *nodeType {
	st := reflect.TypeOf(n).Elem()
	nt := &nodeType{key: key, typ: st, fixed: -1, byName: map[string]*field{}}
	if fixed != "" {
		sf, ok := st.FieldByName(fixed)
		if !ok {
			panic(fmt.Sprintf("irjson: %s has no field %s", st, fixed))
		}
		nt.fixed, nt.value = sf.Index[0], reflect.ValueOf(value)
	}
	for f := range ir.Fields(n) {
		if f.StructIndex() == nt.fixed {
			continue
		}
		out := field{Field: f, optional: listed(optionalFields[key], f.Name), holes: listed(holedLists[key], f.Name)}
		out.what = "the field " + f.Name + " of a " + key
		if f.Kind == ir.FieldUint {
			if out.enum = enumNames[st.Field(f.StructIndex()).Type]; out.enum == nil {
				panic(fmt.Sprintf("irjson: the values of %s.%s have no names", st, f.Name))
			}
		}
		nt.fields = append(nt.fields, out)
	}
	for i := range nt.fields {
		nt.byName[nt.fields[i].Name] = &nt.fields[i]
	}
	return nt
}

func listed(names, name string) bool {
	for n := range strings.FieldsSeq(names) {
		if n == name {
			return true
		}
	}
	return false
}

// typeOf returns the type of the node that v points to, nil if it has no key.
func (t *typeTable) typeOf(v reflect.Value) *nodeType {
	for _, nt := range t.byType[v.Type()] {
		if nt.fixed < 0 || v.Field(nt.fixed).Equal(nt.value) {
			return nt
		}
	}
	return nil
}

// TypeKeys returns the type keys of all nodes in alphabetical order.
func TypeKeys() []string { return slices.Sorted(maps.Keys(types().byKey)) }
