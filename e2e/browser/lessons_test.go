package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	// stepNow is the number of the step that the lesson is at, and verdict what the check of it said last.
	stepNow = `Number(document.querySelector(".lesson-step.is-now")?.dataset.step)`
	verdict = `document.querySelector(".lesson-step.is-now .lesson-verdict:not([hidden], .is-waiting)")`
	// live tells that the script of the lesson works.
	live = `document.querySelector("#lesson.is-live")`
)

// begin opens a lesson from the list of all with the mouse.
func begin(t *testing.T, base, name string, width, height int64) *page {
	t.Helper()
	p := visit(t, base, width, height)
	p.goTo("/lessons")
	p.click(`[data-lesson="` + name + `"] .card-open`)
	p.wait(`location.pathname.startsWith("/s/")`)
	p.wait(live)
	p.wait(done)
	return p
}

// TestLesson goes through a lesson with the mouse: a link to a place, a wrong answer, a hint, the right one, a task in the pipeline; what was
// solved is there after a reload and in the list, and reset takes it back.
func TestLesson(t *testing.T) {
	t.Parallel()
	p := begin(t, serveCompiler(t), "order", 1440, 900)
	p.click(`.lesson-step.is-now a[href*="pass=FoldConstant"]`)
	p.wait(`document.querySelector(".code-row.at-line")?.textContent.includes("4.0")`)
	p.click(`.lesson-step.is-now [value="add"]`)
	p.click(`.lesson-step.is-now .lesson-check`)
	p.wait(verdict + `?.textContent.startsWith("Read main")`)
	if !eval[bool](p, `document.querySelector(".lesson-step.is-now .lesson-solution").textContent.startsWith("The solution is offered after 1 more")`) {
		t.Error("after one wrong answer the solution is offered, or not after one more")
	}
	p.click(`.lesson-step.is-now .lesson-hint summary`)
	p.click(`.lesson-step.is-now [value="multiply"]`)
	p.click(`.lesson-step.is-now .lesson-check`)
	p.wait(verdict + `?.classList.contains("is-right")`)
	p.click("#lesson-next")
	p.wait(stepNow + ` === 2`)

	// Nothing was done yet, and twice wrong earns the solution.
	for range 2 {
		p.click(`.lesson-step.is-now .lesson-check`)
		p.wait(verdict + `?.textContent.startsWith("There are still 2 kernels")`)
		p.wait(`!document.querySelector(".lesson-step.is-now .lesson-check").disabled`)
	}
	p.click(`.lesson-step.is-now .lesson-solution button`)
	p.another(func() { p.click(`.lesson-step.is-now .lesson-put`) })
	p.click(`.lesson-step.is-now .lesson-check`)
	p.wait(verdict + `?.classList.contains("is-right")`)
	p.wait(`document.querySelector("#lesson-at").textContent === "Solved"`)
	at := eval[string](p, `location.pathname + location.search`)
	p.goTo(at)
	p.wait(live)
	p.wait(`document.querySelectorAll(".lesson-step.is-done").length === 2`)
	for _, path := range []string{"/lessons", "/"} {
		p.goTo(path)
		p.wait(`document.querySelector("[data-lesson=order].is-solved .lesson-count")?.textContent === "solved"`)
	}
	p.goTo("/lessons")
	p.click(`[data-lesson=order] .lesson-go-on`)
	p.wait(live)
	p.click("#lesson-reset")
	p.wait(stepNow + ` === 1 && document.querySelectorAll(".lesson-step.is-done").length === 0`)
	p.wait(`document.querySelector("#run-state").dataset.status === "ok"`)
	if got := p.text(".run-chip[aria-current]"); strings.Contains(got, "1 kernel ") {
		t.Errorf("after reset the run is %q", got)
	}
}

// TestLessonByKeyboard does the same lesson without a mouse: the pass is moved with Alt and an arrow.
func TestLessonByKeyboard(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/")
	p.tabTo(`#lessons .list-more a`)
	p.press(kb.Enter)
	p.wait(`document.querySelector("h1")?.textContent === "Lessons"`)
	p.tabTo(`[data-lesson="order"] .card-open`)
	p.press(kb.Enter)
	p.wait(live)
	p.wait(done)
	p.tabTo(`.lesson-step.is-now [name="answer"]`)
	p.press(kb.ArrowDown)
	p.wait(`document.querySelector('.lesson-step.is-now [value="multiply"]').checked`)
	p.press(kb.Enter)
	p.wait(verdict + `?.classList.contains("is-right")`)
	p.tabTo("#lesson-next")
	p.press(kb.Enter)
	p.wait(stepNow + ` === 2 && document.activeElement.matches(".lesson-step.is-now .lesson-go")`)
	p.press("l")
	p.wait(`document.querySelector("#pipeline").checkVisibility() && !document.querySelector("#lesson").checkVisibility()`)
	p.tabTo("#tree")
	p.press(kb.Home)
	for range 8 {
		if eval[string](p, selectedRow) == "DeadCodeElimination" {
			break
		}
		p.press(kb.ArrowDown)
	}
	p.wait(selectedRow + ` === "DeadCodeElimination"`)
	p.alt(kb.ArrowDown)
	p.follows("DeadCodeElimination", "LegalizeOps")
	p.alt(kb.ArrowDown)
	p.follows("DeadCodeElimination", "FoldConstant")
	p.settled()
	p.press("l")
	p.wait(`document.querySelector("#lesson").checkVisibility()`)
	p.tabTo(`.lesson-step.is-now .lesson-check`)
	p.press(kb.Enter)
	p.wait(verdict + `?.classList.contains("is-right")`)
}

