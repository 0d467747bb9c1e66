package irjson

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// record is the object of a node that is being read.
type record struct {
	typ   *nodeType // nil before the type key
	ptr   reflect.Value
	keys  uint8  // those of the object that were read
	seen  uint64 // bits of the fields that were read
	depth int32  // of the deepest node below
	place int64  // nodes below, once for each place
	base  ir.Base
}

var nodeKeys = []string{"type_key", "fields", "span", "origin"}

func (l *loader) node(i int) error {
	rec := &record{}
	isModule := false
	err := l.object("a node", func(key string) (err error) {
		bit := uint8(1) << (slices.Index(nodeKeys, key) + 1)
		if rec.keys&bit != 0 {
			return l.fail("the key %q occurs twice", key)
		}
		rec.keys |= bit
		if key != "type_key" && rec.typ == nil && !isModule {
			return l.fail("expected the key type_key first, found %q", key)
		}
		switch key {
		case "type_key":
			var name string
			if name, err = l.string("a type key"); err != nil {
				return err
			}
			if isModule = name == moduleKey; isModule {
				return nil
			}
			if rec.typ = types().byKey[name]; rec.typ == nil {
				return l.fail("unknown type key %q of node %d", name, i)
			}
			rec.ptr = reflect.New(rec.typ.typ)
		case "fields":
			if isModule {
				return l.readModule()
			}
			return l.object("the fields of a node", func(name string) error { return l.nodeField(rec, name) })
		case "span":
			rec.base.Span, err = l.span()
		case "origin":
			var id int64
			id, err = l.number("an origin", 0, int64(l.origins.Len()))
			rec.base.Origin = ir.OriginID(id)
		default:
			err = l.fail("unknown key %q of a node, expected one of: %s", key, strings.Join(nodeKeys, ", "))
		}
		return err
	})
	if err != nil {
		return err
	}
	if isModule {
		if l.module == nil {
			l.module = l.newModule() // one without fields
		}
		return err
	}
	if rec.typ == nil {
		return l.fail("node %d has no type_key", i)
	}
	return l.finish(rec)
}

// finish checks a node that was read and enters it in the table.
func (l *loader) finish(rec *record) error {
	v := rec.ptr.Elem()
	if rec.typ.fixed >= 0 {
		v.Field(rec.typ.fixed).Set(rec.typ.value)
	}
	if rec.base != (ir.Base{}) {
		v.FieldByName("Base").Set(reflect.ValueOf(rec.base))
	}
	for i := range rec.typ.fields {
		f := &rec.typ.fields[i]
		if (f.Kind == ir.FieldNode || f.Kind == ir.FieldBlob) && !f.optional && v.Field(f.StructIndex()).IsNil() {
			return l.fail("a %s needs the field %s", rec.typ.key, f.Name)
		}
	}
	if int(rec.depth) >= l.lim.Depth {
		return l.fail("more than %d nested nodes (Limits.Depth)", l.lim.Depth)
	}
	if rec.place >= l.lim.Places {
		return l.fail("the nodes below occur at more than %d places (Limits.Places)", l.lim.Places)
	}
	n := rec.ptr.Interface().(ir.Node)
	if problem := check(n); problem != "" {
		return l.fail("a %s %s", rec.typ.key, problem)
	}
	if b, ok := n.(*tir.Binary); ok {
		n = tir.BinaryAt(b.Base, b.Op, b.A, b.B)
	}
	l.nodes = append(l.nodes, n)
	l.depth = append(l.depth, rec.depth+1)
	if _, ok := n.(ir.Variable); ok {
		rec.place = 0 // a use does not lead to what the variable holds
	}
	l.places = append(l.places, rec.place+1)
	return nil
}

// check finds what would make methods of the node itself fail.
func check(n ir.Node) string {
	lanes := func(n int) string {
		if n < 1 || n > math.MaxUint16 {
			return fmt.Sprintf("has %d lanes, expected 1 to %d", n, math.MaxUint16)
		}
		return ""
	}
	switch n := n.(type) {
	case *tir.Ramp:
		return lanes(n.Lanes)
	case *tir.Broadcast:
		return lanes(n.Lanes)
	case *tir.Shuffle:
		if len(n.Vectors) == 0 {
			return "needs a vector"
		}
	case *tir.Reduce:
		if n.ValueIndex < 0 || n.ValueIndex >= len(n.Source) {
			return fmt.Sprintf("has the value_index %d, but %d sources", n.ValueIndex, len(n.Source))
		}
	case *relax.TupleGetItem:
		if n.Index < 0 {
			return "has a negative index"
		}
	}
	return ""
}

func (l *loader) nodeField(rec *record, name string) error {
	f := rec.typ.byName[name]
	if f == nil {
		var names []string
		for i := range rec.typ.fields {
			names = append(names, rec.typ.fields[i].Name)
		}
		return l.fail("unknown field %q of a %s; its fields are %s", name, rec.typ.key, strings.Join(names, ", "))
	}
	if rec.seen&(1<<f.StructIndex()) != 0 {
		return l.fail("the field %s of a %s occurs twice", name, rec.typ.key)
	}
	rec.seen |= 1 << f.StructIndex()
	what := f.what
	dst := rec.ptr.Elem().Field(f.StructIndex())
	switch f.Kind {
	case ir.FieldNode:
		return l.setNode(rec, dst, what, f.optional)
	case ir.FieldNodes:
		out := reflect.MakeSlice(dst.Type(), 0, 0)
		elem := reflect.New(dst.Type().Elem()).Elem()
		err := l.array(what, func(int) error {
			elem.SetZero()
			err := l.setNode(rec, elem, what, f.holes)
			out = reflect.Append(out, elem)
			return err
		})
		dst.Set(out)
		return err
	case ir.FieldAttrs:
		a, err := l.attrs(rec, what, 0)
		dst.Set(reflect.ValueOf(a))
		return err
	case ir.FieldBlob:
		i, err := l.number(what, 0, int64(len(l.blobs))-1)
		if err == nil {
			dst.Set(reflect.ValueOf(l.blobs[i]))
		}
		return err
	}
	return l.setValue(f, dst, what)
}

// setNode reads the index of a node, or null where that is allowed.
func (l *loader) setNode(rec *record, dst reflect.Value, what string, optional bool) error {
	tok, err := l.token()
	if err != nil || tok == nil && optional {
		return err
	}
	i, err := l.toInt(tok, what, 0, int64(len(l.nodes))-1)
	if err != nil {
		return err
	}
	n := reflect.ValueOf(l.nodes[i])
	if !n.Type().AssignableTo(dst.Type()) {
		return l.fail("%s refers to node %d, a %s, expected a %s", what, i,
			types().typeOf(n.Elem()).key, strings.TrimPrefix(dst.Type().String(), "*"))
	}
	rec.depth = max(rec.depth, l.depth[i])
	rec.place = min(rec.place+l.places[i], l.lim.Places)
	dst.Set(n)
	return nil
}
