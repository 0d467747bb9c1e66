package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// A pattern is compiled to steps over registers. Registers 0, 1, and 2 hold the operands of the node at
// hand; a step takes the node in one register apart and puts its operands into the next free ones, or
// checks it. A name in a rule is a register, so it costs nothing until it stands a second time.

// stepKind says what a step does.
type stepKind uint8

const (
	stepBinary    stepKind = iota // takes a Binary with the operation op apart
	stepConst                     // takes the value of an integer constant
	stepNum                       // checks for an integer of a known value
	stepNot                       // takes a Not apart
	stepSelect                    // takes a Select apart
	stepRamp                      // takes a Ramp apart
	stepBroadcast                 // takes a Broadcast apart
	stepSameConst                 // compares an integer constant with one that was taken
	stepSame                      // compares two registers
)

// step is a step of a pattern.
type step struct {
	kind stepKind
	op   tir.BinaryOp
	src  uint8 // the register of the node
	dst  uint8 // of its first operand, or of what it is compared with; for constants their number
	val  int64
}

const (
	maxRegisters = 24
	maxConsts    = 4
)

// match holds what the names of a rule stand for.
type match struct {
	s     *simplifier
	n     tir.Expr    // the node at hand
	d     dtype.DType // of its operands; where these are bool, of the constants in them
	r     [maxRegisters]tir.Expr
	c     [maxConsts]int64
	cType dtype.DType // of the constants
	bad   bool        // a constant of the result is beyond its type
}

// alternative is one pattern of a rule, compiled.
type alternative struct {
	rule    *Rule
	op      int       // opIndex of the node
	classes [2]uint32 // of the first two operands: a bit for each class that may match
	alike   bool      // the first two operands are the same name
	deep    [4]uint32 // as classes, of the first two operands of the first two operands
	steps   []step
	conds   []func(*match) int64
	build   func(*match) tir.Expr // nil if there is a hook
	hook    ruleHook
	again   bool
	pattern *term
}

// match reports whether the operands in m match, and fills m.
func (a *alternative) match(m *match) bool {
	for i := range a.steps {
		st := &a.steps[i]
		e := m.r[st.src]
		switch st.kind {
		case stepBinary:
			b, ok := e.(*tir.Binary)
			if !ok || b.Op != st.op {
				return false
			}
			m.r[st.dst], m.r[st.dst+1] = b.A, b.B
		case stepConst:
			c, ok := e.(*tir.IntImm)
			if !ok || beyond(c) {
				return false
			}
			m.c[st.dst], m.cType = c.Value, c.Type
		case stepNum:
			if c, ok := e.(*tir.IntImm); !ok || c.Value != st.val {
				return false
			}
		case stepSameConst:
			if c, ok := e.(*tir.IntImm); !ok || c.Value != m.c[st.dst] {
				return false
			}
		case stepSame:
			if other := m.r[st.dst]; e != other {
				if _, leaf := e.(*tir.Var); leaf || !tir.Equal(e, other) {
					return false
				}
			}
		case stepNot:
			n, ok := e.(*tir.Not)
			if !ok {
				return false
			}
			m.r[st.dst] = n.A
		case stepSelect:
			n, ok := e.(*tir.Select)
			if !ok {
				return false
			}
			m.r[st.dst], m.r[st.dst+1], m.r[st.dst+2] = n.Cond, n.True, n.False
		case stepRamp:
			n, ok := e.(*tir.Ramp)
			if !ok {
				return false
			}
			m.r[st.dst], m.r[st.dst+1] = n.Start, n.Stride
		case stepBroadcast:
			n, ok := e.(*tir.Broadcast)
			if !ok {
				return false
			}
			m.r[st.dst] = n.Value
		}
	}
	return true
}

// apply returns what the rule makes of the node in m, whose operands match; nil if it does not apply.
func (a *alternative) apply(m *match) tir.Expr {
	for _, cond := range a.conds {
		if cond(m) == 0 || m.bad {
			return nil
		}
	}
	if a.hook != nil {
		return a.hook(m.s, m.n.(*tir.Binary), m.d)
	}
	if out := a.build(m); !m.bad {
		return out
	}
	return nil
}

// tryRules applies the first rule that matches node n with up to three operands of type d; nil if none
// does.
func (s *simplifier) tryRules(op int, n tir.Expr, d dtype.DType, x, y, z tir.Expr) tir.Expr {
	cands := candidatesFor(op, typeClass(d), classOf(x), classOf(y))
	if len(cands.list) == 0 {
		return nil
	}
	deep := [4]uint32{allClasses, allClasses, allClasses, allClasses}
	if cands.deep {
		deep[0], deep[1] = operandClasses(x)
		deep[2], deep[3] = operandClasses(y)
	}
	m := s.takeMatch()
	m.n, m.d, m.r[0], m.r[1], m.r[2] = n, d, x, y, z
	var out tir.Expr
	for i := range cands.list {
		c := &cands.list[i]
		if c.deep[0]&deep[0] == 0 || c.deep[1]&deep[1] == 0 || c.deep[2]&deep[2] == 0 || c.deep[3]&deep[3] == 0 || !c.match(m) {
			continue
		}
		if (op == int(tir.OpAnd) || op == int(tir.OpOr)) && d.IsScalar() {
			m.d = m.cType
		}
		m.bad = false
		if out = c.apply(m); out == nil {
			continue
		}
		s.a.rewrote(c.rule.Name, n, out)
		if c.again {
			out = s.again(out)
		}
		break
	}
	s.a.matches = append(s.a.matches, m)
	return out
}

// takeMatch returns a match that nobody uses: conditions of rules apply rules.
func (s *simplifier) takeMatch() *match {
	free := &s.a.matches
	if k := len(*free); k > 0 {
		m := (*free)[k-1]
		*free = (*free)[:k-1]
		m.s = s
		return m
	}
	return &match{s: s}
}
