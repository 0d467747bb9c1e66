package starpass_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/starpass"
)

// hooks is a script with two instruments, a and b, that print what is called; the hook called
// fails of instrument who fails.
func hooks(who, fails string) string {
	return fmt.Sprintf(`
def watch(name):
    def hook(h):
        def f(*args):
            print(name, h, *[args[1].name for x in args[1:]])
            if (name, h) == (%q, %q):
                fail("no")
            return True
        return f
    return pass_instrument(name=name, enter_pass_ctx=hook("enter_pass_ctx"), exit_pass_ctx=hook("exit_pass_ctx"),
                           should_run=hook("should_run"), run_before_pass=hook("run_before_pass"), run_after_pass=hook("run_after_pass"))
def body(name):
    def f(mod):
        print("PASS", name)
        if (name, "body") == (%q, %q):
            fail("no")
        return mod
    return module_pass(f, opt_level=0, name=name)
p, q = body("p"), body("q")
def main(mod):
    pass_context(lambda: q(p(mod)), instruments=[watch("a"), watch("b")])
`, who, fails, who, fails)
}

// TestInstrumentRules checks which callbacks run, in which order, when nothing and when each
// of them fails: rules 11 to 18 of TVM's instruments.
func TestInstrumentRules(t *testing.T) {
	pass := func(p string) string {
		var b strings.Builder
		for _, s := range []string{"a should_run ", "b should_run ", "a run_before_pass ", "b run_before_pass ", "PASS ", "a run_after_pass ", "b run_after_pass "} {
			b.WriteString(s + p + "|")
		}
		return b.String()
	}
	const enter, exit = "a enter_pass_ctx|b enter_pass_ctx|", "a exit_pass_ctx|b exit_pass_ctx|"
	for _, c := range []struct{ who, fails, want string }{
		{"", "", enter + pass("p") + pass("q") + exit},
		{"a", "enter_pass_ctx", "a enter_pass_ctx|"},
		{"b", "enter_pass_ctx", enter + "a exit_pass_ctx|"},
		{"a", "exit_pass_ctx", enter + pass("p") + pass("q") + "a exit_pass_ctx|"},
		{"b", "exit_pass_ctx", enter + pass("p") + pass("q") + exit},
		{"a", "should_run", enter + "a should_run p|" + exit},
		{"b", "should_run", enter + "a should_run p|b should_run p|" + exit},
		{"a", "run_before_pass", enter + "a should_run p|b should_run p|a run_before_pass p|" + exit},
		{"p", "body", enter + "a should_run p|b should_run p|a run_before_pass p|b run_before_pass p|PASS p|" + exit},
		{"a", "run_after_pass", enter + strings.TrimSuffix(pass("p"), "b run_after_pass p|") + exit},
		{"b", "run_after_pass", enter + pass("p") + exit},
	} {
		_, out, err := run(t, hooks(c.who, c.fails), module(t, relaxText), starpass.Limits{})
		if got := strings.ReplaceAll(out, "\n", "|"); got != c.want {
			t.Errorf("%s of %s fails:\n%s\nexpected\n%s", c.fails, c.who, got, c.want)
		}
		switch {
		case c.who == "" && err != nil:
			t.Error(err)
		case c.who == "" || c.fails == "body":
		case err == nil || !strings.Contains(err.Error(), "instrument "+c.who+": "+c.fails) || !strings.Contains(err.Error(), "fail: no"):
			t.Errorf("%s of %s fails: error is %v", c.fails, c.who, err)
		}
	}
}

func TestInstrumentErrors(t *testing.T) {
	refuses(t, `pass_instrument(run_before_pass=1)`, "run_before_pass is a function")
	refuses(t, `pass_instrument("a", len)`, "callbacks are given by name")
	refuses(t, `pass_instrument(run_befor_pass=len)`, "unexpected keyword argument")
	refuses(t, `
w = pass_instrument(name="w", should_run=lambda mod, info: None)
def main(mod): pass_context(lambda: transform.FoldConstant()(mod), instruments=[w])`, "should_run must return True or False, got None")
	prints(t, `
w = pass_instrument(should_run=lambda mod, info: info.name != "P")
def f(mod):
    print("ran")
    return mod
def main(mod):
    p = module_pass(f, opt_level=0, name="P")
    print(pass_context(lambda: p(mod), instruments=[w]).same_as(mod))
    pass_context(lambda: p(mod), instruments=[w], required_pass=["P"])
`, "True\nran")
}
