package reducer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/event/eventtest"
)

// TestThePageFoldsAsGoDoes folds logs that were recorded, what is left of them without the fields that older ones lack, random
// ones, and beginnings of all of them, in Go and by the page's model under Node.js: the states are the same.
func TestThePageFoldsAsGoDoes(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("E2E_REQUIRED") != "" {
			t.Fatal("no Node.js found: apt-get install nodejs")
		}
		t.Skip("no Node.js found: apt-get install nodejs")
	}
	var names []string
	var logs [][]event.Event
	add := func(name string, log []event.Event) {
		for _, n := range []int{len(log), len(log) / 2, len(log) * 4 / 5} {
			names, logs = append(names, name), append(logs, append([]event.Event{}, log[:n]...))
		}
	}
	for _, name := range recorded(t) {
		log := readLog(t, name)
		add(name, log)
		add(name+" as of old", aged(log))
	}
	seed.Check(t, func(t *rapid.T) { add("random", eventtest.Log(t)) })
	states := fold(t, node, logs)
	for i, log := range logs {
		var want any
		again(t, state(event.Fold(log)), &want)
		if !reflect.DeepEqual(states[i], want) {
			report(t, names[i], len(log), states[i], want)
		}
	}
	t.Logf("%d logs", len(logs))
}

// report says where two states differ.
func report(t *testing.T, name string, n int, page, want any) {
	t.Helper()
	a, b := page.(map[string]any), want.(map[string]any)
	for key := range b {
		x, isList := a[key].([]any)
		y, _ := b[key].([]any)
		if isList && len(x) == len(y) {
			for i := range x {
				if !reflect.DeepEqual(x[i], y[i]) {
					t.Errorf("%s, %d events: %s[%d] of the page is\n%v\nin Go it is\n%v", name, n, key, i, text(x[i]), text(y[i]))
					break
				}
			}
		} else if !reflect.DeepEqual(a[key], b[key]) {
			t.Errorf("%s, %d events: %s of the page is\n%v\nin Go it is\n%v", name, n, key, text(a[key]), text(b[key]))
		}
	}
}

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// fold returns the states that the page's model makes of logs.
func fold(t *testing.T, node string, logs [][]event.Event) []any {
	t.Helper()
	dir := t.TempDir()
	script, input := filepath.Join(dir, "fold.mjs"), filepath.Join(dir, "logs.json")
	if out, err := exec.Command("go", "tool", "-modfile=../../tools.mod", "esbuild", "fold.ts", "--bundle", "--platform=node", "--format=esm",
		"--log-level=warning", "--outfile="+script).CombinedOutput(); err != nil {
		if os.Getenv("E2E_REQUIRED") != "" {
			t.Fatalf("bundle the model: %v\n%s", err, out)
		}
		t.Skipf("esbuild cannot be built here: %v", err)
	}
	data, err := json.Marshal(logs)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(input, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(node, script, input)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	var states []any
	if err := json.Unmarshal(out.Bytes(), &states); err != nil {
		t.Fatal(err)
	}
	if len(states) != len(logs) {
		t.Fatalf("the page folded %d logs of %d", len(states), len(logs))
	}
	return states
}

// again sends a value through JSON.
func again(t *testing.T, v any, to *any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, to); err != nil {
		t.Fatal(err)
	}
}

// state is what fold.ts writes of a run.
func state(r *event.Run) map[string]any {
	steps, lanes, executions, notes := []any{}, []any{}, []any{}, []string{}
	for _, s := range r.All() {
		said := []string{}
		for _, d := range s.Diagnostics {
			said = append(said, d.Message)
		}
		var finished any
		if s.Finished != nil {
			finished = s.Finished.Name
		}
		steps = append(steps, map[string]any{
			"path": s.Path, "parent": s.Parent, "name": s.Name, "level": s.Level, "role": s.Role, "kind": s.Kind, "depth": s.Depth,
			"status": s.Status, "text": s.Text, "reason": s.Reason, "why": s.Why, "title": s.Title, "error": s.Error, "finished": finished, "measured": s.Measured,
			"reused": s.Reused, "diagnostics": said, "began": s.Began, "seq": s.Seq, "at": s.At, "metrics": s.Before,
			"given": functions(r.FunctionsBefore(s)), "left": functions(r.FunctionsAfter(s)),
		})
	}
	for _, l := range r.Lanes {
		path := ""
		if l.Step != nil {
			path = l.Step.Path
		}
		lanes = append(lanes, []any{l.At, path, l.Metrics})
	}
	profiles := []any{}
	for _, p := range r.Profiles {
		var median any
		if p.Times != nil {
			median = p.Times.Median
		}
		counts := []int64{}
		for _, c := range p.Body.Calls {
			counts = append(counts, c.Count)
		}
		profiles = append(profiles, []any{p.Body.Function, counts, median})
	}
	for _, x := range r.Executions {
		var fixed any
		if x.Measured.Fixed != nil {
			fixed = sorted(x.Measured.Fixed.Latency)
		}
		executions = append(executions, []any{x.Body.Function, sorted(x.Measured.Latency), fixed})
	}
	for _, d := range r.Diagnostics {
		if d.Step == nil {
			notes = append(notes, d.Message)
		}
	}
	out := map[string]any{
		"steps": steps, "imported": functions(r.FunctionsAfter(nil)), "started": nil, "finished": nil, "ended": nil, "code": nil,
		"duration": r.Clock, "times": []int64{r.ImportTime, r.CodegenTime, r.CompileTime}, "lanes": lanes, "executions": executions, "profiles": profiles, "diagnostics": notes,
	}
	if r.Started != nil {
		out["started"] = r.Started.Model
	}
	if r.Finished != nil {
		out["finished"] = r.Finished.Status
		out["ended"] = []int64{r.End.At, int64(r.End.ReusedSteps), int64(r.End.Steps), r.End.Saved}
		out["duration"] = r.End.At
	}
	if r.Code != nil {
		texts := []string{}
		for _, k := range r.Code.Kernels {
			texts = append(texts, k.Text)
		}
		out["code"] = texts
	}
	return out
}

// functions returns a list that is never nil.
func functions(list []event.Function) []event.Function { return append([]event.Function{}, list...) }

// sorted returns times, shortest first; never nil.
func sorted(times []int64) []int64 {
	out := append([]int64{}, times...)
	slices.Sort(out)
	return out
}

// aged returns a log without what the first version of the format lacked.
func aged(log []event.Event) []event.Event {
	var out []event.Event
	for _, e := range log {
		enc, err := event.Encode(e)
		if err != nil {
			panic(err)
		}
		var m map[string]any
		if err := json.Unmarshal(enc.Line, &m); err != nil {
			panic(err)
		}
		delete(m, "measured")
		body := m["body"].(map[string]any)
		for _, key := range []string{"metrics", "history", "rewrites", "renamed", "moved"} {
			delete(body, key)
		}
		if fs, ok := body["functions"].([]any); ok {
			for _, f := range fs {
				delete(f.(map[string]any), "metrics")
			}
		}
		data, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		old, err := event.Decode(data)
		if err != nil {
			panic(err)
		}
		out = append(out, old)
	}
	return out
}

// recorded lists the logs of testdata.
func recorded(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.jsonl.gz")
	if err != nil || len(names) < 4 {
		t.Fatalf("testdata has the logs %v (%v)", names, err)
	}
	return names
}

func readLog(t *testing.T, name string) []event.Event {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []event.Event
	lines := bufio.NewScanner(z)
	for lines.Buffer(nil, 16<<20); lines.Scan(); {
		e, err := event.Decode(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
