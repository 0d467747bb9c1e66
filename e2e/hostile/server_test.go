package hostile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// server is the whole server on the real compiler.
type server struct {
	t *testing.T
	*httptest.Server
	visitors int
}

func serve(t *testing.T) *server {
	t.Helper()
	return serveWith(t, slog.New(slog.NewTextHandler(io.Discard, nil)))
}

// serveWith is serve with a log.
func serveWith(t *testing.T, log *slog.Logger) *server {
	t.Helper()
	st, eng := store.NewMemory(256<<20), engine(t)
	catalog, err := inproc.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := web.New(web.Config{
		Runner: inproc.New(inproc.Config{Store: st, Gallery: inproc.Gallery, Engine: eng, Log: log}),
		Store:  st, Catalog: catalog, Log: log, Build: "test", TrustedProxies: []string{"127.0.0.1/32"},
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(s)
	srv.Config.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelError)
	srv.Start()
	t.Cleanup(func() {
		s.Drain(t.Context())
		srv.Close()
	})
	return &server{t: t, Server: srv}
}

// do sends a request as a new visitor and returns status and body.
func (s *server) do(method, path, contentType string, body io.Reader) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.visitors++
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("192.0.%d.%d", 2+s.visitors/200, s.visitors%200+1))
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// upload sends a file and returns the session and its first run; ok is false where the
// server refused it with an explanation.
func (s *server) upload(name string, data []byte) (session, run string, ok bool) {
	s.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("model", name)
	if err != nil {
		s.t.Fatal(err)
	}
	_, _ = part.Write(data) // into memory
	_ = w.Close()
	status, body := s.do(http.MethodPost, "/api/sessions", w.FormDataContentType(), &form)
	if status >= 500 {
		s.t.Fatalf("the upload answers %d: %s", status, cut(body))
	}
	if status >= 400 {
		if !strings.Contains(body, `"message"`) {
			s.t.Errorf("the upload answers %d without a message: %s", status, cut(body))
		}
		return "", "", false
	}
	var made struct {
		Session struct {
			ID   string
			Runs []string
		}
	}
	if err := json.Unmarshal([]byte(body), &made); err != nil {
		s.t.Fatal(err)
	}
	return made.Session.ID, made.Session.Runs[0], true
}

// events waits for the end of a run and returns its log.
func (s *server) events(id string) []event.Event {
	s.t.Helper()
	var events []event.Event
	for sealed := false; !sealed; {
		var page struct {
			Events []event.Event
			Sealed bool
		}
		status, body := s.do(http.MethodGet, fmt.Sprintf("/api/runs/%s/events?from=%d&wait=20", id, len(events)), "", nil)
		if err := json.Unmarshal([]byte(body), &page); status != http.StatusOK || err != nil {
			s.t.Fatalf("events answer %d: %v", status, err)
		}
		events, sealed = append(events, page.Events...), page.Sealed
	}
	return events
}

// TestUploads sends every bad file to the server: the log ends in run_finished with an
// error that is clear, and the page shows names as text.
func TestUploads(t *testing.T) {
	srv := serve(t)
	for _, s := range specimens() {
		if s.want == imports {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			srv.t = t
			session, id, ok := srv.upload(html+".onnx", s.data())
			if !ok {
				if s.want == works {
					t.Error("the server refuses the file")
				}
				return
			}
			events := srv.events(id)
			done, ok := events[len(events)-1].Body.(*event.RunFinished)
			if !ok {
				t.Fatalf("the last event is %s", events[len(events)-1].Type)
			}
			if (s.want == refused || s.want == fails) && done.Error == nil || s.want == works && done.Status != event.StatusOK {
				t.Errorf("the run ended as %s: %+v", done.Status, done.Error)
			}
			if done.Error != nil {
				s.clear(t, done.Error.Message)
				if done.Error.Kind == event.KindPanic {
					t.Errorf("panic: %s", cut(done.Error.Message))
				}
			}
			status, page := srv.do(http.MethodGet, "/s/"+session, "", nil)
			if status != http.StatusOK {
				t.Fatalf("the page answers %d: %s", status, cut(page))
			}
			for _, bad := range []string{"<script>alert", "<img src=x"} {
				if strings.Contains(page, bad) {
					t.Errorf("the page holds %q as markup", bad)
				}
			}
		})
	}
}

// TestCutUploads sends the beginnings of a model.
func TestCutUploads(t *testing.T) {
	srv := serve(t)
	data, _ := inproc.Gallery("cnn")
	for i := range 20 {
		at := 1 + i*(len(data)-2)/20
		_, id, ok := srv.upload("cut.onnx", data[:at])
		if !ok {
			continue
		}
		events := srv.events(id)
		done, ok := events[len(events)-1].Body.(*event.RunFinished)
		if !ok || done.Error == nil || done.Error.Kind != event.KindInput {
			t.Errorf("the first %d bytes end as %+v", at, events[len(events)-1].Body)
		}
	}
}
