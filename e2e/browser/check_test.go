package browser

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wrongPass makes a minimum of each maximum.
const wrongPass = `def low(self, x):
    x = self.visit_default(x)
    return tir.Min(x.a, x.b)

wrong = prim_func_pass(mutator({"Max": low}), opt_level=0, name="Wrong")
`

// wrongRun starts a session of a model with the wrong pass right behind LegalizeOps, and returns the link to the result of its run.
func wrongRun(p *page, model string) string {
	p.t.Helper()
	path := session(p, model)
	p.goTo(path)
	p.wait(done)
	settings, err := json.Marshal(map[string]any{
		"opt_level": 2, "scripts": []any{map[string]string{"name": "wrong.star", "source": wrongPass}},
		"steps": []map[string]string{
			{"name": "LegalizeOps"},
			{"name": "user.Wrong"},
			{"name": "AnnotateTIROpPattern"},
			{"name": "FuseOps"},
			{"name": "FuseTIR"},
			{"name": "dataflow_lower"},
			{"name": "finalize"},
			{"name": "tir"},
		},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	run := eval[string](p, fmt.Sprintf(`fetch("/api/sessions/%s/runs", {method: "POST", headers: {"Content-Type": "application/json"}, body: %q}).then(r => r.json()).then(x => x.run.id)`,
		strings.TrimPrefix(path, "/s/"), settings))
	return path + "?run=" + run + "&view=result"
}

// TestCheckEveryPass checks the passes of two runs: one whose passes are right, and one with a wrong pass of a user, which the first red mark names
// and opens at its diff.
func TestCheckEveryPass(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	path := session(p, "mlp")
	p.goTo(path + "?view=result")
	p.wait(done)
	p.wait(`document.querySelector("#check-passes")?.textContent === "Check"`)
	p.tabTo("#check-passes")
	p.press("\r")
	p.wait(`document.querySelector(".check .within")?.textContent.startsWith("✓ No pass changes what the model computes: the largest error is ")`)
	if n := p.count(".check-table tbody tr"); n < 25 {
		t.Errorf("the table has %d modules", n)
	}
	if got := p.text(".check-table tbody tr:first-child"); got != "import○ same000" {
		t.Errorf("the first row is %q", got)
	}
	if got := p.text(".check"); !strings.Contains(got, "Allowed: float32 0.0001 relative, 0.00001 absolute.") || !strings.Contains(got, "Check again") {
		t.Errorf("the check says %q", got)
	}
	// The focus stays on the button, and a row leads to the diff of its step.
	if got := eval[string](p, `document.activeElement.id`); got != "check-passes" {
		t.Errorf("the focus is on %q", got)
	}
	p.click(".check-table tbody tr:nth-child(2) button")
	p.wait(`new URLSearchParams(location.search).get("pass") === "` + stepPath(p, "LegalizeOps") + `" && document.querySelectorAll(".code-row .tx").length > 3`)
	p.press("i")
	p.wait(`document.querySelector("#details-body")?.textContent.includes("Outputs● close")`)

	link := wrongRun(p, "mlp")
	p.goTo(link)
	p.wait(done)
	p.wait(`document.querySelector("#check-passes")`)
	p.click("#check-passes")
	p.wait(`document.querySelector("#check-fault")`)
	if got := p.text(".check > .beyond"); !strings.HasPrefix(got, "✕ user.Wrong is the first pass whose result is wrong, in relu: probabilities[0] is 0.") {
		t.Errorf("the verdict is %q", got)
	}
	p.wait(`document.querySelector('[data-step="1.2/user.Wrong"] .reason.failed')?.textContent === "wrong"`)
	if n := p.count(".row .reason.failed"); n != 1 {
		t.Errorf("%d passes are marked, want the first that is wrong", n)
	}
	p.click("#check-fault")
	p.wait(`new URLSearchParams(location.search).get("pass") === "1.2/user.Wrong" && new URLSearchParams(location.search).get("function") === "relu"`)
	p.wait(`[...document.querySelectorAll(".code-row.is-add .tx")].some(x => x.textContent.includes("T.min("))`)
}

// TestCheckLook runs axe over a check with a fault in both themes and at several sizes, and looks for what is cut off.
func TestCheckLook(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo(wrongRun(p, "mlp"))
	p.wait(done)
	p.wait(`document.querySelector("#check-passes")`)
	p.screen("check-before")
	p.click("#check-passes")
	p.wait(`document.querySelector("#check-fault")`)
	looksGood(p, "check", "#check-title")
}

// takesDrops waits until files can be dropped on the page: what takes them comes after the first view.
func takesDrops(p *page) {
	p.t.Helper()
	p.wait(`(() => {
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File([], "x"));
		const taken = !document.body.dispatchEvent(new DragEvent("dragover", {dataTransfer, bubbles: true, cancelable: true}));
		document.body.dispatchEvent(new DragEvent("dragleave", {bubbles: true}));
		return taken;
	})()`)
}

// dropFiles drops published files of the perceptron on a part of the page.
func dropFiles(p *page, on string, names ...string) {
	p.t.Helper()
	var files []string
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join("../../testdata/models/mlp/test_data_set_0", name))
		if err != nil {
			data = []byte("hello")
		}
		files = append(files, fmt.Sprintf(`new File([Uint8Array.from(atob(%q), c => c.charCodeAt(0))], %q)`, base64.StdEncoding.EncodeToString(data), name))
	}
	takesDrops(p)
	taken := eval[bool](p, fmt.Sprintf(`(() => {
		const d = new DataTransfer();
		for (const f of [%s]) d.items.add(f);
		const on = document.querySelector(%q), app = document.querySelector("#app");
		const leaves = on.dispatchEvent(new DragEvent("dragover", {dataTransfer: d, bubbles: true, cancelable: true}));
		const says = app.classList.contains("takes-files");
		const dropped = on.dispatchEvent(new DragEvent("drop", {dataTransfer: d, bubbles: true, cancelable: true}));
		return says && !leaves && !dropped && !app.classList.contains("takes-files");
	})()`, strings.Join(files, ","), on))
	if !taken {
		p.t.Errorf("what is dropped on %s is not taken", on)
	}
}

