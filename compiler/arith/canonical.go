package arith

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// The canonical simplifier brings integer arithmetic to a form in which equal index expressions look
// alike, by treating them as what most of them are: linear combinations of quotients and remainders.
//
//	x*4 + y - x*3          one sum of terms: x + y
//	(x // 4)*4 + x % 4     two digits of one index: x
//	(x*8 + y) // 4         what is divisible leaves: x*2 + y // 4
//
// A term (split) is index % upper // lower * scale: a digit of an index in a mixed radix. A sum is a
// constant and terms, ordered so that terms of one index are neighbours and digits can be joined
// (mergeTerms). Addition and multiplication by constants act on sums; // and % separate what the divisor
// divides from the rest and act on single terms (canonical_divmod.go); everything else is left to the
// rewrite rules.
//
// Invariant: upper is a multiple of lower, and division and remainder of a term round the same way. Both
// roundings are needed, because TIR has both, and a term may change its rounding only while it is not
// divided (fits).
//
// Cost: adding a term looks for its index among those that are there; sums of many terms are made of a
// whole tree of + and - at once (canonical_collect.go), in n*log(n). After TVM's src/arith/canonical_simplify.cc.

// split is the term index % upper / lower * scale, where upper (PosInf for none) is a
// multiple of lower. Division and remainder both round down (floor) or both truncate.
type split struct {
	index               tir.Expr
	lower, upper, scale int64
	floor               bool
	d                   dtype.DType
	product             *tir.Binary // index*scale as it was written, of which scale may have changed; nil if it was not
}

// fits reports whether the term reads the same with the other kind of division.
func (t *split) fits(floor bool) bool { return t.floor == floor || t.lower == 1 && t.upper == PosInf }

func modOp(floor bool) tir.BinaryOp {
	if floor {
		return tir.OpFloorMod
	}
	return tir.OpMod
}

func divOp(floor bool) tir.BinaryOp {
	if floor {
		return tir.OpFloorDiv
	}
	return tir.OpDiv
}

// scaled returns the term times k as an expression.
func (t *split) scaled(k int64) tir.Expr {
	if t.scale == 0 {
		return num(t.d, 0)
	}
	if t.upper == PosInf && t.lower == 1 && t.written(k*t.scale) {
		return t.product
	}
	e := t.index
	if t.upper != PosInf {
		e = mk(modOp(t.floor), e, num(t.d, t.upper))
	}
	if t.lower != 1 {
		e = mk(divOp(t.floor), e, num(t.d, t.lower))
	}
	return mulC(t.d, e, k*t.scale)
}

// written reports whether product is index*k.
func (t *split) written(k int64) bool {
	if t.product == nil || t.product.A != t.index {
		return false
	}
	c, ok := t.product.B.(*tir.IntImm)
	return ok && c.Type == t.d && c.Value == k && k != 1
}

// sum is the sum of terms and a constant. Terms of one index are neighbours, those with a
// larger lower first.
type sum struct {
	terms []split
	base  int64
	d     dtype.DType
}

// canon is a canonical value: a sum, a single term, or any other expression.
type canon struct {
	sum  *sum
	term *split
	e    tir.Expr
}

// expr returns the value as an ordinary expression.
func (c canon) expr() tir.Expr {
	switch {
	case c.sum != nil:
		return c.sum.expr()
	case c.term != nil:
		return c.term.scaled(1)
	}
	return c.e
}

// asTerm returns the value as one term with the wanted kind of division.
func (c canon) asTerm(floor bool) split {
	if c.term != nil && c.term.fits(floor) {
		t := *c.term
		t.floor = floor
		return t
	}
	if c.sum != nil && c.sum.base == 0 && len(c.sum.terms) == 1 && c.sum.terms[0].fits(floor) {
		t := c.sum.terms[0]
		t.floor = floor
		return t
	}
	e := c.expr()
	return split{index: e, lower: 1, upper: PosInf, scale: 1, floor: floor, d: e.DType()}
}

// asAnyTerm is asTerm, of what is no sum, with the kind of division that is there.
func (c canon) asAnyTerm() split {
	if c.term != nil {
		return *c.term
	}
	return c.asTerm(false)
}

// sumRoom is what the sums and terms of a question lie in. They are part of no answer.
type sumRoom struct {
	sums  ir.Pages[sum]
	terms ir.Pages[split]
}

func (r *sumRoom) reset() {
	r.sums.Reset()
	r.terms.Reset()
}

// list returns an empty list with room for n terms.
func (r *sumRoom) list(n int) []split {
	switch {
	case n == 0:
		return nil
	case n > manyTerms:
		return make([]split, 0, n)
	}
	return r.terms.Take(n)[:0]
}

// manyTerms is the number of terms beyond which a list lies in memory of its own.
const manyTerms = 32

// term returns a value that is t.
func (r *sumRoom) term(t split) canon { return canon{term: r.terms.One(t)} }

// sumOf returns a copy of c as a sum that the caller may change.
func (r *sumRoom) sumOf(c canon, d dtype.DType) *sum { return r.sumFor(c, d, 0) }

