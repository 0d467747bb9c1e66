package transform_test

import (
	"context"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/transform"
)

// killModule is a module whose main takes a tuple of two vectors and a condition.
func killModule(t *testing.T, body string) *ir.Module {
	t.Helper()
	text := `@I.ir_module
class M:
    @R.function(pure=False)
    def main(t: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")), p: R.Tensor((), "bool")) -> R.Tensor((2,), "float32"):
` + strings.ReplaceAll(strings.TrimSpace(body), "\n\t\t", "\n        ")
	text = strings.Replace(text, `"float32"):
`, `"float32"):
        `, 1)
	m, found := parse.Module("kill.py", text+"\n", parse.Options{})
	for _, d := range found {
		t.Fatalf("%s\n%s", parse.Format(d), text)
	}
	return m
}

// TestUseAfterKillIsRefused lists what ends a life and what counts as a use after it.
func TestUseAfterKillIsRefused(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"kill after the last use", `
		a = t[0]
		b = R.add(a, a)
		_ = R.vm.kill_object(a)
		return b`, ""},
		{"use", `
		a = t[0]
		_ = R.vm.kill_object(a)
		b = R.add(a, a)
		return b`, "binding of b: variable a is used after relax.vm.kill_object ended its life"},
		{"result", `
		a = t[0]
		_ = R.memory.kill_tensor(a)
		return a`, "variable a is used after relax.memory.kill_tensor ended its life"},
		{"twice", `
		a = t[0]
		_ = R.vm.kill_object(a)
		_1 = R.vm.kill_object(a)
		return t[1]`, "variable a is used after relax.vm.kill_object ended its life"},
		{"another name", `
		a = t[0]
		c = a
		_ = R.vm.kill_object(a)
		b = R.add(c, c)
		return b`, "binding of b: variable c is used after relax.vm.kill_object ended its life"},
		{"killed by another name", `
		a = t[0]
		c = a
		_ = R.vm.kill_object(c)
		b = R.add(a, a)
		return b`, "binding of b: variable a is used after relax.vm.kill_object ended its life"},
		{"a tuple outlives its parts", `
		a = t[0]
		u = (a, a)
		_ = R.vm.kill_object(a)
		b = u[0]
		return b`, ""},
		{"in one branch, used in the other", `
		a = t[0]
		if p:
			_ = R.vm.kill_object(a)
			r = t[1]
		else:
			r = R.add(a, a)
		return r`, ""},
		{"in one branch, used after both", `
		a = t[0]
		if p:
			_ = R.vm.kill_object(a)
			r = t[1]
		else:
			r = t[1]
		b = R.add(a, r)
		return b`, "binding of b: variable a is used after relax.vm.kill_object ended its life"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := killModule(t, strings.ReplaceAll(c.body, "\n\t\t\t", "\n\t\t    "))
			found := relax.WellFormed(m, op.VerifyOpts())
			switch {
			case c.want == "" && len(found) > 0:
				t.Errorf("refused: %v", found)
			case c.want != "" && (len(found) != 1 || !strings.Contains(found[0].String(), c.want)):
				t.Errorf("got %v, want %s", found, c.want)
			}
		})
	}
}

// TestPassesRespectKills runs passes that let one variable stand for another on functions
// where one of them is killed before the other is used.
func TestPassesRespectKills(t *testing.T) {
	for _, body := range []string{`
		a = t[0]
		u = (a, a)
		_ = R.vm.kill_object(a)
		b = u[0]
		c = R.add(b, b)
		return c`, `
		a = t[0]
		s = R.add(a, a)
		_ = R.vm.kill_object(a)
		b = t[0]
		c = R.add(b, s)
		return c`, `
		a = t[0]
		s = R.add(a, a)
		b = t[0]
		_ = R.vm.kill_object(b)
		c = R.add(a, s)
		return c`, `
		a = t[0]
		n = a
		s = R.add(a, n)
		_ = R.vm.kill_object(n)
		b = t[0]
		c = R.add(b, s)
		return c`} {
		m := killModule(t, body)
		for _, d := range relax.WellFormed(m, op.VerifyOpts()) {
			t.Fatal(d)
		}
		for _, p := range []*pass.Pass{transform.CanonicalizeBindings, transform.EliminateCommonSubexpr, transform.DeadCodeElimination, transform.KillAfterLastUse} {
			c, err := pass.NewContext(context.Background(), pass.OptLevel(4))
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.Run(p, m)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range relax.WellFormed(out, op.VerifyOpts()) {
				t.Errorf("%s: %v\n%s", p.Name, d, script.Module(out, script.Options{}).Source)
			}
		}
	}
}
