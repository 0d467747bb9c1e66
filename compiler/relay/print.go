package relay

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// Text prints the Relax functions of a module as Relay's text, with the constants behind it. An error names what Relay cannot say. What
// Read made of a text reads back as an equal module; of others, what no text of Relay tells is lost: which extents are the same
// symbolic variable, values that nothing uses, and the order of what does not depend on one another.
func Text(m *ir.Module) (text string, err error) {
	p := &printer{mod: m, table: map[string]int{}, main: m.Lookup("main") != nil}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *printError:
			text, err = "", e
		default:
			panic(e)
		}
	}()
	p.str("#[version = \"0.0.5\"]\n")
	first := true
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok {
			p.fail("function %s is no graph: Relay has no kernels", gv.Name)
		}
		if !first {
			p.str("\n")
		}
		first = false
		p.at, p.vars, p.taken = gv.Name, map[*relax.Var]string{}, map[string]int{}
		p.str("def @" + gv.Name)
		attrs := f.Attrs
		if public(gv.Name, p.main) && ir.GlobalSymbol(f) == gv.Name {
			attrs = attrs.Without(ir.AttrGlobalSymbol)
		}
		p.function(f, attrs)
		p.str("\n")
	}
	if len(p.constants) > 0 {
		p.str("\n#[metadata]\n" + metaSection(p.constants))
	}
	return p.b.String(), nil
}

// printError says what Relay's text has no words for.
type printError struct{ fn, msg string }

func (e *printError) Error() string { return "in " + e.fn + ": " + e.msg }

// printer appends to b.
type printer struct {
	b         strings.Builder
	mod       *ir.Module
	main      bool
	at        string // function
	indent    int
	temps     int // %0, %1, ... through the whole text
	vars      map[*relax.Var]string
	taken     map[string]int
	table     map[string]int // constants by digest
	constants []*ir.Blob
}

func (p *printer) fail(format string, args ...any) {
	panic(&printError{p.at, fmt.Sprintf(format, args...)})
}

func (p *printer) str(s string) { p.b.WriteString(s) }

func (p *printer) line() { p.str("\n" + strings.Repeat("  ", p.indent)) }

// name gives a variable a name that no other of its function has.
func (p *printer) name(v *relax.Var) string {
	hint := v.Name
	if hint == "" || isDigit(hint[0]) {
		hint = "v" + hint
	}
	for {
		n := p.taken[hint]
		p.taken[hint]++
		s := hint
		if n > 0 {
			s += strconv.Itoa(n)
			if p.taken[s] > 0 {
				continue
			}
			p.taken[s]++
		}
		p.vars[v] = "%" + s
		return "%" + s
	}
}

// function prints what stands behind the name of a function, or behind fn.
func (p *printer) function(f *relax.Function, attrs *ir.Attrs) {
	p.str("(")
	sep := ""
	devices, _ := attrs.Get(devicesAttr)
	list, _ := devices.([]ir.Value)
	if len(list) == len(f.Params) {
		attrs = attrs.Without(devicesAttr)
	}
	for i, v := range f.Params {
		p.str(sep + p.name(v))
		sep = ", "
		if len(list) == len(f.Params) && list[i] != "" {
			p.str(" {virtual_device=" + p.attrText("", list[i]) + "}")
		}
		if t := typeText(v.SInfo, true); t != "" {
			p.str(": " + t)
		}
	}
	for i := range attrs.Len() {
		k, v := attrs.At(i)
		p.str(sep + k + "=" + p.attrText(k, v))
		sep = ", "
	}
	p.str(")")
	if t := typeText(f.Ret, false); t != "" {
		p.str(" -> " + t)
	}
	p.str(" ")
	p.block(f.Body)
}

// block prints a sequence in braces.
func (p *printer) block(s *relax.SeqExpr) {
	p.str("{")
	p.indent++
	p.seq(s)
	p.indent--
	p.line()
	p.str("}")
}

// seq prints bindings and the value. What the last binding computes for the value alone is the value.
func (p *printer) seq(s *relax.SeqExpr) {
	var last *relax.VarBinding
	if k := len(s.Blocks); k > 0 {
		blk := s.Blocks[k-1]
		if b, ok := blk.Bindings[len(blk.Bindings)-1].(*relax.VarBinding); ok && relax.Expr(b.Var) == s.Body && !IsLet(b, blk.Dataflow) {
			last = b
		}
	}
	for _, blk := range s.Blocks {
		for _, bind := range blk.Bindings {
			if bind == relax.Binding(last) {
				break
			}
			p.binding(bind, blk.Dataflow)
		}
	}
	p.line()
	if last != nil {
		p.value(last.Value)
	} else {
		p.value(s.Body)
	}
}

func (p *printer) binding(bind relax.Binding, dataflow bool) {
	v := bind.Bound()
	p.line()
	cast, isCast := bind.(*relax.MatchCast)
	switch {
	case isCast:
		if len(relax.FreeSymbolicVars(cast.SInfo)) > 0 {
			p.fail("the match_cast of %s names symbolic extents, which Relay cannot", v.Name)
		}
		t := typeText(cast.SInfo, false)
		if t == "" {
			p.fail("the match_cast of %s says what no type of Relay does", v.Name)
		}
		p.str("let " + p.name(v) + ": " + t)
	case IsLet(bind, dataflow):
		p.str("let " + p.name(v))
	default:
		p.vars[v] = "%" + strconv.Itoa(p.reserve())
		// The number is that of the line: functions inside of the value take later ones.
		p.str(p.vars[v])
	}
	p.str(" = ")
	p.value(bind.BoundValue())
	p.str(";")
}

func (p *printer) reserve() int { p.temps++; return p.temps - 1 }

// value prints the value of a binding.
func (p *printer) value(e relax.Expr) {
	switch e := e.(type) {
	case *relax.Call:
		p.call(e)
	case *relax.TupleGetItem:
		p.leaf(e.Tuple)
		p.str("." + strconv.Itoa(e.Index))
	case *relax.If:
		p.str("if (")
		p.leaf(e.Cond)
		p.str(") ")
		p.block(e.Then)
		p.str(" else ")
		p.block(e.Else)
	case *relax.Function:
		p.str("fn ")
		p.function(e, e.Attrs)
	default:
		p.leaf(e)
	}
}

// leaf prints an operand.
func (p *printer) leaf(e relax.Expr) {
	switch e := e.(type) {
	case *relax.Var:
		s := p.vars[e]
		if s == "" {
			p.fail("variable %s is not bound", e.Name)
		}
		p.str(s)
	case *relax.Constant:
		p.constant(e.Data)
	case *relax.Tuple:
		p.str("(")
		for i, f := range e.Fields {
			if i > 0 {
				p.str(", ")
			}
			p.leaf(f)
		}
		if len(e.Fields) == 1 {
			p.str(",")
		}
		p.str(")")
	case *ir.GlobalVar:
		p.str("@" + e.Name)
	case *relax.ExternFunc:
		p.str("@" + e.Symbol)
	default:
		p.fail("Relay has no %T", e)
	}
}

// constant prints a scalar as it is, another tensor by its number in the metadata.
func (p *printer) constant(d *ir.Blob) {
	if s := scalarText(d); s != "" {
		p.str(s)
		return
	}
	key := d.Digest()
	i, ok := p.table[key]
	if !ok {
		i = len(p.constants)
		p.table[key] = i
		p.constants = append(p.constants, d)
	}
	p.str(metaText(constantTable, i))
}
