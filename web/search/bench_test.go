package search_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/e2e/fixture"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/highlight"
	"github.com/irscope/irscope/web/lru"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/search"
	"github.com/irscope/irscope/web/store"
)

// recording is a finished run in memory, its texts compressed as they are on a server.
type recording struct {
	store *store.Memory
	log   *run.Log
	lines [][]byte
	docs  *lru.Cache[string, *highlight.Document]
}

// Emit implements event.Sink.
func (r *recording) Emit(e event.Event) error {
	e.Seq = len(r.lines)
	enc, err := event.Encode(e)
	if err != nil {
		return err
	}
	r.lines = append(r.lines, enc.Line)
	return r.log.Append(enc.Line)
}

// Text implements event.Sink.
func (r *recording) Text(language, text string) (string, error) {
	return r.store.PutBlob(context.Background(), "r", language, []byte(text))
}

// Keep implements run.Sink.
func (r *recording) Keep([]string) (bool, error) { return false, nil }

// Account implements run.Sink.
func (r *recording) Account(int64) error { return nil }

// record plays a run to its end.
func record(b *testing.B, runner run.Runner, st *store.Memory, source store.Source) *recording {
	b.Helper()
	r := &recording{store: st, log: run.NewLog(), docs: lru.New[string, *highlight.Document](64 << 20)}
	req, err := json.Marshal(run.Request{})
	if err != nil {
		b.Fatal(err)
	}
	if err := st.CreateRun(b.Context(), store.Run{ID: "r", Request: req}); err != nil {
		b.Fatal(err)
	}
	limits := run.DefaultLimits()
	limits.Time = 5 * time.Minute
	if err := runner.Run(b.Context(), run.Request{Source: source, Settings: run.Settings{OptLevel: 3}, Limits: limits}, r); err != nil {
		b.Fatal(err)
	}
	if err := st.FinishRun(b.Context(), store.Run{ID: "r", Status: "ok"}, false); err != nil {
		b.Fatal(err)
	}
	r.log.Seal()
	return r
}

func (r *recording) document(ctx context.Context, hash string) (*highlight.Document, error) {
	if d, ok := r.docs.Get(hash); ok {
		return d, nil
	}
	t, err := r.store.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	d := highlight.NewDocument(t.Language, string(t.Data))
	r.docs.Put(hash, d, int64(d.Size()))
	return d, nil
}

func (r *recording) searcher() *search.Searcher {
	return search.New(search.Config{Blob: r.store.Blob, Document: r.document, Time: time.Minute})
}

// bench measures the first search, which makes the index, and later ones.
func (r *recording) bench(b *testing.B, queries ...string) {
	ask := func(b *testing.B, s *search.Searcher, query string) *search.Answer {
		q, err := search.Parse(query)
		if err != nil {
			b.Fatal(err)
		}
		a, err := s.Search(b.Context(), "r", r.log, search.Request{Query: q, Count: search.DefaultCount})
		if err != nil {
			b.Fatal(err)
		}
		return a
	}
	b.Run("index", func(b *testing.B) {
		texts, bytes := map[string]bool{}, int64(0)
		for _, line := range r.lines {
			e, err := event.Decode(line)
			if err != nil {
				b.Fatal(err)
			}
			for _, hash := range event.Texts(e) {
				if t, err := r.store.Blob(b.Context(), hash); err == nil && !texts[hash] {
					texts[hash] = true
					bytes += int64(len(t.Data))
				}
			}
		}
		var s *search.Searcher
		for b.Loop() {
			s = r.searcher()
			ask(b, s, "name:no_such_name")
		}
		b.ReportMetric(float64(len(texts)), "texts")
		b.ReportMetric(float64(bytes)/1e6, "MB-text")
		b.ReportMetric(float64(s.IndexSize())/1e6, "MB-index")
		runtime.KeepAlive(s)
	})
	s := r.searcher()
	ask(b, s, "name:no_such_name")
	for _, query := range queries {
		b.Run(query, func(b *testing.B) {
			// The first time also reads the texts of the results, and finds where texts differ.
			began := time.Now()
			a := ask(b, s, query)
			first := time.Since(began)
			for b.Loop() {
				ask(b, s, query)
			}
			b.ReportMetric(float64(len(a.Results)), "results")
			b.ReportMetric(float64(first.Microseconds())/1e3, "ms-first")
		})
	}
}

// BenchmarkMany is a module of 2,000 functions with 100,000 lines.
func BenchmarkMany(b *testing.B) {
	st := store.NewMemory(1 << 30)
	r := record(b, &fixture.Runner{}, st, store.Source{Kind: store.SourceGallery, Name: fixture.Many})
	r.bench(b, "name:lv12", "op:subtract", "conv2d", "lv_1 R.subtract", "/lv1[0-9] .*subtract/", "/[(]1, 64.*zzz/", "metadata zzz", `"= "`, "fn:*layer17_*",
		"gone:lv12", "born:subtract", "touches:lv20")
}

// BenchmarkLarge is a function of 100,000 lines.
func BenchmarkLarge(b *testing.B) {
	st := store.NewMemory(1 << 30)
	r := record(b, &fixture.Runner{}, st, store.Source{Kind: store.SourceGallery, Name: fixture.Large})
	r.bench(b, "name:lv12", "op:subtract", "/lv12[0-9]* .*subtract/", "gone:lv12", "born:subtract", "touches:lv25")
}

// BenchmarkResNet50 is the run of a published model.
func BenchmarkResNet50(b *testing.B) {
	data, err := os.ReadFile(filepath.Join(onnxtest.Dir(b), "light", "light_resnet50.onnx"))
	if err != nil {
		b.Skip(err)
	}
	st, eng := store.NewMemory(1<<30), compiler.NewEngine()
	defer func() { _ = eng.Close() }()
	runner := inproc.New(inproc.Config{Store: st, Engine: eng, Gallery: func(string) ([]byte, bool) { return data, true }})
	r := record(b, runner, st, store.Source{Kind: store.SourceGallery, Name: "x"})
	r.bench(b, "name:lv12", "op:conv2d", "conv2d", "fused_conv2d relu", "/lv1[0-9] .*cls/", "/[(]1, 64.*zzz/", `"= "`, "gone:nn.conv2d", "gone:conv2d", "born:vload", "touches:buf_0", "touches:storage", "touches:R")
}
