package web_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
)

// explainer knows one step, and counts how often it is asked.
type explainer struct {
	run.Compiler
	asked *int
}

func (x explainer) Explain(_ context.Context, req run.Request, step string) (*event.Rewrites, error) {
	*x.asked++
	if step != "1.1/Fold" || req.Source.Name != "mlp" || req.Settings.OptLevel != 2 {
		return nil, &event.Error{Kind: event.KindInput, Message: "no step " + step + " runs with these settings"}
	}
	return &event.Rewrites{Names: []event.RuleCount{{Name: "fold a constant", Taken: 1}}, Rewrites: []event.Rewrite{{Name: "fold a constant"}}}, nil
}

// TestRewritesOnRequest: a step is explained once, an unknown one is said to be, and a server without a compiler says so.
func TestRewritesOnRequest(t *testing.T) {
	n := 0
	s := open(t, func(c *web.Config) { c.Compiler = explainer{asked: &n} })
	at := "/api/runs/" + s.create("mlp").Session.Runs[0] + "/rewrites"
	s.get(at+"?step=1.1/Fold").want(t, http.StatusOK, `"name":"fold a constant"`)
	s.get(at+"?step=1.1/Fold").want(t, http.StatusOK, `"taken":1`)
	if n != 1 {
		t.Errorf("the step was explained %d times", n)
	}
	s.get(at+"?step=9/Nothing").want(t, http.StatusUnprocessableEntity, "no step 9/Nothing runs")
	s.get(at).want(t, http.StatusBadRequest, "the path of a step")
	s.get("/api/runs/nothing/rewrites?step=1.1/Fold").want(t, http.StatusNotFound)
	bare := open(t, nil)
	bare.get("/api/runs/x/rewrites?step=1.1/Fold").want(t, http.StatusNotImplemented)
}
