package pass

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

func contextOf(t *testing.T) *Context {
	t.Helper()
	c, err := NewContext(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// kernels returns a module of functions that evaluate a number each.
func kernels(numbers map[string]int64) *ir.Module {
	m := ir.NewModule()
	for _, name := range []string{"f", "g"} {
		if n, ok := numbers[name]; ok {
			m = m.With(name, number(n))
		}
	}
	return m
}

func number(n int64) *tir.PrimFunc {
	return &tir.PrimFunc{RetType: ir.VoidType(), Body: &tir.Evaluate{Value: tir.Int(n)}}
}

// small is a form whose functions hold no number above 9; looked counts the nodes that were looked at.
func small() (form *Form, looked *int) {
	looked = new(int)
	return &Form{Name: "small numbers", By: "Shrink", breaks: func(n ir.Node) string {
		*looked++
		if x, ok := n.(*tir.IntImm); ok && x.Value > 9 {
			return "a large number"
		}
		return ""
	}}, looked
}

// setting returns a pass that puts numbers in the place of functions.
func setting(name string, numbers map[string]int64) *Pass {
	return &Pass{Name: name, Kind: Module, Run: func(_ *Context, m *ir.Module) (*ir.Module, error) {
		for f, n := range numbers {
			m = m.With(f, number(n))
		}
		return m, nil
	}}
}

func needing(p *Pass, form *Form, strict bool) *Pass {
	p.Needs = []Need{{Form: form, Why: "it counts by fingers", Strict: strict}}
	return p
}

func TestNeeds(t *testing.T) {
	form, _ := small()
	both := map[string]int64{"f": 1, "g": 10}
	for name, c := range map[string]struct {
		p    *Pass
		want string
	}{
		"a function of the form is changed":  {needing(setting("Count", map[string]int64{"f": 2}), form, true), ""},
		"another one is changed":             {needing(setting("Count", map[string]int64{"g": 2}), form, true), "pass Count (step 1/Count) in function g: needs small numbers (it counts by fingers), found a large number: run Shrink before it"},
		"another one is removed":             {needing(&Pass{Name: "Count", Kind: Module, Run: func(_ *Context, m *ir.Module) (*ir.Module, error) { return m.Without("g"), nil }}, form, true), ""},
		"the need is not strict":             {needing(setting("Count", map[string]int64{"g": 2}), form, false), ""},
		"nothing is changed":                 {needing(setting("Count", nil), form, true), ""},
		"the pass panics":                    {needing(&Pass{Name: "Count", Kind: Module, Run: func(*Context, *ir.Module) (*ir.Module, error) { panic("no finger left") }}, form, true), "pass Count (step 1/Count) in function g: needs small numbers"},
		"the pass says itself what is wrong": {needing(&Pass{Name: "Count", Kind: Module, Run: func(*Context, *ir.Module) (*ir.Module, error) { return nil, errors.New("no hands") }}, form, true), "no hands"},
	} {
		_, err := contextOf(t).Run(c.p, kernels(both))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.want)
		}
		var need *NeedError
		if strings.Contains(c.want, "needs") && !errors.As(err, &need) {
			t.Errorf("%s: the error is a %T", name, err)
		}
	}
}

// TestNeedsByWhatRan: what a pass gave is believed and not looked for, until a pass of a user changes something, for functions that
// were there, and for no other module.
func TestNeedsByWhatRan(t *testing.T) {
	form, looked := small()
	shrink := setting("Shrink", map[string]int64{"f": 1})
	shrink.Gives = []*Form{form}
	grow, foreign, idle := setting("Grow", map[string]int64{"f": 10}), setting("user.Grow", map[string]int64{"f": 10}), setting("user.Idle", nil)
	foreign.Foreign, idle.Foreign = true, true
	add := setting("Add", map[string]int64{"g": 10})
	count := needing(setting("Count", map[string]int64{"f": 2, "g": 2}), form, true)
	for _, c := range []struct {
		name   string
		passes []*Pass
		walks  bool
		wrong  bool
	}{
		{"nothing is known", []*Pass{count}, true, false},
		{"it was given", []*Pass{shrink, count}, false, false},
		{"a pass of ours kept it, as all do", []*Pass{shrink, grow, count}, false, false},
		{"a pass of a user broke it", []*Pass{shrink, foreign, count}, true, true},
		{"a pass of a user did nothing", []*Pass{shrink, idle, count}, false, false},
		{"a function came later", []*Pass{shrink, add, count}, true, true},
		{"in sequences", []*Pass{NewSequential("a", shrink), NewSequential("b", NewSequential("c", count))}, false, false},
		{"inside of a pass", []*Pass{shrink, {Name: "Outer", Kind: Module, Run: func(c *Context, m *ir.Module) (*ir.Module, error) { return c.Run(count, m) }}}, false, false},
	} {
		*looked = 0
		_, err := contextOf(t).Run(NewSequential("all", c.passes...), kernels(map[string]int64{"f": 3}))
		if (err != nil) != c.wrong || (*looked > 0) != c.walks {
			t.Errorf("%s: the error is %v, and %d nodes were looked at", c.name, err, *looked)
		}
	}
	ctx := contextOf(t)
	if _, err := ctx.Run(shrink, kernels(map[string]int64{"f": 3})); err != nil {
		t.Fatal(err)
	}
	if _, err := ctx.Run(count, kernels(map[string]int64{"f": 10})); err == nil {
		t.Error("what was given to one module is believed of another")
	}
}
