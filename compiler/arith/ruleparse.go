package arith

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/tir"
)

// termKind says what a term of a rule is.
type termKind uint8

const (
	termVar    termKind = iota // an expression with a name
	termConst                  // c1: an integer constant with a name
	termNum                    // an integer
	termTruth                  // true or false
	termBinary                 // an operation
	termNot                    // !x
	termNeg                    // -x
	termCall                   // select, ramp, broadcast, and what conditions call
)

// term is a part of a rule as it is written.
type term struct {
	kind termKind
	op   tir.BinaryOp
	name string
	val  int64
	args []*term
}

// ruleParser reads the terms of one rule.
type ruleParser struct {
	s   string
	pos int
}

// parseTerm reads a whole term.
func parseTerm(s string) (*term, error) {
	p := &ruleParser{s: s}
	t, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	if p.skip(); p.pos < len(s) {
		return nil, fmt.Errorf("unexpected %q in %q", s[p.pos:], s)
	}
	return t, nil
}

func (p *ruleParser) skip() {
	for p.pos < len(p.s) && p.s[p.pos] == ' ' {
		p.pos++
	}
}

func (p *ruleParser) eat(token string) bool {
	p.skip()
	if strings.HasPrefix(p.s[p.pos:], token) {
		p.pos += len(token)
		return true
	}
	return false
}

// ruleInfix lists the operators by precedence, at each level longer ones first.
var ruleInfix = [...][]struct {
	token string
	op    tir.BinaryOp
}{
	{{"||", tir.OpOr}},
	{{"&&", tir.OpAnd}},
	{{"==", tir.OpEQ}, {"!=", tir.OpNE}, {"<=", tir.OpLE}, {">=", tir.OpGE}, {"<", tir.OpLT}, {">", tir.OpGT}},
	{{"+", tir.OpAdd}, {"-", tir.OpSub}},
	{{"*", tir.OpMul}, {"//", tir.OpFloorDiv}, {"/", tir.OpDiv}, {"%", tir.OpFloorMod}},
}

// ruleFunc returns the operation that is written as a call.
func ruleFunc(name string) (tir.BinaryOp, bool) {
	switch name {
	case "truncdiv":
		return tir.OpDiv, true
	case "truncmod":
		return tir.OpMod, true
	case "floordiv":
		return tir.OpFloorDiv, true
	case "floormod":
		return tir.OpFloorMod, true
	case "min":
		return tir.OpMin, true
	case "max":
		return tir.OpMax, true
	}
	return 0, false
}

func (p *ruleParser) binary(level int) (*term, error) {
	if level == len(ruleInfix) {
		return p.unary()
	}
	t, err := p.binary(level + 1)
next:
	for err == nil {
		for _, in := range ruleInfix[level] {
			if !p.eat(in.token) {
				continue
			}
			var right *term
			right, err = p.binary(level + 1)
			t = &term{kind: termBinary, op: in.op, args: []*term{t, right}}
			continue next
		}
		return t, nil
	}
	return nil, err
}

func (p *ruleParser) unary() (*term, error) {
	switch {
	case p.eat("!"):
		t, err := p.unary()
		return &term{kind: termNot, args: []*term{t}}, err
	case p.eat("-"):
		t, err := p.unary()
		if err == nil && t.kind == termNum {
			return &term{kind: termNum, val: -t.val}, nil
		}
		return &term{kind: termNeg, args: []*term{t}}, err
	case p.eat("("):
		t, err := p.binary(0)
		if err == nil && !p.eat(")") {
			err = fmt.Errorf("expected ) at %q in %q", p.s[p.pos:], p.s)
		}
		return t, err
	}
	p.skip()
	start := p.pos
	for p.pos < len(p.s) && isWordByte(p.s[p.pos]) {
		p.pos++
	}
	word := p.s[start:p.pos]
	if word == "" {
		return nil, fmt.Errorf("expected an operand at %q in %q", p.s[start:], p.s)
	}
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return &term{kind: termNum, val: n}, nil
	}
	if p.eat("(") {
		return p.call(word)
	}
	switch {
	case word == "true" || word == "false":
		t := &term{kind: termTruth}
		if word == "true" {
			t.val = 1
		}
		return t, nil
	case word[0] == 'c' && len(word) > 1:
		return &term{kind: termConst, name: word}, nil
	}
	return &term{kind: termVar, name: word}, nil
}

func (p *ruleParser) call(name string) (*term, error) {
	t := &term{kind: termCall, name: name}
	for !p.eat(")") {
		arg, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		if t.args = append(t.args, arg); !p.eat(",") && !strings.HasPrefix(p.s[p.pos:], ")") {
			return nil, fmt.Errorf("expected , or ) at %q in %q", p.s[p.pos:], p.s)
		}
	}
	if op, ok := ruleFunc(name); ok {
		if len(t.args) != 2 {
			return nil, fmt.Errorf("%s takes two operands", name)
		}
		t.kind, t.op = termBinary, op
	}
	return t, nil
}
