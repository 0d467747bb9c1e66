package parse

import (
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/tir"
)

// row is a construct of the language: how it is called, and what makes IR of a call. The text is
// written as Python writes signatures:
//
//	T.block|T.sblock(name: str = '', no_realize: bool = False)
//
// The names are what a text may call; a dot-less first part such as Buffer stands for any value of
// that kind, whose method it is. Behind the name of a parameter, and names that older texts give it
// (out_sinfo|out_ty), stand its kind, one of kinds, and its default. A parameter whose default is
// None may be given None. One star takes all further arguments by position, as kind says; what
// follows it is given by name only. Two stars take all further arguments by name, **info the struct
// info of the result.
type row struct {
	text  string
	build func(c *call) any
}

// signature is a row that has been read, or one that follows from an operator or an intrinsic.
type signature struct {
	name   string // as it is called
	params []param
	rest   int  // number of the parameter with a star, -1 for none
	open   bool // takes arguments by any name
	span   bool // takes a span of the host program behind its arguments, which says nothing here
	infos  bool // takes the struct info of its result, by the names of isInfoName
	place  place
	info   bool // it is struct info: strings in its arguments are extents
	build  func(c *call) any

	operator  *op.Op       // of derived signatures
	intrinsic *tir.Builtin // of derived signatures
}

// param is a parameter of a construct.
type param struct {
	name  string
	older []string // other names
	kind  *kind
	def   any  // its value where it is not given
	need  bool // it must be given
	null  bool // None stands for the default
	named bool // it is given by name only

	arg  *op.Arg  // that it is of an operator
	attr *op.Attr // that it is of an operator
}

// place says where a construct may stand.
type place uint8

const (
	anywhere place = iota
	inLoops        // in PrimFuncs
	inGraph        // in Relax functions
	inClass        // as a statement of a module
	nowhere        // it is known, and refused
)

// signaturesOf reads a row: one signature for each of its names.
func signaturesOf(r row, kinds map[string]*kind) []*signature {
	head, params, ok := strings.Cut(strings.TrimSuffix(r.text, ")"), "(")
	if !ok {
		panic("signature without parameters: " + r.text)
	}
	s := signature{rest: -1, build: r.build}
	named := false
	for _, text := range strings.Split(params, ", ") {
		text, star := strings.CutPrefix(text, "*")
		switch {
		case text == "" && !star:
			continue
		case text == "*":
			s.open = true
			continue
		case text == "*info":
			s.infos = true
			continue
		}
		p := readParam(text, kinds)
		if p.kind == nil {
			panic("parameter of no kind: " + text)
		}
		p.named = named
		if star {
			s.rest, named, p.need = len(s.params), true, false
		}
		s.params = append(s.params, p)
	}
	var out []*signature
	for _, name := range strings.Split(head, "|") {
		one := s
		one.name = name
		out = append(out, &one)
	}
	return out
}

// readParam reads "name|older: kind = default".
func readParam(text string, kinds map[string]*kind) param {
	text, def, has := strings.Cut(text, " = ")
	names, kind, _ := strings.Cut(text, ": ")
	all := strings.Split(names, "|")
	p := param{name: all[0], older: all[1:], kind: kinds[kind], need: !has, null: def == "None"}
	switch {
	case !has || p.null:
	case def[0] == '\'':
		p.def = def[1 : len(def)-1]
	case def == "True" || def == "False":
		p.def = def == "True"
	default:
		n, err := strconv.ParseInt(def, 10, 64)
		if err != nil {
			panic("default of no kind: " + text)
		}
		p.def = n
	}
	return p
}

// called reports whether a parameter has a name.
func (p *param) called(name string) bool { return p.name == name || slices.Contains(p.older, name) }

// takes lists the parameters, for errors.
func (s *signature) takes() string {
	if len(s.params) == 0 {
		return ""
	}
	return "it takes " + strings.Join(s.names(), ", ")
}

// names lists the parameters, that with a star with it.
func (s *signature) names() []string {
	out := make([]string, len(s.params))
	for i := range s.params {
		if out[i] = s.params[i].name; i == s.rest {
			out[i] = "*" + out[i]
		}
	}
	return out
}
