package export_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/export"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// evil is what every text of the hostile session holds.
const evil = `"'><script src=//evil.example/x.js>alert(1)</script><img src=x onerror=alert(2)>{{.}}` + "```\n| a | \\` [x](javascript:alert(3)) \u202e"

// fill stores a session of an uploaded model with two finished runs and one that goes on,
// whose names and texts are made of word.
func fill(t testing.TB, word string) (store.Store, store.Session) {
	t.Helper()
	ctx, st := context.Background(), store.NewMemory(64<<20)
	model := []byte("\x08\x07weights")
	sess := store.Session{
		ID: "session", Title: "T " + word, Created: time.Unix(1700000000, 0).UTC(), Settings: []byte(`{"target":"wasm","opt_level":2,"pipeline":"default","seed":0}`),
		Source: store.Source{Kind: store.SourceUpload, Name: "m.onnx", Blob: event.HashBytes(model)},
	}
	check(t, st.CreateSession(ctx, sess))
	_, err := st.PutBlob(ctx, sess.ID, store.LangBinary, model)
	check(t, err)
	for _, id := range []string{"first", "second", "open"} {
		req, err := json.Marshal(run.Request{Source: sess.Source, Settings: run.Settings{OptLevel: 2, Seed: int64(len(id))}})
		check(t, err)
		check(t, st.CreateRun(ctx, store.Run{ID: id, Key: "key " + id, Request: req, Created: sess.Created}))
		check(t, st.AddRun(ctx, sess.ID, id))
		lines, hash := log(t, st, id, word)
		if id == "open" {
			continue
		}
		check(t, st.FinishRun(ctx, store.Run{ID: id, Key: "key " + id, Request: req, Created: sess.Created, Status: "ok", Hash: hash, Events: lines}, true))
	}
	step := "1/" + word
	for i, n := range []store.Note{
		{Run: "first", Step: step, Function: "f" + word, Line: 2, Text: "on a line " + word},
		{Run: "second", Text: "on the other run"},
		{Text: "on everything " + word},
		{Run: "open", Text: "on a run that goes on"},
	} {
		n.ID, n.Created = fmt.Sprint("note", i), sess.Created
		check(t, st.PutNote(ctx, sess.ID, n))
	}
	sess, err = st.Session(ctx, sess.ID)
	check(t, err)
	return st, sess
}

// log stores the events of a run with a pass that changes a function.
func log(t testing.TB, st store.Store, id, word string) (n int, hash string) {
	t.Helper()
	before, after, code := "def f(x):\n    y = R.exp(x)\n    return R.add(x, 1) # "+word+"\n", "def f(x):\n    z = R.exp(x)\n    return R.add(x, 2) # "+word+"\n", "(func "+word+")\n"
	text := func(language, s string) store.Text {
		return store.Text{Hash: event.HashText(s), Language: language, Data: []byte(s)}
	}
	texts := []store.Text{text(event.LangTVMScript, before), text(event.LangTVMScript, after), text(event.LangWAT, code)}
	step, m := "1/"+word, &event.Measured{At: 5, Self: 1500000, Total: 1500000, Latency: []int64{1000, 2000}}
	tensor := event.Tensor{Name: "y" + word, DType: "float32", Shape: []int64{2}, First: []event.Float{1, 2}, Max: 2, Mean: 1.5, Source: word}
	var lines [][]byte
	sum := event.NewHasher()
	for i, e := range []event.Event{
		event.New("", "", &event.RunStarted{
			Model: "m" + word, Target: "wasm", Pipeline: word, Functions: []event.Function{{Name: "f" + word, Kind: "relax", Text: texts[0].Hash, Lines: 2}},
			Plan: []event.PlanStep{{Step: step, Name: word}, {Step: "2/Later", Name: "Later"}},
		}, m),
		event.New("", "", &event.Diagnostic{Severity: event.SeverityWarning, Message: word, Help: word, Span: &event.Span{Source: word, Line: 1, Column: 2}}, nil),
		event.New(step, "", &event.PassStarted{Name: word, Why: word}, m),
		event.New(step, "", &event.PassFinished{
			Name: word, Changed: true, Added: 2, Removed: 2, Renamed: 1,
			Functions: []event.FunctionChange{{Name: "f" + word, Change: event.FunctionChanged, Before: texts[0].Hash, After: texts[1].Hash, Added: 2, Removed: 2, Renamed: 1}},
		}, m),
		event.New("2/Later", "", &event.PassSkipped{Name: "Later", Text: word}, nil),
		event.New("3/Bad", "", &event.PassFailed{Name: "Bad", Error: event.Error{Kind: event.KindPass, Message: word, Function: word}}, nil),
		event.New("", "", &event.CodeGenerated{Kernels: []event.Kernel{{Name: word, Language: event.LangWAT, Text: texts[2].Hash, Lines: 1, Bytes: 9}}}, m),
		event.New("", "", &event.Executed{Function: word, Bindings: map[string]int64{word: 3}, Inputs: []event.Tensor{tensor}, Outputs: []event.Tensor{tensor}}, m),
		event.New("", "", &event.RunFinished{Status: event.StatusOK, Changed: 1, Error: &event.Error{Kind: event.KindPass, Message: word, Pass: word}}, m),
	} {
		e.Seq = i
		enc, err := event.Encode(e)
		check(t, err)
		sum.Add(enc)
		lines = append(lines, enc.Line)
	}
	check(t, st.AppendEvents(context.Background(), id, 0, lines, texts...))
	return len(lines), sum.Sum()
}

// archive returns the session as an archive.
func archive(t testing.TB, word string) []byte {
	t.Helper()
	st, sess := fill(t, word)
	b, err := export.Collect(context.Background(), st, sess)
	check(t, err)
	data, err := export.Zip(context.Background(), b, "v1")
	check(t, err)
	return data
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
