package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestFailedPassLeadsToItsLine: in a narrow window, which shows no details beside it, what says that a pass of a user failed leads to the line
// of its script.
func TestFailedPassLeadsToItsLine(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 390, 844)
	path := session(p, "mlp")
	p.goTo(path)
	p.wait(done)
	var steps []map[string]string
	for _, name := range []string{"LegalizeOps", "user.Bad", "AnnotateTIROpPattern", "FuseOps", "FuseTIR", "dataflow_lower", "finalize", "tir"} {
		steps = append(steps, map[string]string{"name": name})
	}
	settings, err := json.Marshal(map[string]any{"opt_level": 2, "steps": steps, "scripts": []any{map[string]string{"name": "bad.star", "source": `def lower(mod):
    print("as asked")
    return mod.nothing

bad = module_pass(lower, opt_level=0, name="Bad")
`}}})
	if err != nil {
		t.Fatal(err)
	}
	run := eval[string](p, fmt.Sprintf(`fetch("/api/sessions/%s/runs", {method: "POST", headers: {"Content-Type": "application/json"}, body: %q}).then(r => r.json()).then(x => x.run.id)`,
		strings.TrimPrefix(path, "/s/"), settings))
	p.goTo(path + "?run=" + run + "&pass=1.2/user.Bad")
	p.wait(`document.querySelector("#run-state").dataset.status === "failed"`)
	p.click(`.narrow-tabs [data-tab="center"]`)
	p.wait(`document.querySelector(".empty .note.error [data-jump]")?.textContent === "bad.star:3:12"`)
	if n := p.count(".empty .note"); n != 1 {
		t.Errorf("there are %d messages, want the error alone, once", n)
	}
	p.looks("failed-pass", [][2]int64{{390, 844}, {1440, 900}, {390, 844}})
	p.click(`.empty .note.error [data-jump]`)
	p.wait(`document.querySelector("#passes-dialog[open]") && document.querySelector("#passes-dialog .cm-activeLineGutter")?.textContent.trim() === "3"`)
	p.inBoth(func(theme string) { p.screen("failed-pass-line-" + theme) })
}
