package driver

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// kernel calls the PrimFunc of a text and returns what the run says of it.
func (s *stage) kernel(text string, limit int64, bindings ...map[string]int64) (*diary, error) {
	s.Helper()
	q := s.text(text, "tir")
	q.Settings.Pipeline, q.Settings.Bindings, q.Settings.Seed, q.Memory = "tir", bindings, 3, limit
	d := &diary{}
	c := s.compile(q, d)
	d.events = nil
	return d, c.Execute(s.Context())
}

// loop is a PrimFunc over i with the given parameters and statements.
func loop(params string, lines ...string) string {
	return "@T.prim_func\ndef f(" + params + "):\n    for i in range(4):\n        " + strings.Join(lines, "\n        ") + "\n"
}

// TestCallsOfAPrimFunc: buffers are random, scalars are ones or what the binding says, and what is written is shown as the first
// call left it.
func TestCallsOfAPrimFunc(t *testing.T) {
	s := newStage(t)
	const mib = 1 << 20
	d, err := s.kernel(loop(`A: T.Buffer((4,), "float32"), k: T.int32, x: T.float32, b: T.bool, B: T.Buffer((4,), "float32")`,
		`A[i] = A[i] + T.float32(1)`, `B[i] = T.if_then_else(b, A[i] * T.Cast("float32", k) + x, T.float32(-9))`), 4*mib,
		nil, map[string]int64{"k": 3, "x": -2}, map[string]int64{"b": 0})
	if err != nil || len(d.events) != 3 {
		t.Fatalf("it says %v (%v)", d.says(), err)
	}
	for i, e := range d.events {
		b := e.Body.(*event.Executed)
		if b.Function != "f" || len(b.Inputs) != 5 || len(b.Outputs) != 2 || e.Step != "" {
			t.Fatalf("call %d is %+v", i, b)
		}
		k, x, on := []float64{1, 3, 1}[i], []float64{1, -2, 1}[i], i < 2
		for n, want := range []float64{0, k, x, map[bool]float64{true: 1}[on]} {
			if n == 0 {
				continue
			}
			v := event.Float(want)
			if want := (event.Tensor{
				Name: []string{"", "k", "x", "b"}[n], DType: []string{"", "int32", "float32", "bool"}[n], Shape: []int64{}, First: []event.Float{v}, Min: v, Max: v, Mean: v, Source: "a scalar",
			}); !reflect.DeepEqual(b.Inputs[n], want) {
				t.Errorf("input %d is %+v, want %+v", n, b.Inputs[n], want)
			}
		}
		a, last := b.Inputs[0], b.Inputs[4]
		if a.Name != "A" || last.Name != "B" || a.Source != "seed 3" || last.Source != "seed 3" || a.First[0] == last.First[0] {
			t.Errorf("the buffers are %+v and %+v", a, last)
		}
		// The buffer that stands fifth is random from the seed and 4.
		fifth := tensor.MustNew(dtype.Float32T, 4)
		fifth.Random(3 + 4)
		if want := describe("B", fifth, "seed 3"); !reflect.DeepEqual(last, want) {
			t.Errorf("B is %+v, want %+v", last, want)
		}
		if b.Outputs[0].Name != "A" || b.Outputs[1].Name != "B" || b.Outputs[0].Source != "" {
			t.Errorf("the results are %+v", b.Outputs)
		}
		for j, from := range a.First {
			after := float64(float32(from) + 1)
			if got := float64(b.Outputs[0].First[j]); got != after {
				t.Errorf("A at %d is %v, want %v", j, got, after)
			}
			want := after*k + x
			if !on {
				want = -9
			}
			if got := float64(b.Outputs[1].First[j]); got-want > 1e-5 || want-got > 1e-5 {
				t.Errorf("B at %d is %v, want %v", j, got, want)
			}
		}
		m := e.Measured
		if m.At < int64(time.Hour) || m.Compile <= 0 || m.Compile >= int64(time.Hour) || len(m.Latency) < 1 || len(m.Latency) > 5 || m.Latency[0] <= 0 || m.Latency[0] >= int64(time.Hour) {
			t.Errorf("call %d is measured as %+v", i, m)
		}
	}
	if d, err = s.kernel(loop(`A: T.Buffer((4,), "float32")`, "A[i] = T.float32(2)"), 4*mib); err != nil || len(d.events) != 1 || d.events[0].Body.(*event.Executed).Bindings != nil {
		t.Errorf("without bindings it says %v (%v)", d.says(), err)
	}
}

