package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
)

// killMain is the head of a function that takes a tuple of two vectors and a condition.
const killMain = `@R.function(pure=False)
def main(t: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")), p: R.Tensor((), "bool")) -> R.Tensor((2,), "float32"):`

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
    return b`, "binding of b: variable a is used after relax.vm.kill_object killed it"},
		{"result", `
    a = t[0]
    _ = R.memory.kill_tensor(a)
    return a`, "variable a is used after relax.memory.kill_tensor killed it"},
		{"twice", `
    a = t[0]
    _ = R.vm.kill_object(a)
    _1 = R.vm.kill_object(a)
    return t[1]`, "variable a is used after relax.vm.kill_object killed it"},
		{"another name", `
    a = t[0]
    c = a
    _ = R.vm.kill_object(a)
    b = R.add(c, c)
    return b`, "binding of b: variable c is used after relax.vm.kill_object killed it"},
		{"killed by another name", `
    a = t[0]
    c = a
    _ = R.vm.kill_object(c)
    b = R.add(a, a)
    return b`, "binding of b: variable a is used after relax.vm.kill_object killed it"},
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
    return b`, "binding of b: variable a is used after relax.vm.kill_object killed it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := relax.WellFormed(read(t, killMain+c.body), op.VerifyOpts())
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
	for name, body := range map[string]string{
		"a field of a tuple outlives what it was made of": `
    a = t[0]
    u = (a, a)
    _ = R.vm.kill_object(a)
    b = u[0]
    c = R.add(b, b)
    return c`,
		"fields of one value are killed each": `
    u = (t, t)
    x = u[0]
    y = u[1]
    _ = R.vm.kill_object(u)
    a = x[0]
    _1 = R.vm.kill_object(x)
    b = y[1]
    _2 = R.vm.kill_object(y)
    c = R.add(a, b)
    return c`,
		"a field is killed, and what it was made of used": `
    u = (t, t)
    x = u[0]
    _ = R.vm.kill_object(x)
    a = t[0]
    return a`,
		"a call of constants is killed": `
    a = R.add(R.const([1.0, 2.0], "float32"), R.const([1.0, 2.0], "float32"))
    b = R.add(a, a)
    _ = R.vm.kill_object(a)
    return b`,
		"a value is fetched again": `
    a = t[0]
    s = R.add(a, a)
    _ = R.vm.kill_object(a)
    b = t[0]
    c = R.add(b, s)
    return c`,
		"the second of two equal values": `
    a = t[0]
    s = R.add(a, a)
    b = t[0]
    _ = R.vm.kill_object(b)
    c = R.add(a, s)
    return c`,
		"killed by another name": `
    a = t[0]
    n = a
    s = R.add(a, n)
    _ = R.vm.kill_object(n)
    b = t[0]
    c = R.add(b, s)
    return c`,
	} {
		t.Run(name, func(t *testing.T) {
			m := read(t, killMain+body)
			for _, p := range []*pass.Pass{transform.CanonicalizeBindings, transform.EliminateCommonSubexpr, transform.DeadCodeElimination, tunedLegalizeOps, pass.NewSequential("FoldConstant", tunedLegalizeOps, transform.FoldConstant), transform.KillAfterLastUse} {
				check(t, passtest.NewContext(), p, m)
			}
		})
	}
}
