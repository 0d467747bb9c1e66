package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"github.com/irscope/irscope/e2e/fixture/program"
)

// TestReproducer downloads the reproducers of a run in which a pass fails, and of one that fails behind the passes, and has the command line run them: each
// fails as the page says.
func TestReproducer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bin := program.Path(t)
	p := visit(t, serveCompiler(t), 1440, 900)
	if _, err := chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir, BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
	}); err != nil {
		t.Fatal(err)
	}
	path := session(p, "mlp")
	file := filepath.Join(dir, "reproducer.py")
	for _, c := range []struct{ name, settings, says, has, again string }{
		{
			"pass", `{"opt_level": 2, "steps": [{"name": "LegalizeOps"}, {"name": "DeadCodeElimination", "options": {"entry_functions": ["nope"]}}]}`,
			"the module before the pass, its settings, and the error", "R.call_tir", "has no function called nope",
		},
		{
			"code", `{"opt_level": 2, "seed": 7, "steps": [{"name": "CanonicalizeBindings"}]}`,
			"the model with its inputs, its settings and limits, and the error", `"whole":{"name":"mlp","form":"ONNX","data":"`, "was not lowered; run ",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := eval[string](p, fmt.Sprintf(`fetch("/api/sessions/%s/runs", {method: "POST", headers: {"Content-Type": "application/json"}, body: %q}).then(r => r.json()).then(x => x.run.id)`,
				strings.TrimPrefix(path, "/s/"), c.settings))
			p.goTo(path + "?view=result&run=" + run)
			p.wait(`document.querySelector("#fault-reproducer")`)
			if got := p.text("p:has(#fault-reproducer)"); !strings.Contains(got, c.says) {
				t.Errorf("it says %q, want %q", got, c.says)
			}
			p.click("#fault-reproducer")
			p.until(file+" has come", func() bool {
				info, err := os.Stat(file)
				return err == nil && info.Size() > 0
			})
			data, err := os.ReadFile(file)
			if err != nil || !strings.HasPrefix(string(data), "# irscope reproducer 1\n# {") || !strings.Contains(string(data), c.has) {
				t.Errorf("the file is %.600q (%v), want %q in it", data, err, c.has)
			}
			out, err := exec.CommandContext(t.Context(), bin, "replay", file).CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), "the same: ") || !strings.Contains(string(out), c.again) {
				t.Errorf("the command line says %q (%v)", out, err)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		})
	}
	// A run that ended well has none.
	run := eval[string](p, fmt.Sprintf(`fetch("/api/sessions/%s/runs", {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"opt_level": 2}'}).then(r => r.json()).then(x => x.run.id)`, strings.TrimPrefix(path, "/s/")))
	p.goTo(path + "?view=result&run=" + run)
	p.wait(done)
	p.wait(`document.querySelector("#fault-find")`)
	if n := p.count("#fault-reproducer"); n != 0 {
		t.Error("a run that ended well offers a reproducer")
	}
}
