package dpl_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// relation is one that was said of two patterns, by their numbers.
type relation struct {
	from, to, index int
	only            bool
}

// wanted is what a context asks for: the function that each pattern calls ("" is any variable), and the relations.
type wanted struct {
	callees   []string
	relations []relation
	same      []int // whose shapes are the same
}

// usesOf lists the variables that are used in a value, each as often as it is.
func usesOf(b relax.Binding) (out []*relax.Var) {
	ir.Walk(b.BoundValue(), func(n ir.Node) bool {
		if v, ok := n.(*relax.Var); ok {
			out = append(out, v)
		}
		_, info := n.(relax.StructInfo)
		return !info
	})
	return out
}

// holds tells whether variables, one for each pattern that has a relation, are what is asked for.
func (w wanted) holds(of []*relax.Var, bindings []relax.Binding) bool {
	uses := map[*relax.Var][]*relax.Var{}
	callee := map[*relax.Var]string{}
	users := map[*relax.Var]int{}
	for _, b := range bindings {
		uses[b.Bound()] = usesOf(b)
		for i, v := range uses[b.Bound()] {
			if !slices.Contains(uses[b.Bound()][:i], v) {
				users[v]++
			}
		}
		callee[b.Bound()] = b.BoundValue().(*relax.Call).Args[0].(*relax.ExternFunc).Symbol
	}
	for i, v := range of {
		if v != nil && w.callees[i] != "" && callee[v] != w.callees[i] || v != nil && slices.Contains(of[:i], v) {
			return false
		}
	}
	for _, r := range w.relations {
		have := uses[of[r.to]]
		if !slices.Contains(have, of[r.from]) || r.only && users[of[r.from]] != 1 {
			return false
		}
		if r.index != dpl.AnyOperand && (r.index < 0 || r.index >= len(have) || have[r.index] != of[r.from]) {
			return false
		}
	}
	for _, i := range w.same {
		for _, j := range w.same {
			if of[i] != nil && of[j] != nil && rows(of[i]) != rows(of[j]) {
				return false
			}
		}
	}
	return true
}

// rows is the first extent of a variable; the second is that of all.
func rows(v *relax.Var) int64 {
	dims, _ := v.SInfo.(*relax.TensorStructInfo).Dims()
	n, _ := tir.AsInt(dims[0])
	return n
}

// related tells which patterns have a relation: the others may be anything.
func (w wanted) related() []bool {
	out := make([]bool, len(w.callees))
	for _, r := range w.relations {
		out[r.from], out[r.to] = true, true
	}
	return out
}

// possible tries all choices of variables.
func (w wanted) possible(of []*relax.Var, vars []*relax.Var, bindings []relax.Binding) bool {
	if len(of) == len(w.callees) {
		return w.holds(of, bindings)
	}
	if !w.related()[len(of)] {
		return w.possible(append(of, nil), vars, bindings)
	}
	return slices.ContainsFunc(vars, func(v *relax.Var) bool {
		return w.possible(append(slices.Clone(of), v), vars, bindings)
	})
}

// TestContextAgainstAllChoices compares the search with one that tries every choice of variables, in random blocks.
func TestContextAgainstAllChoices(t *testing.T) {
	found := 0
	seed.Each(t, 2000, func(t *testing.T, r *rand.Rand) {
		functions := []string{"f", "g", "h"}[:1+r.IntN(3)]
		names := []string{"x", "y", "z"}
		var body []string
		for i := range 1 + r.IntN(5) {
			var args []string
			for range 1 + r.IntN(3) {
				args = append(args, names[max(0, len(names)-1-r.IntN(4))])
			}
			name := fmt.Sprint("v", i)
			body = append(body, name+" = "+functions[r.IntN(len(functions))]+"("+strings.Join(args, ", ")+")")
			names = append(names, name)
		}
		f, infer := block(t, strings.Join(body, "; "))
		bindings := f.Body.Blocks[0].Bindings
		vars := slices.Clone(f.Params)
		for _, b := range bindings {
			vars = append(vars, b.Bound())
		}

		var w wanted
		var list []dpl.Pattern
		for range 2 + r.IntN(3) {
			if r.IntN(3) == 0 {
				w.callees, list = append(w.callees, ""), append(list, dpl.Wildcard())
				continue
			}
			name := functions[r.IntN(len(functions))]
			w.callees, list = append(w.callees, name), append(list, packed(name))
		}
		c := dpl.NewContext()
		for range 1 + r.IntN(4) {
			rel := relation{from: r.IntN(len(list)), to: r.IntN(len(list)), index: dpl.AnyOperand, only: r.IntN(3) == 0}
			if rel.from == rel.to || r.IntN(8) > 0 && rel.from > rel.to { // seldom in a circle
				continue
			}
			if r.IntN(3) == 0 {
				rel.index = r.IntN(4) - 1
			}
			join := c.UsedBy
			if rel.only {
				join = c.OnlyUsedBy
			}
			if _, err := join(dpl.Sequence(list[rel.from]), dpl.Sequence(list[rel.to]), rel.index); err != nil {
				continue // it was said before
			}
			w.relations = append(w.relations, rel)
		}
		if r.IntN(3) == 0 {
			w.same = []int{0, 1}
			c.SameShape(list[0], list[1])
		}
		got := c.Match(bindings, infer, nil)
		want := len(w.relations) > 0 && w.possible(nil, vars, bindings)
		if (got != nil) != want {
			t.Fatalf("%v\n%+v\nthe search says %v, a choice exists: %v", body, w, got, want)
		}
		if got == nil {
			return
		}
		found++
		of := make([]*relax.Var, len(list))
		for i, p := range list {
			of[i] = got[p]
		}
		if !w.holds(of, bindings) {
			t.Errorf("%v\n%+v\n%v does not match", body, w, of)
		}
	})
	t.Logf("%d matches", found)
}
