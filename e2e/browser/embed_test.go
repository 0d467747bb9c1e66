package browser

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	proto "github.com/chromedp/cdproto/cdp"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/irscope/irscope/e2e/fixture"
	"github.com/irscope/irscope/web/store"
)

// inFrame evaluates an expression in the only frame of a page; false while that is not there.
func (p *page) inFrame(js string) bool {
	p.t.Helper()
	ctx, cancel := p.soon()
	defer cancel()
	tree, err := chromedp.Call(ctx, cdp.GetFrameTree, proto.Empty{})
	if err != nil || len(tree.FrameTree.ChildFrames) != 1 {
		return false
	}
	world, err := chromedp.Call(ctx, cdp.CreateIsolatedWorld, cdp.CreateIsolatedWorldParams{FrameID: tree.FrameTree.ChildFrames[0].Frame.ID})
	if err != nil {
		return false
	}
	got, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: "Boolean(" + js + ")", ContextID: world.ExecutionContextID, ReturnByValue: new(true)})
	return err == nil && got.Result != nil && string(got.Result.Value) == "true"
}

// TestEmbedding shows a snapshot in a frame of a page whose origin may do that, with the code that Share gives, and not in one of
// another origin.
func TestEmbedding(t *testing.T) {
	t.Parallel()
	code := ""
	around := func(origin net.Listener) string {
		host := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<!doctype html><title>A lesson</title><link rel=icon href=data:,><h1>A lesson</h1>%s", code)
		}))
		if origin != nil {
			host.Listener = origin
		}
		host.Start()
		t.Cleanup(host.Close)
		return host.URL
	}
	friend, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	allowed := "http://" + friend.Addr().String()
	p := visit(t, serveWith(t, &fixture.Runner{}, store.NewMemory(512<<20), offered, allowed), 1440, 900)
	p.goTo(session(p, fixture.MLP) + "?pass=1.9/FuseTIR&view=unified&function=main")
	p.wait(done)
	p.wait(`document.querySelectorAll(".code-row.is-add").length > 0`)
	p.click("#share")
	p.click("#share-yes")
	p.wait(`document.querySelector(".embed summary")`)
	p.click(".embed summary")
	p.screen("embed-code")
	code = eval[string](p, `document.querySelector("#embed-code").value`)
	p.click("#embed-only")
	only := eval[string](p, `document.querySelector("#embed-code").value`)
	p.press(kb.Escape)
	if !strings.HasPrefix(code, `<iframe src="`+p.base+`/embed/`) || !strings.Contains(only, "only=diff") || strings.Contains(code, "only=") {
		t.Fatalf("the code is %s, for the diff alone %s", code, only)
	}

	lesson := visit(t, around(friend), 1024, 768)
	for _, c := range []struct{ code, there, gone string }{
		{code, "#strip", "#share"}, {only, ".code-row", "#strip"},
	} {
		code = c.code
		lesson.goTo("/")
		lesson.until("the frame shows the diff", func() bool {
			return lesson.inFrame(`document.querySelectorAll(".code-row.is-add").length > 0 && document.querySelector("#center-title").textContent.startsWith("FuseTIR")`)
		})
		lesson.until("the frame has "+c.there, func() bool { return lesson.inFrame(`document.querySelector("` + c.there + `")?.checkVisibility()`) })
		if lesson.inFrame(`document.querySelector("`+c.gone+`")?.checkVisibility()`) || lesson.inFrame(`document.querySelector("#run").checkVisibility()`) {
			t.Errorf("the frame shows %s, or lets run", c.gone)
		}
		// The history of the browser is that of the lesson: what is looked at in the frame is no step in it.
		steps := eval[int](lesson, `history.length`)
		lesson.inFrame(`(document.querySelector('#views [data-view="metrics"]').click(), true)`)
		lesson.until("the frame shows metrics", func() bool { return lesson.inFrame(`location.search.includes("view=metrics")`) })
		if got := eval[int](lesson, `history.length`); got != steps {
			t.Errorf("the frame made %d steps in the history of the browser", got-steps)
		}
		lesson.screen("embedded" + strings.TrimPrefix(c.there, "#"))
	}

	other := visit(t, around(nil), 1024, 768)
	other.goTo("/")
	other.wait(`document.querySelector("iframe")`)
	other.until("the browser refuses the frame", func() bool {
		other.mu.Lock()
		defer other.mu.Unlock()
		for i, f := range other.faults {
			if strings.Contains(f, "frame-ancestors") {
				other.faults = append(other.faults[:i], other.faults[i+1:]...) // it is what is wanted
				return true
			}
		}
		return false
	})
	if other.inFrame(`document.querySelector("#app")`) {
		t.Error("a page of another origin shows the session")
	}
}
