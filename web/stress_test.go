package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// moody is a Runner whose runs differ by their seed: some end soon, some fail, some panic, some go on until they are stopped.
type moody struct{}

func (moody) Run(ctx context.Context, req run.Request, sink run.Sink) error {
	rnd := rand.New(rand.NewPCG(uint64(req.Settings.Seed), 1))
	if err := sink.Emit(event.New("", "", &event.RunStarted{Model: req.Source.Name}, nil)); err != nil {
		return err
	}
	for i := range rnd.IntN(60) {
		step := fmt.Sprintf("%d/FuseOps", i+1)
		hash, err := sink.Text(event.LangTVMScript, fmt.Sprintf("# %d\n%s", rnd.IntN(200), textBefore))
		if err != nil {
			return err
		}
		change := []event.FunctionChange{{Name: "main", Before: hash, After: hash}}
		for _, body := range []event.Body{&event.PassStarted{Name: "FuseOps"}, &event.PassFinished{Name: "FuseOps", Functions: change}} {
			if err := sink.Emit(event.New(step, "", body, nil)); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(rnd.IntN(2000)) * time.Microsecond):
		}
	}
	switch req.Settings.Seed % 4 {
	case 0:
		return errors.New("as asked")
	case 1:
		panic("as asked")
	case 2:
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

// known is what all clients of a server know: sessions with who may edit them, and runs.
type known struct {
	mu       sync.Mutex
	sessions []owned
	runs     []string
}

type owned struct{ id, token string }

func (k *known) session(r *rand.Rand) owned {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sessions[r.IntN(len(k.sessions))]
}

func (k *known) run(r *rand.Rand) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.runs[r.IntN(len(k.runs))]
}

func (k *known) add(body string) {
	var a struct {
		sessionAnswer
		runAnswer
	}
	if json.Unmarshal([]byte(body), &a) != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if a.Session.ID != "" && a.EditToken != "" {
		k.sessions = append(k.sessions, owned{a.Session.ID, a.EditToken})
	}
	k.runs = append(k.runs, a.Session.Runs...)
	if a.Run.ID != "" {
		k.runs = append(k.runs, a.Run.ID)
	}
}

// stressed is one client.
type stressed struct {
	t     *testing.T
	site  *site
	rnd   *rand.Rand
	known *known
}

// address is one of many, so that no client is refused for what the others do.
func (c *stressed) address() string {
	return fmt.Sprintf("10.0.%d.%d", c.rnd.IntN(8), 1+c.rnd.IntN(250))
}

// ask sends a request and checks that the answer is no failure of the server.
func (c *stressed) ask(method, path, token, kind string, body io.Reader) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if c.rnd.IntN(20) == 0 {
		// A client that goes away in the middle.
		time.AfterFunc(time.Duration(c.rnd.IntN(3000))*time.Microsecond, cancel)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.site.url+path, body)
	if err != nil {
		c.t.Error(err)
		return
	}
	req.Header.Set("X-Forwarded-For", c.address())
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", kind)
	resp, err := c.site.client.Do(req)
	if err != nil {
		return
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return
	}
	if resp.StatusCode >= 500 && resp.StatusCode != http.StatusServiceUnavailable {
		c.t.Errorf("%s %s answers %d: %.300s", method, path, resp.StatusCode, data)
	}
	if strings.HasPrefix(path, "/api/") && method == http.MethodPost {
		c.known.add(string(data))
	}
}

// follow reads the events of a run over websockets that it leaves in the middle, and checks that none is lost or comes twice.
func (c *stressed) follow(id string) {
	next, ended := 0, false
	for range 1 + c.rnd.IntN(3) {
		url := fmt.Sprintf("ws%s/api/runs/%s/events?from=%d", strings.TrimPrefix(c.site.url, "http"), id, next)
		conn, resp, err := websocket.DefaultDialer.Dial(url, http.Header{"X-Forwarded-For": {c.address()}})
		if err != nil {
			if resp != nil && resp.StatusCode >= 500 && resp.StatusCode != http.StatusServiceUnavailable {
				c.t.Errorf("events of a run give %d", resp.StatusCode)
			}
			return
		}
		_ = conn.SetReadDeadline(time.Now().Add(time.Duration(c.rnd.IntN(50)) * time.Millisecond))
		for range c.rnd.IntN(80) {
			_, msg, err := conn.ReadMessage()
			if err != nil {
				break
			}
			e, err := event.Decode(msg)
			if err != nil || e.Seq != next || ended {
				c.t.Errorf("run %s: event %d (%v), want %d; the end was there: %v", id, e.Seq, err, next, ended)
			}
			_, ended = e.Body.(*event.RunFinished)
			next++
		}
		if c.rnd.IntN(2) == 0 {
			_ = conn.WriteMessage(websocket.TextMessage, []byte("hello"))
		}
		_ = conn.Close()
	}
}

