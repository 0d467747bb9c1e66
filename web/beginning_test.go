package web_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
)

// brought is what a page brings along for its script.
type brought struct {
	Run     string            `json:"run"`
	Events  []json.RawMessage `json:"events"`
	Answers map[string]any    `json:"answers"`
}

var block = regexp.MustCompile(`(?s)<script id="beginning" type="application/json">(.*?)</script>`)

// beginning returns what a page brings along. Whatever it holds, it cannot end the element that it is in.
func (s *site) beginning(path string) brought {
	s.t.Helper()
	page := s.get(path, "Accept", html).want(s.t, http.StatusOK)
	m := block.FindAllStringSubmatch(string(page.body), -1)
	if len(m) != 1 || strings.ContainsAny(m[0][1], "<>") {
		s.t.Fatalf("the page brings along %q", m)
	}
	var out brought
	if err := json.Unmarshal([]byte(m[0][1]), &out); err != nil {
		s.t.Fatal(err)
	}
	return out
}

// TestPagesBringTheirBeginning: events and answers are those that requests would give, for a run that is done and for one that goes on.
func TestPagesBringTheirBeginning(t *testing.T) {
	s := open(t, nil)
	for _, model := range []string{"mlp", "wait"} {
		sess := s.create(model).Session
		if model == "mlp" {
			s.finished(sess.Runs[0])
		} else {
			s.get("/api/runs/"+sess.Runs[0]+"/events?from=3&wait=30").want(t, http.StatusOK) // a page waits for a diff for a moment only, however busy the machine
		}
		got := s.beginning("/s/" + sess.ID)
		if got.Run != sess.Runs[0] || len(got.Events) < 3 {
			t.Fatalf("%s: it brings %d events of the run %s", model, len(got.Events), got.Run)
		}
		log := decode[struct {
			Events []json.RawMessage `json:"events"`
		}](t, s.get("/runs/"+got.Run+"/events"))
		for i, line := range got.Events {
			a, err := event.Decode(line)
			b, err2 := event.Decode(log.Events[i])
			if err != nil || err2 != nil || !reflect.DeepEqual(a, b) {
				t.Errorf("%s: event %d is %+v, want %+v (%v, %v)", model, i, a, b, err, err2)
			}
		}
		diff := ""
		for path, answer := range got.Answers {
			if want := decode[any](t, s.get(path)); !reflect.DeepEqual(answer, want) && (model == "mlp" || strings.HasPrefix(path, "/diff/")) {
				t.Errorf("%s: the answer to %s is %v, want %v", model, path, answer, want)
			}
			if strings.HasPrefix(path, "/diff/") {
				diff = path
			}
		}
		if len(got.Answers) != 3 || !strings.HasSuffix(diff, "?view=unified&form=compact&context=3&from=0&count=400") {
			t.Errorf("%s: it brings %d answers, the diff %q", model, len(got.Answers), diff)
		}
		// What the first page has left in memory gives the same page, and others in other forms.
		first, again := s.get("/s/"+sess.ID, "Accept", html).body, s.get("/s/"+sess.ID, "Accept", html).body
		if model == "mlp" && (first != again || !strings.Contains(first, "R.multiply")) {
			t.Errorf("%s: the page differs when it is asked for again", model)
		}
		if exact := s.get("/s/"+sess.ID+"?form=exact", "Accept", html).body; exact == again {
			t.Errorf("%s: the exact form is the compact one", model)
		}
	}
}

// TestBeginningOfWhatTheReaderAskedFor: the diff is that of the step and the view of the address, none where there is none.
func TestBeginningOfWhatTheReaderAskedFor(t *testing.T) {
	s := open(t, nil)
	sess := s.create("mlp").Session
	s.finished(sess.Runs[0])
	for query, want := range map[string]string{
		"?view=split":   "view=split",
		"?view=ir":      "",
		"?pass=2/Later": "",
		"?pass=1/Fuse%3Ci%3EOps%3C/i%3E&function=main": "view=unified",
		"?function=none": "view=unified",
	} {
		got := ""
		for path := range s.beginning("/s/" + sess.ID + query).Answers {
			if strings.HasPrefix(path, "/diff/") {
				got = path
			}
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("for %s it brings %q, want one with %q", query, got, want)
		}
	}
}
