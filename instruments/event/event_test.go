package event_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
)

// all returns one event of each type, with every part set somewhere.
func all() []event.Event {
	fault := event.Error{Kind: event.KindPass, Message: "no rule for <op> & \"x\"", Pass: "LegalizeOps", Function: "main", Op: "relax.foo"}
	m := &event.Measured{At: 12, Total: 3, Self: 2, Latency: []int64{5, 6}}
	return []event.Event{
		event.New("", "", &event.RunStarted{
			Model: "mlp", Target: "wasm", OptLevel: 2, Pipeline: "default", Module: event.HashText("m"),
			Functions: []event.Function{{Name: "main", Kind: "relax", Text: event.HashText("t"), Lines: 3}},
			Plan:      []event.PlanStep{{Step: "1/FuseOps", Name: "FuseOps", Role: event.RoleOptional, Kind: "module"}},
			Metrics:   &event.Metrics{Functions: 1, Ops: map[string]int{"relax.add": 2, "relax.matmul": 1}},
		}, m),
		event.New("", "", &event.FunctionsSeen{Functions: []event.Function{{Name: "f", Kind: "function", Text: event.HashText("f"), Lines: 1}}}, nil),
		event.New("1/FuseOps", "", &event.PassStarted{Name: "FuseOps", Role: event.RoleOptional, Kind: "module"}, nil),
		event.New("1/FuseOps", "", &event.PassFinished{
			Name: "FuseOps", Changed: true, Same: 4,
			Functions: []event.FunctionChange{{Name: "main", Change: event.FunctionChanged, Hunks: []event.Hunk{{Before: 1, After: 1, Lines: []string{"-a", "+b < c"}}}}},
		}, m),
		event.New("2/X", "", &event.PassSkipped{Name: "X", Reason: event.ReasonOptLevel, Text: "level 3 > opt_level 2"}, nil),
		event.New("3/Y", "2/X", &event.PassFailed{Name: "Y", Error: fault}, m),
		event.New("3/Y", "", &event.Diagnostic{Severity: event.SeverityError, Message: "bad", Span: &event.Span{Source: "a.onnx", Line: 2}}, nil),
		event.New("", "", &event.CodeGenerated{Target: "wasm", Kernels: []event.Kernel{{Name: "k", Language: event.LangWAT, Text: event.HashText("k")}}}, m),
		event.New("", "", &event.Executed{
			Function: "main", Bindings: map[string]int64{"batch": 3},
			Outputs: []event.Tensor{{Name: "y", Shape: []int64{}, First: []event.Float{0.1, event.Float(math.Inf(-1))}, Max: event.Float(math.Inf(1))}},
		}, m),
		event.New("", "", &event.RunFinished{Status: event.StatusFailed, Error: &fault, Failed: 1}, m),
	}
}

func TestEventsSurviveTheWire(t *testing.T) {
	seen := map[event.Type]bool{}
	for i, e := range all() {
		e.Seq, e.Reused = i, i%2 == 0
		enc, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		line := enc.Line
		if bytes.ContainsRune(line, '\n') {
			t.Errorf("%s is more than one line", e.Type)
		}
		back, err := event.Decode(line)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, e) {
			t.Errorf("%s came back as\n%+v\nwant\n%+v", e.Type, back, e)
		}
		plain, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal(plain, &a) != nil || json.Unmarshal(line, &b) != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s: Encode gives %s, encoding/json %s", e.Type, line, plain)
		}
		seen[e.Type] = true
	}
	if len(seen) != 10 {
		t.Errorf("the test knows %d types of events, want 10", len(seen))
	}
}

