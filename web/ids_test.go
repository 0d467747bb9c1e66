package web_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/store"
)

// lockedBuffer is a buffer that several goroutines write to.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// TestIdsAreRandom makes sessions and looks at the bits of their ids and of those of their
// runs and tokens: each is 0 and 1 about as often, and none comes twice.
func TestIdsAreRandom(t *testing.T) {
	s := open(t, nil)
	seen := map[string]bool{}
	const sessions = 25
	ones := map[string][]int{}
	count := func(kind, id string, bits int) {
		t.Helper()
		raw, err := base64.RawURLEncoding.DecodeString(id)
		if err != nil || len(raw)*8 != bits {
			t.Fatalf("%s %q has %d bytes (%v), want %d bits", kind, id, len(raw), err, bits)
		}
		if seen[id] {
			t.Fatalf("%s %q comes twice", kind, id)
		}
		seen[id] = true
		if ones[kind] == nil {
			ones[kind] = make([]int, bits)
		}
		for i := range bits {
			ones[kind][i] += int(raw[i/8]>>(i%8)) & 1
		}
	}
	for i := range sessions {
		made := s.another()
		c := decode[sessionAnswer](t, made.post("/api/sessions", `{"gallery":"mlp","start":false}`).want(t, http.StatusCreated))
		count("session", c.Session.ID, 128)
		count("token", c.EditToken, 256)
		if i < 9 { // the rate of runs
			r := decode[runAnswer](t, made.post("/api/sessions/"+c.Session.ID+"/runs", fmt.Sprintf(`{"seed":%d}`, i+1)).want(t, http.StatusAccepted))
			count("run", r.Run.ID, 128)
		}
	}
	for kind, bits := range ones {
		for i, n := range bits {
			if kind != "run" && (n == 0 || n == sessions) { // 2 in 2^25 for a random bit
				t.Errorf("bit %d of a %s is always the same", i, kind)
			}
		}
	}
}

// TestWhatIsMissingLooksTheSame compares the answers of all reading routes to what never was,
// what has expired, and ids of another form.
func TestWhatIsMissingLooksTheSame(t *testing.T) {
	st := store.NewMemory(64 << 20)
	s := open(t, func(c *web.Config) { c.Store = st })
	old := s.create("mlp").Session
	s.finished(old.Runs[0])
	s.state(old.Runs[0], "ok")
	if err := st.SetExpiry(t.Context(), old.ID, time.Now().Add(-store.OrphanTime)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := st.Expire(t.Context(), time.Now().Add(2*store.OrphanTime)); err != nil {
		t.Fatal(err)
	}
	none, noText := strings.Repeat("A", 22), strings.Repeat("0", 40)
	same := func(route, none, there, accept string) {
		t.Helper()
		ask := func(id string) string {
			a := s.get(fmt.Sprintf(route, id), "Accept", accept)
			a.Header.Del("Date")
			return fmt.Sprint(a.StatusCode, a.body, a.Header)
		}
		want := ask(none)
		if !strings.HasPrefix(want, "404") {
			t.Errorf("%s of what never was: %.200s", route, want)
		}
		others := []string{there}
		if none != noText { // the hash of a text has a form, which is no secret
			others = append(others, "x", "%00", strings.Repeat("z", 2000))
		}
		for _, id := range others {
			if got := ask(id); got != want {
				t.Errorf("%s of %.40q gives\n%.300s\nwant\n%.300s", route, id, got, want)
			}
		}
	}
	for _, accept := range []string{html, "application/json"} {
		for _, route := range []string{"/api/sessions/%s", "/s/%s", "/api/sessions/%s/notes", "/api/sessions/%s/export.zip"} {
			same(route, none, old.ID, accept)
		}
		for _, route := range []string{"/api/runs/%s", "/api/runs/%s/events", "/runs/%s/search?q=add"} {
			same(route, none, old.Runs[0], accept)
		}
		for _, route := range []string{"/ir/%s", "/diff/%s/" + noText, "/diff/" + noText + "/%s"} {
			same(route, noText, event.HashText(textBefore), accept)
		}
	}
}

// TestSecretsStayOutOfLogsAndPages does what a visitor does, also wrongly, and looks for ids
// and the edit token in the log of the server and where they do not belong.
func TestSecretsStayOutOfLogsAndPages(t *testing.T) {
	var log lockedBuffer
	s := open(t, func(c *web.Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	made := s.create("mlp")
	id, runID := made.Session.ID, made.Session.Runs[0]
	s.finished(runID)
	s.state(runID, "ok")
	bearer := []string{"Authorization", "Bearer " + made.EditToken}
	for _, page := range []string{"/", "/s/" + id, "/s/" + id + "/export.html", "/s/" + id + "/export.md", "/s/" + id + "/export.zip", "/api/sessions/" + id, "/api/sessions", "/api/runs/" + runID, "/runs/" + runID + "/events"} {
		a := s.get(page, append([]string{"Accept", html}, bearer...)...).want(t, http.StatusOK)
		if strings.Contains(a.body, made.EditToken) {
			t.Errorf("%s holds the edit token", page)
		}
		if a.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s tells others where a visitor comes from", page)
		}
	}
	s.post("/api/sessions/"+id+"/runs", `{"opt_level":9}`, bearer...)
	s.post("/api/sessions/"+id+"/title", `{`, bearer...)
	s.get("/s/"+id+"?token="+made.EditToken, "Accept", html)
	s.get("/static/" + made.EditToken)
	s.another().post("/api/sessions/"+id+"/runs", `{}`, "Authorization", "Bearer "+made.EditToken+"x")
	for what, secret := range map[string]string{"the edit token": made.EditToken, "the id of a session": id} {
		if text := log.String(); strings.Contains(text, secret) {
			t.Errorf("the log holds %s: %s", what, text)
		}
	}
}

// TestDownloadsAreNobodysPage looks at the headers of what a visitor downloads.
func TestDownloadsAreNobodysPage(t *testing.T) {
	s := open(t, nil)
	sess := s.create("mlp").Session
	s.finished(sess.Runs[0])
	s.state(sess.Runs[0], "ok")
	for _, path := range []string{
		"/s/" + sess.ID + "/export.html", "/s/" + sess.ID + "/export.md", "/api/sessions/" + sess.ID + "/export.zip",
		"/ir/" + event.HashText(textBefore) + "?raw=1", "/api/ir/" + event.HashText(textBefore) + "?raw=1&name=%22%3Cimg%3E%0d%0aX-Evil:1",
	} {
		h := s.get(path, "Accept", html).want(t, http.StatusOK).Header
		if !strings.HasPrefix(h.Get("Content-Disposition"), `attachment; filename="`) || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Content-Security-Policy") != "default-src 'none'; sandbox; frame-ancestors 'none'" || h.Get("X-Evil") != "" || strings.ContainsAny(h.Get("Content-Disposition"), "<>") {
			t.Errorf("%s has headers %v", path, h)
		}
	}
}
