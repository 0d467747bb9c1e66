package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long a test waits for something to appear on the page. A busy machine may stop a test for longer than that: of the time
// between two looks at the page no more than the pause counts.
const (
	patience = 60 * time.Second
	pause    = time.Second
)

// hang is the time in milliseconds from which something on the page counts as hanging. Goals are far below; tests log what they
// measure and do not judge it, since the machine may be busy.
const hang = 60_000.0

// chromium is the one browser of the test binary; each test has its own context in it, as a visitor of their own.
var chromium struct {
	once   sync.Once
	ctx    context.Context
	cancel func()
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if chromium.cancel != nil {
		chromium.cancel()
	}
	os.Exit(code)
}

// findChromium returns the path of a browser. The shell has no windows of its own, and takes three fifths of the processor time.
func findChromium() (string, error) {
	if path := os.Getenv("CHROME_BIN"); path != "" {
		return path, nil
	}
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium found: install it (Debian: apt-get install chromium-headless-shell) or set CHROME_BIN")
}

// launch starts the browser. No name resolves in it but this machine, which proves that the page loads nothing from elsewhere.
func launch(path string) {
	opts := append(
		chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.Flag("no-sandbox", os.Geteuid() == 0),
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.Flag("no-proxy-server", true),
	)
	alloc, cancelAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancel := chromedp.NewContext(alloc)
	chromium.ctx = ctx
	chromium.cancel = func() {
		cancel()
		cancelAlloc()
	}
	chromium.err = chromedp.Do(ctx)
}

// page is a tab of a new visitor.
type page struct {
	t    *testing.T
	ctx  context.Context
	base string
	// sessions are the paths of the visitor's sessions by model.
	sessions map[string]string
	// scheme is the theme that the page was given last.
	scheme string
	// pointed is told where the pointer is moved to; nil where nobody asks.
	pointed func(x, y float64)

	mu     sync.Mutex
	faults []string
	// expected are parts of messages that are no faults.
	expected []string
}

// visit opens a tab of a new visitor at a size. When the test ends, an error on the console fails it.
func visit(t *testing.T, base string, width, height int64) *page {
	t.Helper()
	path, err := findChromium()
	if err != nil {
		if os.Getenv("E2E_REQUIRED") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	chromium.once.Do(func() { launch(path) })
	if chromium.err != nil {
		t.Fatalf("start %s: %v", path, chromium.err)
	}
	ctx, cancel := chromedp.NewContext(chromium.ctx, chromedp.WithNewBrowserContext())
	p := &page{t: t, ctx: ctx, base: base, sessions: map[string]string{}}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height)); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	// Tests run two at a time, each in a tab that believes it is the one in front.
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatalf("keep the focus: %v", err)
	}
	messages := chromedp.Console(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m, err := range messages {
			if err != nil {
				return
			}
			if strings.Contains(m.String(), "status of 422") {
				continue // the browser's own note that the server found errors in a text
			}
			if m.IsException() || m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning {
				p.mu.Lock()
				p.faults = append(p.faults, fmt.Sprintf("%s (%s:%d)", m, m.URL, m.Line+1))
				p.mu.Unlock()
			}
		}
	}()
	t.Cleanup(func() {
		if t.Failed() {
			p.shot(filepath.Join(os.TempDir(), "irscope-e2e-"+strings.ReplaceAll(t.Name(), "/", "-")+".png"))
		}
		cancel()
		<-done
		for _, f := range p.faults {
			if !slices.ContainsFunc(p.expected, func(part string) bool { return strings.Contains(f, part) }) {
				t.Errorf("console: %s", f)
			}
		}
	})
	return p
}

// goTo opens an address of the server.
func (p *page) goTo(path string) {
	p.t.Helper()
	p.do("open "+path, chromedp.Navigate(p.base+path))
}

// theme makes the system prefer light or dark.
func (p *page) theme(name string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	})
	if err != nil {
		p.t.Fatalf("set theme: %v", err)
	}
	p.scheme = name
}

// soon is the context of one action: no action may take longer than the patience of the test, and a time in which the test was stopped.
func (p *page) soon() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.ctx, 3*patience)
}

// do runs an action that gives nothing.
func (p *page) do(what string, action chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := p.soon()
	defer cancel()
	if err := chromedp.Do(ctx, action); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

// eval evaluates an expression in the page.
func eval[T any](p *page, js string) T {
	p.t.Helper()
	ctx, cancel := p.soon()
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("evaluate %s: %v", js, err)
	}
	return v
}

// wait waits until an expression is true. It asks from here, so a navigation in between does no harm.
func (p *page) wait(js string) {
	p.t.Helper()
	p.until(js, func() bool {
		ctx, cancel := p.soon()
		defer cancel()
		v, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+js+")"))
		return err == nil && v
	})
}

// run returns the number of the run that the page shows, as soon as its address names it.
func (p *page) run() string {
	p.t.Helper()
	const named = `new URLSearchParams(location.search).get("run")`
	p.wait(named)
	return eval[string](p, named)
}

// notRun waits until the page shows another run than one.
func (p *page) notRun(run string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`(new URLSearchParams(location.search).get("run") ?? %q) !== %[1]q`, run))
}

// another waits for a run other than the one that the address names, to its end.
func (p *page) another(change func()) {
	p.t.Helper()
	run := p.run()
	change()
	p.notRun(run)
	p.wait(done)
}

