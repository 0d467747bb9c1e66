package browser

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// printed is what LLVM prints of a few passes; the first has nothing before it, and the third does nothing.
const printed = `*** IR Dump After VerifierPass on [module] ***
; ModuleID = 'k.ll'
target triple = "x86_64-pc-linux-gnu"

define i32 @sum(i32 %n) {
entry:
  %s = alloca i32, align 4
  store i32 %n, i32* %s, align 4
  %0 = load i32, i32* %s, align 4
  ret i32 %0
}

define i32 @two(i32 %n) {
  %1 = call i32 @sum(i32 %n)
  ret i32 %1
}
*** IR Dump After SROAPass on sum ***
define i32 @sum(i32 %n) {
entry:
  ret i32 %n
}
*** IR Dump After EarlyCSEPass on sum ***
define i32 @sum(i32 %n) {
entry:
  ret i32 %n
}
*** IR Dump After InlinerPass on (two) ***
define i32 @two(i32 %n) {
  ret i32 %n
}
`

// paste shows a dump by the form of the start page.
func (p *page) paste(text string) {
	p.t.Helper()
	p.goTo("/")
	p.click(".paste-dump summary")
	eval[bool](p, `(document.querySelector("#dump-text").value = `+strconv.Quote(text)+`, true)`)
	p.click(".paste-dump button")
	p.wait(`document.querySelector("#run-state-text")?.textContent.startsWith("Read in")`)
}

// TestDump pastes what another compiler printed: the same passes, differences, and search as of a run, and nothing to run.
func TestDump(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.paste(printed)
	p.wait(`document.querySelector("#code .is-del")?.textContent.includes("alloca")`)
	if got := p.text("#center-title"); got != "SROAPass › sum" {
		t.Errorf("the page opens on %q", got)
	}
	for _, selector := range []string{"#run", "#level-menu", "#add-pass", "#edit-ir", "#form", ".tick:not(.fixed)", "[data-more]", `[data-view="graph"]`, `[data-view="metrics"]`, `[data-view="result"]`} {
		if eval[bool](p, `[...document.querySelectorAll(`+strconv.Quote(selector)+`)].some((e) => e.checkVisibility())`) {
			t.Errorf("%s is shown, although nothing can be run", selector)
		}
	}
	p.press("r") // says nothing and does nothing
	p.press("x")
	p.click("#pipeline-menu summary")
	p.click("#only-changed")
	p.press("\x1b")
	p.click(row("1/VerifierPass"))
	p.wait(`document.querySelector("#center-title").textContent === "sum after VerifierPass" || document.querySelector(".empty-title")?.textContent.includes("is not known")`)
	if got := p.text(row("1/VerifierPass") + " .glyph"); got != "?" {
		t.Errorf("the sign of a pass that is unknown is %q", got)
	}
	p.press("i")
	p.wait(`document.querySelector("#details-head").textContent.includes("What it did is not known. The dump begins after this pass.")`)
	p.wait(`document.querySelector("#details-rest").textContent.includes("LLVM")`)
	p.press("j")
	p.wait(`document.querySelector("#center-title").textContent.startsWith("SROAPass")`)
	p.press("/")
	p.wait(`document.activeElement.matches("#search input")`)
	p.press("gone:alloca")
	p.wait(`document.querySelector("#search").textContent.includes("SROAPass")`)
	if runs := p.count(".run-chip"); runs > 1 {
		t.Errorf("there are %d runs", runs)
	}
}

// TestDumpFile chooses a file whose name tells nothing: it is sent as it is, and its session opens.
func TestDumpFile(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1280, 720)
	p.goTo("/")
	p.do("choose a file", chromedp.SetUploadFiles(chromedp.CSS("#model-file"), []string{file(t, "build.log", "clang: warning\n"+printed)}))
	p.wait(`document.querySelector("#run-state-text")?.textContent.startsWith("Read in")`)
	if got := p.text("#title"); got != "build.log" {
		t.Errorf("the session is called %q", got)
	}
}

// TestDumpFolder chooses several files, as those of a folder: they are one dump. Files that are none say so and lead nowhere.
func TestDumpFolder(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1280, 720)
	p.goTo("/")
	p.do("choose files", chromedp.SetUploadFiles(chromedp.CSS("#model-file"), []string{file(t, "x.txt", "a\n"), file(t, "y.txt", "b\n")}))
	p.wait(`document.querySelector("#upload-error")?.textContent.includes("no pass was found")`)
	p.do("choose files", chromedp.SetUploadFiles(chromedp.CSS("#model-file"), []string{file(t, "10_mul.s", "nop\nmul\n"), file(t, "2_start.s", "nop\n")}))
	p.wait(`document.querySelector("#run-state-text")?.textContent.startsWith("Read in")`)
	p.wait(`document.querySelector("#center-title").textContent === "mul › text" && document.querySelector("#code .is-add")?.textContent.includes("mul")`)
}

// TestDumpsDoNothing pastes markup: it is text everywhere.
func TestDumpsDoNothing(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1280, 720)
	evil := `<img src=x onerror="window.__ran=1"><script>window.__ran=1</script>`
	p.paste(strings.NewReplacer("SROAPass", evil, "%s", "%"+evil, "@two", `@"`+strings.ReplaceAll(evil, `"`, "'")+`"`).Replace(printed))
	p.wait(`document.querySelector("#code .is-del")?.textContent.includes("<img src=x")`)
	if eval[bool](p, `window.__ran !== undefined || document.querySelector("#app img, #app script") !== null`) {
		t.Error("markup of a dump has run, or is part of the page")
	}
}

// TestDumpLooks runs axe over the page of a dump and the start page in both themes. E2E_SCREENS names a folder for screenshots.
func TestDumpLooks(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.paste(printed)
	p.wait(`document.querySelector("#code .is-del")`)
	p.looks("dump", [][2]int64{{1440, 900}, {1280, 720}, {1024, 768}, {853, 480}, {390, 844}})
	p.goTo("/")
	p.click(".paste-dump summary")
	p.looks("dump-start", [][2]int64{{1440, 900}, {1280, 720}, {1024, 768}})
}
