package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestRefusalsAreSeen presses keys where they can do nothing: the page says why to those who see it, too, for a while, and what it says is in the window.
func TestRefusalsAreSeen(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	p.goTo(session(p, "mlp") + "?view=result")
	p.wait(done)
	const seen = `(el => { const r = el.getBoundingClientRect();
		return el.classList.contains("busy-note") && r.width > 100 && r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight && r.top > 0; })(document.querySelector("#announce"))`
	said := func(key, want string) {
		t.Helper()
		p.press(key)
		p.wait(seen + fmt.Sprintf(` && document.querySelector("#announce").textContent === %q`, want))
	}
	said("y", "Choose a pass that has run, and a diff or the IR")
	said(".", "Open a diff, the IR or a kernel, and choose a line or a name")
	p.wait(`document.querySelector("#announce").className === "vh"`)
	// What the page shows anyway is for those alone who do not see it.
	p.press("uz")
	p.wait(`document.querySelector("#announce").textContent.startsWith("Lines are shown as printed")`)
	if got := eval[string](p, `document.querySelector("#announce").className`); got != "vh" {
		t.Errorf("the form of lines is told to all: %q", got)
	}
	// Another visitor may not turn passes off.
	other := visit(t, p.base, 390, 844)
	other.goTo(eval[string](p, `location.pathname + location.search`))
	other.wait(done)
	other.press("x")
	other.wait(seen)
	if end := eval[float64](other, `document.querySelector("#announce").getBoundingClientRect().bottom - document.querySelector(".narrow-tabs").getBoundingClientRect().top`); end > 0 {
		t.Errorf("the words lie %.0f pixels over the tabs", end)
	}
}

// TestFingersHaveRoom looks at what is pressed on a phone: each of the tabs and what stands in the chosen row is 24 pixels wide and high.
func TestFingersHaveRoom(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 390, 844)
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "hover", Value: "none"}, {Name: "pointer", Value: "coarse"}},
	}); err != nil {
		t.Fatal(err)
	}
	p.goTo(session(p, "cnn"))
	p.wait(done)
	p.wait(`document.querySelector('#tree .row[aria-selected="true"] > .tick')?.checkVisibility()`)
	if !eval[bool](p, `matchMedia("(hover: none)").matches`) {
		t.Skip("this browser cannot stand in for a finger")
	}
	if got := eval[[]string](p, `(() => {
		const tick = document.querySelector('#tree .row[aria-selected="true"] > .tick'), r = tick.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;
		return [[-12, 0], [12, 0], [0, -11], [0, 11]].filter(([dx, dy]) => document.elementFromPoint(x + dx, y + dy) !== tick).map(String); })()`); len(got) > 0 {
		t.Errorf("the tick is missed at %q from its middle", got)
	}
	p.click(`.narrow-tabs [data-tab="center"]`)
	if got := eval[[]string](p, `[...document.querySelectorAll("#views > button")].filter(b => b.clientWidth < 24 || b.clientHeight < 24).map(b => b.textContent + " " + b.clientWidth)`); len(got) > 0 {
		t.Errorf("these tabs are small: %q", got)
	}
}
