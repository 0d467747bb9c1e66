package bench

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/irscope/irscope/web/store"
	"github.com/irscope/irscope/web/store/sqlite"
)

// upload makes a session of a model and waits for the end of its first run.
func (p *page) upload(name string, data []byte) {
	p.b.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("model", name)
	must(p.b, err)
	_, err = part.Write(data)
	must(p.b, err)
	must(p.b, w.Close())
	var made created
	p.post("/api/sessions", w.FormDataContentType(), &form, &made)
	p.session, p.token = made.Session.ID, made.Token
	p.follow(made.Session.Runs[0], time.Now())
}

// rerun is when a reader has what, from the request on, and the processor time until the last row.
type rerun struct{ last, code, end, processor time.Duration }

// rerun starts a run and follows it over a websocket. Events are not decoded: the reader is not what is measured.
func (p *page) rerun(settings string) (t rerun) {
	p.b.Helper()
	start, began := time.Now(), processTime()
	var made struct{ Run struct{ ID string } }
	p.post("/api/sessions/"+p.session+"/runs", "application/json", strings.NewReader(settings), &made)
	ws, _, err := websocket.DefaultDialer.DialContext(p.b.Context(), "ws"+strings.TrimPrefix(p.url, "http")+"/runs/"+made.Run.ID+"/events", nil)
	must(p.b, err)
	defer func() { _ = ws.Close() }()
	for {
		_, data, err := ws.ReadMessage()
		must(p.b, err)
		at := time.Since(start)
		head := data[:min(len(data), 60)]
		switch {
		case bytes.Contains(head, []byte(`"type":"pass_finished"`)):
			t.last, t.processor = at, processTime()-began
		case bytes.Contains(head, []byte(`"type":"code_generated"`)):
			t.code = at
		case bytes.Contains(head, []byte(`"type":"run_finished"`)):
			t.end = at
			return t
		}
	}
}

// BenchmarkReRun measures a run of light_resnet50 whose steps an earlier one has all made, and runs that differ in one
// pass: at the front, in the middle and at the end of the pipeline.
func BenchmarkReRun(b *testing.B) {
	data := light(b, "light_resnet50")
	for _, kind := range []string{"memory", "sqlite"} {
		for _, off := range []string{"", "FoldConstant", "FuseOps", "StaticPlanBlockMemory", "tir.CommonSubexprElim"} {
			b.Run(kind+"/off="+off, func(b *testing.B) {
				var p *page
				var list []rerun
				for seed := 1; b.Loop(); seed++ {
					settings := fmt.Sprintf(`{"seed":%d}`, seed)
					if p == nil || off != "" { // what is off is on in all earlier runs of the server
						p = serveFrom(b, storeOf(b, kind))
						p.upload("resnet50.onnx", data)
					}
					if off != "" {
						settings = fmt.Sprintf(`{"disabled":[%q]}`, off)
					}
					list = append(list, p.rerun(settings))
				}
				median := func(name string, of func(rerun) time.Duration) {
					slices.SortFunc(list, func(x, y rerun) int { return int(of(x) - of(y)) })
					b.ReportMetric(float64(of(list[len(list)/2]).Microseconds())/1000, name)
				}
				median("last-row-ms", func(t rerun) time.Duration { return t.last })
				median("last-row-processor-ms", func(t rerun) time.Duration { return t.processor })
				median("code-ms", func(t rerun) time.Duration { return t.code - t.last })
				median("end-ms", func(t rerun) time.Duration { return t.end })
			})
		}
	}
}

// storeOf returns a store in memory, or one on the disk.
func storeOf(b *testing.B, kind string) store.Store {
	b.Helper()
	if kind == "memory" {
		return store.NewMemory(256 << 20)
	}
	st, err := sqlite.Open(b.Context(), sqlite.Options{Dir: b.TempDir()})
	must(b, err)
	b.Cleanup(func() { must(b, st.Close()) })
	return st
}
