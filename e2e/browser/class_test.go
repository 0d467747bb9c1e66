package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/irscope/irscope/e2e/fixture"
)

// openClass opens a class on a session of a teacher and returns its path.
func openClass(p *page, model string, locked bool) string {
	p.t.Helper()
	p.goTo(session(p, model))
	p.wait(done)
	if locked {
		p.click("#session-menu [name=locked]")
	}
	p.click("#open-class")
	p.wait(`document.querySelector("#class[data-teacher=true]")`)
	return eval[string](p, `location.pathname`)
}

// joins has a visitor join a class by the keyboard.
func (p *page) joins(path, name string) {
	p.t.Helper()
	p.goTo(path)
	p.wait(`document.activeElement?.id === "nickname"`)
	p.press(name + kb.Enter)
	p.wait(`location.pathname.startsWith("/s/")`)
	p.wait(done)
	p.wait(`document.querySelector("#desk:not([hidden])")`)
}

// TestClass goes through a lesson: students join by a link, the teacher sees where they are and what they ran and answered, each has a
// session of their own, and the end leaves it to them.
func TestClass(t *testing.T) {
	t.Parallel()
	base := serve(t, &fixture.Runner{})
	teacher := visit(t, base, 1440, 900)
	path := openClass(teacher, fixture.MLP, true)
	teacher.wait(`document.querySelector("#nobody").checkVisibility()`)
	teacher.wait(`document.querySelector("#class-link").value === location.href`)

	ada, bob := visit(t, base, 1440, 900), visit(t, base, 390, 844)
	ada.joins(path, "Ada")
	if got := ada.text("#desk"); got == "" {
		t.Error("a student is not told which class this is")
	}
	bob.goTo(path)
	bob.wait(`document.activeElement?.id === "nickname"`)
	bob.expected = append(bob.expected, "status of 409") // the browser's own note that the nickname is taken
	bob.press("ada" + kb.Enter)
	bob.wait(`document.querySelector(".join [role=alert]")?.textContent.includes("this nickname already")`)
	bob.joins(path, "<b>Bob</b>")
	teacher.wait(`document.querySelectorAll("#roster tr").length === 2`)
	teacher.wait(`[...document.querySelectorAll("#roster th")].map(x => x.textContent).join("|") === "Ada|<b>Bob</b>"`)
	if teacher.count("#roster b") != 0 {
		t.Error("a nickname is read as markup")
	}

	// Where a student is, and what they run.
	ada.press("j")
	pass := eval[string](ada, `document.querySelector(".row[aria-selected=true]").dataset.step.replace(/^[^/]*\//, "")`)
	teacher.wait(fmt.Sprintf(`document.querySelector("#roster tr td").textContent.includes(%q)`, pass))
	ada.another(func() { ada.click(`input[name=opt_level][value="1"]`) })
	teacher.wait(`document.querySelector("#roster tr td:nth-child(3)").textContent.includes("O1")`)
	teacher.wait(`document.querySelector("#tried dt")?.textContent.includes("O1")`)
	if ada.run() == bob.run() {
		t.Error("a student's run is shown to another")
	}

	// A question.
	teacher.click("#ask-text")
	teacher.fill("#ask-text", "Which pass fuses?")
	teacher.click("#ask-options")
	teacher.fill("#ask-options", "FuseOps\nLegalizeOps\n")
	teacher.click("#ask-form [type=submit]")
	for _, s := range []*page{ada, bob} {
		s.wait(`document.querySelector("#desk .asked")?.textContent === "Which pass fuses?"`)
	}
	ada.click("#option-0")
	ada.wait(`document.querySelector("#option-0").ariaPressed === "true"`)
	bob.click("#option-1")
	bob.wait(`document.querySelector("#option-1").ariaPressed === "true"`)
	bob.click("#option-0")
	teacher.wait(`document.querySelector("#tallies h3").textContent === "1. Which pass fuses?" && document.querySelector("#tallies dd .num").textContent === "2"`)

	// Who leaves is shown as away; who comes back by the link is in their session.
	back := eval[string](bob, `location.pathname`)
	bob.goTo("/")
	teacher.wait(`document.querySelectorAll("#roster tr.is-away").length === 1`)
	bob.goTo(path)
	bob.wait(`document.activeElement?.id === "nickname"`)
	bob.press("Bob" + kb.Enter)
	bob.wait(fmt.Sprintf(`location.pathname === %q`, back))
	bob.wait(`document.querySelector("#desk")?.textContent.includes("Bob")`) // a page that comes when the class has ended finds none

	teacher.click("#end-class button")
	teacher.click("dialog[open] [data-yes]")
	teacher.wait(`location.pathname.startsWith("/s/")`)
	ada.wait(`document.querySelector("#desk").textContent.includes("The class has ended")`)
}

// TestClassLooks runs axe over the pages of a class in both themes and at the sizes of the page. E2E_SCREENS names a folder for screenshots.
func TestClassLooks(t *testing.T) {
	t.Parallel()
	base := serve(t, &fixture.Runner{})
	sizes := [][2]int64{{1440, 900}, {1280, 720}, {1024, 768}, {853, 480}, {390, 844}}
	p := visit(t, base, 1440, 900)
	path := openClass(p, fixture.MLP, true)
	students := make([]*page, 3)
	for i, name := range []string{"Ada", "Grace Hopper", "李雷"} {
		students[i] = visit(t, base, 1440, 900)
		if i == 0 {
			students[0].goTo(path)
			students[0].wait(`document.querySelector("#nickname")`)
			plainLooks(students[0], "class-join", sizes)
		}
		students[i].joins(path, name)
	}
	students[0].another(func() { students[0].click(`input[name=opt_level][value="1"]`) })
	p.click("#ask-text")
	p.fill("#ask-text", "Which pass removes the multiply?")
	p.click("#ask-options")
	p.fill("#ask-options", "FuseOps\nCanonicalizeBindings\nFoldConstant")
	p.click("#ask-form [type=submit]")
	for i, s := range students[:2] {
		s.wait(`document.querySelector("#option-2")`)
		s.click(fmt.Sprint("#option-", i))
	}
	p.wait(`document.querySelectorAll("#tallies .num").length === 2 && document.querySelector("#tried dt")`)
	plainLooks(p, "class", sizes)
	students[0].looks("class-student", sizes)
}

// plainLooks is looks for a page that is none of a session.
func plainLooks(p *page, name string, sizes [][2]int64) {
	p.t.Helper()
	p.looksAt("", name, sizes, audit)
}
