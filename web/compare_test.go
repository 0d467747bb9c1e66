package web_test

import (
	"net/http"
	"testing"

	"github.com/irscope/irscope/instruments/compare"
)

type comparisonAnswer struct {
	A, B struct {
		ID       string
		Settings struct {
			OptLevel int `json:"opt_level"`
		}
		Command string
	}
	Sealed bool
	compare.Comparison
}

type runList struct {
	Runs []struct {
		ID, Label string
		Number    int
	}
}

func TestCompareRuns(t *testing.T) {
	s := open(t, nil)
	sess := s.create("mlp").Session
	first := sess.Runs[0]
	second := decode[runAnswer](t, s.post("/api/sessions/"+sess.ID+"/runs", `{"opt_level":3}`).want(t, http.StatusAccepted)).Run.ID
	other := s.create("mlp").Session.Runs[0]
	for _, id := range []string{first, second, other} {
		s.finished(id)
		s.state(id, "ok")
	}
	for _, b := range []string{first, second, other} {
		path := "/api/compare/" + first + "/" + b
		got := decode[comparisonAnswer](t, s.get(path).want(t, http.StatusOK))
		if got.A.ID != first || got.B.ID != b || !got.Sealed || len(got.Rows) < 2 || got.First != -1 || got.A.Command == "" {
			t.Errorf("the comparison with %s is %+v", b, got)
		}
		if b == second && got.B.Settings.OptLevel != 3 {
			t.Errorf("the second run has opt_level %d, want 3", got.B.Settings.OptLevel)
		}
		functions := decode[struct{ Functions []compare.Function }](t, s.get(path+"/functions?row=1&all=1").want(t, http.StatusOK)).Functions
		if len(functions) == 0 || !functions[0].Same() {
			t.Errorf("the functions after the first step are %+v", functions)
		}
		s.get(path+"/functions?row=1").want(t, http.StatusOK, `"functions":[]`)
	}
	for range 2 { // the second answer comes from what the first has read
		list := decode[runList](t, s.get("/api/sessions/"+sess.ID+"/runs").want(t, http.StatusOK))
		if len(list.Runs) != 2 || list.Runs[0].ID != first || list.Runs[0].Number != 1 || list.Runs[1].Number != 2 || list.Runs[1].Label != "O3" {
			t.Errorf("the runs of the session are %+v", list.Runs)
		}
	}
	s.get("/api/sessions/nowhere/runs").want(t, http.StatusNotFound)
	s.get("/api/compare/"+first+"/"+second+"/functions?row=999").want(t, http.StatusNotFound, "no such row")
	s.get("/api/compare/"+first+"/"+second+"/functions?row=-1").want(t, http.StatusBadRequest, "row")
	s.get("/api/compare/"+first+"/nowhere").want(t, http.StatusNotFound)
	s.get("/api/compare/nowhere/"+first).want(t, http.StatusNotFound)
}
