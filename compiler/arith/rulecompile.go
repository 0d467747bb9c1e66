package arith

import (
	"errors"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// compileRule reads the text of r and compiles each of its patterns.
func compileRule(r *Rule) error {
	body, condition, _ := strings.Cut(r.Text, " if ")
	patterns, result, again := strings.Cut(body, " =>> ")
	if !again {
		var ok bool
		if patterns, result, ok = strings.Cut(body, " => "); !ok {
			return errors.New("expected => or =>> between a pattern and a result")
		}
	}
	for _, text := range strings.Split(patterns, " | ") {
		c := &ruleCompiler{alt: &alternative{rule: r, again: again}, registers: map[string]uint8{}, consts: map[string]uint8{}}
		if err := c.compile(text, result, condition); err != nil {
			return err
		}
		r.alts = append(r.alts, c.alt)
	}
	return nil
}

// ruleCompiler compiles one pattern of a rule with its result and condition.
type ruleCompiler struct {
	alt       *alternative
	registers map[string]uint8 // of names
	consts    map[string]uint8 // numbers of constants
	next      uint8            // the next free register
	same      []step           // comparisons, which follow the other steps
}

func (c *ruleCompiler) compile(pattern, result, condition string) error {
	p, err := parseTerm(pattern)
	if err != nil {
		return err
	}
	c.alt.pattern = p
	switch p.kind {
	case termBinary:
		c.alt.op, c.next = int(p.op), 2
	case termNot:
		c.alt.op, c.next = opNot, 1
	case termCall:
		if p.name != "select" {
			return fmt.Errorf("%s cannot be what a rule is for", p.name)
		}
		c.alt.op, c.next = opSelect, 3
	default:
		return errors.New("a pattern is an operation")
	}
	c.alt.classes = [2]uint32{allClasses, allClasses}
	c.alt.deep = [4]uint32{allClasses, allClasses, allClasses, allClasses}
	for i, arg := range p.args {
		if i == 2 {
			break
		}
		c.alt.classes[i] = classesOf(arg)
		if arg.kind == termBinary || arg.kind == termCall && (arg.name == "ramp" || arg.name == "broadcast") {
			c.alt.deep[2*i] = classesOf(arg.args[0])
			if arg.name != "broadcast" {
				c.alt.deep[2*i+1] = classesOf(arg.args[1])
			}
		}
	}
	c.alt.alike = len(p.args) >= 2 && p.args[0].kind == termVar && p.args[1].kind == termVar && p.args[0].name == p.args[1].name
	for i, arg := range p.args {
		if err := c.pattern(arg, uint8(i)); err != nil {
			return err
		}
	}
	c.alt.steps = append(c.alt.steps, c.same...)
	if condition != "" {
		t, err := parseTerm(condition)
		if err != nil {
			return err
		}
		if err := c.conditions(t); err != nil {
			return err
		}
	}
	if name, ok := strings.CutPrefix(result, "@"); ok {
		if c.alt.hook = ruleHooks(name); c.alt.hook == nil {
			return fmt.Errorf("there is no function %s", name)
		}
		return nil
	}
	t, err := parseTerm(result)
	if err != nil {
		return err
	}
	c.alt.build, err = c.build(t, false)
	return err
}

// classesOf returns the classes of the expressions that t may match, as bits.
func classesOf(t *term) uint32 {
	switch t.kind {
	case termBinary:
		return 1 << t.op
	case termNot:
		return 1 << opNot
	case termConst, termNum:
		return 1 << classInt
	case termCall:
		switch t.name {
		case "select":
			return 1 << opSelect
		case "ramp":
			return 1 << classRamp
		case "broadcast":
			return 1 << classBroadcast
		}
	}
	return allClasses
}

// take returns n registers in a row.
func (c *ruleCompiler) take(n uint8) (uint8, error) {
	first := c.next
	if c.next += n; c.next > maxRegisters {
		return 0, errors.New("the pattern is too large")
	}
	return first, nil
}

// pattern adds the steps that match the node in register src against t.
func (c *ruleCompiler) pattern(t *term, src uint8) error {
	switch t.kind {
	case termVar:
		if r, ok := c.registers[t.name]; ok {
			c.same = append(c.same, step{kind: stepSame, src: src, dst: r})
			return nil
		}
		c.registers[t.name] = src
		return nil
	case termConst:
		k, ok := c.consts[t.name]
		if !ok {
			if k = uint8(len(c.consts)); k == maxConsts {
				return errors.New("too many constants")
			}
			c.consts[t.name] = k
			c.alt.steps = append(c.alt.steps, step{kind: stepConst, src: src, dst: k})
			return nil
		}
		c.same = append(c.same, step{kind: stepSameConst, src: src, dst: k})
		return nil
	case termNum:
		c.alt.steps = append(c.alt.steps, step{kind: stepNum, src: src, val: t.val})
		return nil
	}
	st, args := step{src: src}, t.args
	switch {
	case t.kind == termBinary:
		st.kind, st.op = stepBinary, t.op
	case t.kind == termNot:
		st.kind = stepNot
	case t.kind == termCall && t.name == "select" && len(args) == 3:
		st.kind = stepSelect
	case t.kind == termCall && t.name == "ramp" && len(args) == 3: // lanes agree where types do
		st.kind, args = stepRamp, args[:2]
	case t.kind == termCall && t.name == "broadcast" && len(args) == 2:
		st.kind, args = stepBroadcast, args[:1]
	default:
		return fmt.Errorf("%s cannot stand in a pattern", t.name)
	}
	dst, err := c.take(uint8(len(args)))
	if err != nil {
		return err
	}
	st.dst = dst
	c.alt.steps = append(c.alt.steps, st)
	for i, arg := range args {
		if err := c.pattern(arg, dst+uint8(i)); err != nil {
			return err
		}
	}
	return nil
}

// number reports whether t is computed from constants.
func number(t *term) bool {
	switch t.kind {
	case termConst, termNum:
		return true
	case termNeg:
		return number(t.args[0])
	case termBinary:
		return number(t.args[0]) && number(t.args[1])
	case termCall:
		return numberCalls(t.name) != nil
	}
	return false
}

// build returns the function that makes t of a match. element says that t is a part of a vector.
func (c *ruleCompiler) build(t *term, element bool) (func(*match) tir.Expr, error) {
	if number(t) {
		v, err := c.int(t)
		if err != nil {
			return nil, err
		}
		if t.kind == termBinary && t.op.IsCompare() {
			return func(m *match) tir.Expr { return tir.Bool(v(m) != 0) }, nil
		}
		if element {
			return func(m *match) tir.Expr { return m.num(m.d.Elem(), v(m)) }, nil
		}
		return func(m *match) tir.Expr { return m.num(m.d, v(m)) }, nil
	}
	args := make([]func(*match) tir.Expr, 0, 3)
	operands := t.args
	if t.kind == termCall {
		switch t.name {
		case "ramp", "broadcast":
			operands, element = t.args[:len(t.args)-1], true
		}
	}
	for _, a := range operands {
		f, err := c.build(a, element)
		if err != nil {
			return nil, err
		}
		args = append(args, f)
	}
	switch t.kind {
	case termVar:
		r, ok := c.registers[t.name]
		if !ok {
			return nil, fmt.Errorf("%s is not in the pattern", t.name)
		}
		return func(m *match) tir.Expr { return m.r[r] }, nil
	case termTruth:
		yes := t.val != 0
		return func(m *match) tir.Expr { return truth(m.n.DType(), yes) }, nil
	case termBinary:
		op, a, b := t.op, args[0], args[1]
		return func(m *match) tir.Expr { return mk(op, a(m), b(m)) }, nil
	case termNot:
		a := args[0]
		return func(m *match) tir.Expr { return notOf(a(m)) }, nil
	case termCall:
		switch t.name {
		case "select":
			x, y, z := args[0], args[1], args[2]
			return func(m *match) tir.Expr { return &tir.Select{Cond: x(m), True: y(m), False: z(m)} }, nil
		case "ramp":
			start, stride := args[0], args[1]
			return func(m *match) tir.Expr { return ramp(start(m), stride(m), m.d) }, nil
		case "broadcast":
			value := args[0]
			return func(m *match) tir.Expr { return broadcast(value(m), m.d) }, nil
		}
	}
	return nil, fmt.Errorf("%s cannot stand in a result", t.name)
}

// num returns the constant v of type d, which must hold it.
func (m *match) num(d dtype.DType, v int64) tir.Expr {
	e := num(d, v)
	if c, ok := e.(*tir.IntImm); ok && c.Value != v {
		m.bad = true
	}
	return e
}
