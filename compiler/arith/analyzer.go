package arith

import (
	"sync"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
)

// Extension is a set of optional abilities of the rewrite simplifier; they cost time.
type Extension uint8

// The extensions, with TVM's names.
const (
	// TransitivelyProveInequalities chains known inequalities: a < b and b < c give a < c.
	TransitivelyProveInequalities Extension = 1 << iota
	// ConvertBooleanToAndOfOrs simplifies conditions in conjunctive normal form.
	ConvertBooleanToAndOfOrs
	// ApplyConstraintsToBooleanBranches assumes one side of && and || while simplifying the other.
	ApplyConstraintsToBooleanBranches
	// ComparisonOfProductAndSum compares (a+b)*c with a*b*d.
	ComparisonOfProductAndSum
)

// Strength says how hard CanProve tries.
type Strength uint8

// The strengths. SymbolicBound relaxes variables by the interval sets that they are bound to.
const (
	Default Strength = iota
	SymbolicBound
)

// Analyzer collects what is known of variables and answers questions about expressions.
// It is not safe for concurrent use.
type Analyzer struct {
	// Extensions switches abilities of the rewrite simplifier on.
	Extensions Extension
	// MaxSteps bounds the rewrites of one question; 0 is a default of 100,000. Beyond it
	// expressions are returned as they are.
	MaxSteps int
	// Budget counts the steps of all questions, and ends them by a panic, see package budget; nil
	// counts none.
	Budget *budget.Budget

	// Remember lets the simplifiers keep what they found from one question to the next, for as long as nothing else becomes known: what expressions
	// have in common is then looked at once, and a Trace told of once. It changes no answer.
	Remember bool

	// Trace, if set, is told each rule that the simplifiers apply, in order, see Rewrote.
	Trace func(Rewrote)

	varBounds   map[*tir.Var]Bound
	varModulars map[*tir.Var]Modular
	varSets     map[*tir.Var]IntSet
	ranges      []varRange // bound to variables and not in varSets yet
	setInfos    []setInfo
	boundInfos  []boundInfo
	known       comparisons
	rw          simplifier // rewriting by rules
	cs          simplifier // canonical form
	matches     []*match   // free ones, of both

	memo      memo
	settled   bool // what this question found it would find in any place
	gen       int  // counts changes of bindings
	depth     int  // questions under way inside each other
	boundWork int
	modWork   int
	steps     int
	spent     int // of all questions
	inCNF     bool
	quiet     int // questions under way whose answers are no part of the result
}

// memo holds answers by node. They are good for one outermost question, in one scope.
type memo struct {
	bound  ir.Memo[tir.Expr, Bound]
	mod    ir.Memo[tir.Expr, Modular]
	rw     ir.Memo[tir.Expr, tir.Expr]
	cs     ir.Memo[tir.Expr, canon]
	vscale ir.Memo[tir.Expr, bool]
}

// len is how many answers there are.
func (m *memo) len() int {
	return m.bound.Len() + m.mod.Len() + m.rw.Len() + m.cs.Len() + m.vscale.Len()
}

// NewAnalyzer returns an analyzer that knows nothing.
func NewAnalyzer() *Analyzer {
	a := &Analyzer{}
	a.rw.a = a
	a.cs.a = a
	a.cs.canonical = true
	return a
}

// idle are analyzers that know nothing, for functions that ask a question or two of what is known by itself.
var idle = sync.Pool{New: func() any { return NewAnalyzer() }}

// lend returns an analyzer that must learn nothing; giveBack takes it back.
func lend() *Analyzer { return idle.Get().(*Analyzer) }

func (a *Analyzer) giveBack() {
	if a.memo.len() <= maxIdle && a.cs.room.sums.Len()+a.cs.room.terms.Len() <= maxIdle {
		idle.Put(a)
	}
}

// maxIdle is how many answers an idle analyzer may hold: larger tables, and the expressions in them, would stay for as long as it is used.
const maxIdle = 1 << 10

// tables are what one analyzer that asks much leaves to the next.
type tables struct {
	memo memo
	room sumRoom
}

var spare = sync.Pool{New: func() any { return &tables{} }}

// maxSpare is how many answers there may be in tables that are kept.
const maxSpare = 1 << 14

// UseSpare has an analyzer of which nothing was asked work with the memory of one that is done, and returns what is to be called when it is done itself.
func (a *Analyzer) UseSpare() (done func()) {
	t := spare.Get().(*tables)
	a.memo, a.cs.room = t.memo, t.room
	return func() {
		few := a.memo.len() <= maxSpare
		a.forget()
		a.cs.room.reset()
		if few {
			t.memo, t.room = a.memo, a.cs.room
			spare.Put(t)
		}
	}
}

