package arith

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// env parses the small expression language of the tables: infix operators, int and float
// literals, calls such as fld(x, 4), and variables whose type is a suffix: x is int32, x_i64
// int64, and a capital S in front makes a size variable.
type env struct {
	vars map[string]*tir.Var
	bufs *tir.Buffer
}

func newEnv() *env { return &env{vars: map[string]*tir.Var{}} }

func (v *env) expr(s string) tir.Expr {
	p := &exprParser{env: v, s: s}
	e := p.binary(0)
	p.skip()
	if p.pos != len(s) {
		panic(fmt.Sprintf("%q: unexpected %q", s, s[p.pos:]))
	}
	return e
}

func (v *env) variable(name string) *tir.Var {
	if x, ok := v.vars[name]; ok {
		return x
	}
	d := dtype.Int32T
	if i := strings.LastIndexByte(name, '_'); i >= 0 {
		suffix := name[i+1:]
		long := strings.NewReplacer("f16", "float16", "f32", "float32", "f64", "float64", "i", "int", "u", "uint").Replace(suffix)
		if suffix == "bool" {
			long = suffix
		}
		if t, err := dtype.Parse(long); err == nil {
			d = t
		}
	}
	x := tir.NewVar(name, d)
	x.Size = name[0] == 'S'
	v.vars[name] = x
	return x
}

type exprParser struct {
	env *env
	s   string
	pos int
}

func (p *exprParser) skip() {
	for p.pos < len(p.s) && p.s[p.pos] == ' ' {
		p.pos++
	}
}

func (p *exprParser) eat(tok string) bool {
	p.skip()
	if strings.HasPrefix(p.s[p.pos:], tok) {
		p.pos += len(tok)
		return true
	}
	return false
}

var infix = []map[string]tir.BinaryOp{
	{"||": tir.OpOr},
	{"&&": tir.OpAnd},
	{"==": tir.OpEQ, "!=": tir.OpNE, "<=": tir.OpLE, ">=": tir.OpGE, "<": tir.OpLT, ">": tir.OpGT},
	{"+": tir.OpAdd, "-": tir.OpSub},
	{"*": tir.OpMul},
}

func (p *exprParser) binary(level int) tir.Expr {
	if level == len(infix) {
		return p.primary()
	}
	e := p.binary(level + 1)
next:
	for {
		for _, tok := range []string{"||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*"} {
			if op, ok := infix[level][tok]; ok && p.eat(tok) {
				e = tir.BinaryExpr(op, e, p.binary(level+1))
				continue next
			}
		}
		return e
	}
}

func (p *exprParser) primary() tir.Expr {
	if p.eat("(") {
		e := p.binary(0)
		if !p.eat(")") {
			panic(p.s + ": missing )")
		}
		return e
	}
	p.skip()
	start := p.pos
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || p.pos == start && c == '-' {
			p.pos++
			continue
		}
		break
	}
	word := p.s[start:p.pos]
	if word == "" {
		panic(fmt.Sprintf("%s: expected an operand at %d", p.s, start))
	}
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return tir.Const(dtype.Int32T, n)
	}
	if f, err := strconv.ParseFloat(word, 64); err == nil {
		return &tir.FloatImm{Type: dtype.Float32T, Value: f}
	}
	if p.eat("(") {
		return p.call(word)
	}
	switch word {
	case "true", "false":
		return tir.Bool(word == "true")
	}
	return p.env.variable(word)
}

