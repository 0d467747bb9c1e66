package bench

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
)

// light reads one of the published network graphs; it skips the benchmark where they are
// absent.
func light(b testing.TB, name string) []byte {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(onnxtest.Dir(b), "light", name+".onnx"))
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func importModel(b testing.TB, data []byte) *ir.Module {
	b.Helper()
	return importSized(b, data, nil)
}

// importSized is importModel with sizes for symbolic dimensions.
func importSized(b testing.TB, data []byte, sizes map[string]int64) *ir.Module {
	b.Helper()
	m, err := onnxpb.Read(data, onnxpb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	shapes := map[string][]onnx.Dim{}
	for name, size := range sizes {
		shapes[name] = []onnx.Dim{{Value: size}}
	}
	mod, err := onnx.Import(b.Context(), m, onnx.Options{Shapes: shapes})
	if err != nil {
		b.Fatal(err)
	}
	return mod
}

// program compiles a model and loads it, with random inputs.
func program(b *testing.B, data []byte) (*artifact.Program, []*tensor.Tensor) {
	b.Helper()
	prog, _, args := programFor(b, data, target.Default())
	return prog, args
}

// programFor is program for a target. It returns the names of the inputs, too.
func programFor(b *testing.B, data []byte, t target.Target) (*artifact.Program, []string, []*tensor.Tensor) {
	b.Helper()
	return programOf(b, importModel(b, data), t)
}

// programOf is programFor for a module.
func programOf(b *testing.B, mod *ir.Module, t target.Target) (*artifact.Program, []string, []*tensor.Tensor) {
	b.Helper()
	res, err := compiler.Compile(b.Context(), compiler.Request{Module: mod, Target: t})
	if err != nil {
		b.Fatal(err)
	}
	names, args := inputsOf(b, res)
	return load(b, res, 1), names, args
}

// load loads a compiled model in an engine of its own with so many threads.
func load(b testing.TB, res *compiler.Result, threads int) *artifact.Program {
	b.Helper()
	eng := compiler.NewEngineWith(compiler.EngineOptions{Threads: threads})
	prog, err := res.Artifact.Open(b.Context(), eng, runtime.DeviceOptions{}, vm.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := prog.Close(); err != nil {
			b.Error(err)
		}
		if err := eng.Close(); err != nil {
			b.Error(err)
		}
	})
	return prog
}

// inputsOf returns the names of the inputs of a model, and random tensors for them.
func inputsOf(b testing.TB, res *compiler.Result) (names []string, args []*tensor.Tensor) {
	b.Helper()
	for i, p := range res.Artifact.Function("main").Params {
		dt, err := dtype.Parse(p.Type.DType)
		if err != nil {
			b.Fatal(err)
		}
		var shape []int64
		for _, d := range p.Type.Shape {
			shape = append(shape, d.Value)
		}
		t, err := tensor.New(dt, shape)
		if err != nil {
			b.Fatal(err)
		}
		t.Random(uint64(i))
		names, args = append(names, p.Name), append(args, t)
	}
	return names, args
}

// sink takes events as the log of a run does, and drops them.
type sink struct{ events int }

// Emit implements event.Sink.
func (s *sink) Emit(e event.Event) error {
	s.events++
	_, err := event.Encode(e)
	return err
}

// Text implements event.Sink.
func (*sink) Text(_, text string) (string, error) { return event.HashText(text), nil }

// HashedText implements event.HashedSink.
func (*sink) HashedText(_, _, _ string) error { return nil }

// timed adds the processor time of the callbacks of an instrument to total.
func timed(in *pass.Instrument, total *time.Duration) *pass.Instrument {
	out := *in
	clock := func(f func(*ir.Module, *pass.Step) error) func(*ir.Module, *pass.Step) error {
		if f == nil {
			return nil
		}
		return func(m *ir.Module, s *pass.Step) error {
			start := processTime()
			defer func() { *total += processTime() - start }()
			return f(m, s)
		}
	}
	out.RunBeforePass, out.RunAfterPass = clock(in.RunBeforePass), clock(in.RunAfterPass)
	return &out
}

// stages adds up processor times by name and reports them as milliseconds for each turn.
type stages struct {
	names []string
	total map[string]time.Duration
}

// do runs f as a stage.
func (s *stages) do(name string, f func()) {
	start := processTime()
	f()
	s.add(name, processTime()-start)
}

func (s *stages) add(name string, d time.Duration) {
	if s.total == nil {
		s.total = map[string]time.Duration{}
	}
	if _, ok := s.total[name]; !ok {
		s.names = append(s.names, name)
	}
	s.total[name] += d
}

func (s *stages) report(b *testing.B) {
	for _, n := range s.names {
		b.ReportMetric(float64(s.total[n].Microseconds())/1000/float64(b.N), n+"-ms")
	}
}

func must(b testing.TB, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