// TestOwnInputs drops an input and what is expected of it: the run that follows agrees, a reload and a fork keep both, another input does not agree, and
// a file that is no tensor is refused.
func TestOwnInputs(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	path := session(p, "mlp")
	p.goTo(path + "?view=result")
	p.wait(done)
	p.wait(`document.querySelector("#give-inputs")`)
	p.another(func() { dropFiles(p, ".give", "input_0.pb", "output_0.pb") })
	p.wait(`document.querySelector(".result .within")?.textContent.startsWith("✓ agrees: largest absolute error ")`)
	if got := p.text(".give-list"); !strings.Contains(got, "inputimagefloat32 1×1×8×8input_0.pbRemove") || !strings.Contains(got, "expectedprobabilitiesfloat32 1×10output_0.pbRemove") {
		t.Errorf("the list is %q", got)
	}
	if got := p.text("#command"); !strings.Contains(got, "--input image=input_0.pb --expect probabilities=output_0.pb") {
		t.Errorf("the command line is %q", got)
	}
	p.screen("inputs-1440")
	audit(p, "own inputs")

	// They are there after a reload; without the input the output is another one.
	p.goTo(path + "?view=result")
	p.wait(done)
	p.wait(`document.querySelectorAll(".give-list li").length === 2`)
	p.another(func() { p.click(`.give-list [aria-label="Remove image"]`) })
	p.wait(`document.querySelector(".result .beyond")?.textContent.startsWith("✕ differs: largest absolute error ")`)
	seed := p.text(".result .inputs")
	p.another(func() {
		p.click("#give-seed")
		eval[bool](p, `document.querySelector("#give-seed").value = "9", document.querySelector("#give-seed").dispatchEvent(new Event("change")), true`)
	})
	p.wait(`document.querySelector(".result .inputs")?.textContent.includes("seed 9")`)
	if strings.Contains(seed, "seed 9") {
		t.Error("the seed was 9 before")
	}
	dropFiles(p, ".give", "image.npz")
	p.wait(`[...document.querySelectorAll(".note.error")].some(x => x.textContent.startsWith("image.npz: reading .npz: "))`)

	// They can be dropped anywhere, on a diff or the list of passes: the result opens, with what they are.
	p.goTo(path)
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row").length > 3`)
	p.another(func() { dropFiles(p, ".code-row", "input_0.pb") })
	p.wait(`new URLSearchParams(location.search).get("view") === "result" && document.querySelector(".give-list")?.textContent.startsWith("input" + "image")`)
	p.wait(`document.querySelector(".result .within")?.textContent.startsWith("✓ agrees")`)
	dropFiles(p, "#passes", "notes.txt")
	p.wait(`[...document.querySelectorAll(".note.error")].some(x => x.textContent.includes("tensors are read only from .pb, .npy, and .npz files"))`)

	// Who may not change the session sees what it was given, and no way to change it.
	other := visit(t, p.base, 390, 844)
	other.goTo(path + "?view=result")
	other.wait(done)
	other.wait(`document.querySelectorAll(".give-list li").length === 2`)
	if n := other.count(".give button, .give input"); n != 0 {
		t.Errorf("there are %d controls for one who may not change the session", n)
	}
	other.screen("inputs-other-390")
	takesDrops(other)
	if eval[bool](other, `(() => {
		const d = new DataTransfer();
		d.items.add(new File(["x"], "image.npy"));
		return document.querySelector(".give").dispatchEvent(new DragEvent("drop", {dataTransfer: d, bubbles: true, cancelable: true}));
	})()`) {
		t.Error("a dropped file takes the place of the page")
	}
	other.wait(`[...document.querySelectorAll(".note.error")].some(x => x.textContent.startsWith("The files were not taken: "))`)
}
