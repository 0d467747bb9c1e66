package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// indexSource is a kernel whose indices the simplifier has something to say of.
const indexSource = `@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4096,), "float32"), B: T.Buffer((4096,), "float32")):
        for i, j in T.grid(64, 64):
            with T.block("B"):
                v = T.axis.spatial(4096, i * 64 + j)
                B[v] = A[(v // 8 * 8 + v % 8) // 64 * 64 + (v + 64) % 64]
`

// TestReasonsOfRules shows why an index became another by the rules of the simplifier, and which rule scheduled a kernel of a GPU and why others did not, in windows of
// all sizes and in both themes.
func TestReasonsOfRules(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	for _, c := range []struct {
		name, source, settings, step, function string
		says                                   []string
	}{
		{
			"arith", indexSource, `{"opt_level": 2, "steps": [{"name": "tir.Simplify"}]}`, "tir.Simplify", "main",
			[]string{"by the rule canonical.collect", "(v // 8 * 8 + v % 8) // 64 * 64 + (v + 64) % 64 → v"},
		},
		{
			"dlight", kernelSource, `{"opt_level": 2, "target": "cuda", "steps": [{"name": "LegalizeOps"}, {"name": "ApplyDefaultSchedule", "options": {"rules": ["gpu.GEMV", "gpu.Reduction", "gpu.Fallback"]}}], "pipeline": "zero"}`, "ApplyDefaultSchedule", "matmul",
			[]string{"schedule by rule gpu.Fallback", "did not schedule by rule gpu.GEMV", "there is no matrix", "did not schedule by rule gpu.Reduction", "reports nothing about this place alone"},
		},
	} {
		p := visit(t, base, 1440, 900)
		newSession(p, c.source)
		path := eval[string](p, `location.pathname`)
		p.goTo(path + "?view=unified&form=exact&function=" + c.function + "&run=" + startRun(p, path, c.settings))
		p.wait(`["ok", "failed"].includes(document.querySelector("#run-state")?.dataset.status)`)
		p.selectRow(c.step)
		p.wait(`document.querySelector(".why[data-hunk]")?.closest("[aria-label^='what ` + c.step + ` did']")`) // the text before stays until the next is there
		for _, size := range [][2]int64{{1440, 900}, {1024, 768}, {390, 844}} {
			p.do("resize", chromedp.EmulateViewport(size[0], size[1]))
			eval[bool](p, `document.querySelector('.narrow-tabs [data-tab="center"]')?.click(), true`)
			// Another size of the window closes what hangs in it.
			eval[bool](p, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
			p.press("y")
			p.wait(answered)
			p.inBoth(func(theme string) {
				at := fmt.Sprintf("reasons-%s-%s-%d", c.name, theme, size[0])
				p.screen(at)
				audit(p, at)
				if bad := eval[bool](p, `(() => { const r = document.querySelector("#why").getBoundingClientRect(); return r.left < 0 || r.top < 0 || r.right > innerWidth || r.bottom > innerHeight; })()`); bad {
					t.Errorf("%s: the answer is not whole in the window", at)
				}
			})
			got := p.text("#why")
			for _, want := range c.says {
				if !strings.Contains(got, want) {
					t.Errorf("%s at %d: %q lacks %q", c.name, size[0], got, want)
				}
			}
			p.press("\x1b")
			p.wait(`document.querySelector("#why").hidden`)
		}
	}
}
