package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/irscope/irscope/e2e/fixture"
)

// busyFront stands before a server and answers for it that it is busy, where the path of a request
// begins with one of the prefixes and has the ending.
type busyFront struct {
	mu       sync.Mutex
	prefixes []string
	ending   string
}

func (f *busyFront) set(prefixes ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.prefixes = prefixes
}

func (f *busyFront) isBusy(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.prefixes {
		if strings.HasPrefix(path, p) && strings.HasSuffix(path, f.ending) {
			return true
		}
	}
	return false
}

// serve returns the address before a server.
func (f *busyFront) serve(t *testing.T, target string) string {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !f.isBusy(r.URL.Path) {
			proxy.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprint(w, `{"error":{"status":503,"message":"the server is busy with work for many visitors; try again in a few seconds"}}`)
	}))
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	return front.URL
}

// TestBusyServer asks a server that has no room: the page says so, asks again by itself, and goes
// on when there is room; where it stays so, the message stands in the place of the text.
func TestBusyServer(t *testing.T) {
	t.Parallel()
	front := &busyFront{}
	g := holding(t, "KillAfterLastUse") // the page brings the beginning of the run along, and asks for the rest
	p := visit(t, front.serve(t, serve(t, &fixture.Runner{Hold: g.hold})), 1440, 900)
	path := session(p, fixture.MLP)
	p.goTo(path)
	p.wait(`document.querySelector("#run-state-text").textContent.includes("KillAfterLastUse")`)
	front.set("/diff/", "/runs/")
	p.goTo(path)
	p.wait(`document.querySelector("#run-state-text").textContent.startsWith("the server is busy")`)
	front.set("/diff/")
	g.release("KillAfterLastUse")
	p.selectRow("LegalizeOps")
	p.wait(`document.querySelector(".busy-note")?.textContent.startsWith("The server is busy")`)
	p.wait(done)
	front.set()
	p.wait(`document.querySelectorAll(".code-row").length > 3`)
	p.wait(`!document.querySelector(".busy-note")`)
	front.set("/diff/", "/ir/")
	p.click(`#center-tools [data-view="ir"]`)
	p.wait(`document.querySelector(".note.error")?.textContent.includes("the server is busy")`)
	p.wait(`!document.querySelector(".busy-note")`)
	p.expectFaults("WebSocket connection", "status of 503")
}

// refusing stands before a server and, while it is on, fails requests for runs. The page still hears of the session: where it does not, it takes the server to be away, and runs what waits by itself
// when it is back.
type refusing struct{ busyFront }

func (f *refusing) set(on bool) {
	f.ending = "/runs"
	if on {
		f.busyFront.set("/api/sessions/")
	} else {
		f.busyFront.set()
	}
}
