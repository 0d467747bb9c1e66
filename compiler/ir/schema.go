package ir

import (
	"fmt"
	"iter"
	"reflect"
	"strings"
	"sync"
	"unicode"
)

// Variable is a node that is equal only to itself: a variable or a buffer. Structural
// equality pairs the two variables of a pair of definitions and compares uses by that.
type Variable interface {
	Node
	// VarName returns the name that the variable was given; it need not be unique.
	VarName() string
}

// View is a Variable that stands for a view of something else, as a buffer does of the data
// that it points at. Where it is used without a definition, its fields are compared.
type View interface {
	Variable
	IsView()
}

// FieldKind says how the value of a field is compared, hashed and walked.
type FieldKind uint8

// The kinds of field. A list has elements of the kind that it is a list of.
const (
	FieldNode FieldKind = iota // a Node: pointer or interface
	FieldNodes
	FieldAttrs // *Attrs
	FieldBlob  // *Blob
	FieldInt   // any signed integer
	FieldUint  // any unsigned integer, enumerations included
	FieldFloat
	FieldBool
	FieldString
	FieldInts  // a slice of integers
	FieldValue // a comparable struct, such as dtype.DType
)

// Field describes one field of a node type.
type Field struct {
	// Name is the field's name in paths: the Go name in lower case with underscores.
	Name string
	Kind FieldKind
	// Def says that the variables in the field are defined by it.
	Def bool
	// Hint says that the field only proposes a name and does not belong to the value.
	Hint  bool
	index int
	open  bool // a definition in the node in the field holds for the fields that follow
}

// direct says that the field holds what is meant itself: variables to define, or a node that
// does not end the definitions in it.
func (f *Field) direct() bool { return f.Def || f.open }

// StructIndex is the position of the field in the Go struct.
func (f *Field) StructIndex() int { return f.index }

// Index returns the number of the field in the node's struct, for package reflect.
func (f Field) Index() int { return f.index }

// Schema describes a node type: its name and the fields that make its value.
type Schema struct {
	Name string
	// Fields are in the order in which equality and hash visit them: those that define
	// variables first.
	Fields []Field
	// Derived are fields that follow from others and do not belong to the value, such as
	// inferred struct info: equality and hash skip them, paths and JSON do not.
	Derived []Field
	hasDef  bool   // defines variables
	leaks   bool   // what it defines holds for what follows
	scope   bool   // what is defined in it holds to its end
	hash    uint64 // of Name
	leaf    bool   // has no nodes below it, so is not worth remembering
	isVar   bool
	isView  bool
}

// schemas caches what reflection finds; it only ever grows by what it would find again.
var schemas sync.Map // reflect.Type to *Schema

var (
	nodeType = reflect.TypeFor[Node]()
	varType  = reflect.TypeFor[Variable]()
	viewType = reflect.TypeFor[View]()
)

// SchemaOf returns the schema of n's type. It panics for a field type that no FieldKind
// covers, so a test feeds every node type through it.
func SchemaOf(n Node) *Schema { return schemaOf(reflect.TypeOf(n)) }

func schemaOf(t reflect.Type) *Schema {
	if s, ok := schemas.Load(t); ok {
		return s.(*Schema)
	}
	s, _ := schemas.LoadOrStore(t, makeSchema(t))
	return s.(*Schema)
}

func makeSchema(t reflect.Type) *Schema {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("ir: node type %s is not a pointer to a struct", t))
	}
	st := t.Elem()
	s := &Schema{Name: st.Name(), hash: hashString(st.Name()), isVar: t.Implements(varType), isView: t.Implements(viewType), leaf: true}
	var rest []Field
	for i := range st.NumField() {
		sf := st.Field(i)
		tag := sf.Tag.Get("ir")
		if sf.Anonymous || !sf.IsExported() {
			continue
		}
		f := Field{Name: snakeCase(sf.Name), Kind: kindOf(t, sf), Def: tag == "def" || tag == "bind", index: i, open: tag == "open"}
		if tag == "-" {
			s.Derived = append(s.Derived, f)
			continue
		}
		s.leaks = s.leaks || tag == "bind"
		s.scope = s.scope || tag == "def" || tag == "scope"
		switch f.Kind {
		case FieldNode, FieldNodes, FieldAttrs, FieldBlob:
			s.leaf = false
		}
		f.Hint = tag == "name" || (s.isVar && f.Name == "name")
		if f.Def {
			s.hasDef = true
			s.Fields = append(s.Fields, f)
		} else {
			rest = append(rest, f)
		}
	}
	s.Fields = append(s.Fields, rest...)
	return s
}

func kindOf(owner reflect.Type, sf reflect.StructField) FieldKind {
	t := sf.Type
	switch {
	case t == reflect.TypeFor[*Attrs]():
		return FieldAttrs
	case t == reflect.TypeFor[*Blob]():
		return FieldBlob
	case t.Implements(nodeType):
		return FieldNode
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return FieldInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return FieldUint
	case reflect.Float32, reflect.Float64:
		return FieldFloat
	case reflect.Bool:
		return FieldBool
	case reflect.String:
		return FieldString
	case reflect.Struct:
		if t.Comparable() {
			return FieldValue
		}
	case reflect.Slice:
		switch {
		case t.Elem().Implements(nodeType):
			return FieldNodes
		case t.Elem().Kind() == reflect.Int, t.Elem().Kind() == reflect.Int64:
			return FieldInts
		}
	}
	panic(fmt.Sprintf("ir: the schema has no kind for field %s of %s, which is a %s", sf.Name, owner, t))
}

// Field returns the value of the field called name ("body", "sinfo_args"), and whether the
// node has it. Lists come as slices, nodes as nodes.
func (s *Schema) Field(n Node, name string) (any, bool) {
	for _, fs := range [2][]Field{s.Fields, s.Derived} {
		for i := range fs {
			if fs[i].Name == name {
				return reflect.ValueOf(n).Elem().Field(fs[i].index).Interface(), true
			}
		}
	}
	return nil, false
}

func (s *Schema) names() []string {
	var out []string
	for _, fs := range [2][]Field{s.Fields, s.Derived} {
		for i := range fs {
			out = append(out, fs[i].Name)
		}
	}
	return out
}

// FieldByName returns the value of n's field called name, and whether n has it.
func FieldByName(n Node, name string) (any, bool) { return SchemaOf(n).Field(n, name) }

// Fields yields n's fields with their values in the order of the schema, the derived last.
func Fields(n Node) iter.Seq2[Field, any] {
	return func(yield func(Field, any) bool) {
		s, v := SchemaOf(n), reflect.ValueOf(n).Elem()
		for _, fs := range [2][]Field{s.Fields, s.Derived} {
			for _, f := range fs {
				if !yield(f, v.Field(f.index).Interface()) {
					return
				}
			}
		}
	}
}

// snakeCase turns a Go name into the one used in paths. A word of one letter joins the next
// one: LoopVar is loop_var, SInfoArgs is sinfo_args, NDim is ndim.
func snakeCase(name string) string {
	rs := []rune(name)
	var words []string
	start := 0
	for i := 1; i <= len(rs); i++ {
		if i < len(rs) && (!unicode.IsUpper(rs[i]) || (unicode.IsUpper(rs[i-1]) && (i+1 == len(rs) || unicode.IsUpper(rs[i+1])))) {
			continue
		}
		words = append(words, strings.ToLower(string(rs[start:i])))
		start = i
	}
	var b strings.Builder
	for i, w := range words {
		b.WriteString(w)
		if i+1 < len(words) && len(w) > 1 {
			b.WriteByte('_')
		}
	}
	return b.String()
}
