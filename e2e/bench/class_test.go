package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store/sqlite"
)

// lecture is a class in a lecture hall: all of it has one address, and the server its default limits.
type lecture struct {
	url string

	mu                         sync.Mutex
	pages, joins, rows, totals []time.Duration
	shared                     int // runs that somebody else had started
}

// person is somebody in a lecture.
type person struct {
	*lecture
	token, session string
}

// ask sends a request and returns how long the answer took. Whoever is refused has an error.
func (p *person) ask(ctx context.Context, method, path, body string, v any) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, method, p.url+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	if p.token != "" {
		req.Header.Set("Authorization", "Bearer "+p.token)
	}
	if method == http.MethodGet {
		req.Header.Set("Accept", "text/html")
	}
	start := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	took := time.Since(start)
	switch {
	case err != nil:
		return took, err
	case resp.StatusCode >= 300:
		return took, fmt.Errorf("%s %s answers %d: %.300s", method, path, resp.StatusCode, data)
	case v != nil:
		return took, json.Unmarshal(data, v)
	}
	return took, nil
}

// page opens a page and notes how long it took.
func (p *person) page(ctx context.Context, path string) error {
	took, err := p.ask(ctx, http.MethodGet, path, "", nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages = append(p.pages, took)
	return err
}

// listen opens a websocket and reads it until the context ends.
func (p *person) listen(ctx context.Context, path string) (*websocket.Conn, error) {
	c, _, err := websocket.DefaultDialer.DialContext(ctx, "ws"+strings.TrimPrefix(p.url, "http")+path, http.Header{"Authorization": {"Bearer " + p.token}})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	context.AfterFunc(ctx, func() { _ = c.Close() })
	go func() {
		for {
			if _, _, err := c.ReadMessage(); err != nil {
				return
			}
		}
	}()
	return c, nil
}

// join joins a class as a browser does: its page, the copy, the page of that, and the sockets that the page opens.
func (p *person) join(ctx context.Context, class, name string) error {
	if err := p.page(ctx, "/class/"+class); err != nil {
		return err
	}
	var made struct {
		Session string
		Token   string `json:"edit_token"`
	}
	took, err := p.ask(ctx, http.MethodPost, "/api/classes/"+class+"/join", fmt.Sprintf(`{"name":%q}`, name), &made)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.joins = append(p.joins, took)
	p.mu.Unlock()
	p.token, p.session = made.Token, made.Session
	if err := p.page(ctx, "/s/"+p.session); err != nil {
		return err
	}
	desk, err := p.listen(ctx, "/api/sessions/"+p.session+"/desk")
	if err != nil {
		return err
	}
	if _, err = p.listen(ctx, "/api/sessions/"+p.session+"/changes"); err != nil {
		return err
	}
	return desk.WriteJSON(map[string]string{"step": "FuseOps › main"})
}

// toggle turns passes off and follows the run to its end, then looks at the page of it.
func (p *person) toggle(ctx context.Context, off []string) error {
	body, err := json.Marshal(map[string]any{"opt_level": 2, "target": "wasm", "disabled": off})
	if err != nil {
		return err
	}
	start := time.Now()
	var made struct{ Run run.Info }
	if _, err := p.ask(ctx, http.MethodPost, "/api/sessions/"+p.session+"/runs", string(body), &made); err != nil {
		return err
	}
	c, _, err := websocket.DefaultDialer.DialContext(ctx, "ws"+strings.TrimPrefix(p.url, "http")+"/runs/"+made.Run.ID+"/events", http.Header{"Authorization": {"Bearer " + p.token}})
	if err != nil {
		return fmt.Errorf("events of a run: %w", err)
	}
	defer func() { _ = c.Close() }()
	first := time.Duration(0)
	for over := false; !over; {
		_, data, err := c.ReadMessage()
		if err != nil {
			return fmt.Errorf("events of a run: %w", err)
		}
		// A browser decodes the rest on its own machine.
		_, kind, _ := bytes.Cut(data[:min(len(data), 80)], []byte(`"type":`))
		switch {
		case bytes.HasPrefix(kind, []byte(`"pass_finished"`)) && first == 0:
			first = time.Since(start)
		case bytes.HasPrefix(kind, []byte(`"run_finished"`)):
			e, err := event.Decode(data)
			if err != nil {
				return err
			}
			if end := event.Fold([]event.Event{e}).Finished; end.Status != event.StatusOK {
				return fmt.Errorf("without %q a run ends as %s", off, end.Status)
			}
			over = true
		}
	}
	if first == 0 {
		return fmt.Errorf("without %q a run has no passes", off)
	}
	p.mu.Lock()
	p.rows, p.totals = append(p.rows, first), append(p.totals, time.Since(start))
	if made.Run.Shared {
		p.shared++
	}
	p.mu.Unlock()
	return p.page(ctx, "/s/"+p.session+"?run="+made.Run.ID)
}

// lectureHall starts a server with the default limits of one that strangers reach, and a teacher with a session.
func lectureHall(t *testing.T, model string) (teacher *person, class string, optional []string) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: t.TempDir()})
	check(err)
	engine := compiler.NewEngine()
	catalog, err := inproc.Catalog(ctx)
	check(err)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	s, err := web.New(web.Config{
		Runner: inproc.New(inproc.Config{Store: st, Gallery: inproc.Gallery, Engine: engine, CacheBytes: inproc.DefaultReuse, Log: quiet}),
		Store:  st, Catalog: catalog, Log: quiet, Build: "bench", Workers: 2,
	})
	check(err)
	srv := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Drain(context.Background())
		srv.CloseClientConnections()
		srv.Close()
		_, _ = st.Close(), engine.Close()
	})
	teacher = &person{lecture: &lecture{url: srv.URL}}
	var made created
	_, err = teacher.ask(ctx, http.MethodPost, "/api/sessions", fmt.Sprintf(`{"gallery":%q}`, model), &made)
	check(err)
	teacher.token, teacher.session = made.Token, made.Session.ID
	var log struct{ Events []event.Event }
	for sealed := false; !sealed; {
		var part struct {
			Events []event.Event
			Sealed bool
		}
		_, err = teacher.ask(ctx, http.MethodGet, fmt.Sprintf("/api/runs/%s/events?wait=10&from=%d", made.Session.Runs[0], len(log.Events)), "", &part)
		check(err)
		log.Events, sealed = append(log.Events, part.Events...), part.Sealed
	}
	for _, e := range log.Events {
		if p, ok := e.Body.(*event.PassStarted); ok && p.Role == event.RoleOptional && !slices.Contains(optional, p.Name) {
			optional = append(optional, p.Name)
		}
	}
	if len(optional) < 8 {
		t.Fatalf("there are only the optional passes %q", optional)
	}
	var opened struct{ Class struct{ ID string } }
	_, err = teacher.ask(ctx, http.MethodPost, "/api/sessions/"+teacher.session+"/class", `{"locked":true}`, &opened)
	check(err)
	return teacher, opened.Class.ID, optional
}

