package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// tensorReader reads files of tensors: their text is the name and the data.
type tensorReader struct{ run.Compiler }

func (tensorReader) Tensors(_ context.Context, req run.Request, f run.TensorFile) ([]run.GivenTensor, error) {
	if string(f.Data) == "bad" || req.Source.Name != "mlp" {
		return nil, &event.Error{Kind: event.KindInput, Message: f.Name + ": input x is float32[5], expected float32[4]"}
	}
	name := string(f.Data)
	if f.Expected {
		name = "expected " + name
	}
	name += strings.Join(f.Taken, "")
	return []run.GivenTensor{{Tensor: run.Tensor{Name: name, File: f.Name, DType: "float32", Shape: []int64{1}}, Data: f.Data}}, nil
}

type tensorsAnswer struct{ Tensors []run.Tensor }

// TestTensorsStayWithTheSession gives a session inputs and an expected output, and looks for them and their data in a run, a fork, a snapshot, and an
// archive, which another server reads.
func TestTensorsStayWithTheSession(t *testing.T) {
	st := store.NewMemory(64 << 20)
	s := open(t, func(c *web.Config) { c.Compiler, c.Store = tensorReader{}, st })
	sess := s.create("mlp").Session
	at := "/api/sessions/" + sess.ID + "/tensors"
	x := decode[tensorsAnswer](t, s.post(at+"?role=input&file=../in_0.pb", "x").want(t, http.StatusOK)).Tensors
	y := decode[tensorsAnswer](t, s.post(at+"?role=expected&file=out.npz&taken=a&taken=b", "y").want(t, http.StatusOK)).Tensors
	if len(x) != 1 || x[0].Name != "x" || x[0].File != "in_0.pb" || x[0].Blob != event.HashText("x") || y[0].Name != "expected yab" {
		t.Fatalf("the tensors are %+v and %+v", x, y)
	}
	settings, err := json.Marshal(map[string]any{"opt_level": 2, "inputs": x, "expected": y})
	if err != nil {
		t.Fatal(err)
	}
	started := decode[runAnswer](t, s.post("/api/sessions/"+sess.ID+"/runs", string(settings)).want(t, http.StatusAccepted)).Run
	s.state(started.ID, "ok")
	if want := "--input x=in_0.pb --expect out.npz"; !strings.Contains(started.Command, want) {
		t.Errorf("the command line is %q, want %q in it", started.Command, want)
	}
	has := func(what string, st store.Store, got run.Settings) {
		t.Helper()
		if !reflect.DeepEqual(got.Inputs, x) || !reflect.DeepEqual(got.Expected, y) {
			t.Errorf("%s has inputs %+v and expects %+v", what, got.Inputs, got.Expected)
		}
		for _, hash := range got.Blobs() {
			if b, err := st.Blob(t.Context(), hash); err != nil || event.HashBytes(b.Data) != hash {
				t.Errorf("%s: the data of %s is %q (%v)", what, hash, b.Data, err)
			}
		}
	}
	has("the run", st, started.Settings)
	fork := decode[sessionAnswer](t, s.post("/api/sessions/"+sess.ID+"/fork", `{}`).want(t, http.StatusCreated)).Session
	archive := s.get("/api/sessions/"+sess.ID+"/export.zip").want(t, http.StatusOK).body

	other := store.NewMemory(64 << 20)
	elsewhere := open(t, func(c *web.Config) { c.Compiler, c.Store = tensorReader{}, other })
	back := decode[sessionAnswer](t, elsewhere.do("POST", "/api/sessions", archive, "Content-Type", "application/zip").want(t, http.StatusCreated)).Session
	has("what was exported and imported", other, back.Settings)
	if len(back.Runs) == 0 {
		t.Fatal("the imported session has no runs")
	}
	has("its run", other, decode[runAnswer](t, elsewhere.get("/api/runs/"+back.Runs[len(back.Runs)-1])).Run.Settings)

	// What a fork needs stays when the session has gone.
	if err := st.DeleteSession(t.Context(), sess.ID); err != nil {
		t.Fatal(err)
	}
	has("the fork", st, decode[sessionAnswer](t, s.get("/api/sessions/"+fork.ID)).Session.Settings)
	form := decode[runAnswer](t, s.do("POST", "/s/"+fork.ID+"/runs", "opt_level=1", "Content-Type", "application/x-www-form-urlencoded", "Accept", "application/json").want(t, http.StatusAccepted)).Run
	has("a run from a form", st, form.Settings)
}

// TestTensorsAreRefused has files that do not fit, questions that make no sense, and settings that name no tensor.
func TestTensorsAreRefused(t *testing.T) {
	s := open(t, func(c *web.Config) { c.Compiler = tensorReader{} })
	id := s.create("mlp").Session.ID
	at := "/api/sessions/" + id + "/tensors"
	s.post(at+"?role=input&file=x.npy", "bad").want(t, http.StatusUnprocessableEntity, "x.npy: input x is float32[5], expected float32[4]")
	s.post(at+"?role=other&file=x.npy", "x").want(t, http.StatusBadRequest, "want input or expected")
	s.post(at+"?role=input&file=x.npy"+strings.Repeat("&taken=a", 300), "x").want(t, http.StatusBadRequest, "at most 256 names")
	s.post(at+"?role=input&file=x.npy", strings.Repeat("x", 33<<20)).want(t, http.StatusRequestEntityTooLarge, "the file is larger than 32 MiB")
	s.another().post(at+"?role=input&file=x.npy", "x").want(t, http.StatusForbidden, "only the creator")
	s.post("/api/sessions/nothing/tensors?role=input&file=x.npy", "x").want(t, http.StatusNotFound)
	open(t, nil).post("/api/sessions/x/tensors?role=input&file=x.npy", "x").want(t, http.StatusNotImplemented)
	one := `{"name":"x","file":"f","dtype":"float32","shape":[1],"blob":"` + event.HashText("x") + `"}`
	for list, want := range map[string]string{
		`[{"name":"x","file":"f","dtype":"float32","shape":[1],"blob":"../../x"}]`: "want a hash",
		`[` + one + `,` + one + `]`:                                               "twice",
		`[{"blob":"` + event.HashText("x") + `"}]`:                                "1 to 512 bytes",
		`[` + strings.Repeat(one+",", 256) + one + `]`:                            "the limit is 256",
		strings.Replace(`[`+one+`]`, "[1]", "[1"+strings.Repeat(",1", 64)+"]", 1): "65 dimensions",
	} {
		s.post("/api/sessions/"+id+"/runs", `{"inputs":`+list+`}`).want(t, http.StatusBadRequest, want)
	}
}