// SimplifyAlone is Simplify by an analyzer that knows nothing.
func SimplifyAlone(e tir.Expr) tir.Expr {
	a := lend()
	e = a.Simplify(e)
	a.giveBack()
	return e
}

// Bounded returns an analyzer that knows nothing and works under a budget, which may be nil.
func Bounded(b *budget.Budget) *Analyzer {
	a := NewAnalyzer()
	a.Budget = b
	return a
}

// begin opens a question. The outermost one starts with fresh memos and budgets.
func (a *Analyzer) begin() {
	if a.depth == 0 {
		if a.Remember && a.settled && a.boundWork+a.modWork == 0 && a.spend(0) {
			a.forgetSets()
		} else {
			a.forget()
			a.cs.room.reset()
		}
		a.settled = true
		a.boundWork, a.modWork, a.steps = 0, 0, 0
	}
	if a.depth > 0 {
		a.quiet++ // a question on the way
		a.settled = false
	}
	a.depth++
}

func (a *Analyzer) end() {
	if a.depth--; a.depth > 0 {
		a.quiet--
	}
}

// Together calls f, which asks questions that keep the answers of each other: asking for the bounds
// of every part of an expression then takes linear time. f must not change what is known.
func (a *Analyzer) Together(f func()) {
	a.begin()
	defer a.end()
	f()
}

func (a *Analyzer) forget() {
	a.forgetSets()
	a.memo.rw.Clear()
	a.memo.cs.Clear()
}

// forgetSets forgets all answers but those of the simplifiers.
func (a *Analyzer) forgetSets() {
	a.memo.bound.Clear()
	a.memo.mod.Clear()
	a.memo.vscale.Clear()
}

// spend takes n steps of what a question may take; false means that it is used up.
func (a *Analyzer) spend(n int) bool {
	limit := a.MaxSteps
	if limit == 0 {
		limit = 100_000
	}
	a.steps += n
	a.spent += n
	a.Budget.Spend(int64(n))
	return a.steps <= limit
}

// Spent returns the steps that all questions so far took together.
func (a *Analyzer) Spent() int { return a.spent }

// maxInlined bounds the nodes of a value that takes the place of a variable: values that each use
// the one before twice would otherwise double with every variable.
const maxInlined = 1 << 7

// Bind notes that v has the value e. A later Bind of the same variable replaces it. It reports
// whether expressions with v are simplified to ones with its value: they are unless the value is
// large, see BindBounds.
func (a *Analyzer) Bind(v *tir.Var, e tir.Expr) (inlined bool) {
	a.begin()
	value := a.rw.run(a.cs.run(e))
	if LargerThan(value, maxInlined) {
		a.end()
		a.BindBounds(v, value)
		return false
	}
	b, m, s := a.boundOf(value), a.modularOf(value), a.IntSet(value)
	a.end()
	a.UpdateBound(v, b)
	a.UpdateModular(v, m)
	a.setVar(v, s)
	a.rw.bind(v, value)
	a.cs.bind(v, value)
	a.known.bind(v, e, nil)
	return true
}

// BindBounds notes what bounds and remainders tell of v, which has the value e. Unlike after a Bind
// v stays v.
func (a *Analyzer) BindBounds(v *tir.Var, e tir.Expr) {
	b, m := a.ConstIntBound(e), a.ModularSet(e)
	a.UpdateBound(v, b)
	a.UpdateModular(v, m)
	delete(a.sets(), v)
	delete(a.rw.vars, v)
	delete(a.cs.vars, v)
	a.known.unbind(v)
}

// LargerThan reports whether e, written out as a tree, has more than n nodes. It looks at about n
// nodes, however much is shared.
func LargerThan(e tir.Expr, n int) bool {
	switch e.(type) {
	case *tir.IntImm, *tir.Var: // most extents are
		return n < 1
	}
	ir.Walk(e, func(ir.Node) bool { n--; return n >= 0 })
	return n < 0
}

// BindRange notes that v lies in r.
func (a *Analyzer) BindRange(v *tir.Var, r *tir.Range) {
	if isCst(r.Extent, 1) {
		a.Bind(v, r.Min)
		return
	}
	lo, n := a.ConstIntBound(r.Min), a.ConstIntBound(r.Extent)
	a.UpdateBound(v, Bound{lo.Min, infAdd(lo.Max, infAdd(n.Max, -1))})
	if len(a.ranges) == maxPending {
		a.sets()
	}
	a.ranges = append(a.ranges, varRange{v, r.Min, r.Extent})
	a.known.bind(v, r.Min, r.Extent)
}

