package browser

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/runtime/native"
)

// assembly opens the code of a convolution for a target.
func assembly(p *page, target string) {
	p.t.Helper()
	if err := native.Available(); err != nil && target == "x86" {
		p.t.Skip(err)
	}
	openText(p, "cnn", "FuseOps", "main", "unified")
	if eval[string](p, `document.querySelector("#target").value`) != target {
		p.another(func() {
			eval[bool](p, `(() => { const s = document.querySelector("#target"); s.value = "`+target+`"; s.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
		})
	}
	p.wait(done)
	p.click(`#center-tools [data-view=code]`)
	p.click(`.fn[data-key^="fused_conv2d"]`)
	p.wait(`[...document.querySelectorAll(".code-row .tx")].some(x => / ;;? \d+$/.test(x.textContent))`)
}

// TestCodeOrigins points at a line of code, whose line of the function is named and whose neighbors of the same line are marked, goes to
// that line, and back to the code.
func TestCodeOrigins(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"x86", "wasm"} {
		t.Run(target, func(t *testing.T) { codeOrigins(t, target) })
	}
}

func codeOrigins(t *testing.T, target string) {
	p := visit(t, serveCompiler(t), 1440, 900)
	assembly(p, target)
	if got := p.text(".origin-bar"); !strings.HasPrefix(got, "Point at a line") {
		t.Errorf("before a line is pointed at, %q", got)
	}
	mark := `[...document.querySelectorAll(".code-row")].find(x => / ;;? \d+$/.test(x.querySelector(".tx")?.textContent ?? ""))`
	line := eval[string](p, mark+`.querySelector(".tx").textContent.match(/\d+$/)[0]`)
	eval[bool](p, mark+`.querySelector(".tx").dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"})), true`)
	p.wait(`document.querySelector(".origin-bar b").textContent === "Line ` + line + `"`)
	if n := p.count(".code-row.same-origin"); n == 0 {
		t.Error("no line is marked")
	}
	if eval[bool](p, `[...document.querySelectorAll(".code-row.same-origin .tx")].some(x => !x.textContent.endsWith("; `+line+`"))`) {
		t.Error("a line is marked that belongs to another one")
	}
	text := p.text(".origin-bar .mono")
	p.click(".origin-bar")
	p.wait(`document.querySelector(".code-row.at-line .ln")?.dataset.line === "` + line + `"`)
	if got := strings.TrimSpace(p.text(".code-row.at-line .tx")); got != text {
		t.Errorf("line %s is %q, the bar said %q", line, got, text)
	}
	eval[bool](p, `document.querySelector(".code-row.at-line .tx").dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"})), true`)
	p.wait(`/^\d+ (instruction|code line)s?$/.test(document.querySelector(".origin-bar b").textContent)`)
	p.click(".origin-bar")
	p.wait(`document.querySelector(".code-row.at-line .tx")?.textContent.endsWith("; ` + line + `")`)
}

// TestAssemblyLooks runs axe over machine code with a chosen line, and over the profile of a run of it, in both themes. E2E_SCREENS names a folder for screenshots.
func TestAssemblyLooks(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	assembly(p, "x86")
	eval[bool](p, `[...document.querySelectorAll(".code-row .tx")].find(x => / ; \d+$/.test(x.textContent)).click(), true`)
	p.wait(`/^Line /.test(document.querySelector(".origin-bar b").textContent)`)
	sizes := [][2]int64{{1440, 900}, {390, 844}}
	p.looks("assembly", sizes)
	p.press("P")
	p.wait(`document.querySelector("#profile .empty-title")?.textContent === "Not measured yet"`)
	p.another(func() { p.click("#measure") })
	p.wait(`document.querySelectorAll("#kernel-table tbody tr").length > 8`)
	p.looks("assembly-profile", sizes)
}