// watch follows what changes in a session for a moment.
func (c *stressed) watch(s owned, path string) {
	url := "ws" + strings.TrimPrefix(c.site.url, "http") + "/api/sessions/" + s.id + path
	conn, _, err := websocket.DefaultDialer.Dial(url, http.Header{"X-Forwarded-For": {c.address()}, "Authorization": {"Bearer " + s.token}})
	if err != nil {
		return
	}
	_ = conn.WriteMessage(websocket.TextMessage, []byte(`{"pass":"1/FuseOps","function":"main","line":3}`))
	_ = conn.SetReadDeadline(time.Now().Add(time.Duration(c.rnd.IntN(20)) * time.Millisecond))
	_, _, _ = conn.ReadMessage()
	_ = conn.Close()
}

// half sends a part of a request over a bare connection, and hangs up.
func (c *stressed) half(s owned) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.site.url, "http://"))
	if err != nil {
		c.t.Error(err)
		return
	}
	text := "POST /api/sessions/" + s.id + "/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer " + s.token +
		"\r\nContent-Length: 100\r\n\r\n{\"seed\":3,"
	_, _ = io.WriteString(conn, text[:c.rnd.IntN(len(text))])
	_ = conn.Close()
}

// broken is a body with a part cut out or bytes changed.
func (c *stressed) broken(body string) string {
	b := []byte(body)
	for range c.rnd.IntN(3) {
		b[c.rnd.IntN(len(b))] = byte(c.rnd.IntN(256))
	}
	if c.rnd.IntN(3) == 0 {
		b = b[:c.rnd.IntN(len(b))]
	}
	return string(b)
}

// act does one thing.
func (c *stressed) act() {
	const js = "application/json"
	s, runID := c.known.session(c.rnd), c.known.run(c.rnd)
	at := "/api/sessions/" + s.id
	post := func(path, body string) {
		if c.rnd.IntN(5) == 0 {
			body = c.broken(body)
		}
		kind := js
		if c.rnd.IntN(20) == 0 {
			kind = []string{"", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "application/zip", "text/plain"}[c.rnd.IntN(5)]
		}
		c.ask(http.MethodPost, path, s.token, kind, strings.NewReader(body))
	}
	switch c.rnd.IntN(20) {
	case 0:
		post("/api/sessions", `{"gallery":"mlp"}`)
	case 1:
		var buf bytes.Buffer
		w := multipart.NewWriter(&buf)
		part, _ := w.CreateFormFile("model", []string{"a.onnx", "b.py", "c.zip"}[c.rnd.IntN(3)])
		_, _ = part.Write(bytes.Repeat([]byte{byte(c.rnd.IntN(256))}, c.rnd.IntN(5000)))
		_ = w.Close()
		kind := w.FormDataContentType()
		c.ask(http.MethodPost, "/api/sessions", s.token, kind, &buf)
	case 2, 3, 4, 5:
		post(at+"/runs", fmt.Sprintf(`{"opt_level":2,"seed":%d}`, c.rnd.IntN(40)))
	case 6, 7:
		post("/api/runs/"+runID+"/cancel", `{}`)
	case 8:
		post(at+"/fork", `{}`)
	case 9:
		post(at+"/share", `{"run":"`+runID+`"}`)
	case 10:
		post(at+"/share", `{}`)
	case 11:
		post(at+"/notes", `{"text":"a note","line":3}`)
	case 12:
		post(at+"/title", fmt.Sprintf(`{"title":"title %d"}`, c.rnd.IntN(100)))
	case 13:
		c.ask(http.MethodDelete, at, s.token, js, nil)
		post("/api/sessions", `{"gallery":"mlp"}`)
	case 14, 15, 16:
		c.follow(runID)
	case 17:
		c.watch(s, []string{"/changes", "/present", "/presentation"}[c.rnd.IntN(3)])
	case 18:
		c.half(s)
	case 19:
		for _, path := range []string{"/s/" + s.id, at, at + "/runs", at + "/export.zip", at + "/export.json", "/api/runs/" + runID + "/events?wait=0", "/compare/" + runID + "/" + c.known.run(c.rnd)} {
			if c.rnd.IntN(3) == 0 {
				c.ask(http.MethodGet, path, s.token, "", nil)
			}
		}
	}
}

