package crash

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/npy"
	"github.com/irscope/irscope/runtime/tensor"
)

// given is a tensor as settings name it.
type given struct {
	Name  string  `json:"name"`
	File  string  `json:"file"`
	DType string  `json:"dtype"`
	Shape []int64 `json:"shape"`
	Blob  string  `json:"blob"`
}

// give sends a file with an input of the perceptron, all of whose elements are a value, and returns what settings name it by.
func (s *server) give(session, token string, value float64) []given {
	s.t.Helper()
	x := tensor.MustNew(dtype.Float32T, 1, 1, 8, 8)
	for i := range x.Len() {
		x.SetFloat(i, value)
	}
	var file bytes.Buffer
	if err := npy.Write(&file, x); err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/api/sessions/"+session+"/tensors?role=input&file=image.npy", &file)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct{ Tensors []given }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || len(answer.Tensors) != 1 {
		s.t.Fatalf("%s: %+v (%v)", resp.Status, answer, err)
	}
	return answer.Tensors
}

// output starts a run with settings and returns its id, and the mean of its output.
func (s *server) output(session, token string, settings map[string]any) (run string, mean event.Float) {
	s.t.Helper()
	var started struct{ Run struct{ ID string } }
	s.call("POST", "/api/sessions/"+session+"/runs", token, settings, &started)
	found := false
	_, err := s.follow(started.Run.ID, 0, func(line []byte) {
		e, err := event.Decode(line)
		if err != nil {
			s.t.Fatal(err)
		}
		switch b := e.Body.(type) {
		case *event.Executed:
			found, mean = true, b.Outputs[0].First[0]
			if src := b.Inputs[0].Source; src != "image.npy" {
				s.t.Errorf("the input is from %q", src)
			}
		case *event.RunFinished:
			if b.Error != nil {
				s.t.Errorf("run %s: %s", started.Run.ID, b.Error.Message)
			}
		}
	})
	if !found {
		s.t.Fatalf("run %s was not executed (%v)", started.Run.ID, err)
	}
	return started.Run.ID, mean
}

// TestWhatWasGivenSurvives gives a session an input and then another one, checks the passes of a run, and shares a snapshot. After the server was killed,
// a new one on its folder has the inputs of the session and of the snapshot, runs with the first input again, as an undo on the page asks for, answers a check without
// making it again, and exports all of it.
func TestWhatWasGivenSurvives(t *testing.T) {
	data := t.TempDir()
	s := start(t, data)
	var made struct {
		Session   struct{ ID string }
		EditToken string `json:"edit_token"`
	}
	s.call("POST", "/api/sessions", "", map[string]any{"gallery": "mlp", "start": false}, &made)
	id, token := made.Session.ID, made.EditToken
	settings := func(in []given, seed int) map[string]any {
		return map[string]any{"opt_level": 2, "inputs": in, "seed": seed}
	}
	first := s.give(id, token, 1)
	_, one := s.output(id, token, settings(first, 0))
	second := s.give(id, token, -2)
	checked, two := s.output(id, token, settings(second, 0))
	if one == two || first[0].Blob == second[0].Blob {
		t.Fatalf("the inputs make no difference: %v", one)
	}
	var report, again []byte
	s.call("GET", "/api/runs/"+checked+"/check", "", nil, &report)
	if !strings.Contains(string(report), `"source":"image.npy"`) {
		t.Errorf("the report is %.300s", report)
	}
	var shared struct{ Session struct{ ID string } }
	s.call("POST", "/api/sessions/"+id+"/share", token, struct{}{}, &shared)
	s.kill()

	s = start(t, data)
	defer s.kill()
	for _, session := range []string{id, shared.Session.ID} {
		var now struct {
			Session struct {
				Settings struct{ Inputs []given }
				Runs     []string
			}
		}
		s.call("GET", "/api/sessions/"+session, token, nil, &now)
		if in := now.Session.Settings.Inputs; len(in) != 1 || in[0].Blob != second[0].Blob || !slices.Contains(now.Session.Runs, checked) {
			t.Errorf("session %s is %+v", session, now.Session)
		}
		var archive []byte
		s.call("GET", "/api/sessions/"+session+"/export.zip", token, nil, &archive)
		for _, name := range []string{"texts/" + first[0].Blob + ".bin", "texts/" + second[0].Blob + ".bin", "check.ndjson"} {
			if !bytes.Contains(archive, []byte(name)) {
				t.Errorf("the archive of session %s lacks %s", session, name)
			}
		}
	}
	// Another seed is another run, which has to read the input: no earlier one will do.
	if _, mean := s.output(id, token, settings(first, 1)); mean != one {
		t.Errorf("on the first input the output is %v, was %v", mean, one)
	}
	if _, mean := s.output(id, token, settings(second, 1)); mean != two {
		t.Errorf("on the second input the output is %v, was %v", mean, two)
	}
	s.call("GET", "/api/runs/"+checked+"/check", "", nil, &again)
	if !bytes.Equal(report, again) {
		t.Errorf("the report is\n%s\nwas\n%s", again, report)
	}
	var fork struct {
		Session struct{ ID string }
	}
	s.call("POST", "/api/sessions/"+shared.Session.ID+"/fork", token, struct{}{}, &fork)
	if _, mean := s.output(fork.Session.ID, token, settings(second, 2)); mean != two {
		t.Errorf("in a fork of the snapshot the output is %v, was %v", mean, two)
	}
}
