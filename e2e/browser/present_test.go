package browser

import (
	"fmt"
	"math"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/irscope/irscope/e2e/fixture"
)

// topRow is the number of the first row in view of the text, from 1.
const topRow = `(() => {
	const box = document.querySelector(".code-view").getBoundingClientRect();
	const rows = [...document.querySelectorAll(".code-row")].filter(r => r.getBoundingClientRect().bottom > box.top + 8);
	return Math.min(...rows.map(r => Number(r.getAttribute("aria-rowindex")))); })()`

// graphWindow is what is in view of the graph: x, y, width, height, and zoom; null where none is drawn.
const graphWindow = `(() => { const w = document.querySelector("[data-window]")?.dataset.window; return w ? Object.values(JSON.parse(w)) : null; })()`

// mayPresent is true when the page can present its session.
const mayPresent = `document.querySelector("#present-part:not([hidden])")`

// scroll turns the wheel over the text, as a reader does.
func (p *page) scroll(by float64) {
	p.t.Helper()
	p.hover(".code-view")
	at := eval[[]float64](p, `(() => { const r = document.querySelector(".code-view").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	if _, err := chromedp.Call(p.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: at[0], Y: at[1], DeltaX: 0.01, DeltaY: by}); err != nil {
		p.t.Fatalf("turn the wheel: %v", err)
	}
}

// TestPresenting has a visitor follow a presenter from pass to pass, to other functions and views and down a text, look around, come
// back, and stay where it ended.
func TestPresenting(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	p := visit(t, base, 1440, 900)
	path := session(p, "cnn")
	p.goTo(path + "?pass=1.8/FuseOps&view=unified&function=main")
	p.wait(done)
	f := visit(t, base, 1024, 768)
	f.goTo(path)
	f.wait(done)
	// Only the owner is offered to present.
	if n := f.count("#present"); n != 0 {
		t.Error("a visitor is offered to present the session of another")
	}
	p.wait(mayPresent)
	f.until("the key says that nobody presents", func() bool {
		f.press("W")
		return f.text("#announce") == "Nobody is presenting this session"
	})

	p.press("S")
	p.wait(`document.querySelector("#stage.is-presenting:not([hidden])")`)
	f.wait(`document.querySelector("#stage.is-following:not([hidden])")?.textContent.includes("Following the presenter")`)
	p.wait(`document.querySelector("#followers").textContent === "1 follower"`)
	same := func(what string) {
		t.Helper()
		f.until("the follower is where the presenter is: "+what, func() bool { return eval[string](f, place) == eval[string](p, place) })
	}
	same("at the beginning")
	for _, keys := range []string{"j", "j", "k", "u", "s", "u", "m", "u"} {
		p.press(keys)
		same("after " + keys)
	}
	// Down a text, by the wheel: the follower's window is smaller, the first line is the same.
	p.click(`#center-tools [data-view=ir]`)
	eval[bool](p, `([...document.querySelectorAll("#tree .fn .name")].find(x => x.textContent === "whole module").click(), true)`)
	same("the whole module")
	for _, x := range []*page{p, f} {
		x.wait(`document.querySelectorAll(".code-row .code-head").length > 1`)
	}
	p.scroll(400)
	p.wait(topRow + ` > 10`)
	near := func() {
		t.Helper()
		f.until("the follower has scrolled as far", func() bool { return math.Abs(eval[float64](p, topRow)-eval[float64](f, topRow)) <= 1 })
	}
	near()
	p.scroll(-200)
	near()

	// The follower looks around by scrolling, and comes back by a key.
	at := eval[string](p, place)
	f.scroll(-3000)
	f.wait(`document.querySelector("#stage").textContent.includes("Looking around") && ` + topRow + ` === 1`)
	p.scroll(100)
	f.press("W")
	f.wait(`document.querySelector("#stage").textContent.includes("Following")`)
	near()
	// By going to another pass, which the presenter does not see.
	f.press("k")
	f.wait(`document.querySelector("#stage").textContent.includes("Looking around")`)
	if got := eval[string](p, place); got != at {
		t.Errorf("when a follower went elsewhere the presenter went from %q to %q", at, got)
	}
	p.press("j")
	p.wait(place + ` !== ` + fmt.Sprintf("%q", at))
	p.wait(`document.querySelector("#followers").textContent === "1 follower"`)
	if eval[string](f, place) == eval[string](p, place) {
		t.Error("who looks around follows all the same")
	}
	f.wait(`document.querySelector(".stage-where").textContent.startsWith("The presenter is at ")`)
	f.click("#follow")
	same("after coming back")

	// What is in view of a graph: the follower's window is smaller, and shows all of it.
	p.click(`[data-step$="/FuseOps"] .name`)
	p.wait(`[...document.querySelectorAll("#tree .fn .name")].some(x => x.textContent === "main")`)
	eval[bool](p, `([...document.querySelectorAll("#tree .fn .name")].find(x => x.textContent === "main").click(), true)`)
	p.wait(`document.querySelector("#center-title").textContent.includes("main")`)
	p.click(`#center-tools [data-view=graph]`)
	same("at the graph")
	for _, x := range []*page{p, f} {
		x.wait(graphWindow)
	}
	onGraph := func(x *page) { eval[bool](x, `(document.querySelector("[data-window]").focus(), true)`) } // a click may open what a node stands for
	for _, press := range []string{"+", "+", "-"} {
		onGraph(p)
		p.press(press)
	}
	eval[bool](p, `(() => { const s = document.querySelector("[data-window]"); s.scrollTo(0, s.scrollHeight * 0.6); return true; })()`)
	sees := func() {
		t.Helper()
		f.until("the follower sees what the presenter sees of the graph", func() bool {
			a, b := eval[[]float64](p, graphWindow), eval[[]float64](f, graphWindow)
			return b[0] <= a[0]+0.02 && b[1] <= a[1]+0.02 && b[0]+b[2] >= a[0]+a[2]-0.02 && b[1]+b[3] >= a[1]+a[3]-0.02 && b[4] <= a[4]+0.01 && a[3] < 0.9
		})
	}
	sees()
	eval[bool](p, `(() => { document.querySelector("[data-window]").scrollTop -= 200; return true; })()`)
	sees()
	onGraph(f)
	f.press("0") // which shows all of it
	f.wait(`document.querySelector("#stage").textContent.includes("Looking around")`)
	f.press("W")
	sees()
	p.click(`#center-tools [data-view=ir]`)
	same("after the graph")

	// Large type is the presenter's own.
	p.press("A")
	p.wait(`document.querySelector(".code-row").offsetHeight === 28 && document.querySelector("#large-type").ariaPressed === "true"`)
	if eval[int](f, `document.querySelector(".code-row").offsetHeight`) != 19 {
		t.Error("the type of a follower is large too")
	}
	// A notes tour leads followers along.
	p.note("look here")
	f.wait(`document.querySelector("#notes-count").textContent === "1"`)
	p.click(`.stage-notes button:last-child`)
	p.wait(`document.querySelector("#tour:not([hidden]) .md")`)
	f.wait(`document.querySelector("#tour:not([hidden]) .md")?.textContent === "look here"`)

	// A server does not lose who presents when a page is loaded anew: that ends it.
	here := eval[string](f, place)
	p.click("#stop-presenting")
	p.wait(`!document.querySelector("#stage")`)
	f.wait(`document.querySelector("#stage").textContent.includes("The presentation has ended")`)
	p.press("kk")
	p.wait(place + ` !== ` + fmt.Sprintf("%q", here))
	if got := eval[string](f, place); got != here {
		t.Errorf("after the end the follower went from %q to %q", here, got)
	}
	f.click("#stage button")
	f.wait(`!document.querySelector("#stage")`)

	// A page that is opened later follows at once, and a presenter who closes the page ends it.
	p.press("S")
	p.wait(`document.querySelector("#followers")?.textContent === "1 follower"`)
	late := visit(t, base, 390, 844)
	late.goTo(path)
	late.wait(`document.querySelector("#stage.is-following:not([hidden])")`)
	late.until("who comes late is there too", func() bool { return eval[string](late, "location.search") == eval[string](p, "location.search") })
	p.goTo("/")
	for _, x := range []*page{f, late} {
		x.wait(`document.querySelector("#stage").textContent.includes("The presentation has ended")`)
	}
}

// TestFollowingWithLittleMotion: the page of a reader who wants little motion scrolls when the presenter has come to rest.
func TestFollowingWithLittleMotion(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	p := visit(t, base, 1440, 900)
	at := openText(p, "cnn", "FuseOps", "main", "ir")
	p.goTo(at)
	p.wait(done)
	f := visit(t, base, 1440, 900)
	if _, err := chromedp.Call(f.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}}); err != nil {
		t.Fatal(err)
	}
	f.goTo(at)
	f.wait(done)
	p.wait(mayPresent)
	p.press("S")
	f.wait(`document.querySelector("#stage.is-following:not([hidden])")`)
	f.wait(`document.querySelectorAll(".code-row .tx").length > 10`)
	eval[bool](f, `(() => { window.__moves = 0; let top = 0; const el = document.querySelector(".code-view");
		el.addEventListener("scroll", () => { if (el.scrollTop !== top) window.__moves++; top = el.scrollTop; }); return true; })()`)
	// Twenty steps in two seconds.
	eval[bool](p, `new Promise((ok) => { let n = 0; const el = document.querySelector(".code-view"); const t = setInterval(() => { el.scrollTop += 19; if (++n === 20) { clearInterval(t); ok(true); } }, 100); })`)
	f.until("the follower has scrolled as far", func() bool { return math.Abs(eval[float64](p, topRow)-eval[float64](f, topRow)) <= 1 })
	if n := eval[int](f, `window.__moves`); n > 4 {
		t.Errorf("the page moved %d times, want it to wait for the presenter", n)
	}
}

