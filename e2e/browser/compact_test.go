package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// lit is an expression for the texts in a highlight of the page.
func lit(name string) string {
	return fmt.Sprintf(`[...(CSS.highlights.get(%q) ?? [])].map(r => r.startContainer.textContent.slice(r.startOffset, r.endOffset))`, name)
}

// openDiff opens what a pass of a gallery model did to main, in a session of this visitor.
func openDiff(p *page, model, pass, query string) string {
	p.t.Helper()
	path := session(p, model)
	p.goTo(path)
	p.wait(done)
	at := path + "?pass=" + stepPath(p, pass) + "&view=unified&function=main" + query
	p.goTo(at)
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row .tx").length > 3`)
	return at
}

// copied selects from a column of a row to a column of another, numbered from 1 as the page numbers them, and returns what copying
// that gives, as soon as the lines are there: whoever copies before is told to copy again.
func copied(p *page, from, to string) string {
	p.t.Helper()
	text := ""
	p.until("what is selected can be copied", func() bool {
		text = eval[string](p, fmt.Sprintf(`(() => {
		const node = ([row, at]) => [document.querySelector('.code-row[aria-rowindex="' + row + '"] .tx').firstChild, at];
		const [a, i] = node(%s), [b, j] = node(%s);
		getSelection().setBaseAndExtent(a, Math.min(i, a.length), b, Math.min(j, b.length));
		const data = new DataTransfer();
		b.parentElement.dispatchEvent(new ClipboardEvent("copy", { clipboardData: data, bubbles: true, cancelable: true }));
		return data.getData("text/plain"); })()`, from, to))
		return text != ""
	})
	return text
}

// TestCompact reads what a graph pass did in the short form: pairs, marks, types, full names, and the exact form on a key.
func TestCompact(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openDiff(p, "cnn", "LegalizeOps", "")
	rows := eval[[]string](p, `[...document.querySelectorAll(".code-row")].map(r => (r.className.includes("is-add") ? "+" : r.className.includes("is-del") ? "-" : " ") + r.querySelector(".tx").textContent)`)
	at := slices.IndexFunc(rows, func(s string) bool { return strings.HasPrefix(s, "-    conv1_conv2d1 = conv2d(image, lv") })
	if at < 0 || !strings.HasPrefix(rows[at+1], "+    conv1_conv2d1 = cls.conv2d(image, lv") {
		t.Fatalf("the rows are\n%s", strings.Join(rows, "\n"))
	}
	if marks := eval[[]string](p, lit("word-add")); !slices.Contains(marks, "cls.") || !slices.Contains(marks, "add2") || slices.Contains(marks, "add") || slices.Contains(marks, "sqrt") {
		t.Errorf("marked as added is %q", marks)
	}
	if got := eval[string](p, fmt.Sprintf(`document.querySelectorAll(".code-row")[%d].querySelector(".ty").textContent`, at)); got != "f32[1,16,32,32]" {
		t.Errorf("the type is %q", got)
	}

	// The full name of what is shorter, under the pointer.
	line := eval[int](p, fmt.Sprintf(`+document.querySelectorAll(".code-row")[%d].querySelector("[data-line]").dataset.line`, at+1))
	where := nameAt(p, line, "conv1_conv2d1")
	p.do("point at a name", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, where[0], where[1]))
	p.wait(`document.querySelector('.tx[title="conv1_Conv_conv2d1"]')`)
	// Its history is that of the value, whose name is the long one.
	p.do("point elsewhere", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 4, 4))
	clickName(p, line, "conv1_conv2d1")
	p.wait(lived)
	p.wait(`new URLSearchParams(location.search).get("history")?.includes("conv1_Conv_conv2d1")`)
	p.wait(lit("lived") + `.includes("conv1_conv2d1")`)

	// The other form keeps place, and is part of the address.
	p.press("z")
	p.wait(`location.search.includes("form=exact") && document.querySelector("#form").ariaPressed === "false"`)
	p.wait(`[...document.querySelectorAll(".code-row .tx")].some(x => x.textContent.includes("R.nn.conv2d(image, lv"))`)
	if got := p.count(".ty"); got != 0 {
		t.Errorf("%d types stand beside exact lines", got)
	}
	p.goTo(eval[string](p, `location.pathname + location.search`))
	p.wait(`[...document.querySelectorAll(".code-row .tx")].some(x => x.textContent.includes("R.nn.conv2d(image, lv"))`)
	p.click("#form")
	p.wait(`!location.search.includes("form=") && [...document.querySelectorAll(".code-row .tx")].some(x => x.textContent.includes("= conv2d(image, lv"))`)
}

