package starpass_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/starpass"
)

// TestHostileScripts runs scripts that would take all time or memory, and checks that each is
// refused with an error that names a limit.
func TestHostileScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("they run until they meet their limits")
	}
	for _, c := range []struct{ name, source, want string }{
		{"endless loop", "while True: pass", "the limit of 10000000 steps: is there an endless loop?"},
		{"endless loop over a range", "for i in range(1 << 60): pass", "the limit of 10000000 steps"},
		{"endless recursion", "def f(): return f()\nf()", "more than 1000 active calls"},
		{"recursion through a handler", "def f(self, n): return self.visit(n)\nvisitor({'IntImm': f})(tir.IntImm('int32', 1))", "more than 1000 active calls"},
		{"recursion through a pass", "def f(mod): return p(mod)\np = module_pass(f, opt_level=0)\ndef main(mod): return p(mod)", "more than 1000 active calls"},
		{"long string", `"x" * 10000000000`, "beyond the limit"},
		{"long string, turned", `1000000000 * "x"`, "beyond the limit"},
		{"long list", "[0] * 1000000000", "beyond the limit"},
		{"long tuple", "(0,) * 1000000000", "beyond the limit"},
		{"doubling string", "s = 'xx'\nwhile True: s = s + s", "beyond the limit"},
		{"doubling string in place", "s = 'xx'\nwhile True: s += s", "beyond the limit"},
		{"doubling string in a dict", "d = {0: 'xx'}\nwhile True: d[0] += d[0]", "beyond the limit"},
		{"multiplied string in a list", "d = ['x']\nd[0] *= 1 << 40", "beyond the limit"},
		{"many long strings", "l = []\nwhile True: l.append('x' * 1000000)", "made more than"},
		{"list of a range", "list(range(1 << 60))", "beyond the limit"},
		{"sorted range", "sorted(range(1 << 60))", "beyond the limit"},
		{"largest of a range", "max(range(1 << 60))", "beyond the limit"},
		{"list grown by a range", "x = []\nx += range(1 << 60)", "beyond the limit"},
		{"list grown by extend", "x = []\nx.extend(range(1 << 60))", "beyond the limit"},
		{"join of a range", "','.join(range(1 << 60))", "beyond the limit"},
		{"spread range", "print(*range(1 << 60))", "more than the limit"},
		{"getattr of a method", "getattr(',', 'join')(range(1 << 60))", "beyond the limit"},
		{"copies by slicing", "x = [0] * 1000000\nl = []\nwhile True: l.append(x[:])", "made more than"},
		{"large replacement", "'a' * 10000 == ('a' * 10000).replace('a', 'b' * 1000000)", "beyond the limit"},
		{"large join", "('x' * 1000000).join(['a'] * 10000)", "beyond the limit"},
		{"large format", "('{0}' * 100000).format('x' * 1000000)", "beyond the limit"},
		{"large percent", "('%s' * 3) % tuple(['x' * 10000000] * 3)", "too large"},
		{"huge integers", "x = 3\nwhile True: x = x * x", "bits is beyond the limit"},
		{"huge shifts", "x = 3\nwhile True: x = x << 500", "bits is beyond the limit"},
		{"huge number as text", "int('9' * 1000000)", "int: a text of"},
		{"nested tuples as a key", "t = ()\nfor i in range(60): t = (t, t)\n{t: 1}", "a tuple holds more than"},
		{"nested tuples by arguments", "def f(*a): return a\nt = ()\nfor i in range(60): t = f(t, t)\n{t: 1}", "a tuple holds more than"},
		{"nested tuples by a lambda", "f = lambda *a: a\nt = ()\nfor i in range(60): t = f(t, t)\n{t: 1}", "a tuple holds more than"},
		{"nested tuples by zip", "t = ()\nfor i in range(60): t = zip([t], [t])[0]\n{t: 1}", "a tuple holds more than"},
		{"nested lists printed", "l = []\nfor i in range(60): l = [l, l]\nprint(l)", "too large"},
		{"nested lists in a text", "l = []\nfor i in range(60): l = [l, l]\n'%s' % l", "too large"},
		{"nested lists spelled", "l = []\nfor i in range(60): l = [l, l]\nstr(l)", "too large"},
		{"nested lists in a failure", "l = []\nfor i in range(60): l = [l, l]\nfail(l)", "too large"},
		{"nested lists compared", "a = [0] * 1000\nb = [a] * 1000\nc = [b] * 1000\n[b] * 1000 == [b] * 1000", "too large"},
		{"nested lists searched", "a = [0] * 1000\nb = [a] * 1000\nc = [b] * 1000\n[b] in c", "too large"},
		{"nested attributes", "l = []\nfor i in range(60): l = [l, l]\nparse('@T.prim_func\\ndef f(): T.evaluate(0)')['f'].with_attr('x', l)", "nested more than"},
		{"long keys", "k = 'x' * 10000000\nd = {k: 1}\nwhile True: d[k]", "the limit of 10000000 steps"},
		{"long keys of a method", "k = 'x' * 10000000\nd = {k: 1}\nwhile True: d.get(k)", "the limit of 10000000 steps"},
		{"long keys in a literal", "k = 'x' * 10000000\nwhile True: ({k: 1}, k in {1: 1})", "the limit of 10000000 steps"},
		{"equal hashes", "d = {}\nfor i in range(3000000): d[i * (1 << 32)] = 1", "the limit of 10000000 steps"},
		{"equal hashes in a set", "s = set()\nfor i in range(3000000): s.add(i * (1 << 32))", "the limit of 10000000 steps"},
		{"equal hashes of floats", "d = {}\nfor i in range(3000000): d[float(i * (1 << 32))] = 1", "the limit of 10000000 steps"},
		{"equal hashes of tuples", "d = {}\nfor i in range(3000000): d[(i * (1 << 32), 1)] = 1", "the limit of 10000000 steps"},
		{"equal low bits", "d = {}\nfor i in range(3000000): d[i * (1 << 12)] = 1", "the limit of 10000000 steps"},
		{"equal hashes in a literal", "{i * (1 << 32): 1 for i in range(3000000)}", "the limit of 10000000 steps"},
		{"equal hashes of pairs", "dict([(i * (1 << 32), 1) for i in range(30000)])", "the limit of 10000000 steps"},
		{"equal hashes of a list", "set([i * (1 << 32) for i in range(30000)])", "the limit of 10000000 steps"},
		{"equal hashes by update", "d = {}\nd.update([(i * (1 << 32), 1) for i in range(30000)])", "the limit of 10000000 steps"},
		{"equal hashes by union", "s = set()\ns.union([i * (1 << 32) for i in range(30000)])", "the limit of 10000000 steps"},
		{"equal hashes joined", "d = {i * (1 << 32): 1 for i in range(3000)}\nwhile True: d | d", "the limit of 10000000 steps"},
		{"equal hashes compared", "d = {i * (1 << 32): 1 for i in range(3000)}\nwhile True: d == d", "the limit of 10000000 steps"},
		{"equal hashes taken out", "d = {i * (1 << 32): 1 for i in range(3000)}\nwhile True: d.pop(1 << 33, 0)", "the limit of 10000000 steps"},
		{"many keys", "d = {}\nfor i in range(30000000): d[i] = 1", "more than"},
		{"many nodes spelled", "str([mod['main']] * 100000)", "too large"},
		{"many nodes in a text", "'%s' % ([mod['main']] * 100000)", "too large"},
		{"many nodes in a format", "('{0}' * 100000).format(mod['main'])", "beyond the limit"},
		{"many nodes compared", "l = [mod['main']] * 100000\nwhile True: l == l", "the limit of 10000000 steps"},
		{"much output", "while True: print('x' * 1000)", "printed more than"},
		{"shared expressions walked", "x = tir.Var('x', 'int32')\nfor i in range(80): x = tir.Add(x, x)\nvisitor({})(x)", "the limit of 10000000 steps"},
		{"shared expressions printed", "x = tir.Var('x', 'int32')\nfor i in range(80): x = tir.Add(x, x)\nx.script()", "nodes are not printed"},
		{"expressions in each other", "x = tir.Var('x', 'int32')\nwhile True: x = x + 1", "more than the limit of 20000 deep"},
		{"negations in each other", "x = tir.Var('x', 'int32')\nfor i in range(2000): x = " + strings.Repeat("-", 25) + "x\ntir.Add(a=x, b=x)", "more than the limit of 20000 deep"},
		{"tuples of nodes in each other", "x = relax.ShapeExpr([1])\nwhile True: x = relax.Tuple([x])", "more than the limit of 20000 deep"},
		{"patterns in each other", "p = relax.dpl.wildcard()\nfor i in range(200000): p = " + strings.Repeat("~", 30) + "p\np.match(mod['main'])", "more than the limit of 10000 deep"},
		{"many ways to match", manyWays + "p.match(f.body.body, var2val=relax.analysis.get_var2val(f))", "match: comparing one expression with a pattern takes more than the limit"},
		{"many ways to match in a function", manyWays + "def main(mod): relax.dpl.rewrite_call(p, lambda e, m: e, f)", "rewrite_call: comparing one expression with a pattern takes more than the limit"},
		{"many ways to match in a block", manyWays + `
with relax.dpl.PatternContext() as c:
    p.used_by(relax.dpl.wildcard())
    def main(mod): relax.dpl.rewrite_bindings(c, lambda m, b: {}, f)
`, "rewrite_bindings: comparing one expression with a pattern takes more than the limit"},
		{"long sequences of patterns", "s = relax.dpl.wildcard()\nl = []\nwhile True:\n    s = s ^ relax.dpl.wildcard()\n    l.append(s)", "the limit of 10000000 steps"},
		{"many relations of patterns", `
with relax.dpl.PatternContext() as c:
    s = relax.dpl.wildcard()
    for i in range(10002):
        q = relax.dpl.wildcard()
        s.used_by(q)
        s = q
    c.match_dfb(mod["main"].body.blocks[0])
`, "match_dfb: a pattern context has more than the limit of 10000 relations"},
		{"sequences in each other", "p = sequential([])\nfor i in range(60): p = sequential([p, p])", "more than 10000 passes"},
		{"large constant", "relax.const([0.0] * 100000)", "the limit of 65536 elements"},
		{"constant of nested lists", "l = []\nfor i in range(60): l = [l, l]\nrelax.const(l)", "nest"},
		{"large source", strings.Repeat("#", starpass.MaxSource+1), "bytes, more than the limit"},
		{"deep source", strings.Repeat("(", starpass.MaxSource/2-1) + "1" + strings.Repeat(")", starpass.MaxSource/2-1), "excessive nesting"},
		{"open brackets", strings.Repeat("(", starpass.MaxSource-10), "never closed"},
		{"load", `load("os.star", "x")`, "load is not available"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := run(t, c.source, module(t, relaxText), starpass.Limits{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, expected %q", err, c.want)
			}
		})
	}
}

