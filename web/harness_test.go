package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

const (
	textBefore = "@R.function\ndef main(x):\n    lv = R.add(x, x)\n    return lv\n"
	textAfter  = "@R.function\ndef main(x):\n    lv = R.multiply(x, x)\n    return lv\n"
)

// fake is a Runner with one pass. A source named "wait" waits for its context.
type fake struct{}

func (fake) Run(ctx context.Context, req run.Request, sink run.Sink) error {
	before, err := sink.Text(event.LangTVMScript, textBefore)
	if err != nil {
		return err
	}
	after, err := sink.Text(event.LangTVMScript, textAfter)
	if err != nil {
		return err
	}
	fns := []event.Function{{Name: "main", Kind: "relax", Text: before, Lines: 4}}
	const step = "1/Fuse<i>Ops</i>"
	for _, e := range []event.Event{
		event.New("", "", &event.RunStarted{
			Model: req.Source.Name, OptLevel: req.Settings.OptLevel, Functions: fns,
			Plan: []event.PlanStep{{Step: step, Name: "Fuse<i>Ops</i>", Role: event.RoleOptional}, {Step: "2/Later", Name: "Later", Role: event.RoleLowering}},
		}, nil),
		event.New(step, "", &event.PassStarted{Name: "Fuse<i>Ops</i>"}, nil),
		event.New(step, "", &event.PassFinished{
			Name: "Fuse<i>Ops</i>", Changed: true, Added: 1, Removed: 1,
			Functions: []event.FunctionChange{{Name: "main", Before: before, After: after, Added: 1, Removed: 1}},
		}, &event.Measured{Total: 1500000}),
		event.New("2/Later", "", &event.PassSkipped{Name: "Later", Reason: event.ReasonOptLevel, Text: "level 3 > opt_level 2"}, nil),
	} {
		if err := sink.Emit(e); err != nil {
			return err
		}
	}
	if req.Source.Name == "wait" {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

// site is a running server and a visitor of it.
type site struct {
	t      *testing.T
	server *web.Server
	url    string
	client *http.Client
}

func open(t *testing.T, change func(*web.Config)) *site {
	t.Helper()
	cfg := web.Config{
		Runner: fake{}, Store: store.NewMemory(256 << 20), Build: "test", Workers: 2,
		Catalog: catalog.Catalog{
			Models: []catalog.Model{
				{Name: "mlp", Title: "MLP <b>", Doc: "two layers", Inputs: []catalog.Input{{Name: "x", DType: "float32", Shape: []any{"batch", 16}}}, Bindings: []map[string]int64{{"batch": 1}, {"batch": 3}}, Ops: map[string]int{"relax.add": 2}},
				{Name: "wait", Title: "Waits", Inputs: []catalog.Input{{Name: "s", DType: "int64"}}},
			},
			Targets:   []catalog.Target{{Name: "wasm"}},
			Passes:    []catalog.Pass{{Name: "FuseOps", Role: event.RoleOptional}},
			Pipelines: []catalog.Pipeline{{Name: "default", Target: "wasm"}},
		},
		Log: slog.New(slog.NewTextHandler(testWriter{t}, nil)),
	}
	if change != nil {
		change(&cfg)
	}
	s, err := web.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s.Drain(ctx)
		srv.Close()
	})
	return (&site{t: t, server: s, url: srv.URL}).another()
}

// another returns the site as another visitor's browser sees it.
func (s *site) another() *site {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	out := *s
	out.client = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &out
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body string
}

// do sends a request; header is a list of names and values.
func (s *site) do(method, path, body string, header ...string) answer {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{resp, string(data)}
}

func (s *site) get(path string, header ...string) answer {
	s.t.Helper()
	return s.do("GET", path, "", header...)
}

// post sends JSON.
func (s *site) post(path, body string, header ...string) answer {
	s.t.Helper()
	return s.do("POST", path, body, append([]string{"Content-Type", "application/json"}, header...)...)
}

// want fails unless the answer has a status and its body holds all parts.
func (a answer) want(t *testing.T, status int, parts ...string) answer {
	t.Helper()
	if a.StatusCode != status {
		t.Fatalf("%s %s answers %d, want %d: %.300s", a.Request.Method, a.Request.URL.Path, a.StatusCode, status, a.body)
	}
	for _, p := range parts {
		if !strings.Contains(a.body, p) {
			t.Errorf("%s %s lacks %q: %.2000s", a.Request.Method, a.Request.URL, p, a.body)
		}
	}
	return a
}

// decode reads the JSON of an answer.
func decode[T any](t *testing.T, a answer) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		t.Fatalf("%s is not JSON: %v: %.300s", a.Request.URL.Path, err, a.body)
	}
	return v
}

type sessionAnswer struct {
	Session struct {
		ID, Title, Parent string
		Source            struct{ Kind, Name, Arg string }
		Settings          run.Settings
		Runs              []string
		MayEdit           bool `json:"may_edit"`
		Shared            bool
	}
	EditToken string `json:"edit_token"`
}

type runAnswer struct {
	Run struct {
		ID, Session, State, Command, Hash string
		Shared                            bool
		Settings                          run.Settings
	}
}

// create makes a session of a gallery model and returns it.
func (s *site) create(model string) sessionAnswer {
	s.t.Helper()
	return decode[sessionAnswer](s.t, s.post("/api/sessions", fmt.Sprintf(`{"gallery":%q}`, model)).want(s.t, http.StatusCreated))
}

// finished waits for the end of a run and returns its events.
func (s *site) finished(id string) []event.Event {
	s.t.Helper()
	var out []event.Event
	for range 100 {
		page := decode[struct {
			Events []event.Event
			Next   int
			Sealed bool
		}](s.t, s.get(fmt.Sprintf("/api/runs/%s/events?from=%d&wait=5", id, len(out))).want(s.t, http.StatusOK))
		out = append(out, page.Events...)
		if page.Next != len(out) {
			s.t.Fatalf("next is %d after %d events", page.Next, len(out))
		}
		if page.Sealed {
			return out
		}
	}
	s.t.Fatalf("run %s has not finished after %d events", id, len(out))
	return nil
}

// state waits until a run is in a state.
func (s *site) state(id, want string) {
	s.t.Helper()
	var got string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if got = decode[runAnswer](s.t, s.get("/api/runs/"+id).want(s.t, http.StatusOK)).Run.State; got == want {
			return
		}
	}
	s.t.Fatalf("run %s is %s, want %s", id, got, want)
}

// form returns a multipart form with one file.
func form(t *testing.T, field, name string, data []byte) (body, contentType string) {
	t.Helper()
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	part, err := w.CreateFormFile(field, name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String(), w.FormDataContentType()
}

// testWriter writes the log of the server to that of the test.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}