// TestCompactCopy copies short lines: what arrives is as printed, also of rows that are out of view.
func TestCompactCopy(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	at := openDiff(p, "cnn", "LegalizeOps", "")
	exact := func(query string) []string {
		p.goTo(at + query)
		p.wait(done)
		p.wait(`document.querySelectorAll(".code-row .tx").length > 20`)
		return eval[[]string](p, `[...document.querySelectorAll(".code-row .tx")].map(x => x.textContent)`)
	}
	want := exact("&form=exact")
	exact("&form=compact")
	if got := copied(p, "[5, 0]", "[8, 999]"); got != strings.Join(want[4:8], "\n") {
		t.Errorf("copied\n%s\nwant\n%s", got, strings.Join(want[4:8], "\n"))
	}
	named := 1 + slices.IndexFunc(want, func(s string) bool { return strings.Contains(s, "conv1_Conv_conv2d1: ") })
	if got := copied(p, fmt.Sprintf("[%d, 4]", named), fmt.Sprintf("[%d, 17]", named)); got != "conv1_Conv_conv2d1" {
		t.Errorf("the name is copied as %q", got)
	}
	// The selection begins in view and goes on far below, with the mouse and the shift key.
	box := eval[[]float64](p, `(() => { const b = document.querySelector('.code-row[aria-rowindex="2"] .tx').getBoundingClientRect(); return [b.x + 8, b.y + b.height / 2]; })()`)
	p.do("begin a selection", chromedp.MouseClickXY(box[0], box[1]))
	// The page keeps the row as soon as it is told of the selection; until then scrolling would take it away.
	p.wait(`getSelection().anchorNode?.parentElement?.closest(".code-row")?.ariaRowIndex === "2"`)
	eval[bool](p, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true)))))`)
	last := eval[int](p, `+document.querySelector(".code-view").ariaRowCount`)
	eval[bool](p, `document.querySelector(".code-view").scrollTo(0, 1e9), true`)
	p.wait(fmt.Sprintf(`document.querySelector('.code-row[aria-rowindex="%d"] .tx:not([aria-busy])')`, last))
	if n := p.count(".code-row"); n > 120 || last < 100 {
		t.Fatalf("%d of %d rows have elements", n, last)
	}
	text := ""
	p.until("what is selected can be copied", func() bool {
		text = eval[string](p, fmt.Sprintf(`(() => {
		const end = document.querySelector('.code-row[aria-rowindex="%d"] .tx').firstChild;
		getSelection().extend(end, end.length);
		const data = new DataTransfer();
		end.parentElement.dispatchEvent(new ClipboardEvent("copy", { clipboardData: data, bubbles: true, cancelable: true }));
		return data.getData("text/plain"); })()`, last))
		return text != ""
	})
	lines := strings.Split(text, "\n")
	if len(lines) != last-1 || !strings.HasPrefix(lines[0], "def main(image: R.Tensor(") || !slices.Equal(lines[2:20], want[3:21]) {
		t.Errorf("%d lines were copied of %d rows:\n%.600s", len(lines), last, text)
	}
	if i := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, " = add(") || strings.Contains(s, "= cls.add(") }); i >= 0 {
		t.Errorf("line %d was copied in the short form: %s", i, lines[i])
	}
}

// TestCompactSearch opens a result whose match is not shown as such: what stands for it is lit.
func TestCompactSearch(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openDiff(p, "cnn", "LegalizeOps", "")
	p.press("/")
	p.typed(`conv1_Conv_conv2d1 pass:LegalizeOps`)
	p.wait(`document.querySelector("[data-found]")`)
	p.click("[data-found]")
	p.wait(`document.querySelector(".code-row.at-line")`)
	p.wait(lit("found") + `.includes("conv1_conv2d1")`)
	p.press("\x1b") // closes the search
	p.wait(lit("found") + `.length === 0`)
}

// TestCompactLink follows a link to a line: it stands where the exact form has it.
func TestCompactLink(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	at := openDiff(p, "cnn", "LegalizeOps", "")
	for _, form := range []string{"compact", "exact"} {
		p.goTo(at + "&line=40&form=" + form)
		p.wait(`document.querySelector(".code-row.at-line [data-line='40']")`)
		if got := p.text(".code-row.at-line .tx"); strings.Contains(got, "R.call_tir") != (form == "exact") {
			t.Errorf("%s: the line reads %q", form, got)
		}
	}
}

// TestWrap breaks long lines: they have their heights, and the row at the top stays there.
func TestWrap(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1024, 768)
	openDiff(p, "cnn", "LegalizeOps", "&form=exact")
	high := `Math.max(...[...document.querySelectorAll(".code-row")].map(x => x.offsetHeight))`
	if got := eval[int](p, high); got != 19 {
		t.Fatalf("a row is %d pixels high", got)
	}
	if p.count(".tx.long") == 0 {
		t.Error("no long line fades")
	}
	eval[bool](p, `document.querySelector(".code-view").scrollTo(0, 600), true`)
	top := `(() => { const v = document.querySelector(".code-view"), y = v.getBoundingClientRect().top;
		return +[...v.querySelectorAll(".code-row")].filter(x => x.getBoundingClientRect().bottom > y + 1).sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)[0].ariaRowIndex; })()`
	p.wait(top + " > 20")
	before := eval[int](p, top)
	p.alt("z")
	p.wait(`document.querySelector("#wrap").ariaPressed === "true"`)
	p.wait(high + " >= 38")
	if after := eval[int](p, top); after < before-1 || after > before+1 {
		t.Errorf("row %d was at the top, then row %d", before, after)
	}
	// No row lies over another, and nothing is beside the view.
	apart := `(() => { const rows = [...document.querySelectorAll(".code-row")].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex);
		return rows.every((x, i) => i === 0 || +x.ariaRowIndex !== +rows[i - 1].ariaRowIndex + 1 || Math.abs(x.getBoundingClientRect().top - rows[i - 1].getBoundingClientRect().bottom) < 1); })()`
	for _, y := range []int{0, 500, 3000, 1e6, 1200} {
		eval[bool](p, fmt.Sprintf(`document.querySelector(".code-view").scrollTo(0, %d), true`, y))
		eval[bool](p, `new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)).then(() => true)`)
		if !eval[bool](p, apart) {
			t.Errorf("at %d, rows overlap or stand apart", y)
		}
	}
	if eval[bool](p, `document.querySelector(".code-view").scrollWidth > document.querySelector(".code-view").clientWidth`) {
		t.Error("the view is wider than the window although lines are broken")
	}
	// No line is broken behind its indentation.
	if n := eval[int](p, `[...document.querySelectorAll(".tx")].filter(x => { const r = new Range(), t = x.firstChild; if (!t || !t.data.trim()) return false;
		const at = t.data.search(/\S/); r.setStart(t, at); r.setEnd(t, at + 1); return r.getBoundingClientRect().top > x.getBoundingClientRect().top + 10; }).length`); n > 0 {
		t.Errorf("%d lines begin with an empty one", n)
	}
	// The reader's wish is kept.
	p.goTo(eval[string](p, `location.pathname + location.search`))
	p.wait(`document.querySelector("#wrap").ariaPressed === "true" && ` + high + " >= 38")
	p.click("#wrap")
	p.wait(high + " === 19")
	// A phone breaks lines without being asked.
	q := visit(t, p.base, 390, 844)
	openDiff(q, "cnn", "LegalizeOps", "&form=exact")
	q.wait(`document.querySelector("#wrap").ariaPressed === "true" && ` + high + " >= 38")
}
