package driver

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/linediff"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// opened opens a request whose run began an hour ago, which tells the time since then from what anything took.
func (s *stage) opened(q Request, d *diary) *Task {
	s.Helper()
	job, err := s.resolve(s.Context(), q, d)
	if err != nil {
		s.Fatal(err)
	}
	task, err := Open(s.Context(), job, d, s.hooks(q, d))
	if err != nil {
		s.Fatal(err)
	}
	task.start = time.Now().Add(-time.Hour)
	return task
}

// compile compiles a request.
func (s *stage) compile(q Request, d *diary) *Task {
	s.Helper()
	task := s.opened(q, d)
	if err := task.Compile(s.Context()); err != nil {
		s.Fatal(err)
	}
	return task
}

// TestTheCodeThatIsReported lists the kernels by name, with their texts, lines and bytes, and what they were made from.
func TestTheCodeThatIsReported(t *testing.T) {
	s := newStage(t)
	d := &diary{}
	c := s.compile(s.text(graphModule(
		"def main(x: "+vector+") -> "+vector+":",
		"    a = R.exp(x)", "    b = R.call_tir(cls.Zeta, (a,), out_sinfo="+vector+")", "    c = R.call_tir(cls.alpha, (b,), out_sinfo="+vector+")", "    return c",
		"@T.prim_func(private=True)", `def Zeta(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):`, "    for i in range(4):", "        B[i] = A[i] + T.float32(1)",
		"@T.prim_func(private=True)", `def alpha(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):`, "    for i in range(4):", "        B[i] = A[i] + T.float32(2)",
	)), d)
	got := body[*event.CodeGenerated](t, d)
	want := &event.CodeGenerated{Target: "wasm", VM: event.HashText(c.Result.Artifact.Exec.AsText())}
	for _, m := range c.Result.Artifact.Modules {
		want.Bytes += int64(len(m.Bytes))
	}
	for _, k := range c.Result.Kernels {
		of := linediff.Lines(c.snaps.Of(k.Name, c.Result.Module.Lookup(k.Name)).Text)
		text := unnumbered(t, d, got, k.Name, func(line string, n int) {
			if strings.Contains(line, "(f32.store") && (n > len(of) || !strings.Contains(of[n-1], " = ")) {
				t.Errorf("%s: %s names line %d of\n%s", k.Name, line, n, strings.Join(of, "\n"))
			}
		})
		if text != k.Text() {
			t.Errorf("%s: the text is\n%s\nwant\n%s", k.Name, text, k.Text())
		}
		want.Kernels = append(want.Kernels, event.Kernel{Name: k.Name, Language: event.LangWAT, Lines: len(linediff.Lines(k.Text())), Bytes: int64(k.Bytes)})
	}
	slices.SortFunc(want.Kernels, func(a, b event.Kernel) int { return strings.Compare(a.Name, b.Name) })
	for i := range got.Kernels {
		want.Kernels[i].Text = got.Kernels[i].Text
	}
	want.History = got.History
	if len(want.Kernels) != 3 || want.Kernels[0].Name != "Zeta" || !reflect.DeepEqual(got, want) {
		t.Errorf("the code is %+v, want %+v", got, want)
	}
	if d.langs[got.VM] != event.LangVM || d.langs[got.History] != event.LangHistory || d.langs[got.Kernels[0].Text] != event.LangWAT {
		t.Errorf("the texts are of the languages %q, %q and %q", d.langs[got.VM], d.langs[got.History], d.langs[got.Kernels[0].Text])
	}
	e := d.events[len(d.events)-1]
	if e.Step != "" || e.Measured.At < int64(time.Hour) || e.Measured.Total <= 0 || e.Measured.Total >= int64(time.Hour) {
		t.Errorf("the code was made in %d ns, %d ns after the start", e.Measured.Total, e.Measured.At)
	}
}

// TestKernelsAloneHaveNoMachineCode: what the virtual machine has nothing to do for has no listing, not an empty one.
func TestKernelsAloneHaveNoMachineCode(t *testing.T) {
	s := newStage(t)
	d := &diary{}
	s.compile(s.text(strings.Join([]string{
		"from tvm.script import tir as T", "@T.prim_func", `def alone(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):`,
		"    for i in range(4):", "        B[i] = A[i] + T.float32(1)", "",
	}, "\n")), d)
	if got := body[*event.CodeGenerated](t, d); got.VM != "" || len(got.Kernels) != 1 {
		t.Errorf("the code is %+v, want one kernel alone", got)
	}
}

// unnumbered is the text of a kernel without the numbers at the ends of its lines. It calls on for each line that has one.
func unnumbered(t *testing.T, d *diary, code *event.CodeGenerated, name string, on func(line string, n int)) string {
	t.Helper()
	i := slices.IndexFunc(code.Kernels, func(k event.Kernel) bool { return k.Name == name })
	if i < 0 {
		t.Fatalf("no kernel %s", name)
	}
	var out strings.Builder
	found := 0
	for _, line := range linediff.Lines(d.texts[code.Kernels[i].Text]) {
		if at := regexp.MustCompile(` *;; (\d+)$`).FindStringSubmatchIndex(line); at != nil {
			found++
			n, _ := strconv.Atoi(line[at[2]:at[3]])
			line = line[:at[0]]
			on(line, n)
		}
		out.WriteString(line + "\n")
	}
	if found == 0 {
		t.Errorf("no line of %s has a number", name)
	}
	return out.String()
}

