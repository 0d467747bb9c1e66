package wasmbin

import (
	"fmt"
	"strings"
)

// textWidth is the column at which the printer breaks an expression over several lines.
const textWidth = 100

// tree is a folded instruction: its own text and its operands.
type tree struct {
	at    int // in the body
	head  string
	args  []*tree
	width int
	value bool
}

// Text prints f in the folded text format of WebAssembly: one statement a line, operands
// nested in it, blocks indented. Names of locals and labels are made unique by a number.
func (f *Func) Text() string {
	text, _ := f.TextAndLines()
	return text
}

// TextAndLines is Text, and for each line the instruction of the body that begins there, -1 where there is none: what ends a block, and
// the lines that an instruction goes on in, have none.
func (f *Func) TextAndLines() (string, []int) {
	p := &textPrinter{f: f, locals: uniqueNames(f.locals), labels: uniqueLabels(f.labels)}
	p.targets = make([]bool, len(f.labels))
	for _, in := range f.body {
		if in.Op == OpBr || in.Op == OpBrIf {
			p.targets[in.Imm] = true
		}
	}
	p.line(none, 0)
	fmt.Fprintf(&p.b, "(func $%s", textName(f.Name))
	for i, t := range f.Type.Params {
		fmt.Fprintf(&p.b, " (param $%s %s)", p.locals[i], t)
	}
	for _, t := range f.Type.Results {
		fmt.Fprintf(&p.b, " (result %s)", t)
	}
	p.b.WriteByte('\n')
	p.indent = 1
	p.declareLocals()
	n := len(f.body)
	if f.closed {
		n--
	}
	p.body(f.body[:n])
	p.line(none, 0)
	p.b.WriteString(")\n")
	return p.b.String(), p.lines
}

// none is where no instruction is.
const none = -1

type textPrinter struct {
	f       *Func
	b       strings.Builder
	indent  int
	locals  []string
	labels  []string
	targets []bool // labels that a branch names
	closers []string
	pending []*tree // operands that no instruction has taken yet
	lines   []int   // the instruction of each line
}

// printf begins a line of an instruction.
func (p *textPrinter) printf(at int, format string, args ...any) {
	p.line(at, p.indent)
	fmt.Fprintf(&p.b, format, args...)
}

func (p *textPrinter) line(at, indent int) {
	p.lines = append(p.lines, at)
	for range indent {
		p.b.WriteString("  ")
	}
}

func (p *textPrinter) declareLocals() {
	ls := p.f.locals[len(p.f.Type.Params):]
	col := 0
	for i, l := range ls {
		s := fmt.Sprintf("(local $%s %s)", p.locals[len(p.f.Type.Params)+i], l.typ)
		switch {
		case col == 0:
			p.line(none, p.indent)
		case col+len(s) > textWidth-4:
			p.b.WriteByte('\n')
			p.line(none, p.indent)
			col = 0
		default:
			p.b.WriteByte(' ')
		}
		p.b.WriteString(s)
		col += len(s) + 1
	}
	if col > 0 {
		p.b.WriteByte('\n')
	}
}

func (p *textPrinter) body(body []Instr) {
	for i := range body {
		in := &body[i]
		switch in.Op {
		case opComment:
			p.printf(none, ";; %s\n", p.f.comments[in.Imm])
		case OpBlock, OpLoop:
			p.flush()
			p.printf(i, "(%s $%s\n", in.Op, p.labels[in.Imm])
			p.indent++
			p.closers = append(p.closers, ")")
		case OpIf:
			p.openIf(i, in)
		case OpElse:
			p.flush()
			p.indent--
			p.printf(none, ") (else\n")
			p.indent++
		case OpEnd:
			p.flush()
			p.indent--
			p.printf(none, "%s\n", p.closers[len(p.closers)-1])
			p.closers = p.closers[:len(p.closers)-1]
		default:
			p.fold(i, in)
		}
	}
	p.flush()
}

func (p *textPrinter) openIf(at int, in *Instr) {
	var cond *tree
	if n := len(p.pending); n > 0 {
		cond = p.pending[n-1]
		p.pending = p.pending[:n-1]
	}
	p.flush()
	p.printf(at, "(if")
	if p.targets[in.Imm] {
		p.b.WriteString(" $" + p.labels[in.Imm])
	}
	if in.Type != None {
		p.b.WriteString(" (result " + in.Type.String() + ")")
	}
	if cond != nil {
		p.b.WriteByte(' ')
		p.tree(cond, p.indent+1)
	}
	p.b.WriteString(" (then\n")
	p.indent++
	p.closers = append(p.closers, "))")
}

// fold takes the operands of in from the pending values; a statement is written at once.
func (p *textPrinter) fold(at int, in *Instr) {
	n, value := p.arity(in)
	t := &tree{at: at, head: p.head(in), value: value}
	if n > len(p.pending) {
		n = len(p.pending)
	}
	from := len(p.pending) - n
	t.args = append(t.args, p.pending[from:]...)
	p.pending = p.pending[:from]
	t.width = len(t.head) + 2
	for _, a := range t.args {
		t.width += a.width + 1
	}
	if value {
		p.pending = append(p.pending, t)
		return
	}
	p.flush()
	p.write(t)
}

// flush writes the pending values as lines of their own, which keeps the order of execution.
func (p *textPrinter) flush() {
	for _, t := range p.pending {
		p.write(t)
	}
	p.pending = p.pending[:0]
}

func (p *textPrinter) write(t *tree) {
	p.line(t.at, p.indent)
	p.tree(t, p.indent)
	p.b.WriteByte('\n')
}

func (p *textPrinter) tree(t *tree, indent int) {
	p.b.WriteByte('(')
	p.b.WriteString(t.head)
	if 2*indent+t.width <= textWidth {
		for _, a := range t.args {
			p.b.WriteByte(' ')
			p.tree(a, indent)
		}
	} else {
		for _, a := range t.args {
			p.b.WriteByte('\n')
			p.line(none, indent+1)
			p.tree(a, indent+1)
		}
	}
	p.b.WriteByte(')')
}
