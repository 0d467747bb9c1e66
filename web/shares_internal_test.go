package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// idle is a Runner that has nothing to do.
type idle struct{}

func (idle) Run(context.Context, run.Request, run.Sink) error { return nil }

// TestEveryRouteHasAShare walks the router. A route that passes no gate is one of those that cost
// nothing; at every other a visitor who has a full share already is told so, in a sentence and
// with a time, and others are not.
func TestEveryRouteHasAShare(t *testing.T) {
	s, err := New(Config{Runner: idle{}, Store: store.NewMemory(1 << 20), TrustedProxies: []string{"192.0.2.1/32"}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	free := []string{"GET /healthz", "GET /readyz", "GET /version", "GET /static/*", "HEAD /static/*", "GET /favicon.ico"}
	full := map[*share.Gate]bool{}
	ids := regexp.MustCompile(`\{[^}]*\}`)
	n := 0
	err = chi.Walk(s.Routes(), func(method, route string, h http.Handler, _ ...func(http.Handler) http.Handler) error {
		n++
		name := method + " " + route
		at, ok := h.(shared)
		if !ok || (at.gate == nil) != slices.Contains(free, name) {
			t.Errorf("%s has no share: add it with s.at, or with free where it costs nothing", name)
			return nil
		}
		if at.gate == nil {
			return nil
		}
		if !full[at.gate] {
			full[at.gate] = true
			for range at.gate.Class().PerVisitor {
				if _, err := at.gate.Enter("203.0.113.1"); err != nil {
					t.Fatal(err)
				}
			}
		}
		ask := func(from string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, ids.ReplaceAllString(route, "x"), nil)
			r.Host = "localhost"
			r.Header.Set("X-Forwarded-For", from)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w
		}
		w := ask("203.0.113.1")
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), at.gate.Class().Name) {
			t.Errorf("%s answers %d %s to a visitor with a full share", name, w.Code, w.Body)
		}
		if w := ask("203.0.113.2"); w.Code == http.StatusTooManyRequests || w.Code == http.StatusServiceUnavailable {
			t.Errorf("%s answers %d %s to another visitor", name, w.Code, w.Body)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 60 {
		t.Errorf("the walk found %d routes, there are more", n)
	}
	if l := s.gates.texts.Load(); l.Inside != s.gates.texts.Class().PerVisitor {
		t.Errorf("requests were let in and did not leave: %+v", l)
	}
}

// TestSharesAreSane looks at all numbers: none is missing, and no visitor can have all of a kind.
func TestSharesAreSane(t *testing.T) {
	v := reflect.ValueOf(DefaultShares())
	for i := range v.NumField() {
		c, name := v.Field(i).Interface().(share.Class), v.Type().Field(i).Name
		if c.Name == "" || c.PerMinute < 1 || c.PerVisitor < 1 || c.Total < 4*c.PerVisitor {
			t.Errorf("%s: %+v", name, c)
		}
		if c.Turns == 0 {
			continue
		}
		if c.TurnsPerVisitor < 1 || c.TurnsPerVisitor >= c.Turns || c.BytesPerVisitor < 1 || c.BytesPerVisitor > c.Bytes*2/3 || c.Time < time.Second {
			t.Errorf("%s: one visitor may have too much, or none may work: %+v", name, c)
		}
	}
	own := Shares{Texts: share.Class{Name: "words", PerMinute: 1}}.orDefaults()
	if own.Texts.Name != "words" || own.Texts.Turns != 0 || own.Graphs != DefaultShares().Graphs {
		t.Errorf("what is set is %+v", own)
	}
}

// pipes is a listener whose connections are pipes, for servers in a bubble of synctest.
type pipes struct{ conns chan net.Conn }

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error   { close(p.conns); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// TestSlowUploadsAreCut sends models at rates: one that is too slow loses its place, with a
// sentence, and one that is fast enough has its time.
func TestSlowUploadsAreCut(t *testing.T) {
	const total = 1 << 20
	for _, c := range []struct {
		name         string
		chunk        int // bytes a second
		unknown      bool
		ok           bool
		least, after time.Duration
	}{
		{"nothing", 0, false, false, 10 * time.Second, 11 * time.Second},
		{"a byte a second", 1, false, false, 10 * time.Second, 11 * time.Second},
		{"a byte a second of unknown length", 1, true, false, 10 * time.Second, 11 * time.Second},
		{"just too slow", 16 << 10, false, false, 19 * time.Second, 21 * time.Second},
		{"fast enough", 40 << 10, false, true, 25 * time.Second, 27 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &Server{cfg: Config{Log: slog.New(slog.DiscardHandler)}, gates: newGates(DefaultShares())}
				hs := HTTPServer(s.do(func(w http.ResponseWriter, r *http.Request) error {
					done, err := s.uploading(w, r, 2*total)
					if err != nil {
						return err
					}
					defer done()
					data, err := readPart(r.Body, r.ContentLength, 2*total)
					if err != nil {
						return err
					}
					_, err = fmt.Fprintf(w, "got %d", len(data))
					return err
				}), s.cfg.Log)
				ln := pipes{make(chan net.Conn)}
				ended := make(chan struct{})
				go func() { defer close(ended); _ = hs.Serve(ln) }()
				there, here := net.Pipe()
				ln.conns <- there
				began := time.Now()
				var sender sync.WaitGroup
				sender.Go(func() {
					length := fmt.Sprint("Content-Length: ", total)
					if c.unknown {
						length = "Transfer-Encoding: chunked"
					}
					if _, err := fmt.Fprintf(here, "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n\r\n", length); err != nil {
						return
					}
					for sent := 0; sent < total; sent += c.chunk {
						time.Sleep(time.Second)
						body := make([]byte, min(c.chunk, total-sent))
						if c.unknown {
							body = fmt.Appendf(nil, "%x\r\n%s\r\n", len(body), body)
						}
						if _, err := here.Write(body); err != nil {
							return
						}
					}
				})
				answer, err := io.ReadAll(here)
				if err != nil && !errors.Is(err, io.ErrClosedPipe) {
					t.Error(err)
				}
				took := time.Since(began)
				want := "408 Request Timeout"
				if c.ok {
					want = fmt.Sprint("got ", total)
				}
				if !strings.Contains(string(answer), want) || !c.ok && !strings.Contains(string(answer), "at least 32 KiB per second") {
					t.Errorf("the answer is %.300q, want %q", answer, want)
				}
				if took < c.least || took > c.after {
					t.Errorf("it came after %v, want %v to %v", took, c.least, c.after)
				}
				if l := s.gates.uploads.Load(); l != (share.Load{}) {
					t.Errorf("the place is not free: %+v", l)
				}
				_ = here.Close()
				sender.Wait()
				_ = hs.Close()
				<-ended
			})
		})
	}
}