func (p *exprParser) call(name string) tir.Expr {
	var t dtype.DType
	if name == "cast" {
		i := strings.IndexByte(p.s[p.pos:], ',')
		t = dtype.MustParse(p.s[p.pos : p.pos+i])
		p.pos += i + 1
	}
	var args []tir.Expr
	for !p.eat(")") {
		args = append(args, p.binary(0))
		p.eat(",")
	}
	// Lanes are a number, or one times vscale().
	lanes := func(i int) (int, bool) {
		if f, c, ok := opConst(args[i], tir.OpMul); ok && NewAnalyzer().containsVscale(f) {
			return int(c), true
		}
		n, _ := tir.AsInt(args[i])
		return int(n), false
	}
	switch name {
	case "fld":
		return tir.FloorDiv(args[0], args[1])
	case "flm":
		return tir.FloorMod(args[0], args[1])
	case "tdiv", "div":
		return tir.Div(args[0], args[1])
	case "tmod":
		return tir.TruncMod(args[0], args[1])
	case "min":
		return tir.Min(args[0], args[1])
	case "max":
		return tir.Max(args[0], args[1])
	case "not":
		return tir.LogicalNot(args[0])
	case "select":
		yes, no := tir.MatchTypes(args[1], args[2])
		return &tir.Select{Cond: args[0], True: yes, False: no}
	case "ite":
		return tir.IfThenElseExpr(args[0], args[1], args[2])
	case "ramp":
		n, scalable := lanes(2)
		return &tir.Ramp{Start: args[0], Stride: args[1], Lanes: n, Scalable: scalable}
	case "bcast":
		n, scalable := lanes(1)
		return &tir.Broadcast{Value: args[0], Lanes: n, Scalable: scalable}
	case "vscale":
		return &tir.Call{Type: dtype.Int32T, Op: tir.OpVScale}
	case "cast":
		return tir.CastTo(t, args[0])
	case "let":
		return &tir.Let{Var: args[0].(*tir.Var), Value: args[1], Body: args[2]}
	case "load":
		if p.env.bufs == nil {
			p.env.bufs = tir.NewBuffer("buf", dtype.Float32T, []tir.Expr{tir.Int32(1)}, "")
		}
		return tir.Load(p.env.bufs, args...)
	}
	if d, err := dtype.Parse(name); err == nil && d != dtype.Void {
		switch c := args[0].(type) {
		case *tir.FloatImm:
			return tir.FloatConst(d, c.Value)
		case *tir.IntImm:
			if d.IsFloat() {
				return tir.FloatConst(d, float64(c.Value))
			}
		}
		return tir.CastTo(d, args[0])
	}
	ops := map[string]*ir.Op{
		"shift_left": tir.OpShiftLeft, "shl": tir.OpShiftLeft, "shr": tir.OpShiftRight, "band": tir.OpBitwiseAnd,
		"clz": tir.OpClz, "ceil": tir.OpCeil, "log2": tir.OpLog2, "likely": tir.OpLikely,
	}
	op, ok := ops[name]
	if !ok {
		panic(p.s + ": unknown function " + name)
	}
	return &tir.Call{Type: args[0].DType(), Op: op, Args: args}
}

// show writes e for messages.
func show(e tir.Expr) string {
	switch e := e.(type) {
	case nil:
		return "nil"
	case *tir.Var:
		return e.Name
	case *tir.IntImm:
		if e.Type.IsBool() {
			return strconv.FormatBool(e.Value != 0)
		}
		return strconv.FormatInt(e.Value, 10)
	case *tir.FloatImm:
		return fmt.Sprint(e.Value)
	case *tir.Binary:
		for _, level := range infix {
			for tok, op := range level {
				if op == e.Op {
					return "(" + show(e.A) + " " + tok + " " + show(e.B) + ")"
				}
			}
		}
		return e.Op.String() + "(" + show(e.A) + ", " + show(e.B) + ")"
	case *tir.Not:
		return "not(" + show(e.A) + ")"
	case *tir.Cast:
		return e.Type.String() + "(" + show(e.Value) + ")"
	case *tir.Select:
		return "select(" + show(e.Cond) + ", " + show(e.True) + ", " + show(e.False) + ")"
	case *tir.Ramp:
		return fmt.Sprintf("ramp(%s, %s, %d)", show(e.Start), show(e.Stride), e.Lanes)
	case *tir.Broadcast:
		return fmt.Sprintf("bcast(%s, %d)", show(e.Value), e.Lanes)
	case *tir.Call:
		parts := make([]string, len(e.Args))
		for i, a := range e.Args {
			parts[i] = show(a)
		}
		return e.Op.CalleeName() + "(" + strings.Join(parts, ", ") + ")"
	}
	return fmt.Sprintf("%T", e)
}

// row is a line "before => expected | condition ; condition" of a table under testdata.
type row struct {
	line             int
	section          string
	before, expected string
	conditions       []string
}

// readRows reads a table; "# name" starts a section.
func readRows(t testing.TB, file string) []row {
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	section := ""
	for i, line := range strings.Split(string(data), "\n") {
		switch line = strings.TrimSpace(line); {
		case line == "":
		case line[0] == '#':
			section = strings.TrimSpace(line[1:])
		default:
			r := row{line: i + 1, section: section}
			before, rest, ok := strings.Cut(line, " => ")
			if !ok {
				t.Fatalf("%s:%d: no =>", file, i+1)
			}
			r.before = before
			expected, conds, has := strings.Cut(rest, " | ")
			r.expected = expected
			if has {
				r.conditions = strings.Split(conds, " ; ")
			}
			rows = append(rows, r)
		}
	}
	return rows
}
