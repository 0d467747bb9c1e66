package script

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Text is a printed node.
type Text struct {
	Source string
	// Lines holds, for each line, the innermost statement, binding or function that begins
	// there, nil for lines that begin none.
	Lines []ir.Node
	// Omitted counts the constants beyond Options.MetaBytes.
	Omitted int
	parts   parts
}

// Module prints a module: PrimFuncs, then Relax functions, each by name, "main" last.
func Module(m *ir.Module, o Options) *Text {
	p := newPrinter(&o, m)
	if o.Scratch == nil {
		p.buf = make([]byte, 0, textSize*(m.Len()+1))
	}
	p.module(m)
	return p.text()
}

// Function prints one function of a module as it stands in the module's class, without
// the class around it.
func Function(name string, f ir.Function, o Options) *Text {
	p := newPrinter(o.kept(), f)
	if o.Scratch == nil {
		p.buf = make([]byte, 0, textSize)
	} else if f, ok := f.(*relax.Function); ok {
		p.memory = o.Scratch.memoryFor(f)
	}
	p.function(name, f)
	return p.text()
}

// textSize is the length of the text of a small function, for which room is made at first.
const textSize = 1 << 10

// printer appends to buf. Names of variables and buffers live in frames.
type printer struct {
	buf     []byte
	scratch []byte // of moveFront
	indent  int
	lines   []ir.Node
	line    int // number of the current line

	opts              *Options
	unit              string // one level of indentation
	irp, tirp, relaxp string // prefixes with their dots
	class             string // name of the module's class
	cls               string // what functions of the module are referred to through
	sugar             bool

	parts parts
	names nameTable
	// memory is that of the lines of the Relax function that is printed; nil where none are kept.
	memory *lineMemory
	track  *tracker // where nodes stand; nil if nobody asks
	meta   *metadata
	infer  *inference

	intDType    dtype.DType // of numbers without a type; void in Relax functions, see extent
	bufferDType dtype.DType
	undeclared  map[*tir.Var][]*tir.Buffer  // buffers used but declared nowhere, by the variable behind whose definition they can be
	extents     ir.Memo[*tir.Var, tir.Expr] // extents of the loops from 0 around the current line
	loopVars    []*tir.Var                  // of the loop whose head is printed
	intrinsics  ir.Memo[*ir.Op, intrinsic]  // that calls were printed of
	loopExtents []tir.Expr                  // the same
	usedVoid    map[*relax.Var]bool         // variables that hold nothing, but are used
	data        map[*tir.Var]bool           // of the buffers of the signature
	consts      []*relax.Constant           // constants on the current line
	irSeen      bool                        // something of dialect I was printed in the module
	tirSeen     bool                        // the same of dialect T, which is searched for
	searched    int                         // up to here
	infos       map[string][]ir.Node        // of the module
	meshes      map[*relax.DeviceMesh]string
	inSignature bool // extents with variables print as strings
	aliasNeeded bool // the name of the module is to be declared
	// undefinedUse is set where something is printed that has no name yet.
	undefinedUse bool
}

// newPrinter returns a printer of root, a module or a node.
func newPrinter(o *Options, root any) *printer {
	var p *printer
	if o.Scratch != nil {
		p = &o.Scratch.printer
	} else {
		p = new(printer)
	}
	*p = printer{
		opts: o, unit: "    ", irp: "I.", tirp: "T.", relaxp: "R.", cls: "cls", class: "Module", sugar: !o.NoSyntaxSugar,
		intDType: dtype.Int32T, bufferDType: dtype.Float32T,
	}
	if o.Scratch != nil {
		o.Scratch.take(p)
	}
	if p.data == nil {
		p.data = map[*tir.Var]bool{}
		p.names.init()
	}
	if !o.IntDType.IsVoid() {
		p.intDType = o.IntDType
	}
	if !o.BufferDType.IsVoid() {
		p.bufferDType = o.BufferDType
	}
	if o.IndentSpaces > 0 {
		p.unit = strings.Repeat(" ", min(o.IndentSpaces, maxIndent))
	}
	prefix := func(to *string, from string) {
		if from != "" && from+"." != *to {
			*to = from + "."
			p.names.reserve(from)
		}
	}
	prefix(&p.irp, o.IRPrefix)
	prefix(&p.tirp, o.TIRPrefix)
	prefix(&p.relaxp, o.RelaxPrefix)
	if _, ok := root.(*ir.Module); ok && o.Name != "" {
		p.class = o.Name
	}
	if p.ownAlias() {
		if p.cls = o.ModuleAlias; p.cls == NoModuleAlias {
			p.cls = p.class
		}
		p.names.reserve(p.cls)
	}
	if o.ShowMeta {
		p.meta = &metadata{limit: cmp.Or(o.MetaBytes, maxMetadata)}
	}
	if o.HideStructInfo {
		p.infer = newInference(root)
	}
	p.track = newTracker(o, root)
	return p
}

