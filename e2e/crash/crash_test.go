package crash

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/event"
)

// told is what clients were told about a session and its runs before the server was killed.
type told struct {
	id, title, token string
	runs             []*toldRun
	snapshots        []snapshot
}

// snapshot is one that the client was given a link to.
type snapshot struct {
	id   string
	runs []string
}

// toldRun holds the events of a run that its viewer has received.
type toldRun struct {
	id    string
	lines [][]byte
	ended bool
}

// kills returns how often the server is killed.
func kills(t *testing.T) int {
	text := os.Getenv("CRASH_KILLS")
	if text == "" {
		return 5
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("CRASH_KILLS is %q, want a number from 1 on", text)
	}
	return n
}

// TestNothingAcknowledgedIsLost kills the server at random events of runs, starts it again
// on the same folder, and compares what it says with what it had said.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	data := t.TempDir()
	r := seed.Rand(t)
	var all []*told
	events, interrupted := 0, 0
	n := kills(t)
	for k := range n {
		s := start(t, data)
		for _, old := range all[max(0, len(all)-2):] {
			check(t, s, old)
		}
		now := disturb(t, s, r, k)
		for _, run := range now.runs {
			events += len(run.lines)
		}
		all = append(all, now)
		if r.IntN(4) == 0 { // also while it puts things in order
			start(t, data).kill()
		}
	}
	s := start(t, data)
	defer s.kill()
	for _, old := range all {
		interrupted += check(t, s, old)
	}
	t.Logf("%d kills, %d runs interrupted, %d events acknowledged", n, interrupted, events)
	if interrupted == 0 {
		t.Error("no kill hit a run that was going on")
	}
}

// disturb makes a session, starts runs in it, and kills the server after a number of events.
func disturb(t *testing.T, s *server, r *rand.Rand, round int) *told {
	var made struct {
		Session   struct{ ID, Title string }
		EditToken string `json:"edit_token"`
	}
	models := []string{"mlp", "cnn", "transformer"}
	model := models[r.IntN(len(models))]
	s.call("POST", "/api/sessions", "", map[string]any{"gallery": model, "start": false}, &made)
	out := &told{id: made.Session.ID, title: made.Session.Title, token: made.EditToken}
	for i := range 3 { // two at once, one in the queue
		var started struct{ Run struct{ ID string } }
		s.call("POST", "/api/sessions/"+out.id+"/runs", out.token, map[string]any{"seed": round*10 + i, "opt_level": 2 + i%2}, &started)
		out.runs = append(out.runs, &toldRun{id: started.Run.ID})
		out.share(s)
	}
	left := r.IntN(150)
	enough := make(chan struct{})
	var mu sync.Mutex
	var viewers sync.WaitGroup
	for _, run := range out.runs {
		viewers.Go(func() {
			run.ended, _ = s.follow(run.id, 0, func(line []byte) {
				mu.Lock()
				defer mu.Unlock()
				run.lines = append(run.lines, line)
				if left--; left == 0 {
					close(enough)
				}
			})
		})
	}
	gone := make(chan struct{})
	go func() {
		viewers.Wait()
		close(gone)
	}()
	select {
	case <-enough:
	case <-gone: // all runs have ended
	}
	s.kill()
	<-gone
	return out
}

// share makes a snapshot of the session.
func (o *told) share(s *server) {
	var made struct {
		Session struct {
			ID   string
			Runs []string
		}
	}
	s.call("POST", "/api/sessions/"+o.id+"/share", o.token, struct{}{}, &made)
	o.snapshots = append(o.snapshots, snapshot{made.Session.ID, made.Session.Runs})
}

