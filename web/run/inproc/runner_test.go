package inproc_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// bench is a manager on the compiler, with the store behind it.
type bench struct {
	t       *testing.T
	manager *run.Manager
	runner  *inproc.Runner
	store   *store.Memory
	n       int
}

func open(t *testing.T, cache int64) *bench {
	t.Helper()
	st, eng := store.NewMemory(256<<20), compiler.NewEngine()
	adm := run.DefaultAdmission(1)
	adm.PerMinute = 1000
	limits := run.DefaultLimits()
	limits.Time = 2 * time.Minute // the race detector is slow
	r := inproc.New(inproc.Config{Store: st, Gallery: inproc.Gallery, Engine: eng, CacheBytes: cache})
	m := run.NewManager(run.Config{
		Runner: r, Store: st, Build: "test", Admission: adm, Limits: limits, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		m.Drain(ctx)
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	})
	return &bench{t: t, manager: m, runner: r, store: st}
}

func gallery(name string) store.Source { return store.Source{Kind: store.SourceGallery, Name: name} }

// run runs a request to its end and returns its events and the hash of its log.
func (b *bench) run(src store.Source, s run.Settings) ([]event.Event, string) {
	b.t.Helper()
	ctx := b.t.Context()
	b.n++
	info, err := b.manager.Start(ctx, "v", "s", run.Request{Source: src, Settings: s, Attempt: b.n})
	if err != nil {
		b.t.Fatal(err)
	}
	log, err := b.manager.Log(ctx, info.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	var out []event.Event
	for {
		lines, sealed, err := log.Next(ctx, len(out))
		if err != nil {
			b.t.Fatal(err)
		}
		for _, l := range lines {
			e, err := event.Decode(l)
			if err != nil {
				b.t.Fatal(err)
			}
			out = append(out, e)
		}
		if sealed && len(lines) == 0 {
			break
		}
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if info, err = b.manager.Run(ctx, info.ID); err != nil {
			b.t.Fatal(err)
		}
		if info.Hash != "" {
			return out, info.Hash
		}
	}
	b.t.Fatalf("run %s has no hash", info.ID)
	return nil, ""
}

// end returns the last event of a log.
func end(evs []event.Event) *event.RunFinished {
	return evs[len(evs)-1].Body.(*event.RunFinished)
}

// ok fails unless a run ended well.
func (b *bench) ok(evs []event.Event, hash string) []event.Event {
	b.t.Helper()
	if done := end(evs); done.Status != event.StatusOK {
		text, _ := json.Marshal(done)
		b.t.Fatalf("run ended as %s", text)
	}
	if hash == "" {
		b.t.Error("log has no hash")
	}
	return evs
}

// bodies returns the bodies of one type.
func bodies[T event.Body](evs []event.Event) []T {
	var out []T
	for _, e := range evs {
		if b, ok := e.Body.(T); ok {
			out = append(out, b)
		}
	}
	return out
}

func TestGalleryModelFromGraphToOutputs(t *testing.T) {
	b := open(t, 0)
	evs := b.ok(b.run(gallery("mlp"), run.Settings{OptLevel: 2}))
	first, ok := evs[0].Body.(*event.RunStarted)
	if !ok || len(first.Plan) < 10 || len(first.Functions) == 0 || first.Target != "wasm" {
		t.Fatalf("the first event is %+v", evs[0])
	}
	open := map[string]bool{}
	for _, e := range evs {
		switch e.Body.(type) {
		case *event.PassStarted:
			open[e.Step] = true
		case *event.PassFinished, *event.PassFailed:
			if !open[e.Step] {
				t.Errorf("%s of %s, which has not started", e.Type, e.Step)
			}
			delete(open, e.Step)
		}
		for _, hash := range event.Texts(e) {
			if _, err := b.store.Blob(t.Context(), hash); err != nil {
				t.Errorf("%s of %s names a text that is not stored: %v", e.Type, e.Step, err)
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("steps without an end: %v", open)
	}
	for _, c := range bodies[*event.PassFinished](evs) {
		for _, f := range c.Functions {
			if f.Added+f.Removed == 0 && !f.Truncated {
				t.Errorf("%s changed %s by no line", c.Name, f.Name)
			}
		}
	}
	code, runs := bodies[*event.CodeGenerated](evs), bodies[*event.Executed](evs)
	if len(code) != 1 || len(code[0].Kernels) == 0 || code[0].VM == "" {
		t.Fatalf("generated code is %+v", code)
	}
	var kernels int64
	for _, k := range code[0].Kernels {
		if k.Bytes <= 0 || k.Lines <= 0 {
			t.Errorf("kernel %s has %d bytes in %d lines", k.Name, k.Bytes, k.Lines)
		}
		kernels += k.Bytes
	}
	if kernels >= code[0].Bytes {
		t.Errorf("the kernels have %d bytes, the module around them %d", kernels, code[0].Bytes)
	}
	if len(runs) != 1 || len(runs[0].Outputs) != 1 || len(runs[0].Inputs) != 1 {
		t.Fatalf("executions are %+v", runs)
	}
	out := runs[0].Outputs[0]
	if out.Name == "" || len(out.First) == 0 || math.IsNaN(float64(out.Mean)) || out.Min == out.Max {
		t.Errorf("output is %+v", out)
	}
}

func TestSymbolicBatchRunsAtEachSize(t *testing.T) {
	b := open(t, 0)
	evs := b.ok(b.run(gallery("batch"), run.Settings{OptLevel: 2, Bindings: []map[string]int64{{"batch": 1}, {"batch": 3}, {"batch": 8}}}))
	runs := bodies[*event.Executed](evs)
	if len(runs) != 3 || len(bodies[*event.CodeGenerated](evs)) != 1 {
		t.Fatalf("%d executions of %d compilations", len(runs), len(bodies[*event.CodeGenerated](evs)))
	}
	for i, n := range []int64{1, 3, 8} {
		if got := runs[i].Outputs[0].Shape[0]; got != n {
			t.Errorf("at batch %d the output has %d rows", n, got)
		}
	}
}

func TestReRunsReuseTheStepsBeforeTheFirstDifference(t *testing.T) {
	b, fresh := open(t, 0), open(t, -1)
	b.ok(b.run(gallery("mlp"), run.Settings{OptLevel: 2}))
	for name, c := range map[string]struct {
		settings run.Settings
		from     string // the first step that is computed; "" for none
	}{
		"the same":     {run.Settings{OptLevel: 2}, ""},
		"another seed": {run.Settings{OptLevel: 2, Seed: 9}, ""},
		"one pass off": {run.Settings{OptLevel: 2, Disabled: []string{"FuseOps"}}, "FuseTIRInner"},
	} {
		t.Run(name, func(t *testing.T) {
			evs, hash := b.run(gallery("mlp"), c.settings)
			b.ok(evs, hash)
			computed := false
			for _, e := range evs {
				p, ok := e.Body.(*event.PassFinished)
				if !ok || kindOf(evs, e.Step) == "sequential" {
					continue
				}
				if p.Name == c.from {
					computed = true
				}
				if e.Reused == computed {
					t.Errorf("%s is reused: %t", e.Step, e.Reused)
				}
			}
			if last := evs[len(evs)-1].Measured.ReusedSteps; last < 5 {
				t.Errorf("%d steps are counted as reused", last)
			}
			full, want := fresh.run(gallery("mlp"), c.settings)
			if hash != want {
				t.Errorf("the log with reused steps has hash %s, computed anew %s", hash, want)
				reportDifference(t, evs, full)
			}
		})
	}
}

// kindOf returns the kind of the pass of a step.
func kindOf(evs []event.Event, step string) string {
	for _, e := range evs {
		if p, ok := e.Body.(*event.PassStarted); ok && e.Step == step {
			return string(p.Kind)
		}
	}
	return ""
}

// reportDifference names the first event in which two logs differ.
func reportDifference(t *testing.T, a, b []event.Event) {
	t.Helper()
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		x.Measured, x.Reused, y.Measured, y.Reused = nil, false, nil, false
		ex, errX := event.Encode(x)
		ey, errY := event.Encode(y)
		if errX != nil || errY != nil || string(ex.Line) != string(ey.Line) {
			t.Errorf("event %d is\n%.600s\nwant\n%.600s", i, ex.Line, ey.Line)
			return
		}
	}
	t.Errorf("%d events, want %d", len(a), len(b))
}

func TestWrongOrderIsReported(t *testing.T) {
	b := open(t, 0)
	evs, _ := b.run(gallery("mlp"), run.Settings{OptLevel: 2, Steps: []run.Step{{Name: "FuseTIR"}, {Name: "FuseOps"}, {Name: "LegalizeOps"}}})
	var found []string
	for _, d := range bodies[*event.Diagnostic](evs) {
		if d.Code == "order" && d.Severity == event.SeverityWarning {
			found = append(found, d.Message)
		}
	}
	if len(found) == 0 || !strings.Contains(found[0], "FuseTIR") || !strings.Contains(found[0], "FuseOps") {
		t.Errorf("warnings about the order are %q", found)
	}
}

func TestErrorNamesTheLoweringPassThatIsOff(t *testing.T) {
	b := open(t, 0)
	for _, name := range []string{"LegalizeOps", "CallTIRRewrite", "tir.MakePackedAPI"} {
		evs, _ := b.run(gallery("mlp"), run.Settings{OptLevel: 2, Disabled: []string{name, "FoldConstant"}})
		done := end(evs)
		if done.Error == nil || !strings.Contains(done.Error.Message, name) || strings.Contains(done.Error.Message, "FoldConstant") {
			t.Errorf("without %s the run ended as %s with %+v", name, done.Status, done.Error)
		}
		if len(bodies[*event.PassFinished](evs)) < 5 {
			t.Errorf("without %s the log keeps %d finished passes", name, len(bodies[*event.PassFinished](evs)))
		}
	}
}

func TestWrongRequestsAreExplained(t *testing.T) {
	b := open(t, 0)
	upload := func(data string) store.Source {
		if err := b.store.CreateSession(t.Context(), store.Session{ID: data}); err != nil {
			t.Fatal(err)
		}
		hash, err := b.store.PutBlob(t.Context(), data, store.LangBinary, []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		return store.Source{Kind: store.SourceUpload, Name: "net.onnx", Blob: hash}
	}
	for name, c := range map[string]struct {
		source   store.Source
		settings run.Settings
		kind     event.ErrorKind
		text     string
	}{
		"target":   {gallery("mlp"), run.Settings{Target: "tpu"}, event.KindInput, "wasm"},
		"pipeline": {gallery("mlp"), run.Settings{Pipeline: "fast"}, event.KindInput, "default"},
		"step":     {gallery("mlp"), run.Settings{Steps: []run.Step{{Name: "FuseOp"}}}, event.KindInput, "did you mean FuseOps"},
		"option":   {gallery("mlp"), run.Settings{Steps: []run.Step{{Name: "LegalizeOps", Options: map[string]any{"speed": 1.0}}}}, event.KindInput, "speed"},
		"config":   {gallery("mlp"), run.Settings{Config: map[string]any{"tir.fast": true}}, event.KindInput, "tir.fast"},
		"null":     {gallery("mlp"), run.Settings{Config: map[string]any{"relax.transform.apply_legalize_ops": nil}}, event.KindInput, "relax.transform.apply_legalize_ops"},
		"model":    {gallery("none"), run.Settings{}, event.KindInput, "none"},
		"file":     {upload("not an ONNX file"), run.Settings{}, event.KindInput, "net.onnx"},
		"expired":  {store.Source{Kind: store.SourceUpload, Name: "old.onnx", Blob: event.HashText("gone")}, run.Settings{}, event.KindInput, "old.onnx"},
		"batch":    {gallery("batch"), run.Settings{OptLevel: 2, Bindings: []map[string]int64{{"batch": 1 << 40}}}, event.KindInput, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			evs, _ := b.run(c.source, c.settings)
			done := end(evs)
			if done.Error == nil || done.Error.Kind != c.kind || !strings.Contains(done.Error.Message, c.text) {
				t.Errorf("run ended as %s with %+v, want %s with %q", done.Status, done.Error, c.kind, c.text)
			}
		})
	}
}

func TestCancelStopsTheCompiler(t *testing.T) {
	b := open(t, -1)
	var longest time.Duration
	defer func() { t.Logf("canceling took at most %v", longest) }()
	for i := range 20 {
		b.n++
		info, err := b.manager.Start(t.Context(), "v", "s", run.Request{Source: gallery("transformer"), Settings: run.Settings{OptLevel: 2}, Attempt: b.n})
		if err != nil {
			t.Fatal(err)
		}
		log, err := b.manager.Log(t.Context(), info.ID)
		if err != nil {
			t.Fatal(err)
		}
		for seen := 0; seen < 3*i; { // cancels further and further into the run
			lines, sealed, err := log.Next(t.Context(), seen)
			if err != nil {
				t.Fatal(err)
			}
			if seen += len(lines); sealed {
				break
			}
		}
		began := time.Now()
		if _, err := b.manager.Cancel(t.Context(), info.ID, "s"); err != nil {
			t.Fatal(err)
		}
		for sealed, seen := false, 0; !sealed; {
			if _, sealed, err = log.Next(t.Context(), seen); err != nil {
				t.Fatal(err)
			}
			seen, _ = log.Len()
		}
		// The goal is less than a second; only a hang fails.
		took := time.Since(began)
		longest = max(longest, took)
		if took > time.Minute {
			t.Errorf("canceling after %d events took %v", 3*i, took)
		}
	}
}

func TestCatalogDescribesTheCompiler(t *testing.T) {
	c, err := inproc.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Models) != 4 || len(c.Targets) == 0 || len(c.Passes) < 20 || len(c.Pipelines) < 2 {
		t.Fatalf("catalog has %d models, %d targets, %d passes, %d pipelines", len(c.Models), len(c.Targets), len(c.Passes), len(c.Pipelines))
	}
	for _, m := range c.Models {
		if m.Title == "" || m.Doc == "" || len(m.Inputs) == 0 || len(m.Ops) == 0 || m.Parameters == 0 {
			t.Errorf("model %s is described as %+v", m.Name, m)
		}
	}
	for _, p := range c.Passes {
		if p.Doc == "" && p.Kind != "sequential" {
			t.Errorf("pass %s has no doc", p.Name)
		}
	}
	if m := c.Model("batch"); m == nil || len(m.Bindings) != 3 {
		t.Errorf("model batch is %+v", m)
	}
}
