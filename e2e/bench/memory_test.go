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
	"os"
	goruntime "runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store/sqlite"
)

const (
	memoryModels = 50
	memoryRuns   = 5000
	memoryEvery  = 100
)

// dense returns a model of its own for each number: layers of other widths and other weights.
func dense(n int) []byte {
	b := onnxbuild.New(fmt.Sprint("dense", n), 17)
	width := int64(16 + 3*n)
	x := b.Input("x", onnxpb.Float, 4, int(width))
	for i := range 2 + n%4 {
		next := int64(24 + 5*((n+i)%13))
		x = b.Node("MatMul", fmt.Sprint("m", i), []string{x, b.Weights(fmt.Sprint("w", i), 0, 0.1, width, next)})
		x = b.Node("Relu", fmt.Sprint("r", i), []string{x})
		width = next
	}
	b.NodeOut("Softmax", "s", []string{x}, []string{"y"})
	b.Output("y", onnxpb.Float, 4, int(width))
	return b.Bytes()
}

// crowd is a server and what its visitors do; every request comes from another one.
type crowd struct {
	b    *testing.B
	url  string
	asks int
}

// do sends a request and decodes the answer.
func (c *crowd) do(method, path, contentType, token string, body io.Reader, v any) {
	c.b.Helper()
	req, err := http.NewRequestWithContext(c.b.Context(), method, c.url+path, body)
	must(c.b, err)
	c.asks++
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", c.asks>>16&255, c.asks>>8&255, c.asks&255))
	req.Header.Set("Authorization", "Bearer "+token)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := http.DefaultClient.Do(req)
	must(c.b, err)
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	must(c.b, err)
	if resp.StatusCode >= 300 {
		c.b.Fatalf("%s answers %d: %.300s", path, resp.StatusCode, data)
	}
	must(c.b, json.Unmarshal(data, v))
}

// wait follows the events of a run to its end.
func (c *crowd) wait(id string) {
	c.b.Helper()
	status := ""
	for from := 0; ; {
		var page struct {
			Next   int
			Sealed bool
			Events []struct{ Body struct{ Status string } }
		}
		c.do("GET", fmt.Sprintf("/api/runs/%s/events?from=%d&wait=20", id, from), "", "", nil, &page)
		for _, e := range page.Events {
			status = e.Body.Status
		}
		if from = page.Next; page.Sealed {
			if status != "ok" {
				c.b.Fatalf("run %s ended as %q", id, status)
			}
			return
		}
	}
}

