package browser

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/e2e/fixture"
)

// TestTour adds a note at the line under the pointer, writes Markdown into it, and goes from note to note by keys and by a link, as its
// author and as somebody else.
func TestTour(t *testing.T) {
	t.Parallel()
	base := serve(t, &fixture.Runner{})
	p := visit(t, base, 1440, 900)
	path := session(p, fixture.MLP)
	p.goTo(path + "?pass=1.9/FuseTIR&view=unified&function=main")
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row.is-add").length > 0`)

	// The sign in the gutter: only at the line under the pointer.
	p.until("the sign is in the gutter", func() bool {
		p.hover(`.code-row .ln[data-line="6"]`)
		p.hover(`.code-row .ln[data-line="8"]`)
		return eval[bool](p, `document.querySelectorAll(".gutter-add").length === 1`)
	})
	p.click(`.ln[data-line="8"] .gutter-add`)
	p.wait(`document.querySelector("#note-text")`)
	p.wait(`document.querySelector("dialog[open] h2").textContent.endsWith("main, line 8")`)
	p.fill("#note-text", "The **fused** call, see `main`:\n\n- one\n- [before](?pass=1.8/FuseOps&function=main&view=ir)\n\n<img src=x onerror=alert(1)> <script>alert(1)</script>")
	p.click("#note-save")
	p.wait(`document.querySelectorAll("#note-list li[data-note]").length === 1`)
	p.wait(`document.querySelector(".md strong")?.textContent === "fused" && document.querySelectorAll(".md li").length === 2`)
	if n := p.count(".md img, .md script"); n != 0 {
		t.Errorf("a note put %d elements of its own into the page", n)
	}
	if got := p.text(".md"); !strings.Contains(got, "<script>alert(1)</script>") {
		t.Errorf("the note reads %q", got)
	}
	p.goTo(path + "?pass=1.8/FuseOps&view=ir&function=main&line=3")
	p.wait(done)
	p.wait(`document.querySelector(".code-row.at-line")`)
	p.note("where it was")

	// From note to note, in the order of the passes.
	p.press(">")
	p.wait(`document.querySelector("#tour:not([hidden]) .tour-count").textContent === "Note 1 of 2" && document.querySelector("#tour .md").textContent === "where it was"`)
	p.press(">")
	p.wait(place + ` === "1.9/FuseTIR main 8 unified" && document.querySelector("#tour .tour-count").textContent === "Note 2 of 2"`)
	p.wait(`document.querySelector('.code-row.at-line .ln.noted[data-line="8"]')`)
	link := eval[string](p, `location.pathname + location.search`)
	p.press("<")
	p.wait(place + ` === "1.8/FuseOps main 3 ir"`)
	p.click(`#tour [aria-label="End the tour"]`)
	p.wait(`document.querySelector("#tour").hidden && !location.search.includes("note=")`)

	// The link opens at the note, for others too, who cannot add any.
	other := visit(t, base, 1440, 900)
	other.goTo(link)
	other.wait(done)
	other.wait(`document.querySelector("#tour:not([hidden]) .tour-count")?.textContent === "Note 2 of 2"`)
	other.wait(`document.querySelector('.code-row.at-line .ln.noted[data-line="8"]')`)
	other.click("#tour .tour-head button:not([disabled]).btn")
	other.wait(place + ` === "1.8/FuseOps main 3 ir"`)
	other.hover(`.code-row .ln[data-line="6"]`)
	if n := other.count(".gutter-add"); n != 0 {
		t.Error("a reader is offered to add a note")
	}
	// A sign of a note leads to it.
	other.press(">")
	other.click(`#tour [aria-label="End the tour"]`)
	other.click(`.ln.noted[data-line="8"]`)
	other.wait(`document.querySelector("#tour:not([hidden]) .tour-count")?.textContent === "Note 2 of 2"`)
}

// TestTourLooks runs axe over a tour in both themes and at three widths. E2E_SCREENS names a folder for screenshots.
func TestTourLooks(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	at := openText(p, "cnn", "FuseOps", "main", "unified")
	p.goTo(strings.Replace(at, "form=exact", "form=compact", 1) + "&line=5")
	p.wait(done)
	p.wait(`document.querySelector(".code-row.at-line")`)
	p.note("**Three calls** became one kernel: the convolution and what follows it *elementwise*.\n\n- `conv2d` is the anchor\n- [what max_pool2d says](?pass=1.8/FuseOps)\n\n```\nrelu1 = cls.fused_conv2d_add_relu_conv1_conv2d1(...)\n```")
	p.press(">")
	p.wait(`document.querySelector("#tour:not([hidden]) .md strong")`)
	p.looks("tour", [][2]int64{{1440, 900}, {1024, 768}, {853, 480}, {390, 844}})
}
