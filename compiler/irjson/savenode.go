package irjson

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Keys of objects that stand for values which JSON does not have.
const (
	tagNode  = "$node"  // index of a node, in an attribute
	tagDict  = "$dict"  // a dictionary, in an attribute
	tagDType = "$dtype" // an element type, in an attribute
	tagFloat = "$float" // the bits of an infinity or NaN, in hexadecimal
	tagBytes = "$bytes" // a string that is not UTF-8, in base64
)

func (s *saver) node(n ir.Node) error {
	v := reflect.ValueOf(n).Elem()
	nt := types().typeOf(v)
	s.line.WriteString(`{"type_key":`)
	s.string(nt.key)
	sep := `,"fields":{`
	for i := range nt.fields {
		f := &nt.fields[i]
		x := v.Field(f.StructIndex())
		if absent(x) {
			continue
		}
		s.line.WriteString(sep)
		sep = ","
		s.string(f.Name)
		s.line.WriteByte(':')
		if err := s.field(f, x); err != nil {
			return fmt.Errorf("field %s of a %s: %w", f.Name, nt.key, err)
		}
	}
	if sep == "," {
		s.line.WriteByte('}')
	}
	meta := n.Meta()
	if meta.Span != nil {
		s.line.WriteString(`,"span":`)
		s.span(meta.Span)
	}
	if meta.Origin != 0 && len(s.origins) >= int(meta.Origin) {
		fmt.Fprintf(&s.line, `,"origin":%d`, meta.Origin)
	}
	s.line.WriteByte('}')
	return nil
}

// absent reports whether a field has the value that it gets where it is left out.
func absent(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float64, reflect.Float32:
		return math.Float64bits(v.Float()) == 0
	case reflect.Interface:
		return v.IsNil() || v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil()
	}
	if a, ok := v.Interface().(*ir.Attrs); ok {
		return a.Len() == 0
	}
	return v.IsZero()
}

func (s *saver) field(f *field, v reflect.Value) error {
	switch f.Kind {
	case ir.FieldNode:
		s.ref(v.Interface().(ir.Node))
	case ir.FieldNodes:
		s.list(v.Len(), func(i int) {
			n, _ := v.Index(i).Interface().(ir.Node)
			s.ref(n)
		})
	case ir.FieldAttrs:
		return s.attrs(v.Interface().(*ir.Attrs))
	case ir.FieldBlob:
		s.int(int64(s.blob[v.Interface().(*ir.Blob)]))
	case ir.FieldInt:
		s.int(v.Int())
	case ir.FieldUint:
		if v.Uint() >= uint64(len(f.enum)) {
			return fmt.Errorf("the value %d has no name", v.Uint())
		}
		s.string(f.enum[v.Uint()])
	case ir.FieldFloat:
		s.float(v.Float())
	case ir.FieldBool:
		s.line.WriteString(strconv.FormatBool(v.Bool()))
	case ir.FieldString:
		s.string(v.String())
	case ir.FieldInts:
		s.ints(v)
	case ir.FieldValue:
		d, ok := v.Interface().(dtype.DType)
		if !ok {
			return fmt.Errorf("a %s cannot be saved", v.Type())
		}
		return s.dtype(d)
	default:
		panic(fmt.Sprintf("irjson: unknown field kind %d", f.Kind))
	}
	return nil
}

func (s *saver) ref(n ir.Node) {
	if isNil(n) {
		s.line.WriteString("null")
		return
	}
	s.int(int64(s.index[n]))
}

func (s *saver) int(x int64) { s.line.Write(strconv.AppendInt(s.line.AvailableBuffer(), x, 10)) }

func (s *saver) list(n int, entry func(i int)) {
	s.line.WriteByte('[')
	for i := range n {
		if i > 0 {
			s.line.WriteByte(',')
		}
		entry(i)
	}
	s.line.WriteByte(']')
}

func (s *saver) ints(v reflect.Value) { s.list(v.Len(), func(i int) { s.int(v.Index(i).Int()) }) }

// float writes x so that it can be told from an integer.
func (s *saver) float(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		fmt.Fprintf(&s.line, `{%q:"%016x"}`, tagFloat, math.Float64bits(x))
		return
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	s.line.WriteString(text)
}

func (s *saver) string(x string) {
	if plain(x) {
		s.line.WriteByte('"')
		s.line.WriteString(x)
		s.line.WriteByte('"')
		return
	}
	if !utf8.ValidString(x) {
		fmt.Fprintf(&s.line, `{%q:`, tagBytes)
		b, _ := json.Marshal([]byte(x)) // base64; cannot fail
		s.line.Write(b)
		s.line.WriteByte('}')
		return
	}
	enc := json.NewEncoder(&s.line)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(x) // a string to a buffer cannot fail
	s.line.Truncate(s.line.Len() - 1)
}

// plain reports whether x stands in JSON as it is, as nearly all names do.
func plain(x string) bool {
	for i := range len(x) {
		if c := x[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func (s *saver) dtype(d dtype.DType) error {
	if back, err := dtype.Parse(d.String()); err != nil || back != d {
		return fmt.Errorf("the element type %#v has no spelling", d)
	}
	s.string(d.String())
	return nil
}

func (s *saver) attrs(a *ir.Attrs) error {
	s.line.WriteByte('{')
	for i := range a.Len() {
		k, v := a.At(i)
		if !utf8.ValidString(k) {
			return fmt.Errorf("the key %q is not UTF-8", k)
		}
		if i > 0 {
			s.line.WriteByte(',')
		}
		s.string(k)
		s.line.WriteByte(':')
		if err := s.value(v); err != nil {
			return fmt.Errorf("key %q: %w", k, err)
		}
	}
	s.line.WriteByte('}')
	return nil
}

func (s *saver) value(v ir.Value) error {
	switch v := v.(type) {
	case nil:
		s.line.WriteString("null")
	case bool:
		s.line.WriteString(strconv.FormatBool(v))
	case int64:
		s.int(v)
	case float64:
		s.float(v)
	case string:
		s.string(v)
	case dtype.DType:
		fmt.Fprintf(&s.line, `{%q:`, tagDType)
		defer s.line.WriteByte('}')
		return s.dtype(v)
	case *ir.Attrs:
		fmt.Fprintf(&s.line, `{%q:`, tagDict)
		defer s.line.WriteByte('}')
		return s.attrs(v)
	case []ir.Value:
		s.line.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				s.line.WriteByte(',')
			}
			if err := s.value(e); err != nil {
				return fmt.Errorf("entry %d: %w", i, err)
			}
		}
		s.line.WriteByte(']')
	case ir.Node:
		if isNil(v) {
			s.line.WriteString("null")
			break
		}
		fmt.Fprintf(&s.line, `{%q:`, tagNode)
		s.ref(v)
		s.line.WriteByte('}')
	default:
		panic(fmt.Sprintf("irjson: an attribute cannot hold a %T", v))
	}
	return nil
}
