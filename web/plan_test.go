package web_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
)

// planner warns of the first step, and fails for the target "broken".
type planner struct{ run.Compiler }

func (planner) Plan(_ context.Context, s run.Settings) (run.Planned, error) {
	if s.Target == "broken" {
		return run.Planned{}, errors.New("no such thing")
	}
	out := run.Planned{Problems: []run.Problem{{Step: "1.1", Option: "o", Message: "too <large>"}}}
	for _, step := range s.Steps {
		out.Warnings = append(out.Warnings, run.OrderWarning{Step: "1.1/" + step.Name, Message: "stands too early"})
		out.Steps = append(out.Steps, event.PlanStep{Step: "1.1/" + step.Name, Name: step.Name})
	}
	return out, nil
}

func TestPlan(t *testing.T) {
	without := open(t, nil)
	without.post("/api/plan", `{}`).want(t, http.StatusNotImplemented)
	s := open(t, func(c *web.Config) { c.Compiler = planner{} })
	s.post("/api/plan", `{"steps":[{"name":"FuseOps"}]}`).want(t, http.StatusOK,
		`"warnings":[{"step":"1.1/FuseOps","message":"stands too early"}]`, `"option":"o"`, `"steps":[{"step":"1.1/FuseOps"`)
	s.post("/api/plan", `{}`).want(t, http.StatusOK, `"steps":[]`, `"warnings":[]`)
	s.post("/api/plan", `{"stepz":[]}`).want(t, http.StatusBadRequest, "stepz")
	s.post("/api/plan", `{"opt_level":9}`).want(t, http.StatusBadRequest, "opt_level is 9")
	s.post("/api/plan", `{"target":"broken"}`).want(t, http.StatusInternalServerError)
	made := s.create("mlp").Session
	s.get("/s/"+made.ID, "Accept", html).want(t, http.StatusOK, `data-compiler="true"`)
	s.get("/api/config").want(t, http.StatusOK, `"config":[`)
}

// TestStepsStay checks that steps with options stay with a session, its forks and its command line.
func TestStepsStay(t *testing.T) {
	s := open(t, nil)
	made := s.create("mlp").Session
	const steps = `[{"name":"LegalizeOps"},{"name":"mine","steps":[{"name":"FuseOps","options":{"fuse_opt_level":0}}]},{"name":"tir"}]`
	started := decode[runAnswer](t, s.post("/api/sessions/"+made.ID+"/runs", `{"opt_level":2,"steps":`+steps+`,"config":{"tir.UnrollLoop":{"auto_max_step":1000000},"tir.disable_vectorize":true}}`).want(t, http.StatusAccepted)).Run
	const want = `irscope run gallery:mlp --target wasm --opt-level 2 --passes 'LegalizeOps,mine[FuseOps{"fuse_opt_level":0}],tir' --config tir.UnrollLoop.auto_max_step=1000000 --config tir.disable_vectorize=true`
	if started.Command != want {
		t.Errorf("the command is\n%s\nwant\n%s", started.Command, want)
	}
	s.state(started.ID, "ok")
	fork := decode[sharedAnswer](t, s.post("/api/sessions/"+made.ID+"/fork", `{}`).want(t, http.StatusCreated)).Session
	for _, id := range []string{made.ID, fork.ID} {
		got := decode[sessionAnswer](t, s.get("/api/sessions/"+id).want(t, http.StatusOK)).Session.Settings.Steps
		if len(got) != 3 || !slices.ContainsFunc(got[1].Steps, func(x run.Step) bool { return x.Options["fuse_opt_level"] == 0.0 }) {
			t.Errorf("session %s has the steps %+v", id, got)
		}
	}
}
