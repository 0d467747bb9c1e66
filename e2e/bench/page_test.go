package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// page is a server and the session that a benchmark works in.
type page struct {
	b              *testing.B
	url            string
	session, token string
}

func serve(b *testing.B) *page { return serveFrom(b, store.NewMemory(256<<20)) }

func serveFrom(b *testing.B, st store.Store) *page {
	b.Helper()
	eng := compiler.NewEngine()
	catalog, err := inproc.Catalog(b.Context())
	must(b, err)
	adm := run.DefaultAdmission(1)
	adm.PerMinute = 1_000_000
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	s, err := web.New(web.Config{
		Runner: inproc.New(inproc.Config{Store: st, Gallery: inproc.Gallery, Engine: eng, Log: quiet}),
		Store:  st, Catalog: catalog, Log: quiet, Build: "bench", Admission: adm,
	})
	must(b, err)
	srv := httptest.NewServer(s)
	b.Cleanup(func() {
		s.Drain(b.Context())
		srv.Close()
		must(b, eng.Close())
	})
	return &page{b: b, url: srv.URL}
}

// post sends JSON or a form and decodes the answer.
func (p *page) post(path, contentType string, body io.Reader, v any) {
	p.b.Helper()
	req, err := http.NewRequestWithContext(p.b.Context(), http.MethodPost, p.url+path, body)
	must(p.b, err)
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Authorization", "Bearer "+p.token)
	resp, err := http.DefaultClient.Do(req)
	must(p.b, err)
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	must(p.b, err)
	if resp.StatusCode >= 300 {
		p.b.Fatalf("%s answers %d: %s", path, resp.StatusCode, data)
	}
	must(p.b, json.Unmarshal(data, v))
}

// open makes a session without a run.
func (p *page) open(gallery string) {
	var made created
	p.post("/api/sessions", "application/json", strings.NewReader(fmt.Sprintf(`{"gallery":%q,"start":false}`, gallery)), &made)
	p.session, p.token = made.Session.ID, made.Token
}

// created is the answer to a new session.
type created struct {
	Session struct {
		ID   string
		Runs []string
	}
	Token string `json:"edit_token"`
}

// run starts a run and follows it over a websocket. It returns the time from the request to
// the first pass_finished event and to the end.
func (p *page) run(settings string) (first, total time.Duration) {
	p.b.Helper()
	start := time.Now()
	var made struct{ Run struct{ ID string } }
	p.post("/api/sessions/"+p.session+"/runs", "application/json", strings.NewReader(settings), &made)
	return p.follow(made.Run.ID, start)
}

func (p *page) follow(id string, start time.Time) (first, total time.Duration) {
	p.b.Helper()
	ws, _, err := websocket.DefaultDialer.DialContext(p.b.Context(), "ws"+strings.TrimPrefix(p.url, "http")+"/runs/"+id+"/events", nil)
	must(p.b, err)
	defer func() { _ = ws.Close() }()
	for {
		_, data, err := ws.ReadMessage()
		must(p.b, err)
		e, err := event.Decode(data)
		must(p.b, err)
		switch body := e.Body.(type) {
		case *event.PassFinished:
			if first == 0 {
				first = time.Since(start)
			}
		case *event.RunFinished:
			if body.Status != event.StatusOK {
				p.b.Fatalf("the run ended as %s: %+v", body.Status, body.Error)
			}
			return first, time.Since(start)
		}
	}
}

// BenchmarkFirstRow measures the time from the click to the first row of a pass, for a
// model of the gallery that was never compiled and for a run with one pass turned off.
func BenchmarkFirstRow(b *testing.B) {
	for _, model := range []string{"mlp", "cnn", "transformer"} {
		b.Run(model, func(b *testing.B) {
			var firstRow, firstTotal, againRow, againTotal time.Duration
			for b.Loop() {
				p := serve(b)
				p.open(model)
				r, t := p.run(`{"seed":1}`)
				firstRow, firstTotal = firstRow+r, firstTotal+t
				r, t = p.run(`{"seed":1,"disabled":["FuseOps"]}`)
				againRow, againTotal = againRow+r, againTotal+t
			}
			n := float64(b.N) * 1e6
			b.ReportMetric(float64(firstRow)/n, "first-row-ms")
			b.ReportMetric(float64(firstTotal)/n, "first-run-ms")
			b.ReportMetric(float64(againRow)/n, "toggled-row-ms")
			b.ReportMetric(float64(againTotal)/n, "toggled-run-ms")
		})
	}
}

// BenchmarkServerMemory runs light_resnet50 fifty times and reports the heap afterwards.
func BenchmarkServerMemory(b *testing.B) {
	data := light(b, "light_resnet50")
	for b.Loop() {
		p := serve(b)
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, err := w.CreateFormFile("model", "resnet50.onnx")
		must(b, err)
		_, err = part.Write(data)
		must(b, err)
		must(b, w.Close())
		var made created
		p.post("/api/sessions", w.FormDataContentType(), &form, &made)
		p.session, p.token = made.Session.ID, made.Token
		_, first := p.follow(made.Session.Runs[0], time.Now())
		var again time.Duration
		disabled := []string{"FuseOps", "FuseTIR", "FoldConstant", "EliminateCommonSubexpr", "CanonicalizeBindings"}
		for i := range 49 {
			_, t := p.run(fmt.Sprintf(`{"seed":%d,"disabled":[%q]}`, i, disabled[i%len(disabled)]))
			again += t
		}
		goruntime.GC()
		var m goruntime.MemStats
		goruntime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-MiB")
		b.ReportMetric(float64(m.Sys-m.HeapReleased)/(1<<20), "resident-MiB")
		b.ReportMetric(first.Seconds(), "first-run-s")
		b.ReportMetric(again.Seconds()/49, "mean-run-s")
	}
}
