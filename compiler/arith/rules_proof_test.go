package arith

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// proofCases is the number of evaluations of each pattern of each rule. IRSCOPE_RULE_CASES sets another one:
// the nightly run takes a million.
func proofCases(t *testing.T) int {
	if s := os.Getenv("IRSCOPE_RULE_CASES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return 400
}

// kinds of what the names of a pattern stand for.
const (
	kindNumber = iota
	kindBool
	kindVector
	kindVectorBool
)

const proofLanes = 4

// ruleCase draws expressions that match a pattern.
type ruleCase struct {
	r      *rand.Rand
	d      dtype.DType
	vars   []*tir.Var
	bools  []*tir.Var
	consts map[string]int64
	exprs  map[string]tir.Expr
	order  []int64 // constants so far
	vscale bool
}

func element(kind int) int {
	switch kind {
	case kindVector:
		return kindNumber
	case kindVectorBool:
		return kindBool
	}
	return kind
}

// constant draws a constant that is often related to those before it.
func (c *ruleCase) constant() int64 {
	small := []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, -1, -2, -3, -4, -6, -8}
	k := small[c.r.IntN(len(small))]
	if n := len(c.order); n > 0 && c.r.IntN(3) > 0 {
		p, q := c.order[c.r.IntN(n)], c.order[c.r.IntN(n)]
		k = []int64{p, -p, p + 1, p - 1, -p - 1, p * k, p * q, p + q, p * 2, p + k}[c.r.IntN(10)]
	}
	return max(-200, min(k, 200))
}

func (c *ruleCase) filler(kind int) tir.Expr {
	switch kind {
	case kindBool:
		if c.r.IntN(2) == 0 {
			return c.bools[c.r.IntN(len(c.bools))]
		}
		return tir.NewBinary(tir.OpLT, c.filler(kindNumber), tir.Const(c.d, int64(c.r.IntN(5))))
	case kindVector:
		if c.r.IntN(2) == 0 {
			return &tir.Ramp{Start: c.filler(kindNumber), Stride: tir.Const(c.d, int64(c.r.IntN(3)+1)), Lanes: proofLanes}
		}
		fallthrough
	case kindVectorBool:
		return &tir.Broadcast{Value: c.filler(element(kind)), Lanes: proofLanes}
	}
	x, y := c.vars[c.r.IntN(len(c.vars))], c.vars[c.r.IntN(len(c.vars))]
	k := tir.Const(c.d, int64(c.r.IntN(5)-1))
	if c.vscale && c.r.IntN(2) == 0 {
		return tir.NewBinary(tir.OpMul, &tir.Call{Type: c.d, Op: tir.OpVScale}, tir.Const(c.d, int64(c.r.IntN(8)+1)))
	}
	switch c.r.IntN(12) {
	case 0:
		return tir.NewBinary(tir.OpAdd, x, k)
	case 1:
		return tir.NewBinary(tir.OpMul, x, k)
	case 2:
		return k
	case 3:
		return tir.NewBinary(tir.OpSub, tir.NewBinary(tir.OpMul, x, k), y)
	case 4:
		op := []tir.BinaryOp{tir.OpMin, tir.OpMax}[c.r.IntN(2)]
		return tir.NewBinary(op, tir.NewBinary(op, x, y), k)
	}
	return x
}

// expr draws an expression that matches t.
func (c *ruleCase) expr(t *term, kind int) tir.Expr {
	switch t.kind {
	case termVar:
		e, ok := c.exprs[t.name]
		if !ok {
			e = c.filler(kind)
			c.exprs[t.name] = e
		}
		return e
	case termConst:
		k, ok := c.consts[t.name]
		if !ok {
			k = c.constant()
			c.consts[t.name] = k
			c.order = append(c.order, k)
		}
		return tir.Const(c.d, k)
	case termNum:
		return tir.Const(c.d, t.val)
	case termNot:
		return &tir.Not{A: c.expr(t.args[0], kind)}
	case termCall:
		switch t.name {
		case "select":
			return &tir.Select{Cond: c.expr(t.args[0], kindBool), True: c.expr(t.args[1], kind), False: c.expr(t.args[2], kind)}
		case "ramp":
			return &tir.Ramp{Start: c.expr(t.args[0], kindNumber), Stride: c.expr(t.args[1], kindNumber), Lanes: proofLanes}
		case "broadcast":
			return &tir.Broadcast{Value: c.expr(t.args[0], element(kind)), Lanes: proofLanes}
		}
	}
	switch {
	case t.op.IsCompare() && kind == kindVectorBool:
		kind = kindVector
	case t.op.IsCompare() && kind == kindBool:
		kind = kindNumber
	}
	a, b := c.expr(t.args[0], kind), c.expr(t.args[1], kind)
	return &tir.Binary{Op: t.op, A: a, B: b}
}

// ruleWorld is what a few draws have in common: the variables, where they lie, and an analyzer that knows this of some.
type ruleWorld struct {
	c      *ruleCase
	an     *Analyzer
	ranges map[*tir.Var]Bound
	vars   []*tir.Var // those of ranges
	kind   int
}