// executions runs a request and returns the events of its executions.
func (s *stage) executions(q Request) ([]event.Event, error) {
	s.Helper()
	d := &diary{}
	err := s.Run(s.Context(), q, d)
	return slices.DeleteFunc(d.events, func(e event.Event) bool { return e.Type != event.TypeExecuted }), err
}

// TestExecutionsOfAGraph: one for each binding, in order, with seeded inputs, named outputs and times.
func TestExecutionsOfAGraph(t *testing.T) {
	s := newStage(t)
	q := s.text(graphModule(
		`def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32")) -> R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor(("n",), dtype="float32")):`,
		"    a = R.add(x, y)", "    b = R.subtract(x, y)", "    return (a, b)",
	))
	m, err := s.open(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	m.Module = m.Module.WithAttrs(ir.NewAttrs(ir.AttrOutputNames, []ir.Value{"sum"}))
	q.Settings.Bindings = []map[string]int64{{"n": 3}, {"n": 20}, {}}
	q.Settings.Seed = 5
	evs, err := s.executions(q)
	if err != nil || len(evs) != 3 {
		t.Fatalf("there are %d executions (%v)", len(evs), err)
	}
	for i, e := range evs {
		b := e.Body.(*event.Executed)
		n := []int{3, 20, 1}[i]
		if b.Function != "main" || !reflect.DeepEqual(b.Bindings, q.Settings.Bindings[i]) || len(b.Inputs) != 2 || len(b.Outputs) != 2 || e.Step != "" {
			t.Fatalf("execution %d is %+v", i, b)
		}
		for k, in := range b.Inputs {
			// Input k is random from the seed and its number.
			x := tensor.MustNew(dtype.Float32T, int64(n))
			x.Random(uint64(5 + k))
			if want := describe([]string{"x", "y"}[k], x, "seed 5"); !reflect.DeepEqual(in, want) {
				t.Errorf("input %d is %+v, want %+v", k, in, want)
			}
		}
		for k, out := range b.Outputs {
			if out.Name != []string{"sum", "output 1"}[k] || out.Source != "" || !slices.Equal(out.Shape, []int64{int64(n)}) || len(out.First) != min(n, 16) {
				t.Errorf("output %d is %+v", k, out)
			}
			for j, got := range out.First {
				x, y := float64(b.Inputs[0].First[j]), float64(b.Inputs[1].First[j])
				if want := []float64{x + y, x - y}[k]; math.Abs(float64(got)-want) > 1e-6 {
					t.Errorf("element %d of output %d is %v, want %v", j, k, got, want)
				}
			}
		}
		m := e.Measured
		if m.At <= 0 || m.Compile <= 0 || m.Compile > m.At || len(m.Latency) < 1 || len(m.Latency) > 5 {
			t.Errorf("execution %d is measured as %+v", i, m)
		}
		for _, l := range m.Latency {
			if l <= 0 || l > m.At {
				t.Errorf("an execution took %d ns", l)
			}
		}
		if m.Compile != evs[0].Measured.Compile {
			t.Error("loading the program once took different times")
		}
	}
	// Without bindings it runs once, with ones.
	q.Settings.Bindings = nil
	if evs, err = s.executions(q); err != nil || len(evs) != 1 || evs[0].Body.(*event.Executed).Bindings != nil || evs[0].Body.(*event.Executed).Inputs[1].Shape[0] != 1 {
		t.Errorf("without bindings there are the executions %+v (%v)", evs, err)
	}
}

// TestProgramsThatFail end the run with the function, and what was called.
func TestProgramsThatFail(t *testing.T) {
	s := newStage(t)
	q := s.text(graphModule(
		`def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor((5,), dtype="float32"):`, `    y = R.match_cast(x, R.Tensor((5,), dtype="float32"))`, "    return y",
	))
	q.Settings.Bindings = []map[string]int64{{"n": 5}, {"n": 6}, {"n": 5}}
	evs, err := s.executions(q)
	var e *event.Error
	if !errors.As(err, &e) || e.Kind != event.KindExecute || e.Function != "main" || e.Limit != "" || !strings.Contains(e.Message, "6") || len(evs) != 1 {
		t.Errorf("a shape that does not fit ends with %+v after %d executions", err, len(evs))
	}
	// What cannot be made up is named.
	q.Settings.Bindings = []map[string]int64{{"n": -1}}
	_, err = s.executions(q)
	wantError(t, err, event.Error{Kind: event.KindInput, Message: "input x: dimension n is -1"})

	// The memory of the device is what the run may have, but at least a MiB.
	big := s.text(graphModule(
		`def main(x: R.Tensor((262144,), dtype="float32")) -> R.Tensor((262144,), dtype="float32"):`, "    y = R.add(x, x)", "    return y",
	))
	big.Memory = 1 << 20
	if _, err = s.executions(big); !errors.As(err, &e) || e.Kind != event.KindLimit || e.Limit != "memory" {
		t.Errorf("two tensors of a MiB each in one MiB give %+v", err)
	}
	big.Memory = 8 << 20
	if _, err = s.executions(big); err != nil {
		t.Errorf("in eight MiB they give %v", err)
	}
	big.Memory = 1<<20 - 1
	_, err = s.executions(big)
	wantError(t, err, event.Error{Kind: event.KindInput, Message: "input x: it takes 1 MiB, and a run is limited to 0 MiB"})
	none := s.text(graphModule("def main() -> "+vector+":", `    y = R.add(R.const(1, "float32"), R.zeros((4,), "float32"))`, "    return y"))
	none.Memory = 0
	if evs, err := s.executions(none); err != nil || fmt.Sprint(evs[0].Body.(*event.Executed).Outputs[0].First) != "[1 1 1 1]" {
		t.Errorf("a program without inputs and memory gives %+v (%v)", evs, err)
	}
}

// TestNaNsOfATensorAreCounted, and shown where they are among the first elements.
func TestNaNsOfATensorAreCounted(t *testing.T) {
	x := tensor.MustNew(dtype.Float32T, 2, 10)
	for i := range x.Len() {
		x.SetFloat(i, float64(i))
	}
	for _, i := range []int{3, 18, 19} {
		x.SetFloat(i, math.NaN())
	}
	got := describe("x", x, "s")
	if got.NaNs != 3 || len(got.First) != 16 || !math.IsNaN(float64(got.First[3])) || got.First[4] != 4 || !slices.Equal(got.Shape, []int64{2, 10}) {
		t.Errorf("it is described as %+v", got)
	}
}

// TestCodeForTheSizesOfARun is kept by the model, the settings and the sizes, and computes what the code for all sizes does.
func TestCodeForTheSizesOfARun(t *testing.T) {
	s := newStage(t)
	s.fixedFor = time.Hour
	q := s.text(graphModule(`def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):`, "    y = R.add(x, x)", "    return y"))
	q.Settings.Bindings = []map[string]int64{{"n": 3}}
	fixed := func(q Request) *event.Fixed {
		t.Helper()
		evs, err := s.executions(q)
		if err != nil || len(evs) != 1 {
			t.Fatalf("there are %d executions (%v)", len(evs), err)
		}
		return evs[0].Measured.Fixed
	}
	first := fixed(q)
	if first == nil || first.Sizes["n"] != 3 || len(first.Sizes) != 1 || first.Reused || first.Compile <= 0 || len(first.Latency) < 1 || len(first.Latency) > 5 {
		t.Fatalf("the first run says %+v", first)
	}
	change := func(f func(q *Request)) Request { q := q; f(&q); return q }
	for what, c := range map[string]struct {
		q      Request
		reused bool
	}{
		"seed":  {change(func(q *Request) { q.Settings.Seed = 9 }), true},
		"size":  {change(func(q *Request) { q.Settings.Bindings = []map[string]int64{{"n": 4}} }), false},
		"level": {change(func(q *Request) { q.Settings.OptLevel = 1 }), false},
		"name":  {change(func(q *Request) { q.Source.Name = "other.py" }), false},
		"pass":  {change(func(q *Request) { q.Settings.Disabled = []string{"FuseOps"} }), false},
	} {
		if got := fixed(c.q); got == nil || got.Reused != c.reused {
			t.Errorf("with another %s it says %+v, want reused %t", what, got, c.reused)
		}
		if got := fixed(c.q); got == nil || !got.Reused {
			t.Errorf("with another %s once more it says %+v", what, got)
		}
	}
	for what, none := range map[string]Request{
		"a script": change(func(q *Request) { q.Settings.Scripts = []request.Script{{Name: "a.star", Source: "x = 1\n"}} }),
		"an edit":  change(func(q *Request) { q.Settings.Patches = []request.Patch{{After: "Nothing", Text: "# a"}} }),
		"no size":  s.text(doubled()),
	} {
		if got := fixed(none); got != nil {
			t.Errorf("with %s it says %+v", what, got)
		}
	}
	s.fixedFor = 1
	if got := fixed(q); got != nil {
		t.Errorf("without time it says %+v", got)
	}
}

// TestInputsThatNoMemoryHolds are refused before any is taken.
func TestInputsThatNoMemoryHolds(t *testing.T) {
	for _, shape := range [][]int64{{1 << 40, 1 << 40}, {1 << 62, 4}} {
		p := artifact.Param{Name: "x", Type: artifact.Tensor(dtype.Float32T, artifact.Static(shape...)...)}
		if got, _, err := randomInput(p, nil, math.MaxInt64, 1, false); err == nil || got != nil {
			t.Errorf("%v becomes %v", shape, got)
		}
	}
}
