package web_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/fault"
	"github.com/irscope/irscope/instruments/whatif"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
)

// faultFinder answers by the predicate, and makes two rows.
type faultFinder struct {
	run.Compiler
	made *int
	stop bool
}

func (faultFinder) Bisect(ctx context.Context, req run.Request, p run.Predicate, each func(string)) (*fault.Finding, error) {
	if _, ok := ctx.Deadline(); !ok || req.Source.Name != "mlp" {
		return nil, errors.New("no limit, or another source")
	}
	each("the function")
	each("the function")
	switch p.Predicate {
	case "wrong":
		return &fault.Finding{Pass: "A", How: fault.HowOnly}, nil
	case "crash":
		return nil, &run.NoFaultError{Message: "no pass fails"}
	}
	return nil, &event.Error{Kind: event.KindInput, Message: "unknown predicate"}
}

func (x faultFinder) WhatIf(_ context.Context, _ run.Request, known func(string) *whatif.Row, each func(whatif.Row, int) error) error {
	for _, key := range []string{"k1", "k2"} {
		row := known(key)
		if row == nil {
			if x.stop && *x.made == 1 {
				*x.made++
				return errors.New("it took too long")
			}
			*x.made++
			row = &whatif.Row{Key: key}
		}
		if err := each(*row, 2); err != nil {
			return err
		}
	}
	return nil
}

func (faultFinder) Reproduce(_ context.Context, req run.Request, program string, failed *event.Error) ([]byte, error) {
	if failed.Kind != event.KindTimeout || failed.Limit != "time" || req.Limits.Time == 0 {
		return nil, nil
	}
	return []byte("# irscope reproducer 1\n# " + program), nil
}

// TestFaults asks for a bisection, a what-if, which goes on where it was cut off, and a reproducer.
func TestFaults(t *testing.T) {
	n := 0
	s := open(t, func(c *web.Config) { c.Compiler, c.Version = faultFinder{made: &n, stop: true}, "1.2" })
	at := "/api/runs/" + s.create("mlp").Session.Runs[0]
	for predicate, want := range map[string]string{"wrong": `{"finding":{`, "crash": `{"none":"no pass fails"}`, "odd": `{"error":"unknown predicate"}`} {
		lines := strings.Split(strings.TrimSpace(s.post(at+"/bisect", `{"predicate":"`+predicate+`"}`).want(t, http.StatusOK).body), "\n")
		if len(lines) != 3 || lines[1] != `{"doing":"the function"}` || !strings.HasPrefix(lines[2], want) {
			t.Errorf("%s: got %q", predicate, lines)
		}
	}
	s.post(at+"/bisect", `{"predicate":`).want(t, http.StatusBadRequest)
	first := s.get(at+"/whatif").want(t, http.StatusOK, `{"stopped":"it took too long"}`).body
	second := s.get(at+"/whatif").want(t, http.StatusOK, `"key":"k2"`).body
	if strings.Contains(first, "k2") || strings.Contains(second, "stopped") || n != 3 {
		t.Errorf("%d rows were made:\n%s\n%s", n, first, second)
	}
	s.get(at+"/reproducer.py").want(t, http.StatusConflict, "no pass fails in this run, and it hits no limit")
	s.get("/api/runs/nothing/reproducer.py").want(t, http.StatusNotFound)
	s.get("/api/runs/nothing/whatif").want(t, http.StatusNotFound)
	slow := open(t, func(c *web.Config) {
		c.Compiler, c.Version, c.Limits = faultFinder{made: &n}, "1.2", run.DefaultLimits()
		c.Limits.Time = 10 * time.Millisecond
	})
	late := slow.create("wait").Session.Runs[0]
	slow.state(late, "timeout")
	slow.get("/runs/"+late+"/reproducer.py").want(t, http.StatusOK, "# 1.2")
	bare := open(t, nil)
	bare.get("/api/runs/x/reproducer.py").want(t, http.StatusNotImplemented)
}