// TestPresentingLooks runs axe over both bars in both themes and at the sizes of the page. E2E_SCREENS names a folder for screenshots.
func TestPresentingLooks(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	sizes := [][2]int64{{1440, 900}, {1280, 720}, {1024, 768}, {853, 480}, {390, 844}}
	p, f := visit(t, base, 1440, 900), visit(t, base, 1440, 900)
	at := openText(p, "cnn", "FuseOps", "main", "unified")
	p.goTo(at)
	p.wait(done)
	p.click("#present")
	p.wait(`document.querySelector("#stage:not([hidden])")`)
	f.goTo(at)
	f.wait(done)
	f.wait(`document.querySelector("#stage:not([hidden])")`)
	both := func(p *page, check func(p *page, name string), name string) { p.looksAt("center", name, sizes, check) }
	bar := func(p *page, name string) { auditPart(p, "#stage", name) } // only the bar differs from what was seen before
	both(f, audit, "following")
	f.press("W")
	f.wait(`document.querySelector("#stage").textContent.includes("Looking around")`)
	both(f, bar, "looking")
	both(p, bar, "presenting")
	p.press("A")
	both(p, audit, "presenting-large")
}

// TestAnotherTabPresents: it takes over, followers go with it, and the first tab says so.
func TestAnotherTabPresents(t *testing.T) {
	t.Parallel()
	base := serve(t, &fixture.Runner{})
	f := visit(t, base, 1440, 900)
	f.goTo("/")
	made := eval[struct {
		Session struct{ ID string }
		Token   string `json:"edit_token"`
	}](f, fmt.Sprintf(`fetch("/api/sessions", {method: "POST", credentials: "omit", headers: {"Content-Type": "application/json"}, body: JSON.stringify({gallery: %q})}).then(r => r.json())`, fixture.MLP))
	var tabs [2]*page
	for i := range tabs {
		p := visit(t, base, 1440, 900)
		setToken(p, made.Token)
		tabs[i] = p
	}
	for _, p := range append([]*page{f}, tabs[:]...) {
		p.goTo("/s/" + made.Session.ID)
		p.wait(done)
	}
	first, second := tabs[0], tabs[1]
	first.wait(mayPresent)
	first.press("S")
	first.wait(`document.querySelector("#followers")?.textContent === "2 followers"`)
	second.wait(mayPresent)
	second.press("S")
	second.wait(`document.querySelector("#stage.is-presenting:not([hidden])")`)
	first.wait(`document.querySelector("#announce").textContent === "This session is presented from another page now"`)
	second.press("jj")
	f.until("the follower is where the second presenter is", func() bool { return eval[string](f, place) == eval[string](second, place) })
	// The first one may follow, too.
	first.press("W")
	first.until("the first presenter follows the second", func() bool { return eval[string](first, place) == eval[string](second, place) })
	second.press("S")
	for _, p := range []*page{f, first} {
		p.wait(`document.querySelector("#stage").textContent.includes("The presentation has ended")`)
	}
}
