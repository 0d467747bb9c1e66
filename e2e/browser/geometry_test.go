package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// geometry lists what is wrong with the layout of a session's page, and says which share of the window the code has.
const geometry = `(() => {
	const faults = [], box = (el) => el.getBoundingClientRect(), seen = (el) => el.checkVisibility({opacityProperty: true, visibilityProperty: true}) && box(el).width > 1 && box(el).height > 1;
	const name = (el) => el.id || el.className.baseVal || el.className || el.tagName;
	if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is " + (document.documentElement.scrollWidth - innerWidth) + " px wider than the window");
	for (const bar of document.querySelectorAll(".topbar, .session-bar, .run-form, .strip, .work, .pane-head, .center-tools, .tools, .tools-group, .crumbs, .narrow-tabs, .pane")) {
		if (!seen(bar)) continue;
		const over = (el) => getComputedStyle(el).position === "absolute" || getComputedStyle(el).position === "fixed";
		const children = [...bar.children].filter((el) => seen(el) && !over(el) && getComputedStyle(el).display !== "contents");
		for (const [i, a] of children.entries()) {
			const r = box(a);
			if (r.right > innerWidth + 0.5 || r.left < -0.5 || r.bottom > innerHeight + 0.5) faults.push(name(a) + " in " + name(bar) + " sticks out of the window");
			for (const b of children.slice(i + 1)) {
				const s = box(b), w = Math.min(r.right, s.right) - Math.max(r.left, s.left), h = Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top);
				if (w > 0.5 && h > 0.5) faults.push(name(a) + " and " + name(b) + " overlap by " + w.toFixed(1) + " x " + h.toFixed(1) + " px");
			}
		}
	}
	for (const title of document.querySelectorAll("#title, #title > *, .crumbs, .pane-head > h2")) {
		if (seen(title) && title.clientWidth < 0.6 * title.scrollWidth && title.clientWidth < 240) faults.push(name(title) + " shows " + title.clientWidth + " of " + title.scrollWidth + " px");
	}
	const code = document.querySelector(".code-view"), r = box(code);
	return JSON.stringify({faults, share: r.width * r.height / (innerWidth * innerHeight)});
})()`

// TestGeometry opens a session at twelve sizes of the window: from 1024x768 on the code has more than half of it, nothing overlaps, nothing
// is wider than the window, and every title can be read.
func TestGeometry(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	sizes := []struct {
		width, height int64
		share         float64
	}{
		{800, 450, 0.5},
		{853, 480, 0.55},
		{1024, 600, 0.5},
		{1024, 768, 0.55},
		{1152, 720, 0.55},
		{1280, 720, 0.55},
		{1366, 768, 0.55},
		{1440, 900, 0.70},
		{1680, 1050, 0.70},
		{1920, 1080, 0.70},
		{2560, 1440, 0.70},
		{390, 844, 0.55},
	}
	p := visit(t, base, 1440, 900)
	at := openText(p, "cnn", "FuseOps", "main", "unified")
	for _, size := range sizes {
		p.do("resize", chromedp.EmulateViewport(size.width, size.height))
		p.goTo(at)
		p.wait(done)
		p.wait(`document.querySelectorAll(".code-row .tx").length > 5 && document.fonts.status === "loaded"`)
		var found struct {
			Faults []string
			Share  float64
		}
		if err := json.Unmarshal([]byte(eval[string](p, geometry)), &found); err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%dx%d", size.width, size.height)
		t.Logf("%s: the code has %.1f %% of the window", what, 100*found.Share)
		if found.Share < size.share {
			t.Errorf("%s: the code has %.1f %% of the window, want %.0f %%", what, 100*found.Share, 100*size.share)
		}
		if len(found.Faults) > 0 {
			t.Errorf("%s:\n%s", what, strings.Join(found.Faults, "\n"))
		}
		p.screen("geometry-" + what)
	}
}

// TestPartsOfTheTime checks on the log of a run that the parts of the timeline add up to the time in the headline.
func TestPartsOfTheTime(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "FuseOps", "main", "unified")
	p.wait(done)
	p.timeline()
	got := eval[float64](p, `(async () => {
		const run = new URLSearchParams(location.search).get("run");
		const {events} = await (await fetch("/runs/" + run + "/events?from=0")).json();
		const unit = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9};
		const parts = [...document.querySelector("#timeline-total").textContent.matchAll(/([\d.]+) (ns|µs|ms|s)(?= ·|$)/g)].map((m) => m[1] * unit[m[2]]);
		if (parts.length < 5) throw new Error("the timeline says " + document.querySelector("#timeline-total").textContent);
		return parts.reduce((sum, t) => sum + t, 0) / events.at(-1).measured.at; })()`)
	t.Logf("the parts are %.1f %% of the whole", 100*got)
	if got < 0.97 || got > 1.005 {
		t.Errorf("the parts are %.1f %% of the whole, want 97 to 100 %%", 100*got)
	}
}