// sumFor is sumOf with room for more terms.
func (r *sumRoom) sumFor(c canon, d dtype.DType, more int) *sum {
	if c.sum != nil {
		return r.sums.One(sum{terms: append(r.list(len(c.sum.terms)+more), c.sum.terms...), base: c.sum.base, d: d})
	}
	if v, ok := cst(c.e); ok {
		return r.sums.One(sum{base: v, d: d})
	}
	return r.sums.One(sum{terms: append(r.list(1+more), c.asAnyTerm()), d: d})
}

// lookups is the cost of adding o to c, in steps: each of its terms is looked for among those that
// are there.
func (c canon) lookups(o canon) int {
	n, m := 1, 1
	if c.sum != nil {
		n += len(c.sum.terms)
	}
	if o.sum != nil {
		m += len(o.sum.terms)
	}
	return n * m / lookupsPerStep
}

// lookupsPerStep is how many terms are compared in the time of a step.
const lookupsPerStep = 8

// addTerm adds t*scale.
func (s *sum) addTerm(t split, scale int64) {
	if t.scale == 0 {
		return
	}
	t.scale *= scale
	start := 0
	for start < len(s.terms) && !Equal(s.terms[start].index, t.index) {
		start++
	}
	for j := start; j < len(s.terms); j++ {
		u := &s.terms[j]
		if t.lower > u.lower || !Equal(u.index, t.index) {
			s.terms = slices.Insert(s.terms, j, t)
			return
		}
		if t.lower == u.lower && t.upper == u.upper && t.fits(u.floor) {
			u.scale += t.scale
			return
		}
	}
	s.terms = append(s.terms, t)
}

// addSum adds o*scale.
func (s *sum) addSum(o *sum, scale int64) {
	for _, t := range o.terms {
		s.addTerm(t, scale)
	}
	s.base += o.base * scale
}

func (s *sum) times(k int64) *sum {
	s.base *= k
	for i := range s.terms {
		s.terms[i].scale *= k
	}
	return s
}

// dividedBy divides by a factor of all coefficients.
func (s *sum) dividedBy(k int64) *sum {
	s.base /= k
	for i := range s.terms {
		s.terms[i].scale /= k
	}
	return s
}

// separate splits a sum into what coefficients divisible by k contribute, and the rest.
func (r *sumRoom) separate(s *sum, k int64) (divisible, rest *sum) {
	n := 0
	for i := range s.terms {
		if s.terms[i].scale%k == 0 {
			n++
		}
	}
	divisible = r.sums.One(sum{d: s.d, terms: r.list(n)})
	rest = r.sums.One(sum{d: s.d, terms: r.list(len(s.terms) - n)})
	if s.base%k == 0 {
		divisible.base = s.base
	} else {
		rest.base = s.base
	}
	for _, t := range s.terms {
		if t.scale%k == 0 {
			divisible.terms = append(divisible.terms, t)
		} else {
			rest.terms = append(rest.terms, t)
		}
	}
	return divisible, rest
}

func (s *sum) isZero() bool { return s.base == 0 && len(s.terms) == 0 }

// expr writes the sum with positive terms first, by falling scale.
func (s *sum) expr() tir.Expr {
	if len(s.terms) == 0 {
		return num(s.d, s.base)
	}
	terms := s.terms
	if len(terms) > 1 {
		var few [8]split
		terms = mergeTerms(append(few[:0], terms...))
	}
	// The lowest integer has no positive counterpart to subtract: it is added.
	lowest := s.base == -1<<(s.d.Bits-1)
	var e tir.Expr
	plus := func(x tir.Expr) {
		if e == nil {
			e = x
		} else {
			e = add(e, x)
		}
	}
	for i := range terms {
		if terms[i].scale > 0 {
			plus(terms[i].scaled(1))
		}
	}
	if s.base > 0 || lowest {
		plus(num(s.d, s.base))
	}
	if e == nil {
		e = num(s.d, 0)
	}
	for i := range terms {
		if terms[i].scale < 0 {
			e = sub(e, terms[i].scaled(-1))
		}
	}
	if s.base < 0 && !lowest {
		e = sub(e, num(s.d, -s.base))
	}
	return e
}

// mergeTerms joins terms of one index and orders them. It uses two identities, true for
// both kinds of division: x%(c*s)/c = x/c%s, and x/s*s + x%s = x.
func mergeTerms(terms []split) []split {
	for i := range terms {
		for j := i + 1; j < len(terms); j++ {
			l, r := &terms[i], &terms[j]
			if !Equal(l.index, r.index) {
				break
			}
			if l.upper == r.upper && l.lower == r.lower && l.fits(r.floor) {
				r.scale += l.scale
				l.scale = 0
			} else if l.lower == r.upper && r.scale != 0 && l.scale%r.scale == 0 &&
				l.lower == l.scale/r.scale*r.lower && l.fits(r.floor) {
				r.upper = l.upper
				l.scale = 0
			}
		}
	}
	slices.SortStableFunc(terms, func(l, r split) int {
		switch {
		case l.scale != r.scale:
			return descending(l.scale, r.scale)
		case l.lower != r.lower:
			return descending(l.lower, r.lower)
		case l.upper != r.upper:
			return descending(l.upper, r.upper)
		case l.floor != r.floor && l.floor:
			return -1
		case l.floor != r.floor:
			return 1
		}
		return 0
	})
	return terms
}

func descending(x, y int64) int {
	if x > y {
		return -1
	}
	return 1
}