// resident returns the memory of the process that is in use, in bytes; 0 where the system does not tell.
func resident() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(data))[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// BenchmarkMemoryLevelsOff runs 50 models 100 times each, every run with another seed, on a server with the limits and the store of
// `irscope serve`, and looks at the memory of the process after every 100 runs. MEMORY_GRAPH names a file for the graph.
func BenchmarkMemoryLevelsOff(b *testing.B) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(900 << 20))
	st, err := sqlite.Open(b.Context(), sqlite.Options{Dir: b.TempDir()})
	must(b, err)
	eng := compiler.NewEngine()
	catalog, err := inproc.Catalog(b.Context())
	must(b, err)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	s, err := web.New(web.Config{
		Runner: inproc.New(inproc.Config{Store: st, Gallery: inproc.Gallery, Engine: eng, CacheBytes: inproc.DefaultReuse, Log: quiet}),
		Store:  st, Catalog: catalog, Log: quiet, Build: "bench", Admission: run.DefaultAdmission(1), TrustedProxies: []string{"127.0.0.0/8"},
	})
	must(b, err)
	srv := httptest.NewServer(s)
	b.Cleanup(func() {
		s.Drain(b.Context())
		srv.Close()
		must(b, eng.Close())
		must(b, st.Close())
	})
	c := &crowd{b: b, url: srv.URL}
	var sessions [memoryModels]created
	for i := range sessions {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, err := w.CreateFormFile("model", fmt.Sprintf("dense%d.onnx", i))
		must(b, err)
		_, err = part.Write(dense(i))
		must(b, err)
		must(b, w.Close())
		c.do("POST", "/api/sessions", w.FormDataContentType(), "", &form, &sessions[i])
		c.wait(sessions[i].Session.Runs[0])
	}
	var heap, whole []float64
	began := time.Now()
	for b.Loop() {
		for n := range memoryRuns {
			at := sessions[n%memoryModels]
			var made struct{ Run struct{ ID string } }
			c.do("POST", "/api/sessions/"+at.Session.ID+"/runs", "application/json", at.Token, strings.NewReader(fmt.Sprintf(`{"seed":%d}`, n+1)), &made)
			c.wait(made.Run.ID)
			if n%memoryEvery == memoryEvery-1 {
				goruntime.GC()
				var m goruntime.MemStats
				goruntime.ReadMemStats(&m)
				heap, whole = append(heap, float64(m.HeapAlloc)/(1<<20)), append(whole, float64(resident())/(1<<20))
			}
		}
	}
	// By then the logs of 4,000 runs have filled their cache, the last to become full.
	tenth := len(heap) / 10
	early, late := mean(heap[len(heap)-2*tenth:len(heap)-tenth]), mean(heap[len(heap)-tenth:])
	b.ReportMetric(early, "heap-MiB-ninth-tenth")
	b.ReportMetric(late, "heap-MiB-last-tenth")
	b.ReportMetric(mean(whole[len(whole)-tenth:]), "resident-MiB-last-tenth")
	b.ReportMetric(time.Since(began).Seconds()*1000/memoryRuns, "ms/run")
	if late > 1.02*early {
		b.Errorf("the heap has %.1f MiB in the ninth tenth of the runs and %.1f in the last: it does not level off", early, late)
	}
	if name := os.Getenv("MEMORY_GRAPH"); name != "" {
		must(b, os.WriteFile(name, []byte(memoryGraph(heap, whole)), 0o644))
	}
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// memoryGraph draws the two curves over the runs, for light and dark pages.
func memoryGraph(heap, whole []float64) string {
	const w, h, left, bottom = 720, 280, 48, 36
	top := 0.0
	for _, v := range whole {
		top = max(top, v)
	}
	top = float64((int(top*1.1)/100 + 1) * 100)
	x := func(i int) float64 { return left + float64(i+1)*float64(w-left-90)/float64(len(heap)) }
	y := func(v float64) float64 { return 12 + (h-bottom-12)*(1-v/top) }
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#6b7280">`+"\n", w, h)
	for v := 0.0; v <= top; v += 100 {
		fmt.Fprintf(&out, `<path d="M%d %.1fH%d" stroke="#6b7280" stroke-opacity=".25"/><text x="%d" y="%.1f" text-anchor="end">%.0f</text>`+"\n", left, y(v), w-90, left-6, y(v)+4, v)
	}
	for n := 0; n <= memoryRuns; n += 1000 {
		fmt.Fprintf(&out, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", x(n/memoryEvery-1), h-bottom+18, n)
	}
	fmt.Fprintf(&out, `<text x="%d" y="%d" text-anchor="middle">runs of 50 models</text><text x="4" y="10">MiB</text>`+"\n", (w-90+left)/2, h-4)
	for _, c := range []struct {
		name, colour string
		values       []float64
	}{{"resident", "#3b82f6", whole}, {"heap", "#f59e0b", heap}} {
		var points strings.Builder
		for i, v := range c.values {
			fmt.Fprintf(&points, "%.1f,%.1f ", x(i), y(v))
		}
		fmt.Fprintf(&out, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/><text x="%d" y="%.1f" fill="%s">%s</text>`+"\n",
			strings.TrimSpace(points.String()), c.colour, w-84, y(c.values[len(c.values)-1])+4, c.colour, c.name)
	}
	return out.String() + "</svg>\n"
}
