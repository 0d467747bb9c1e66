package web_test

import (
	"net/http"
	"testing"
)

// TestWrittenProgramsAreChecked looks at which sessions begin with accesses checked against bounds,
// and turns that off.
func TestWrittenProgramsAreChecked(t *testing.T) {
	s, _ := openChecked(t)
	const key = "tir.instrument_bound_checkers"
	if got := s.create("mlp").Session.Settings.Config[key]; got != nil {
		t.Errorf("a model of the gallery has %v", got)
	}
	made := decode[sessionAnswer](t, s.post("/api/sessions", `{"kind":"tvmscript","source":"x = 1\n","name":"mod.py"}`).want(t, http.StatusCreated))
	if got := made.Session.Settings.Config[key]; got != true {
		t.Errorf("a text has %v", got)
	}
	where := "/api/sessions/" + made.Session.ID + "/runs"
	for body, want := range map[string]any{
		`{"opt_level":1}`: true, `{"opt_level":1,"config":{}}`: nil, `{"opt_level":1,"config":{"tir.noalias":false}}`: nil,
		`{"opt_level":1,"config":{"` + key + `":false}}`: false, `{"opt_level":2}`: true,
	} {
		info := decode[runAnswer](t, s.post(where, body)).Run
		if got := info.Settings.Config[key]; got != want {
			t.Errorf("%s: got %v, want %v", body, got, want)
		}
	}
}
