package crash

import (
	"net/http"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/irscope/irscope/e2e/fixture/goal"
)

// TestTermination sends SIGTERM to a server in the middle of runs: it takes no more, those that
// run come to their end or are canceled while viewers follow, and it exits within a second.
func TestTermination(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be told to end on Windows")
	}
	data := t.TempDir()
	s := start(t, data)
	var made struct {
		Session   struct{ ID string }
		EditToken string `json:"edit_token"`
	}
	s.call("POST", "/api/sessions", "", map[string]any{"gallery": "transformer", "start": false}, &made)
	type watched struct {
		id    string
		lines [][]byte
		ended bool
		err   error
	}
	var runs []*watched
	begun := make(chan struct{})
	var once sync.Once
	var viewers sync.WaitGroup
	for i := range 4 { // two at once, two in the queue
		var started struct{ Run struct{ ID string } }
		s.call("POST", "/api/sessions/"+made.Session.ID+"/runs", made.EditToken, map[string]any{"seed": i, "opt_level": i % 2 * 3}, &started)
		w := &watched{id: started.Run.ID}
		runs = append(runs, w)
		viewers.Go(func() {
			w.ended, w.err = s.follow(w.id, 0, func(line []byte) {
				w.lines = append(w.lines, line)
				once.Do(func() { close(begun) })
			})
		})
	}
	<-begun
	told := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	// Until it has gone it refuses, and after that nobody listens.
	for refused := false; !refused; {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/sessions/"+made.Session.ID+"/runs", strings.NewReader(`{"seed":77}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+made.EditToken)
		resp, err := http.DefaultClient.Do(req)
		switch {
		case err != nil:
			refused = true
		case resp.StatusCode == http.StatusServiceUnavailable:
			refused = resp.Header.Get("Retry-After") != ""
			if !refused {
				t.Fatal("the server refuses without saying when to come back")
			}
		case time.Since(told) > time.Minute:
			t.Fatalf("a server that was told to end answers %s", resp.Status)
		}
		if resp != nil {
			_ = resp.Body.Close()
		}
	}
	// On a busy machine it may have been left before its runs came to an end.
	forced := false
	if err := s.cmd.Wait(); err != nil {
		if forced = s.cmd.ProcessState.ExitCode() == 143; !forced {
			t.Errorf("the server ends with %v, expected exit code 0, or 143 where it ran out of time", err)
		}
	}
	goal.Time(t, "from SIGTERM to the end of the process", time.Since(told), time.Second)
	viewers.Wait()
	for _, w := range runs {
		if !w.ended && !forced && !closedForRestart(w.err) {
			t.Errorf("the socket of run %s was closed by %v after %d events", w.id, w.err, len(w.lines))
		}
	}

	// What came of the runs is in the store; no run broke off.
	again := start(t, data)
	defer again.kill()
	states := map[string]int{}
	for _, w := range runs {
		var info struct{ Run struct{ State string } }
		again.call("GET", "/api/runs/"+w.id, "", nil, &info)
		states[info.Run.State]++
		checkEvents(t, again, &toldRun{id: w.id, lines: w.lines, ended: w.ended}, info.Run.State)
	}
	t.Logf("the runs ended as %v", states)
	if forced {
		return
	}
	if states["interrupted"] > 0 || states["ok"]+states["cancelled"] != len(runs) {
		t.Errorf("the runs ended as %v, want ok or canceled", states)
	}
}

// closedForRestart tells whether a socket was closed with the code that says that the server
// restarts.
func closedForRestart(err error) bool {
	return websocket.IsCloseError(err, websocket.CloseServiceRestart)
}
