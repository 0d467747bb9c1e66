package models

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// logs runs each model at each level with everything new, and returns the hashes of the logs.
func logs(t *testing.T, models map[string][]byte, levels []int, workers int) map[string]string {
	t.Helper()
	st, eng := store.NewMemory(1<<30), compiler.NewEngine()
	adm := run.DefaultAdmission(workers)
	adm.PerMinute, adm.PerVisitor, adm.Queue, adm.QueuePerVisitor = 1_000_000, workers, 1_000_000, 1_000_000
	limits := run.DefaultLimits()
	limits.Time = 10 * time.Minute
	m := run.NewManager(run.Config{
		Runner: inproc.New(inproc.Config{
			Store: st, Engine: eng, CacheBytes: -1,
			Gallery: func(name string) ([]byte, bool) { data, ok := models[name]; return data, ok },
		}),
		Store: st, Build: "test", Admission: adm, Limits: limits, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	defer func() {
		m.Drain(context.Background())
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	}()
	ids := map[string]string{}
	for name := range models {
		for _, level := range levels {
			req := run.Request{Source: store.Source{Kind: store.SourceGallery, Name: name}, Settings: run.Settings{OptLevel: level, Seed: 7}}
			info, err := m.Start(t.Context(), "visitor", "session", req)
			if err != nil {
				t.Fatal(err)
			}
			ids[fmt.Sprintf("%s at level %d", name, level)] = info.ID
		}
	}
	out := map[string]string{}
	for _, id := range ids {
		log, err := m.Log(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for n, sealed := 0, false; !sealed; {
			var lines [][]byte
			if lines, sealed, err = log.Next(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			n += len(lines)
		}
	}
	m.Drain(context.Background()) // all runs are stored
	for what, id := range ids {
		info, err := m.Run(t.Context(), id)
		if err != nil || info.Hash == "" {
			t.Fatalf("%s: the run ended as %s, hash %q (%v)", what, info.State, info.Hash, err)
		}
		out[what] = info.State + " " + info.Hash
	}
	return out
}

// TestDeterminism runs models with everything that a log says on one processor one after the
// other, and on all of them at once: the hash of every log is the same.
func TestDeterminism(t *testing.T) {
	models, levels := map[string][]byte{}, []int{0, 2, 3}
	for _, g := range gallery.Models() {
		models[g.Name] = g.Bytes
	}
	t.Run("published", func(t *testing.T) {
		want := 120
		if testing.Short() {
			want = 20
		}
		cases := onnxtest.Nodes(t)
		for i := 0; i < len(cases) && len(models) < want; i += max(1, len(cases)/want) {
			models["node "+cases[i].Name] = cases[i].Model
		}
	})
	before := goruntime.GOMAXPROCS(1)
	defer goruntime.GOMAXPROCS(before)
	one := logs(t, models, levels, 1)
	goruntime.GOMAXPROCS(max(4, goruntime.NumCPU()))
	many := logs(t, models, levels, 4)
	ok := 0
	for what, hash := range one {
		if many[what] != hash {
			t.Errorf("%s: the log is %s on one processor, %s on many", what, hash, many[what])
		}
		if hash[:2] == "ok" {
			ok++
		}
	}
	t.Logf("%d models, %d runs twice, of which %d ended well", len(models), len(one), ok)
	if ok < len(one)/2 {
		t.Errorf("only %d of %d runs ended well", ok, len(one))
	}
}