// TestCallsThatCannotBe say why, in a note where the arguments cannot be made up, and else as an error.
func TestCallsThatCannotBe(t *testing.T) {
	s := newStage(t)
	const mib = 1 << 20
	for _, c := range []struct {
		text  string
		limit int64
		note  string
	}{
		{loop(`A: T.Buffer((524288,), "float32")`, "A[i] = T.float32(2)"), mib, "f was not executed: buffer A: it takes 2 MiB, and a run is limited to 1 MiB"},
		{loop(`A: T.Buffer((4,), "float32"), n: T.int64, B: T.Buffer((n * 2,), "float32")`, "A[i] = T.float32(2)"), mib, "f was not executed: buffer B: its dimension n * 2 is computed from others; set the shape in shapes"},
	} {
		d, err := s.kernel(c.text, c.limit, nil, map[string]int64{"k": 1})
		if err != nil || len(d.events) != 1 {
			t.Fatalf("it says %v (%v)", d.says(), err)
		}
		if b, ok := d.events[0].Body.(*event.Diagnostic); !ok || b.Message != c.note || b.Severity != event.SeverityNote || b.Code != "execute" {
			t.Errorf("it says %+v, want %q", d.events[0].Body, c.note)
		}
	}
	// Sizes that fit one by one may not fit together.
	_, err := s.kernel(loop(`A: T.Buffer((262144,), "float32"), B: T.Buffer((262144,), "float32")`, "A[i] = B[i]"), mib)
	var e *event.Error
	if !errors.As(err, &e) || e.Kind != event.KindLimit || e.Limit != "memory" {
		t.Errorf("two buffers of a MiB each in one MiB give %v", err)
	}
	// A call that fails.
	if _, err := s.kernel(loop(`A: T.Buffer((4,), "int32"), k: T.int32`, "A[i] = A[i] // k"), mib, map[string]int64{"k": 0}); !errors.As(err, &e) || e.Kind != event.KindExecute {
		t.Errorf("a division by zero gives %v", err)
	}

	q := s.text(loneScale, "tir")
	q.Settings.Pipeline = "tir"
	c := s.compile(q, &diary{})
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("as asked")
	cancel(cause)
	if err := c.Execute(ctx); !errors.Is(err, cause) {
		t.Errorf("after the context has ended it fails with %v", err)
	}
	full := errors.New("full")
	c.sink = &tap{Sink: &diary{on: func(string) error { return full }}}
	if err := c.Execute(t.Context()); !errors.Is(err, full) {
		t.Errorf("a full sink gives %v", err)
	}
	two := *c.Result
	two.Kernels = append(two.Kernels, two.Kernels...)
	for res, n := range map[*compiler.Result]int{&two: 2, {Kernels: c.Result.Kernels, Artifact: &artifact.Artifact{}}: 1} {
		d := &diary{}
		c.Result, c.sink = res, &tap{Sink: d}
		if err := c.Execute(t.Context()); err != nil || len(d.events) != 1 {
			t.Fatalf("it says %v (%v)", d.says(), err)
		}
		want := fmt.Sprintf("scale was not executed: it became %d kernels whose call order is unknown", n)
		if b, ok := d.events[0].Body.(*event.Diagnostic); !ok || b.Message != want {
			t.Errorf("it says %+v, want %q", d.events[0].Body, want)
		}
	}
}

