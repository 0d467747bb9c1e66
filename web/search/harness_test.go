package search_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/highlight"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/search"
	"github.com/irscope/irscope/web/store"
)

// fataler is what a test and a property have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// pass is a step of a made-up run: the texts that it gives to functions, "" for none.
type pass struct {
	path, name string
	edits      map[string]string
}

// world is a made-up run with its texts.
type world struct {
	t        fataler
	log      *run.Log
	texts    map[string]string
	read     atomic.Int64 // how often a text was asked for
	searcher *search.Searcher
	module   map[string]string
	seq      int
}

func newWorld(t fataler, imported map[string]string, passes ...pass) *world {
	w := &world{t: t, log: run.NewLog(), texts: map[string]string{}, module: maps.Clone(imported)}
	w.searcher = search.New(search.Config{Blob: w.blob, Document: w.document})
	var functions []event.Function
	for _, name := range slices.Sorted(maps.Keys(imported)) {
		functions = append(functions, event.Function{Name: name, Kind: kindOf(name, imported[name]), Text: w.keep(imported[name])})
	}
	w.emit("", "", &event.RunStarted{Functions: functions})
	for _, p := range passes {
		w.play(p)
	}
	return w
}

// kindOf returns the kind of a function by its text, and what is called g is a PrimFunc.
func kindOf(name, text string) string {
	if name == "g" || strings.Contains(text, "T.prim_func") {
		return search.KindPrimFunc
	}
	return search.KindRelax
}

func (w *world) keep(text string) string {
	if text == "" {
		return ""
	}
	hash := event.HashText(text)
	w.texts[hash] = text
	return hash
}

// play emits what a pass does.
func (w *world) play(p pass) {
	w.emit(p.path, "", &event.PassStarted{Name: p.name})
	body := &event.PassFinished{Name: p.name}
	for _, name := range slices.Sorted(maps.Keys(p.edits)) {
		before, after := w.module[name], p.edits[name]
		if before == after {
			continue
		}
		c := event.FunctionChange{Name: name, Kind: kindOf(name, before+after), Change: event.FunctionChanged, Before: w.keep(before), After: w.keep(after)}
		if after == "" {
			c.Change = event.FunctionRemoved
			delete(w.module, name)
		} else {
			w.module[name] = after
		}
		body.Functions = append(body.Functions, c)
	}
	w.emit(p.path, "", body)
}

func (w *world) emit(step, parent string, body event.Body) {
	w.t.Helper()
	e := event.New(step, parent, body, nil)
	e.Seq = w.seq
	w.seq++
	enc, err := event.Encode(e)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.log.Append(enc.Line); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) blob(_ context.Context, hash string) (store.Blob, error) {
	w.read.Add(1)
	text, ok := w.texts[hash]
	if !ok {
		return store.Blob{}, store.ErrNotFound
	}
	return store.Blob{Language: event.LangTVMScript, Data: []byte(text)}, nil
}

func (w *world) document(_ context.Context, hash string) (*highlight.Document, error) {
	text, ok := w.texts[hash]
	if !ok {
		return nil, store.ErrNotFound
	}
	return highlight.NewDocument(event.LangTVMScript, text), nil
}

// answer searches once.
func (w *world) answer(req search.Request, query string) *search.Answer {
	w.t.Helper()
	q, err := search.Parse(query)
	if err != nil {
		w.t.Fatalf("parse %q: %v", query, err)
	}
	req.Query = q
	if req.Count == 0 {
		req.Count = search.DefaultCount
	}
	a, err := w.searcher.Search(context.Background(), "r", w.log, req)
	if err != nil {
		w.t.Fatalf("search %q: %v", query, err)
	}
	return a
}

// find returns all results of a query, so many at a time, each as "STEP FUNCTION SIDE LINE".
func (w *world) find(query, kind string, count int) []string {
	w.t.Helper()
	out, cursor := []string{}, ""
	for range 100_000 {
		a := w.answer(search.Request{Kind: kind, Count: count, Cursor: cursor}, query)
		for _, r := range a.Results {
			out = append(out, fmt.Sprintf("%s %s %s %d", r.Step, r.Function, r.Side, r.Line))
		}
		if !a.More {
			return out
		}
		cursor = a.Next
	}
	w.t.Fatalf("search %q does not end", query)
	return nil
}

// conv is a run in which two operators become a kernel and are fused.
func conv(t *testing.T) *world {
	t.Helper()
	const head = "@R.function\ndef main(x: R.Tensor((1, 3), dtype=\"float32\")):\n"
	w := newWorld(t,
		map[string]string{"main": head + "    lv = R.nn.conv2d(x, w)\n    lv12 = R.add(lv, b)\n    return lv12\n"},
		pass{"1.1/Normalize", "Normalize", nil},
		pass{"1.2/LegalizeOps", "LegalizeOps", map[string]string{
			"main":   head + "    lv = R.call_tir(cls.conv2d, (x, w))\n    lv12 = R.call_tir(cls.add, (lv, b))\n    return lv12\n",
			"conv2d": "@T.prim_func\ndef conv2d(a: T.handle):\n    T.evaluate(0)\n",
			"add":    "@T.prim_func\ndef add(a: T.handle):\n    T.evaluate(0)\n",
		}},
		pass{"1.3/FuseTIR", "FuseTIR", map[string]string{
			"main":   head + "    lv12 = R.call_tir(cls.fused_conv2d_add, (x, w, b))\n    return lv12\n",
			"conv2d": "", "add": "",
			"fused_conv2d_add": "@T.prim_func\ndef fused_conv2d_add(a: T.handle):\n    T.evaluate(0)\n",
		}},
	)
	return w
}
