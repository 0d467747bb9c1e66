package dpl_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/compiler/script/parse"
)

// shaped is a pattern with what it describes, for the reference.
type shaped struct {
	p     dpl.Pattern
	kind  string // "any", "x", "or", "and", "not" or an operator
	parts []*shaped
}

// randomPattern makes a pattern of at most the given depth; with shared it takes parts from the pool too.
func randomPattern(r *rand.Rand, depth int, pool *[]*shaped, shared bool) (out *shaped) {
	defer func() { *pool = append(*pool, out) }()
	if shared && len(*pool) > 0 && r.IntN(4) == 0 {
		return (*pool)[r.IntN(len(*pool))]
	}
	if depth == 0 {
		if r.IntN(3) == 0 {
			return &shaped{p: dpl.IsVar("x"), kind: "x"}
		}
		return &shaped{p: dpl.Wildcard(), kind: "any"}
	}
	next := func() *shaped { return randomPattern(r, depth-1, pool, shared) }
	switch kind := []string{"or", "and", "not", "relax.exp", "relax.add", "relax.subtract", "relax.add", "relax.maximum"}[r.IntN(8)]; kind {
	case "or", "and":
		a, b := next(), next()
		make := dpl.Or
		if kind == "and" {
			make = dpl.And
		}
		return &shaped{make(a.p, b.p), kind, []*shaped{a, b}}
	case "not":
		a := next()
		return &shaped{dpl.Not(a.p), kind, []*shaped{a}}
	case "relax.exp":
		a := next()
		return &shaped{dpl.Op(kind, a.p), kind, []*shaped{a}}
	default:
		a, b := next(), next()
		return &shaped{dpl.Op(kind, a.p, b.p), kind, []*shaped{a, b}}
	}
}

// assigned says which value each pattern matches.
type assigned map[*shaped]relax.Expr

// with is a with p added, nil if p matches another value there.
func (a assigned) with(p *shaped, e relax.Expr) assigned {
	if old := a[p]; old != nil {
		if old != e {
			return nil
		}
		return a
	}
	out := assigned{p: e}
	for q, x := range a {
		out[q] = x
	}
	return out
}

// ways calls f for each way in which p matches e, beside what is assigned, until f says that it is enough.
func ways(p *shaped, raw relax.Expr, b dpl.Bindings, a assigned, f func(assigned) bool) bool {
	e := b.Value(raw)
	if a[p] != nil {
		return a[p] == e && f(a)
	}
	done := func(a assigned) bool {
		if a = a.with(p, e); a == nil {
			return false
		}
		return f(a)
	}
	both := func(x, y relax.Expr) bool {
		return ways(p.parts[0], x, b, a, func(a assigned) bool { return ways(p.parts[1], y, b, a, done) })
	}
	switch p.kind {
	case "any":
		return done(a)
	case "x":
		v, ok := raw.(*relax.Var)
		return ok && v.Name == "x" && done(a)
	case "or":
		return ways(p.parts[0], raw, b, a, done) || ways(p.parts[1], raw, b, a, done)
	case "and":
		return both(raw, raw)
	case "not":
		return !ways(p.parts[0], raw, b, a, func(assigned) bool { return true }) && done(a)
	}
	c, ok := e.(*relax.Call)
	if !ok || c.Op.(*ir.Op).Name != p.kind {
		return false
	}
	if len(c.Args) == 1 {
		return ways(p.parts[0], c.Args[0], b, a, done)
	}
	return both(c.Args[0], c.Args[1]) || p.kind == "relax.add" && both(c.Args[1], c.Args[0])
}

// TestMatchAsDescribed compares Match with all ways in which a random pattern can match a random value. A pattern without shared parts matches exactly where
// there is a way. One with shared parts, and no Not, matches at most there: of an Or or of two orders, the first that matches counts.
func TestMatchAsDescribed(t *testing.T) {
	const cases = 20_000
	count := map[bool]int{}
	for seed := range uint64(cases / 50) {
		r := rand.New(rand.NewPCG(seed, 1))
		var text strings.Builder
		text.WriteString("@R.function\ndef main(x: R.Tensor((2,), \"float32\"), y: R.Tensor((2,), \"float32\")):\n")
		names := []string{"x", "y"}
		for i := range 5 {
			pick := func() string { return names[r.IntN(len(names))] }
			name := "v" + strconv.Itoa(i)
			switch f := []string{"exp", "add", "add", "subtract", "maximum"}[r.IntN(5)]; f {
			case "exp":
				text.WriteString("    " + name + " = R.exp(" + pick() + ")\n")
			default:
				text.WriteString("    " + name + " = R." + f + "(" + pick() + ", " + pick() + ")\n")
			}
			names = append(names, name)
		}
		text.WriteString("    return v4\n")
		m, found := parse.Module("text.py", text.String(), parse.Options{})
		for _, d := range found {
			t.Fatal(d.Format())
		}
		f := ir.MustLookup[*relax.Function](m, "main")
		bound := dpl.Bindings{}
		relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) { bound[b.Bound()] = b.BoundValue() })
		infer := op.NewBlockBuilder(m).Context()
		for range 50 {
			shared := r.IntN(2) == 0
			var pool []*shaped
			p := randomPattern(r, r.IntN(4), &pool, shared)
			negated := false
			for _, q := range pool {
				negated = negated || q.kind == "not"
			}
			_, got := dpl.Match(p.p, f.Body.Body, bound, infer, nil)
			want := ways(p, f.Body.Body, bound, assigned{}, func(assigned) bool { return true })
			count[got]++
			if got != want && !shared || got && !want && !negated {
				t.Fatalf("seed %d: matches %v, expected %v: %s\n%s", seed, got, want, p.describe(), text.String())
			}
		}
	}
	if count[true] < cases/20 || count[false] < cases/20 {
		t.Errorf("%d patterns match, %d do not", count[true], count[false])
	}
}

func (p *shaped) describe() string {
	var parts []string
	for _, q := range p.parts {
		parts = append(parts, q.describe())
	}
	return strings.TrimPrefix(p.kind, "relax.") + "(" + strings.Join(parts, ", ") + ")"
}