// ownAlias reports whether functions are referred to otherwise than through "cls".
func (p *printer) ownAlias() bool { return p.opts.ModuleAlias != "" && p.opts.ModuleAlias != "cls" }

// declaresAlias reports whether functions that refer to others declare what they do it through.
func (p *printer) declaresAlias() bool {
	return (p.ownAlias() || p.opts.TVM) && p.cls != p.class
}

// text ends the printing.
func (p *printer) text() *Text {
	for len(p.lines) < p.line {
		p.lines = append(p.lines, nil)
	}
	t := &Text{Source: string(p.buf), Lines: p.lines, parts: p.parts}
	if s := p.opts.Scratch; s != nil {
		t.Lines = append(make([]ir.Node, 0, len(p.lines)), p.lines...)
		if p.memory != nil {
			p.memory.printed(t.Source)
		}
		defer s.put(p)
	}
	if p.track != nil || p.opts.PrintLineNumbers {
		t = p.decorated(t)
	}
	if p.meta != nil {
		p.meta.prepend(t)
	}
	return t
}

// str prints s. It is append(p.buf, s...) that leaves the pointer of p.buf alone where there is room: each pointer that is stored
// while garbage is collected costs more than the copy of a word.
func (p *printer) str(s string) {
	n := len(p.buf)
	if len(s) > cap(p.buf)-n {
		p.buf = slices.Grow(p.buf, len(s))
	}
	p.buf = p.buf[:n+len(s)]
	copy(p.buf[n:], s)
}

// t, r and i print what a dialect defines: loop level, graph level and modules.
func (p *printer) t(s string) { p.str(p.tirp); p.str(s) }
func (p *printer) r(s string) { p.str(p.relaxp); p.str(s) }
func (p *printer) i(s string) { p.str(p.irp); p.str(s) }

func (p *printer) int(n int64) {
	if 0 <= n && n < 10 {
		p.str("0123456789"[n : n+1])
		return
	}
	var digits [20]byte
	p.str(string(strconv.AppendInt(digits[:0], n, 10)))
}

func (p *printer) quote(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			p.buf = appendQuoted(p.buf, s)
			return
		}
	}
	p.str(`"`)
	p.str(s)
	p.str(`"`)
}

// list prints xs with commas between them.
func list[T any](p *printer, xs []T, print func(T)) {
	for i, x := range xs {
		if i > 0 {
			p.str(", ")
		}
		print(x)
	}
}

// open and shut note where the text of a node begins and ends, if anybody asks.
func (p *printer) open(n ir.Node) {
	if p.track != nil {
		p.track.enter(n, len(p.buf))
	}
}

func (p *printer) shut() {
	if p.track != nil {
		p.track.leave(len(p.buf))
	}
}

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
	p.indentation()
}

func (p *printer) indentation() {
	for n := p.column(); n > 0; n -= len(blanks) {
		p.str(blanks[:min(n, len(blanks))])
	}
}

// blanks is what indentations are cut from: units of indentation are blanks.
var blanks = strings.Repeat(" ", 128)

// column is the width of the indentation.
func (p *printer) column() int { return p.indent * len(p.unit) }

// end ends a line.
func (p *printer) end() {
	p.buf = append(p.buf, '\n')
	p.line++
}

// rawLine prints a line that shows no node.
func (p *printer) rawLine(s string) {
	if s != "" {
		p.indentation()
	}
	p.str(s)
	p.end()
}

// cut takes back what was printed from at on.
func (p *printer) cut(at int) {
	p.buf = p.buf[:at]
	if p.track != nil {
		p.track.cut(at)
	}
}

// moveFront moves the text from mid on in front of that from at on. What must be printed
// first and stand last is printed so.
func (p *printer) moveFront(at, mid int) {
	p.scratch = append(p.scratch[:0], p.buf[at:mid]...)
	n := copy(p.buf[at:], p.buf[mid:])
	copy(p.buf[at+n:], p.scratch)
	if p.track != nil {
		p.track.moveFront(at, mid, len(p.buf))
	}
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