func TestNaNSurvivesTheWire(t *testing.T) {
	enc, err := event.Encode(event.New("", "", &event.Executed{Outputs: []event.Tensor{{Mean: event.Float(math.NaN())}}}, nil))
	if err != nil || !strings.Contains(string(enc.Line), `"mean":"NaN"`) {
		t.Fatalf("got %s, error %v", enc.Line, err)
	}
	back, err := event.Decode(enc.Line)
	if err != nil || !math.IsNaN(float64(back.Body.(*event.Executed).Outputs[0].Mean)) {
		t.Errorf("NaN came back as %+v, error %v", back, err)
	}
	var f event.Float
	if err := json.Unmarshal([]byte(`"seven"`), &f); err == nil {
		t.Error(`"seven" was read as a number`)
	}
}

func TestDecodeNamesWhatIsWrong(t *testing.T) {
	for in, want := range map[string]string{
		`{"seq":3,"type":"pass_vanished","body":{}}`: `unknown type "pass_vanished"`,
		`{"seq":3,"type":"pass_started"}`:            "has no body",
		`{"seq":3,"type":"pass_started","body":[]}`:  "body of event 3",
		`{"seq":3,`: "unexpected end",
		`{"seq":4,"type":"run_finished","body":{"same":"x"}}`: "run_finished",
	} {
		if _, err := event.Decode([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Decode(%s) gives %v, want an error with %q", in, err, want)
		}
	}
}

func TestHashCoversBodiesOnly(t *testing.T) {
	sum := func(change func(*event.Event)) string {
		h := event.NewHasher()
		for i, e := range all() {
			e.Seq = i
			change(&e)
			enc, err := event.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			h.Add(enc)
		}
		return h.Sum()
	}
	want := sum(func(*event.Event) {})
	if got := sum(func(e *event.Event) { e.Measured, e.Reused = &event.Measured{At: 99}, true }); got != want {
		t.Error("the hash depends on what was measured")
	}
	for name, change := range map[string]func(*event.Event){
		"body": func(e *event.Event) {
			if b, ok := e.Body.(*event.PassFinished); ok {
				b.Same++
			}
		},
		"step":   func(e *event.Event) { e.Step += "x" },
		"number": func(e *event.Event) { e.Seq++ },
	} {
		if sum(change) == want {
			t.Errorf("the hash does not depend on the %s", name)
		}
	}
}

func TestArrangeKeepsTheLimits(t *testing.T) {
	change := func(name string, bytes int) event.FunctionChange {
		return event.FunctionChange{Name: name, Added: bytes, Hunks: []event.Hunk{{Lines: []string{"+" + strings.Repeat("x", bytes)}}}}
	}
	p := &event.PassFinished{Functions: []event.FunctionChange{change("small", 10), change("huge", event.MaxFunctionHunks+1)}}
	for i := range 8 {
		p.Functions = append(p.Functions, change(string(rune('a'+i)), 12<<10))
	}
	p.Arrange()
	if p.Functions[0].Name != "huge" || !p.Functions[0].Truncated || p.Functions[0].Hunks != nil {
		t.Errorf("first is %s, truncated %t; want huge, cut", p.Functions[0].Name, p.Functions[0].Truncated)
	}
	total, cut := 0, 0
	for _, f := range p.Functions {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				total += len(l)
			}
		}
		if f.Truncated {
			cut++
		}
	}
	if total > event.MaxEventHunks || total < event.MaxEventHunks/2 || !p.Truncated || cut != 4 {
		t.Errorf("%d bytes of hunks, %d functions cut, truncated %t; want at most %d bytes, 4 cut", total, cut, p.Truncated, event.MaxEventHunks)
	}
	if last := p.Functions[len(p.Functions)-1]; last.Name != "small" || last.Truncated {
		t.Errorf("the smallest function lost its hunks: %+v", last)
	}
}

func TestTextsNamesEveryHash(t *testing.T) {
	if got := event.Texts(all()[0]); len(got) != 1 || got[0] != event.HashText("t") || !event.IsHash(got[0]) {
		t.Errorf("texts of run_started are %q", got)
	}
	if event.IsHash("../../etc/passwd") || event.IsHash(strings.Repeat("G", event.HashLen)) {
		t.Error("what is not a hash passes for one")
	}
}
