package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
)

// trier changes main where a pass is called Change.
type trier struct {
	run.Compiler
	asked *run.Request
}

func (x trier) Try(_ context.Context, req run.Request, t run.Trial) ([]run.Tried, error) {
	*x.asked = req
	if t.After == "Nothing" {
		return nil, &event.Error{Kind: event.KindInput, Message: "no step Nothing runs with these settings"}
	}
	var out []run.Tried
	for _, s := range t.Steps {
		r := run.Tried{Name: s.Name, Functions: 3}
		if s.Name == "Change" {
			r.Changed, r.Before, r.After = []string{"main"}, "@R.function\ndef main():\n    return 1\n", "@R.function\ndef main():\n    return 2\n"
		}
		out = append(out, r)
	}
	return out, nil
}

// TestPassesAreTried: what each would do, with the difference of a function, and what a request may ask.
func TestPassesAreTried(t *testing.T) {
	asked := &run.Request{}
	s := open(t, func(c *web.Config) { c.Compiler = trier{asked: asked} })
	at := "/api/runs/" + s.create("mlp").Session.Runs[0] + "/try"
	s.post(at, `{"after":"FuseOps#0","steps":[{"name":"Change"},{"name":"Same"}],"function":"main"}`).
		want(t, http.StatusOK, `{"name":"Change","functions":3,"changed":["main"],"diff":{`, `"kind":"del"`, `"added":1`, `{"name":"Same","functions":3,"changed":[]}`)
	if asked.Source.Name != "mlp" || len(asked.Settings.Scripts) != 0 || asked.Limits.Memory == 0 {
		t.Errorf("it was tried in %+v", asked)
	}
	s.post(at, `{"after":"import","steps":[{"name":"user.X"}],"scripts":[{"name":"a.star","source":"x = 1"}]}`).want(t, http.StatusOK, `"user.X"`)
	if len(asked.Settings.Scripts) != 1 {
		t.Errorf("the scripts are %+v", asked.Settings.Scripts)
	}
	s.post(at, `{"after":"Nothing","steps":[{"name":"A"}]}`).want(t, http.StatusUnprocessableEntity, "no step Nothing runs")
	s.post(at, `{"after":"import","steps":[]}`).want(t, http.StatusBadRequest, "steps lists 0 passes")
	s.post(at, `{"after":"import","steps":[`+strings.Repeat(`{"name":"A"},`, 16)+`{"name":"A"}]}`).want(t, http.StatusBadRequest, "steps lists 17 passes")
	s.post(at, `{"after":"Fuse Ops","steps":[{"name":"A"}]}`).want(t, http.StatusBadRequest, "a step is named")
	bare := open(t, nil)
	bare.post("/api/runs/x/try", `{"after":"import","steps":[{"name":"A"}]}`).want(t, http.StatusNotImplemented)
}
