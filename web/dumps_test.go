package web_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
)

const llvmDump = `*** IR Dump After VerifierPass on f ***
define void @f() {
  %x = alloca i32
  ret void
}
*** IR Dump After SROAPass on f ***
define void @f() {
  ret void
}
`

// dumpAnswer is what a server says of a new dump.
type dumpAnswer struct {
	Session struct {
		ID     string   `json:"id"`
		Runs   []string `json:"runs"`
		Source struct{ Kind, Name string }
	} `json:"session"`
	Run struct {
		ID, State string
	} `json:"run"`
	Token string       `json:"edit_token"`
	Error *event.Error `json:"error"`
}

// TestDumpInParts sends a dump piece by piece: the run has each pass as soon as it has come, and ends with the last piece.
func TestDumpInParts(t *testing.T) {
	s := open(t, nil)
	made := decode[dumpAnswer](t, s.post("/api/dumps", `{"name":"a/after.txt"}`).want(t, http.StatusCreated))
	if made.Session.Source.Kind != "dump" || made.Session.Source.Name != "after.txt" || len(made.Session.Runs) != 1 || made.Run.State != "running" {
		t.Fatalf("the session is %+v", made)
	}
	to := "/api/runs/" + made.Run.ID + "/dump"
	second := strings.Index(llvmDump, "*** IR Dump After SROAPass")
	s.post(to+"?more=1", llvmDump[:second+20]).want(t, http.StatusAccepted)
	s.post(to+"?more=1", llvmDump[second+20:]+"*** IR Dump After").want(t, http.StatusAccepted)
	s.get("/s/"+made.Session.ID).want(t, http.StatusOK, "Imported dump", "data-dump")
	end := decode[dumpAnswer](t, s.post(to, " LastPass on f ***\n").want(t, http.StatusOK))
	if end.Run.State != "ok" || end.Error != nil {
		t.Errorf("it ended as %+v", end)
	}
	r := event.Fold(s.finished(made.Run.ID))
	if len(r.Ends) != 4 || r.Ends[1].Name != "SROAPass" || r.Ends[1].Status != event.StepChanged || r.Unknown != 2 {
		t.Errorf("the run has %d steps, %+v", len(r.Ends), r.Counts)
	}
	// What comes later is told how it ended, and there is nothing to run.
	s.post(to, llvmDump).want(t, http.StatusForbidden)
	s.post("/api/sessions/"+made.Session.ID+"/runs", `{}`).want(t, http.StatusConflict, "nothing to run")
	diff := r.Ends[1].Finished.Functions[0]
	s.get("/api/diff/"+diff.Before+"/"+diff.After).want(t, http.StatusOK, "alloca")
	s.get("/s/"+made.Session.ID+"/export.zip").want(t, http.StatusOK)
	s.get("/s/"+made.Session.ID+"/export.html").want(t, http.StatusOK, "data-dump")
	s.get("/s/"+made.Session.ID+"/export.md").want(t, http.StatusOK, "SROAPass")
}

// TestDumpAsAWhole takes a dump in one request, in each of the ways.
func TestDumpAsAWhole(t *testing.T) {
	s := open(t, nil)
	body, err := json.Marshal(map[string]string{"kind": "dump", "source": llvmDump, "name": "x.txt"})
	if err != nil {
		t.Fatal(err)
	}
	upload, kind := form(t, "model", "build.log", []byte(llvmDump))
	for _, a := range []answer{
		s.post("/api/sessions", string(body)),
		s.post("/api/sessions", upload, "Content-Type", kind),
	} {
		made := decode[dumpAnswer](t, a.want(t, http.StatusCreated))
		s.state(made.Session.Runs[0], "ok")
		if r := event.Fold(s.finished(made.Session.Runs[0])); r.Changed != 2 || r.Started.Dump == nil || made.Session.Source.Kind != "dump" {
			t.Errorf("%s: %+v", made.Session.Source.Name, r.Counts)
		}
	}
	s.post("/sessions", "kind=dump&source=hello", "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html").want(t, http.StatusBadRequest, "no pass was found in it")
}

// TestDumpsOfOthers lets only the visitor who made a dump add to it, and bounds how many are open.
func TestDumpsOfOthers(t *testing.T) {
	s := open(t, nil)
	var last dumpAnswer
	for range 2 {
		last = decode[dumpAnswer](t, s.post("/api/dumps", `{}`).want(t, http.StatusCreated))
	}
	s.post("/api/dumps", `{}`).want(t, http.StatusTooManyRequests, "2 of your dumps are being read")
	s.another().post("/api/runs/"+last.Run.ID+"/dump", llvmDump).want(t, http.StatusForbidden)
	s.another().post("/api/runs/"+last.Run.ID+"/cancel", "").want(t, http.StatusForbidden)
	s.post("/api/runs/"+last.Run.ID+"/cancel", "").want(t, http.StatusAccepted)
	s.state(last.Run.ID, "cancelled")
	s.post("/api/dumps", `{}`).want(t, http.StatusCreated)
	s.post("/api/runs/none/dump", "").want(t, http.StatusNotFound)
}

// TestDumpThatIsNone ends the run with what was wrong.
func TestDumpThatIsNone(t *testing.T) {
	s := open(t, nil)
	made := decode[dumpAnswer](t, s.post("/api/dumps", `{"name":"x"}`).want(t, http.StatusCreated))
	end := decode[dumpAnswer](t, s.post("/api/runs/"+made.Run.ID+"/dump", "hello\n").want(t, http.StatusOK))
	if end.Run.State != "failed" || end.Error == nil || !strings.Contains(end.Error.Message, "no pass was found") {
		t.Errorf("it ended as %+v %v", end.Run, end.Error)
	}
}

// TestFirstRowsWhileTheDumpComes follows the events of a dump whose body has not ended: the first pass is there.
func TestFirstRowsWhileTheDumpComes(t *testing.T) {
	s := open(t, nil)
	made := decode[dumpAnswer](t, s.post("/api/dumps", `{"name":"x"}`).want(t, http.StatusCreated))
	out, in := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/runs/"+made.Run.ID+"/dump", out)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+made.Token)
	ended := make(chan error, 1)
	go func() {
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			err = res.Body.Close()
		}
		ended <- err
	}()
	if _, err := io.WriteString(in, llvmDump+"*** IR Dump After Next on f ***\n"); err != nil {
		t.Fatal(err)
	}
	for from, seen := 0, false; !seen; {
		page := decode[struct {
			Events []event.Event
			Next   int
		}](t, s.get(fmt.Sprintf("/api/runs/%s/events?from=%d&wait=10", made.Run.ID, from)).want(t, http.StatusOK))
		if from = page.Next; len(page.Events) == 0 {
			t.Fatal("the pass does not come while the dump goes on")
		}
		for _, e := range page.Events {
			seen = seen || e.Step == "1.2/SROAPass" && e.Measured != nil && e.Type == event.TypePassFinished
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	s.state(made.Run.ID, "ok")
}