// checkSnapshots checks that the snapshots are what they were.
func checkSnapshots(t *testing.T, s *server, old *told) {
	t.Helper()
	for _, snap := range old.snapshots {
		var now struct {
			Session struct {
				Title, Parent string
				Shared        bool
				Expires       *time.Time
				Runs          []string
			}
		}
		s.call("GET", "/api/sessions/"+snap.id, old.token, nil, &now)
		if got := now.Session; !got.Shared || got.Expires != nil || got.Title != old.title || got.Parent != old.id || !slices.Equal(got.Runs, snap.runs) {
			t.Errorf("snapshot %s of %v is %+v", snap.id, snap.runs, got)
		}
	}
}

// check compares what a server says with what was told, and returns the number of runs that
// were interrupted.
func check(t *testing.T, s *server, old *told) (interrupted int) {
	t.Helper()
	var now struct {
		Session struct {
			Title string
			Runs  []string
		}
	}
	s.call("GET", "/api/sessions/"+old.id, old.token, nil, &now)
	if now.Session.Title != old.title {
		t.Errorf("the title is %q, was %q", now.Session.Title, old.title)
	}
	checkSnapshots(t, s, old)
	for _, run := range old.runs {
		if !slices.Contains(now.Session.Runs, run.id) {
			t.Errorf("session %s has lost run %s", old.id, run.id)
		}
		var info struct{ Run struct{ State string } }
		s.call("GET", "/api/runs/"+run.id, "", nil, &info)
		if info.Run.State == "interrupted" {
			interrupted++
		}
		checkEvents(t, s, run, info.Run.State)
	}
	return interrupted
}

// checkEvents reads the log of a run as a page does that comes back, and from the start.
func checkEvents(t *testing.T, s *server, run *toldRun, state string) {
	t.Helper()
	var lines [][]byte
	if ended, err := s.follow(run.id, 0, func(line []byte) { lines = append(lines, line) }); !ended {
		t.Fatalf("the log of run %s breaks off after %d events: %v", run.id, len(lines), err)
	}
	if len(lines) < len(run.lines) || run.ended && len(lines) != len(run.lines) {
		t.Fatalf("run %s has %d events, a viewer has seen %d (the end: %t)", run.id, len(lines), len(run.lines), run.ended)
	}
	for i, was := range run.lines {
		if !bytes.Equal(lines[i], was) {
			t.Fatalf("event %d of run %s is\n%s\nwas\n%s", i, run.id, lines[i], was)
		}
	}
	var rest [][]byte
	if ended, err := s.follow(run.id, len(run.lines), func(line []byte) { rest = append(rest, line) }); !ended || len(rest) != len(lines)-len(run.lines) {
		t.Fatalf("from event %d on run %s has %d more, want %d (%v)", len(run.lines), run.id, len(rest), len(lines)-len(run.lines), err)
	}
	for i, line := range lines {
		e, err := event.Decode(line)
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq != i {
			t.Fatalf("event %d of run %s stands at %d", e.Seq, run.id, i)
		}
		done, last := e.Body.(*event.RunFinished)
		if last != (i == len(lines)-1) {
			t.Fatalf("run %s: event %d of %d is %s", run.id, i, len(lines), e.Type)
		}
		if last && string(done.Status) != state {
			t.Errorf("run %s ended as %s and is %s", run.id, done.Status, state)
		}
		if texts := event.Texts(e); len(texts) > 0 {
			var text []byte
			s.call("GET", "/api/ir/"+texts[0]+"?raw=1", "", nil, &text)
			if event.HashBytes(text) != texts[0] {
				t.Errorf("text %s of run %s has another hash", texts[0], run.id)
			}
		}
	}
}

// TestOneServerForAFolder starts a second server on the folder of the first.
func TestOneServerForAFolder(t *testing.T) {
	data := t.TempDir()
	s := start(t, data)
	defer s.kill()
	out, err := exec.CommandContext(t.Context(), program, "serve", "--addr", "127.0.0.1:0", "--data", data).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "in use by another process") || !strings.Contains(string(out), "--data DIR") {
		t.Errorf("the second server ends with %v: %s", err, out)
	}
	var healthy json.RawMessage
	s.call("GET", "/api/gallery", "", nil, &healthy)
}