// TestClassOfAHundred has a class join within ten seconds and toggle passes, each student once a minute, all from one address on a
// server with the default limits and a worker for each of two cores. Nobody is refused. An ordinary run of the tests has fewer students at the same rate.
func TestClassOfAHundred(t *testing.T) {
	students, minutes := 12, 0.12
	if goal.Strict() {
		students, minutes = 100, 2
	}
	teacher, class, optional := lectureHall(t, "cnn")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	if _, err := teacher.listen(ctx, "/api/classes/"+class+"/roster"); err != nil {
		t.Fatal(err)
	}
	began, worked := time.Now(), processTime()
	joining := 100 * time.Millisecond * time.Duration(students)
	minute := time.Duration(float64(time.Minute) * min(1, minutes))
	toggles := max(1, int(minutes))
	var wg sync.WaitGroup
	for i := range students {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		wg.Go(func() {
			p := &person{lecture: teacher.lecture}
			time.Sleep(time.Duration(r.Int64N(int64(joining))))
			if err := p.join(ctx, class, fmt.Sprint("student ", i)); err != nil {
				t.Errorf("student %d: %v", i, err)
				return
			}
			time.Sleep(joining)
			off := map[string]bool{}
			for range toggles {
				at := time.Duration(r.Int64N(int64(minute)))
				time.Sleep(at)
				pass := optional[r.IntN(len(optional))]
				if off[pass] = !off[pass]; !off[pass] {
					delete(off, pass)
				}
				if err := p.toggle(ctx, sorted(off)); err != nil {
					t.Errorf("student %d: %v", i, err)
					return
				}
				time.Sleep(minute - at)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	var roster struct {
		Students []struct {
			Here bool
			Runs int
		}
	}
	if _, err := teacher.ask(ctx, http.MethodGet, "/api/classes/"+class+"/roster", "", &roster); err != nil {
		t.Fatal(err)
	}
	for i, s := range roster.Students {
		if !s.Here || s.Runs != toggles {
			t.Errorf("the teacher sees of student %d %+v", i, s)
		}
	}
	if len(roster.Students) != students || len(teacher.rows) != students*toggles {
		t.Errorf("%d students with %d runs", len(roster.Students), len(teacher.rows))
	}
	wall, cpu := time.Since(began), processTime()-worked
	t.Logf("%v of processor time in %v, requests and answers together: %.0f %% of two cores", cpu.Round(time.Second), wall.Round(time.Second), 50*cpu.Seconds()/wall.Seconds())
	t.Logf("%d students, %d runs, of which %d were another's; whole runs: median %v, 99th percentile %v",
		students, len(teacher.rows), teacher.shared, goal.Percentile(teacher.totals, 50), goal.Percentile(teacher.totals, 99))
	goal.Time(t, "99th percentile of a page", goal.Percentile(teacher.pages, 99), 200*time.Millisecond)
	goal.Time(t, "99th percentile of joining", goal.Percentile(teacher.joins, 99), 200*time.Millisecond)
	goal.Time(t, "99th percentile of the first row", goal.Percentile(teacher.rows, 99), 2*time.Second)
}

func sorted(set map[string]bool) []string {
	out := []string{}
	for name := range set {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
