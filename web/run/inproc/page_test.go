package inproc_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// TestEveryGalleryModelOnThePage goes through the whole server with the real compiler.
func TestEveryGalleryModelOnThePage(t *testing.T) {
	st, eng := store.NewMemory(256<<20), compiler.NewEngine()
	catalog, err := inproc.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	s, err := web.New(web.Config{
		Runner: inproc.New(inproc.Config{Store: st, Gallery: inproc.Gallery, Engine: eng, Log: quiet}),
		Store:  st, Catalog: catalog, Log: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Drain(t.Context())
		srv.Close()
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, m := range catalog.Models {
		t.Run(m.Name, func(t *testing.T) {
			var made struct {
				Session struct {
					ID   string
					Runs []string
				}
			}
			fetch(t, http.MethodPost, srv.URL+"/api/sessions", fmt.Sprintf(`{"gallery":%q}`, m.Name), &made)
			var events []event.Event
			for sealed := false; !sealed; {
				var page struct {
					Events []event.Event
					Sealed bool
				}
				fetch(t, http.MethodGet, fmt.Sprintf("%s/api/runs/%s/events?from=%d&wait=20", srv.URL, made.Session.Runs[0], len(events)), "", &page)
				events, sealed = append(events, page.Events...), page.Sealed
			}
			if done := end(events); done.Status != event.StatusOK {
				t.Fatalf("run ended as %s: %+v", done.Status, done.Error)
			}
			if got, want := len(bodies[*event.Executed](events)), max(1, len(m.Bindings)); got != want {
				t.Errorf("%d executions, want %d", got, want)
			}
			diffs := 0
			for _, p := range bodies[*event.PassFinished](events) {
				for _, f := range p.Functions {
					var diff struct{ Added, Removed, Total int }
					fetch(t, http.MethodGet, fmt.Sprintf("%s/diff/%s/%s?context=0", srv.URL, orDash(f.Before), orDash(f.After)), "", &diff)
					diffs++
					if !f.Truncated && (diff.Added != f.Added || diff.Removed != f.Removed) {
						t.Errorf("%s in %s: the event says +%d -%d, the diff +%d -%d", f.Name, p.Name, f.Added, f.Removed, diff.Added, diff.Removed)
					}
				}
			}
			if diffs == 0 {
				t.Error("no pass changed anything")
			}
			html := fetch(t, http.MethodGet, srv.URL+"/s/"+made.Session.ID, "", nil)
			for _, want := range []string{"LegalizeOps", "changed", "gallery:" + m.Name} {
				if !strings.Contains(html, want) {
					t.Errorf("the page lacks %q", want)
				}
			}
		})
	}
}

// fetch sends a request, fails unless it succeeds, and decodes the answer into v if v is not nil.
func fetch(t *testing.T, method, url, body string, v any) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		t.Fatalf("%s %s answers %d: %.300s", method, url, resp.StatusCode, data)
	}
	if v != nil {
		if err := json.Unmarshal(data, v); err != nil {
			t.Fatalf("%s: %v", url, err)
		}
	}
	return string(data)
}

func orDash(hash string) string {
	if hash == "" {
		return "-"
	}
	return hash
}