// until waits for a condition.
func (p *page) until(what string, cond func() bool) {
	p.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	waited, last := time.Duration(0), time.Now()
	for !cond() {
		now := time.Now()
		waited += min(now.Sub(last), pause)
		if last = now; waited > patience {
			p.t.Fatalf("after %v it is not true that %s", patience, what)
		}
		<-tick.C
	}
}

// text returns the text of an element.
func (p *page) text(selector string) string {
	p.t.Helper()
	return eval[string](p, fmt.Sprintf(`document.querySelector(%q)?.textContent ?? "(no such element)"`, selector))
}

// count returns how many elements match.
func (p *page) count(selector string) int {
	p.t.Helper()
	return eval[int](p, fmt.Sprintf(`document.querySelectorAll(%q).length`, selector))
}

// click clicks into the middle of an element with the mouse. It goes the way of a visitor: the pointer is on the row first, which then
// shows its tools, and a menu or a sheet of the inspector that holds the element is opened before.
func (p *page) click(selector string) {
	p.t.Helper()
	p.way(selector)
	p.hover(selector)
	p.wait(fmt.Sprintf(`document.querySelector(%q)?.checkVisibility()`, selector))
	var at []float64
	same := 0
	p.until(selector+" keeps its place", func() bool { // for longer than a frame
		last := at
		at = eval[[]float64](p, fmt.Sprintf(`(() => {
			const el = document.querySelector(%q);
			if (!el) return [];
			el.scrollIntoView({block: "nearest"});
			const r = el.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector))
		if same++; len(at) == 0 || !slices.Equal(at, last) {
			same = 0
		}
		return same > 1
	})
	p.do("click "+selector, chromedp.MouseClickXY(at[0], at[1]))
}

// way opens what holds an element: a menu, the inspector, one of its sheets.
func (p *page) way(selector string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`document.querySelector(%q)`, selector))
	for range 3 {
		first := eval[string](p, fmt.Sprintf(`(() => {
			const el = document.querySelector(%q), menu = el.parentElement.closest("details.menu:not([open])"), sheet = el.closest("#details [role=tabpanel]");
			if (menu && !el.closest("summary")) return "#" + menu.id + " > summary";
			if (sheet && !sheet.checkVisibility() && !document.querySelector("#details").checkVisibility()) return "#toggle-details";
			if (sheet?.hidden) return "[aria-controls=" + sheet.id + "]";
			return ""; })()`, selector))
		if first == "" || first == selector {
			return
		}
		p.click(first)
	}
}

// hover moves the pointer over an element, or where that is hidden over the row that it is in.
func (p *page) hover(selector string) {
	p.t.Helper()
	at := eval[[]float64](p, fmt.Sprintf(`(() => {
		const el = document.querySelector(%q), row = el.checkVisibility() ? el : el.closest(".row") ?? el;
		row.scrollIntoView({block: "nearest"});
		const r = row.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector))
	if _, err := chromedp.Call(p.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at[0], Y: at[1]}); err != nil {
		p.t.Fatalf("move the pointer to %s: %v", selector, err)
	}
	if p.pointed != nil {
		p.pointed(at[0], at[1])
	}
}

// act does with a row of the tree what an item of its menu is for.
func (p *page) act(row, action string) {
	p.t.Helper()
	p.settled()
	p.click(row + " [data-more]")
	p.click(`.popmenu [data-act="` + action + `"]`)
}

// timeline opens the timeline.
func (p *page) timeline() {
	p.t.Helper()
	if eval[bool](p, `document.querySelector("#open-timeline").ariaExpanded === "false"`) {
		p.click("#open-timeline")
	}
	p.wait(`document.querySelector("#timeline-body .bar")`)
}

// press sends keys, one after the other: letters, or names of chromedp's kb package by their runes.
func (p *page) press(keys string) {
	p.t.Helper()
	p.do(fmt.Sprintf("press %q", keys), strokes(keys))
}

// strokes presses and releases keys as a keyboard does: what a key types comes with its press, so that a page which takes the press for
// itself types nothing. chromedp.KeyEvent sends it later, on its own, and a dialog that has opened meanwhile takes it as typed.
func strokes(keys string, held ...chromedp.Modifier) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, r := range keys {
			stroke := kb.Encode(r)
			for _, k := range stroke {
				for _, m := range held {
					k.Modifiers |= int64(m)
				}
			}
			for i, k := range stroke {
				switch {
				case k.Type == kb.KeyChar:
					continue
				case i+1 < len(stroke) && stroke[i+1].Type == kb.KeyChar && k.Modifiers&^int64(chromedp.ModifierShift) == 0:
					k.Text, k.UnmodifiedText = stroke[i+1].Text, stroke[i+1].UnmodifiedText
				}
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *k); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// tabTo presses Tab until the focus is on an element that matches; it fails after too many.
func (p *page) tabTo(selector string) {
	p.t.Helper()
	for range 80 {
		if eval[bool](p, fmt.Sprintf(`document.activeElement?.matches(%q) ?? false`, selector)) {
			return
		}
		p.press(kb.Tab)
	}
	p.t.Fatalf("80 times Tab did not reach %s", selector)
}

// shot writes a screenshot of what is in the window.
func (p *page) shot(file string) {
	p.t.Helper()
	ctx, cancel := p.soon()
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Logf("screenshot %s: %v", file, err)
		return
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Logf("screenshot: %v", err)
		return
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		p.t.Logf("screenshot: %v", err)
		return
	}
	p.t.Logf("screenshot: %s", file)
}

// file writes a file for an upload and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