// BindRanges binds each variable to its range.
func (a *Analyzer) BindRanges(ranges map[*tir.Var]*tir.Range) {
	for v, r := range ranges {
		a.BindRange(v, r)
	}
}

// UpdateBound replaces the constant bound of v.
func (a *Analyzer) UpdateBound(v *tir.Var, b Bound) {
	if a.varBounds == nil {
		a.varBounds = map[*tir.Var]Bound{}
	}
	a.varBounds[v] = b
	a.changed()
}

// UpdateModular replaces the modular set of v.
func (a *Analyzer) UpdateModular(v *tir.Var, m Modular) {
	if a.varModulars == nil {
		a.varModulars = map[*tir.Var]Modular{}
	}
	a.varModulars[v] = newModular(m.Coeff, m.Base)
	a.changed()
}

// IsBound reports whether anything was bound to v.
func (a *Analyzer) IsBound(v *tir.Var) bool { _, ok := a.varBounds[v]; return ok }

// changed drops what was derived from the bindings so far.
func (a *Analyzer) changed() { a.gen++; a.forget(); a.settled = false }

// MarkExtent notes that v is an extent of a tensor that the virtual machine was given: it
// checks that these are 0 to abi.MaxExtent, so that they fit int32.
func (a *Analyzer) MarkExtent(v *tir.Var) {
	if isIndex(v.DType()) {
		a.UpdateBound(v, a.varBound(v).intersect(Bound{0, abi.MaxExtent}))
	}
}

// MarkNonNegative notes that value, the extent of a buffer in a function's signature, is not
// negative, which bounds its variable: n + 2 gives n >= -2.
func (a *Analyzer) MarkNonNegative(value tir.Expr) {
	offset, scale := int64(0), int64(1)
	var symbol tir.Expr
	terms := 0
	unpackSum(value, 1, func(e tir.Expr, sign int64) {
		if c, ok := cst(e); ok {
			offset += sign * c
			return
		}
		terms++
		scale = sign
		symbol = e
	})
	if terms != 1 {
		return
	}
	var v *tir.Var
	factors := 0
	unpackProduct(symbol, func(e tir.Expr) {
		if c, ok := cst(e); ok {
			scale *= c
			return
		}
		factors++
		v, _ = e.(*tir.Var)
	})
	if factors != 1 || v == nil || scale <= 0 || !isIndex(v.DType()) {
		return
	}
	b := a.varBound(v)
	a.UpdateBound(v, b.intersect(Bound{-floorDivInt(offset, scale), PosInf}))
}

// ConstIntBound returns constants between which all values of e lie.
func (a *Analyzer) ConstIntBound(e tir.Expr) Bound {
	a.begin()
	defer a.end()
	return a.boundOf(e)
}

// ModularSet returns a factor and a remainder that all values of e share.
func (a *Analyzer) ModularSet(e tir.Expr) Modular {
	a.begin()
	defer a.end()
	return a.modularOf(e)
}

// RewriteSimplify simplifies e by rules, at most twice over.
func (a *Analyzer) RewriteSimplify(e tir.Expr) tir.Expr {
	a.begin()
	defer a.end()
	return a.rw.run(e)
}

// CanonicalSimplify brings sums of splits (x//c%d*s) to a canonical form and back.
func (a *Analyzer) CanonicalSimplify(e tir.Expr) tir.Expr {
	a.begin()
	defer a.end()
	return a.cs.run(e)
}

// Simplify is SimplifySteps with TVM's default of two steps. It returns e itself where
// nothing changed.
func (a *Analyzer) Simplify(e tir.Expr) tir.Expr { return a.SimplifySteps(e, 2) }

// SimplifySteps runs the canonical simplifier, then the two in turn, rewriting first.
func (a *Analyzer) SimplifySteps(e tir.Expr, steps int) tir.Expr {
	switch e.(type) {
	case *tir.IntImm, *tir.FloatImm, *tir.StringImm:
		return e
	}
	a.begin()
	defer a.end()
	out := a.cs.run(e)
	for i := range steps {
		if _, ok := out.(*tir.IntImm); ok {
			break
		}
		before := out
		if i%2 == 0 {
			out = a.rw.run(out)
		} else {
			out = a.cs.run(out)
		}
		if out == before {
			break // the other simplifier made it and has nothing new to see
		}
	}
	if Equal(out, e) {
		return e
	}
	return out
}
