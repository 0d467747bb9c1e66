package script

import (
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Options says how to print.
type Options struct {
	// IntDType is the type of integers printed without a type, as TVM's int_dtype. Void
	// chooses int32 or int64 for each loop function, whichever has more constants, and
	// notes int64 in a comment on the function.
	IntDType dtype.DType
	// Name is that of the module's class; empty is "Module".
	Name string
}

// Text is a printed node.
type Text struct {
	Source string
	// Lines holds, for each line, the innermost statement, binding or function that begins
	// there, nil for lines that begin none.
	Lines []ir.Node
}

// Module prints a module: loop functions, then graph functions, each by name, "main" last.
func Module(m *ir.Module, o Options) *Text {
	p := newPrinter(o)
	p.module(m)
	return p.text()
}

// Function prints one function of a module as it stands in the module's class, without
// the class around it.
func Function(name string, f ir.Function, o Options) *Text {
	p := newPrinter(o)
	p.function(name, f)
	return p.text()
}

// definition is a name in use: hint, or hint_suffix where suffix is above 0.
type definition struct {
	obj    any
	hint   string
	suffix int
}

// printer appends to buf. Names of variables and buffers live in frames.
type printer struct {
	buf    []byte
	indent int
	opts   Options
	lines  []ir.Node
	line   int // number of the current line

	names map[any]string
	used  map[string]bool
	order []definition   // in order, for leaving frames
	free  map[string]int // by hint, the smallest suffix that may be free

	intDType    dtype.DType
	cls         string                     // what functions of the module are referred to through
	undeclared  map[*tir.Var][]*tir.Buffer // buffers used but declared nowhere, by data variable
	extents     map[*tir.Var]tir.Expr      // extents of the loops from 0 around the current line
	usedVoid    map[*relax.Var]bool        // variables that hold nothing, but are used
	consts      []*relax.Constant          // constants on the current line
	inSignature bool                       // extents with variables print as strings
}

func newPrinter(o Options) *printer {
	p := &printer{opts: o, names: map[any]string{}, used: map[string]bool{}, free: map[string]int{}, extents: map[*tir.Var]tir.Expr{}, intDType: o.IntDType, cls: "cls"}
	if p.intDType.IsVoid() {
		p.intDType = dtype.Int32T
	}
	return p
}

func (p *printer) text() *Text {
	for len(p.lines) < p.line {
		p.lines = append(p.lines, nil)
	}
	return &Text{Source: string(p.buf), Lines: p.lines}
}

func (p *printer) str(s string) { p.buf = append(p.buf, s...) }

func (p *printer) int(n int64) { p.buf = strconv.AppendInt(p.buf, n, 10) }

func (p *printer) quote(s string) { p.buf = appendQuoted(p.buf, s) }

// begin starts a line that shows n.
func (p *printer) begin(n ir.Node) {
	if n != nil {
		for len(p.lines) < p.line {
			p.lines = append(p.lines, nil)
		}
		if len(p.lines) == p.line {
			p.lines = append(p.lines, n)
		} else {
			p.lines[p.line] = n
		}
	}
	for range p.indent {
		p.buf = append(p.buf, "    "...)
	}
}

// end ends a line.
func (p *printer) end() {
	p.buf = append(p.buf, '\n')
	p.line++
}

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < 0x20 || c == 0x7f:
			const hex = "0123456789abcdef"
			b = append(b, '\\', 'x', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