// TestEveryLesson solves each step of each lesson with its solution, which the page puts in, and runs axe over the first two steps of each with their solutions.
func TestEveryLesson(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo("/lessons")
	names := eval[[]string](p, `[...document.querySelectorAll("[data-lesson]")].map(x => x.dataset.lesson)`)
	if len(names) < 12 {
		t.Errorf("there are %d lessons, want 12 or more", len(names))
	}
	for _, name := range names {
		// The way from the list and the effort before a solution are those of other tests.
		at := eval[string](p, fmt.Sprintf(`(async () => {
			const {session} = await (await fetch("/api/sessions", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({lesson: %[1]q})})).json();
			const steps = Object.fromEntries([...Array(40).keys()].map(i => [i + 1, {tries: 2}]));
			localStorage.setItem("irscope.lesson.%[1]s", JSON.stringify({session: session.id, at: 1, steps}));
			return "/s/" + session.id; })()`, name))
		p.goTo(at)
		p.wait(live)
		p.wait(`["ok", "failed"].includes(document.querySelector("#run-state").dataset.status)`) // the lesson on races begins with one
		for i := range p.count(".lesson-step") {
			if i > 0 {
				p.click("#lesson-next")
				p.wait(fmt.Sprintf(stepNow+` === %d`, i+1))
			}
			if eval[bool](p, `document.querySelector(".lesson-step.is-now").dataset.checked !== "true"`) {
				continue
			}
			p.click(`.lesson-step.is-now .lesson-solution button`)
			p.wait(`document.querySelector(".lesson-step.is-now .lesson-put")`)
			at := fmt.Sprintf("lesson-%s-%d", name, i+1)
			p.screen(at)
			if i < 2 {
				audit(p, at)
			}
			p.click(`.lesson-step.is-now .lesson-put`)
			p.click(`.lesson-step.is-now .lesson-check`)
			p.wait(verdict)
			if !eval[bool](p, verdict+`.classList.contains("is-right")`) {
				t.Errorf("%s, step %d: %s", name, i+1, p.text(".lesson-step.is-now .lesson-verdict"))
			}
		}
		p.wait(`document.querySelector("#lesson-at").textContent === "Solved"`)
	}
}

// TestLessonLooks runs axe over a lesson and the list of all in both themes and at five sizes: nothing is wider than the window, and the code
// keeps its share of it. E2E_SCREENS names a folder for screenshots.
func TestLessonLooks(t *testing.T) {
	t.Parallel()
	p := begin(t, serveCompiler(t), "what-is-a-pass", 1440, 900)
	p.wait(`new URLSearchParams(location.search).get("pass") === "import" && document.querySelector(".code-row.at-line")`) // a step shows its place
	p.click("#lesson-next")
	p.wait(`new URLSearchParams(location.search).get("pass").endsWith("/LegalizeOps") && document.querySelector(".code-row.at-line")`)
	p.click(`.lesson-step[data-step="1"] .lesson-go`)
	p.click(`.lesson-step.is-now .lesson-hint summary`)
	p.tabTo(`.lesson-step.is-now [name="answer"]`)
	p.press("5" + kb.Enter)
	p.wait(verdict)
	p.wait(`document.querySelectorAll(".code-row").length > 5`)
	sizes := [][2]int64{{1440, 900}, {1280, 720}, {1024, 768}, {853, 480}, {390, 844}}
	share := func(p *page, at string) {
		audit(p, at)
		share := eval[float64](p, `(() => { const r = document.querySelector("#code").getBoundingClientRect(); return 100 * r.width * r.height / innerWidth / innerHeight; })()`)
		if width := eval[int](p, `innerWidth`); width > 600 && share < 52 {
			t.Errorf("%s: the code has %.1f %% of the window", at, share)
		}
		t.Logf("%s: code %.1f %%", at, share)
	}
	p.looksAt("lesson", "lesson", sizes, share)
	p.looksAt("center", "lesson-center", sizes[len(sizes)-1:], audit) // in wider windows both tabs are one page
	p.do("resize", chromedp.EmulateViewport(1440, 900))
	p.goTo("/lessons")
	p.wait(`document.querySelector(".lesson-go-on")`)
	p.looksAt("", "lessons", [][2]int64{{1440, 900}, {390, 844}}, audit)
}
