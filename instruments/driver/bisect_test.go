package driver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/reduce"
	"github.com/irscope/irscope/instruments/bisect"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/request"
)

const faulty = `from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((64, 64), "float32")) -> R.Tensor((64, 64), "float32"):
        a: R.Tensor((64, 64), "float32") = R.exp(x)
        b: R.Tensor((64, 64), "float32") = R.add(a, x)
        return b
`

// slowdown repeats a sum many times.
const slowdown = `
def visit_call(self, call):
    call = self.visit_default(call)
    if call.op == op("relax.add"):
        x = call
        for i in range(300):
            x = R.add(self.emit(x, "again"), call.args[0])
        return x
    return call

slow = function_pass(mutator({"relax.Call": visit_call}), opt_level=0, name="Slow")
`

// TestBisectSlowPrograms times compiled programs: a pass that repeats a sum is found, and the module that shows it is a sum.
func TestBisectSlowPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("what programs take tells nothing under the race detector")
	}
	engine := compiler.NewEngine()
	t.Cleanup(func() { _ = engine.Close() })
	j, problems, err := driver.Resolve(t.Context(), driver.Request{
		Source:   driver.Source{Name: "in.py", Data: []byte(faulty)},
		Passes:   "user.Slow,default",
		Settings: request.Settings{OptLevel: 2, Scripts: []request.Script{{Name: "slow.star", Source: slowdown}}},
	})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	p, err := bisect.Parse("slower=3x")
	if err != nil {
		t.Fatal(err)
	}
	f, err := driver.Bisect(t.Context(), j, p, driver.Hooks{Engine: engine}, bisect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Pass != "user.Slow" || len(f.Functions) != 1 || f.Functions[0] != "main" || !strings.Contains(f.Source, "R.add") || strings.Contains(f.Source, "R.exp") {
		t.Errorf("got %s %v (%s)\n%s", f.Pass, f.Functions, f.Detail, f.Source)
	}
	r, err := driver.Reduce(context.Background(), j, &bisect.Predicate{Kind: bisect.Wrong}, driver.Hooks{Engine: engine}, reduce.Options{})
	if err != nil || r.Evaluations == 0 {
		t.Errorf("got %+v, %v", r, err) // the repeated sum is also wrong
	}
}
