package inproc

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// TestModelsAreKnownByWhatDeterminesThem: kind, name, bytes and shapes. The same of all gives the same module.
func TestModelsAreKnownByWhatDeterminesThem(t *testing.T) {
	const text = "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n        return x\n"
	st := store.NewMemory(1 << 20)
	if err := st.CreateSession(t.Context(), store.Session{ID: "s"}); err != nil {
		t.Fatal(err)
	}
	put := func(text string) string {
		hash, err := st.PutBlob(t.Context(), "s", event.LangTVMScript, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return hash
	}
	r := New(Config{Store: st})
	seen := map[string]bool{}
	source := store.Source{Kind: store.SourceScript, Name: "a.py", Blob: put(text)}
	for name, change := range map[string]func(*run.Request){
		"nothing": func(*run.Request) {},
		"kind":    func(q *run.Request) { q.Source.Kind = store.SourceUpload },
		"name":    func(q *run.Request) { q.Source.Name = "b.py" },
		"text":    func(q *run.Request) { q.Source.Blob = put(text + "\n") },
		"shapes":  func(q *run.Request) { q.Settings.Shapes = map[string][]int64{"x": {4}} },
	} {
		req := run.Request{Source: source}
		change(&req)
		sink := &accounts{}
		m, err := r.open(t.Context(), req, sink)
		if err != nil {
			t.Fatal(err)
		}
		if seen[m.ID] || len(m.ID) != 64 || m.Saved != 0 || m.Took <= 0 {
			t.Errorf("with another %s the model is %q, which took %v and saved %v", name, m.ID, m.Took, m.Saved)
		}
		seen[m.ID] = true
		if want := int64(2 * (len(text) + map[string]int{"text": 1}[name])); sink.bytes != want {
			t.Errorf("%d bytes are accounted, want %d", sink.bytes, want)
		}
		m.Took = time.Hour
		again, err := r.open(t.Context(), req, silent{})
		if err != nil || again.Module != m.Module || again.Saved <= 59*time.Minute || again.Saved > time.Hour {
			t.Errorf("once more it is another model: %+v (%v)", again, err)
		}
		m.Took = 0
		if again, err := r.open(t.Context(), req, silent{}); err != nil || again.Saved != 0 {
			t.Errorf("a model that took no time saves %v (%v)", again.Saved, err)
		}
	}
	full := errors.New("too much")
	if _, err := r.open(t.Context(), run.Request{Source: source}, &accounts{err: full}); !errors.Is(err, full) {
		t.Errorf("a sink that is full gives %v", err)
	}
	for blob, want := range map[string]string{
		event.HashText("gone"): `the model "a.py" has expired; upload it again`,
		put("x = "):            "a.py cannot be read: ",
	} {
		source.Blob = blob
		err := r.Run(t.Context(), run.Request{Source: source}, silent{})
		var e *event.Error
		if !errors.As(err, &e) || e.Kind != event.KindInput || !strings.HasPrefix(e.Message, want) {
			t.Errorf("it gives %v, want %q", err, want)
		}
	}
	r = New(Config{Gallery: func(string) ([]byte, bool) { return nil, false }})
	_, err := r.open(t.Context(), run.Request{Source: store.Source{Kind: store.SourceGallery, Name: "zoo"}}, silent{})
	if err == nil || err.Error() != `there is no model "zoo" in the gallery` {
		t.Errorf("an unknown model gives %v", err)
	}
}

// accounts is a sink that counts what is accounted.
type accounts struct {
	silent
	bytes int64
	err   error
}

func (s *accounts) Account(n int64) error { s.bytes += n; return s.err }