// manyWays makes a pattern of additions that does not match a chain of x + x, and in two ways at each of them.
const manyWays = `
f = parse('@R.function\ndef main(x0: R.Tensor((2, 2), "float32")):\n' + "\n".join(["    x%d = R.add(x%d, x%d)" % (i + 1, i, i) for i in range(40)]) + "\n    return x40\n")["main"]
p = relax.dpl.is_const()
for i in range(40):
    p = relax.dpl.is_op("relax.add")(p, relax.dpl.wildcard())
`

// TestFrozenByFunctions checks that exporting a script does not take time that grows with the
// ways through its functions.
func TestFrozenByFunctions(t *testing.T) {
	source := `
def both(f, g):
    def h(): return f, g
    return h
h = None
for i in range(60): h = both(h, h)
p = module_pass(lambda mod: mod, opt_level=0, name="p")
`
	if _, err := starpass.Compile("t.star", source, starpass.Limits{}); err == nil || !strings.Contains(err.Error(), "hold on to more than") {
		t.Errorf("error is %v", err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("the visitor left")
	cancel(cause)
	s, err := starpass.Parse("t.star", "def main(mod):\n    while True: pass\n", starpass.Limits{Steps: 1 << 60})
	if err != nil {
		t.Fatal(err)
	}
	c, err := pass.NewContext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(starpass.RunOptions{Context: c}); !errors.Is(err, cause) {
		t.Errorf("error is %v, expected %v", err, cause)
	}
}

// TestLimitErrors checks that errors of limits can be told from others.
func TestLimitErrors(t *testing.T) {
	for _, source := range []string{"while True: pass", "'x' * (1 << 40)", "while True: print(0)"} {
		_, _, err := run(t, source, nil, starpass.Limits{Steps: 100_000, Output: 1000})
		var le *starpass.LimitError
		if !errors.As(err, &le) {
			t.Errorf("%s: %T %v is no *LimitError", source, err, err)
		}
	}
}

// TestKeysAreCheap uses many ordinary keys many times: they cost a step or two each.
func TestKeysAreCheap(t *testing.T) {
	const source = `
def main(mod):
    d, s = {}, set()
    for k in range(10):
        for i in range(10000):
            d[i] = d.get(i, 0) + 1
            d[(i % 100, "x", k)] = i
            s.add("name%d" % i)
            d["other%d" % (i % 2000)] = i / 2
    if len(s) != 10000 or len(d) != 10000 + 1000 + 2000 or d[77] != 10:
        fail("the keys are wrong")
    return mod
`
	if _, _, err := run(t, source, module(t, relaxText), starpass.Limits{}); err != nil {
		t.Error(err)
	}
}