// TestTheEntryOfAModule: a public Relax function main, or a PrimFunc that stands alone.
func TestTheEntryOfAModule(t *testing.T) {
	one, other := loop(`A: T.Buffer((4,), "float32")`, "A[i] = T.float32(2)"), strings.Replace(loop(`A: T.Buffer((4,), "float32")`, "A[i] = T.float32(3)"), "def f", "def main", 1)
	graph := "@R.function\ndef main(x: " + vector + ") -> " + vector + ":\n    return x\n"
	for text, want := range map[string][2]string{
		one:                {"f", ""},
		other:              {"main", ""},
		one + "\n" + other: {"", "nothing to execute: no Relax function main"},
		graph:              {"", ""},
		graph + "\n" + one: {"", ""},
		strings.Replace(graph, "def main", "def g", 1) + "\n" + one:           {"", "nothing to execute: no Relax function main"},
		strings.Replace(graph, "@R.function", "@R.function(private=True)", 1): {"", "nothing to execute: the Relax function main is private"},
	} {
		m, found := parse.Module("m", text, parse.Options{})
		if len(found) > 0 {
			t.Fatalf("%s: %v", text, found)
		}
		name, f := lonePrimFunc(m)
		if name != want[0] || (f != nil) != (want[0] != "") {
			t.Errorf("the PrimFunc of\n%s is %q", text, name)
		}
		if f != nil && m.Lookup(name) != f {
			t.Errorf("the PrimFunc of\n%s is another", text)
		}
		if got := NothingToExecute(m); got != want[1] {
			t.Errorf("of\n%s it says %q, want %q", text, got, want[1])
		}
	}
}

// TestScalarsAndBuffersAsParameters: types and names as the runtime has them; no pointer can be made up.
func TestScalarsAndBuffersAsParameters(t *testing.T) {
	for _, c := range []struct {
		d    dtype.DType
		want string // the error
	}{
		{dtype.Int64T, ""},
		{dtype.UInt8T, ""},
		{dtype.Float64T, ""},
		{dtype.BoolT, ""},
		{dtype.HandleT, "parameter p is a handle without a buffer; only numbers and buffers can be generated"},
	} {
		for _, binding := range []map[string]int64{nil, {"q": 4}, {"p": 4}, {"p": 0}} {
			n := int64(1)
			if v, ok := binding["p"]; ok {
				n = v
			}
			a, err := scalar(tir.NewVar("p", c.d), binding)
			if c.want != "" {
				if err == nil || err.Error() != c.want {
					t.Errorf("%s gives %v, want %q", c.d, err, c.want)
				}
				continue
			}
			v := event.Float(n)
			if want := (event.Tensor{Name: "p", DType: c.d.String(), Shape: []int64{}, First: []event.Float{v}, Min: v, Max: v, Mean: v, Source: "a scalar"}); err != nil || !reflect.DeepEqual(a.summary, want) {
				t.Errorf("%s with %v is %+v (%v), want %+v", c.d, binding, a.summary, err, want)
			}
			if a.host != nil || a.device != nil {
				t.Errorf("%s has a tensor", c.d)
			}
		}
	}
	n := tir.NewSizeVar("n", dtype.Int64T)
	b := tir.NewBuffer("A", dtype.Int8T, []tir.Expr{tir.Int(3), n, tir.Mul(n, tir.Int(2))}, "")
	rank := 3
	want := artifact.Param{Name: "A", Type: artifact.Type{Kind: artifact.KindTensor, DType: "int8", NDim: &rank, Shape: []artifact.Dim{{Value: 3}, {Expr: "n"}, {Expr: "n * 2"}}}}
	if got := bufferParam(b); !reflect.DeepEqual(got, want) {
		t.Errorf("a buffer is %+v, want %+v", got, want)
	}
}

// TestParametersWithoutBuffers are scalars, also where the list of buffers is shorter than that of parameters.
func TestParametersWithoutBuffers(t *testing.T) {
	f := &tir.PrimFunc{Params: []*tir.Var{tir.NewVar("a", dtype.Int32T), tir.NewVar("b", dtype.Float32T)}, Buffers: []*tir.Buffer{nil}}
	task := &Task{Job: &Job{}}
	got, err := task.makeArguments(nil, "f", f, map[string]int64{"b": 3})
	if err != nil || len(got) != 2 || got[0].summary.Name != "a" || got[0].summary.Mean != 1 || got[1].summary.DType != "float32" || got[1].summary.Mean != 3 {
		t.Errorf("the arguments are %+v (%v)", got, err)
	}
	f.Params[1] = tir.NewVar("h", dtype.HandleT)
	var unfit *unfitError
	if _, err := task.makeArguments(nil, "f", f, nil); !errors.As(err, &unfit) || !strings.HasPrefix(err.Error(), "parameter h is a handle") {
		t.Errorf("a pointer gives %v", err)
	}
}