// openFiles counts the files that this process has open.
func openFiles() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}

// TestManyClientsAtOnce lets a dozen clients do what comes to their minds. No answer is a failure of the server, no event is lost, and
// when all sessions are gone nothing is left: no run, no text, no goroutine, no file.
func TestManyClientsAtOnce(t *testing.T) {
	const clients = 12
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		st := store.NewMemory(64 << 20)
		s := open(t, func(c *web.Config) {
			c.Runner, c.Compiler, c.Store, c.TrustedProxies = moody{}, checker{}, st, []string{"127.0.0.1/32"}
			c.Admission = run.DefaultAdmission(4)
			c.Admission.PerMinute = 1_000
			c.Limits = run.DefaultLimits()
			c.Limits.Time = time.Hour // what is not stopped goes on
		})
		k := &known{}
		for range clients {
			a := s.another().post("/api/sessions", `{"gallery":"mlp"}`, "X-Forwarded-For", fmt.Sprint("10.1.0.", len(k.sessions)+1))
			k.add(a.want(t, http.StatusCreated).body)
		}
		s.client.CloseIdleConnections()
		goroutines, files := runtime.NumGoroutine(), openFiles()

		var wg sync.WaitGroup
		for range clients {
			c := &stressed{t: t, site: s.another(), rnd: rand.New(rand.NewPCG(r.Uint64(), r.Uint64())), known: k}
			c.site.client.Transport = &http.Transport{}
			wg.Go(func() {
				for range 80 {
					c.act()
				}
				c.site.client.CloseIdleConnections()
			})
		}
		wg.Wait()

		for i, sess := range k.sessions {
			status := s.do(http.MethodDelete, "/api/sessions/"+sess.id, "", "Authorization", "Bearer "+sess.token, "X-Forwarded-For", fmt.Sprint("10.2.0.", 1+i%250)).StatusCode
			if status != http.StatusNoContent && status != http.StatusNotFound {
				t.Errorf("to delete a session gives %d", status)
			}
		}
		// Snapshots belong to who shared them, as forks do.
		for _, token := range tokens(k) {
			for _, sess := range decode[struct{ Sessions []struct{ ID string } }](t, s.get("/api/sessions", "Authorization", "Bearer "+token)).Sessions {
				s.do(http.MethodDelete, "/api/sessions/"+sess.ID, "", "Authorization", "Bearer "+token).want(t, http.StatusNoContent)
			}
		}
		t.Logf("%d sessions, %d runs", len(k.sessions), len(k.runs))
		waitFor(t, "all runs are over", func() bool {
			left, err := st.Unfinished(t.Context())
			return err == nil && len(left) == 0
		})
		if _, _, err := st.Expire(t.Context(), time.Now().Add(2*store.OrphanTime)); err != nil {
			t.Fatal(err)
		}
		if n := st.Used(); n != 0 {
			t.Errorf("the store still holds %d bytes", n)
		}
		s.client.CloseIdleConnections()
		waitFor(t, "goroutines are gone", func() bool { return runtime.NumGoroutine() <= goroutines })
		waitFor(t, "files are closed", func() bool { return openFiles() <= files })
	})
}

// tokens returns the tokens of all sessions.
func tokens(k *known) []string {
	var out []string
	for _, s := range k.sessions {
		out = append(out, s.token)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
