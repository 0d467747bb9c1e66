package web

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

func TestPanicsOfHandlersAreAnswered(t *testing.T) {
	var log strings.Builder
	s := &Server{cfg: Config{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	w := httptest.NewRecorder()
	s.recoverPanics(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret detail") })).
		ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/x", nil))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "secret") || !strings.Contains(log.String(), "secret detail") {
		t.Errorf("a panic gives %d %s, log %s", w.Code, w.Body, log.String())
	}
	w = httptest.NewRecorder()
	s.do(func(http.ResponseWriter, *http.Request) error { return io.ErrUnexpectedEOF })(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "EOF") {
		t.Errorf("an error without an explanation gives %d %s", w.Code, w.Body)
	}
}

func TestVisitorsAreTheirNetworks(t *testing.T) {
	direct := &Server{}
	proxied := &Server{cfg: Config{TrustedProxies: []string{"10.0.0.0/8"}}}
	for _, c := range []struct {
		server            *Server
		remote, xff, want string
	}{
		{direct, "192.0.2.1:5000", "", "192.0.2.1"},
		{direct, "192.0.2.1:5000", "203.0.113.9", "192.0.2.1"},
		{direct, "[2001:db8:1:2:3::4]:5000", "", "2001:db8:1:2::/64"},
		{direct, "[::ffff:192.0.2.1]:5000", "", "192.0.2.1"},
		{proxied, "10.1.1.1:5000", "198.51.100.7, 203.0.113.9", "203.0.113.9"},
		{proxied, "192.0.2.1:5000", "203.0.113.9", "192.0.2.1"},
		{proxied, "10.1.1.1:5000", "nonsense", "unknown"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.remote
		if c.xff != "" {
			r.Header.Set("X-Forwarded-For", c.xff)
		}
		got := ""
		c.server.visitorAddress()(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = c.server.visitor(r) })).ServeHTTP(httptest.NewRecorder(), r)
		if got != c.want {
			t.Errorf("visitor from %s with %q is %s, want %s", c.remote, c.xff, got, c.want)
		}
	}
}

func TestCommandLines(t *testing.T) {
	got := command(run.Info{
		Source: store.Source{Kind: store.SourceUpload, Name: "it's a $(net).onnx"},
		Settings: run.Settings{
			Target: "wasm -mattr=+simd128", OptLevel: 3, Required: []string{"FuseOps"},
			Config: map[string]any{"tir.x": true}, Shapes: map[string][]int64{"x": {1, 3}},
		},
	})
	const want = `irscope run 'it'\''s a $(net).onnx' --target 'wasm -mattr=+simd128' --opt-level 3 --require-pass FuseOps --config tir.x=true --shape x=1x3`
	if got != want {
		t.Errorf("command is\n%s\nwant\n%s", got, want)
	}
}

// TestPrintTook prints what a step took: now, earlier, or both.
func TestPrintTook(t *testing.T) {
	leaf := func(total int64, reused bool) *event.Step {
		return &event.Step{Measured: event.Measured{Total: total}, Reused: reused, Finished: &event.PassFinished{}}
	}
	again, fresh := leaf(2e6, true), leaf(4e5, false)
	for _, x := range []struct {
		step *event.Step
		want string
	}{
		{&event.Step{}, ""},
		{fresh, "400 µs"},
		{again, "↺ 2.0 ms"},
		{&event.Step{Measured: event.Measured{Total: 24e5, Earlier: 2e6}, Children: []*event.Step{again, fresh}}, "400 µs + ↺ 2.0 ms"},
		{&event.Step{Measured: event.Measured{Total: 21e5, Earlier: 2e6}, Children: []*event.Step{again, {}}}, "↺ 2.1 ms"},
	} {
		if got := printTook(x.step); got != x.want {
			t.Errorf("%+v is printed as %q, want %q", x.step, got, x.want)
		}
	}
}
