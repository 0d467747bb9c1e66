package browser

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/npy"
	"github.com/irscope/irscope/runtime/tensor"
)

// hiddenFault is a wrong pass whose fault shows only where an input is above 1, and a constant is not zero.
const (
	hiddenFault = `def low(self, call):
    call = self.visit_default(call)
    if call.op == op("relax.multiply"):
        return R.multiply(R.minimum(call.args[0], relax.const(1.0, "float32")), call.args[1])
    return call

clamps = function_pass(mutator({"relax.Call": low}), opt_level=0, name="Clamps")
`
	hiddenModule = `@I.ir_module
class Module:
    @R.function
    def main(other: R.Tensor((4,), "float32"), x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        a: R.Tensor((4,), "float32") = R.exp(other)
        b: R.Tensor((4,), "float32") = R.multiply(x, metadata["relax.expr.Constant"]["c"])
        return (a, b)
`
)

// TestFaultOpensWhole opens the smallest module of a fault that shows only on a given input and with the constants of the model: the session that
// opens has both, so that a check of its passes finds the fault.
func TestFaultOpensWhole(t *testing.T) {
	t.Parallel()
	three, err := ir.NewSplat(dtype.Float32T, []int64{4}, []byte{0, 0, 64, 64})
	if err != nil {
		t.Fatal(err)
	}
	m, found := parse.Module("hidden.py", hiddenModule, parse.Options{Constants: map[string]*ir.Blob{"c": three}})
	for _, d := range found {
		t.Fatal(d.Format())
	}
	large := tensor.MustNew(dtype.Float32T, 4)
	for i := range 4 {
		large.SetFloat(i, 1000)
	}
	var file strings.Builder
	if err := npy.Write(&file, large); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"kind": "tvmscript", "name": "hidden.py", "source": script.Module(m, script.Options{ShowMeta: true}).Source, "start": false})
	if err != nil {
		t.Fatal(err)
	}
	settings, err := json.Marshal(map[string]any{
		"opt_level": 2, "pipeline": "zero", "scripts": []any{map[string]string{"name": "hidden.star", "source": hiddenFault}},
		"steps": []map[string]string{{"name": "CanonicalizeBindings"}, {"name": "user.Clamps"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.wait(`document.querySelector(".card-open")`)
	link := eval[string](p, fmt.Sprintf(`(async () => {
		const json = (path, body) => fetch(path, {method: "POST", headers: {"Content-Type": "application/json"}, body}).then(r => r.json());
		const {session} = await json("/api/sessions", %q);
		const settings = {...JSON.parse(%q), inputs: []};
		for (const name of ["other", "x"]) {
			const body = Uint8Array.from(atob(%q), c => c.charCodeAt(0));
			const {tensors} = await fetch("/api/sessions/" + session.id + "/tensors?role=input&file=" + name + ".npy", {method: "POST", body}).then(r => r.json());
			settings.inputs.push(...tensors);
		}
		const {run} = await json("/api/sessions/" + session.id + "/runs", JSON.stringify(settings));
		return "/s/" + session.id + "?view=result&run=" + run.id;
	})()`, body, settings, base64.StdEncoding.EncodeToString([]byte(file.String()))))
	p.goTo(link)
	p.wait(done)
	p.wait(`document.querySelector("#fault-find")`)
	p.click("#fault-find")
	p.wait(`document.querySelector("#fault-open")`)
	if got := p.text(".fault .beyond"); !strings.HasPrefix(got, "✕ user.Clamps: ") {
		t.Errorf("it says %q", got)
	}
	if got := p.text(".fault-source"); strings.Contains(got, "load_json") {
		t.Errorf("the module is shown with the bytes of its constants: %q", got)
	}
	p.click("#fault-open")
	p.wait(`new URLSearchParams(location.search).get("pass")?.endsWith("/user.Clamps") && !location.pathname.endsWith("` + strings.TrimPrefix(strings.Split(link, "?")[0], "/s/") + `")`)
	p.goTo(eval[string](p, `location.pathname`) + "?view=result")
	p.wait(done)
	p.wait(`document.querySelector(".give-list li")`)
	if got := p.text(".give-list"); got != "inputxfloat32 4x.npyRemove" {
		t.Errorf("the inputs are %q", got)
	}
	p.click("#check-passes")
	p.wait(`document.querySelector("#check-fault")`)
	if got := p.text(".check > .beyond"); !strings.HasPrefix(got, "✕ user.Clamps is the first pass whose result is wrong, in main: ") {
		t.Errorf("the verdict is %q", got)
	}
}