// newRuleWorld draws a world for the pattern of a.
func newRuleWorld(r *rand.Rand, a *alternative) *ruleWorld {
	c := &ruleCase{r: r, d: dtype.Int32T, consts: map[string]int64{}, exprs: map[string]tir.Expr{}, vscale: strings.Contains(a.rule.Name, "vscale")}
	switch {
	case a.rule.On == "integer" || a.rule.On == "other":
		c.d = dtype.MustParse("int8")
	case r.IntN(2) == 0:
		c.d = dtype.Int64T
	}
	w := &ruleWorld{c: c, an: NewAnalyzer(), ranges: map[*tir.Var]Bound{}}
	for _, name := range []string{"i", "j", "k"} {
		v := tir.NewVar(name, c.d)
		lo := int64(0)
		if r.IntN(3) == 0 {
			lo = int64(r.IntN(12) - 8)
		}
		b := Bound{lo, lo + []int64{0, 1, 2, 3, 7, 15}[r.IntN(6)]}
		if w.ranges[v] = b; r.IntN(4) > 0 {
			w.an.UpdateBound(v, b)
		}
		c.vars = append(c.vars, v)
	}
	for _, name := range []string{"p", "q"} {
		v := tir.NewVar(name, dtype.BoolT)
		w.ranges[v] = Bound{0, 1}
		c.bools = append(c.bools, v)
	}
	w.vars = append(slices.Clone(c.vars), c.bools...)
	w.kind = kindNumber
	if op := a.op; op == opNot || op >= int(tir.OpEQ) && op <= int(tir.OpOr) {
		w.kind = kindBool
	}
	if a.rule.On == "vector" {
		w.kind += kindVector
	}
	return w
}

// draw returns a node that matches the pattern of a.
func (w *ruleWorld) draw(a *alternative) tir.Expr {
	clear(w.c.consts)
	clear(w.c.exprs)
	w.c.order = w.c.order[:0]
	return w.c.expr(a.pattern, w.kind)
}

// applyAlone applies nothing but a to n.
func applyAlone(a *alternative, an *Analyzer, n tir.Expr) tir.Expr {
	an.begin()
	defer an.end()
	m := &match{s: &an.rw, n: n}
	switch n := n.(type) {
	case *tir.Binary:
		m.d = operandType(n)
		m.r[0], m.r[1] = n.A, n.B
	case *tir.Not:
		m.d = n.DType()
		m.r[0] = n.A
	case *tir.Select:
		m.d = n.DType()
		m.r[0], m.r[1], m.r[2] = n.Cond, n.True, n.False
	}
	if !a.match(m) {
		return nil
	}
	if (a.op == int(tir.OpAnd) || a.op == int(tir.OpOr)) && m.d.IsScalar() {
		m.d = m.cType
	}
	return a.apply(m)
}

// TestRulesAlone applies each rule alone to random expressions that match it, and compares the values of
// both sides where these have one. Indices stay small, so that none overflows, as none may.
func TestRulesAlone(t *testing.T) {
	want := proofCases(t)
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		for _, rule := range Rules() {
			if strings.Contains(rule.Text, "floatzero") {
				continue // TestFloatZeros
			}
			for i, a := range rule.alts {
				proveRule(t, r, a, i, want)
			}
		}
	})
}

// The draws in one world, and the points at which what a rule made of one of them is evaluated.
const (
	proofDraws  = 8
	proofPoints = 32
)

func proveRule(t *testing.T, r *rand.Rand, a *alternative, i, want int) {
	cases, fired := 0, 0
	at := map[*tir.Var]int64{}
	var w *ruleWorld
	for tries := 0; cases < want; tries++ {
		if tries > 400*want {
			t.Errorf("pattern %d of rule %s applied %d times in %d tries: %s", i+1, a.rule.Name, fired, tries, a.rule.Text)
			return
		}
		if tries%proofDraws == 0 {
			w = newRuleWorld(r, a)
			clear(at)
		}
		n := w.draw(a)
		out := applyAlone(a, w.an, n)
		if out == nil {
			continue
		}
		fired++
		if p, q := n.DType(), out.DType(); p != q {
			t.Errorf("rule %s: %s of type %v became %s of type %v", a.rule.Name, show(n), p, show(out), q)
			return
		}
		for range min(proofPoints, 8+want/100) {
			for _, v := range w.vars {
				b := w.ranges[v]
				at[v] = b.Min + r.Int64N(b.Max-b.Min+1)
			}
			at[nil] = 1 + r.Int64N(4) // vscale()
			defined, equal := evalEqual(n, out, at)
			if !defined {
				continue
			}
			cases++
			if !equal {
				before, _ := evalOK(n, at)
				after, _ := evalOK(out, at)
				t.Errorf("rule %s: %s became %s: %v instead of %v at %v", a.rule.Name, show(n), show(out), after, before, point(at))
				return
			}
		}
	}
}

// TestFloatZeros adds zeros to vectors of floats.
func TestFloatZeros(t *testing.T) {
	x := &tir.Broadcast{Value: tir.NewVar("x", dtype.Float32T), Lanes: 4}
	for _, op := range []tir.BinaryOp{tir.OpAdd, tir.OpSub} {
		for _, y := range []float64{0, 1} {
			// Both are broadcasts: the sum of the elements is folded instead.
			v := tir.NewVar("v", dtype.Float32T.WithLanes(4))
			n := tir.NewBinary(op, v, tir.FloatConst(dtype.Float32T.WithLanes(4), y))
			if out := NewAnalyzer().RewriteSimplify(n); (out == tir.Expr(v)) != (y == 0) {
				t.Errorf("%s became %s", show(n), show(out))
			}
			if out := NewAnalyzer().RewriteSimplify(tir.NewBinary(op, x, tir.FloatConst(x.DType(), y))); (out == tir.Expr(x)) != (y == 0) {
				if b, ok := out.(*tir.Broadcast); !ok || y == 0 && b.Value != x.Value {
					t.Errorf("a broadcast and %v became %s", y, show(out))
				}
			}
		}
	}
}
