package hostile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
)

// load reads and imports a file.
func load(ctx context.Context, data []byte) (*ir.Module, error) {
	m, err := onnxpb.Read(data, onnxpb.Options{})
	if err != nil {
		return nil, err
	}
	return onnx.Import(ctx, m, onnx.Options{})
}

// stage is how far a file came.
type stage string

const (
	atImport  stage = "import"
	atCompile stage = "compile"
	atRun     stage = "run"
	atEnd     stage = "end"
)

// through takes a file through everything and returns where it ended.
func through(ctx context.Context, eng *runtime.Engine, data []byte, list ...*pass.Instrument) (stage, error) {
	m, err := load(ctx, data)
	if err != nil {
		return atImport, err
	}
	res, err := compiler.Compile(ctx, compiler.Request{Module: m, Instruments: list})
	if err != nil {
		return atCompile, err
	}
	prog, err := res.Artifact.Open(ctx, eng, runtime.DeviceOptions{MaxBytes: 256 << 20}, vm.Options{})
	if err != nil {
		return atRun, err
	}
	defer func() { _ = prog.Close() }()
	args, err := zeros(res.Artifact.Function("main"))
	if err != nil {
		return atRun, err
	}
	if _, err = prog.Run(ctx, "main", args...); err != nil {
		return atRun, err
	}
	return atEnd, nil
}

// zeros makes tensors of zeros for the parameters of a function; symbolic dimensions are 3.
func zeros(sig *artifact.Signature) ([]*tensor.Tensor, error) {
	if sig == nil {
		return nil, errors.New("the program has no function main")
	}
	var out []*tensor.Tensor
	for _, p := range sig.Params {
		dt, err := dtype.Parse(p.Type.DType)
		if err != nil {
			return nil, err
		}
		var shape []int64
		for _, d := range p.Type.Shape {
			if d.Expr != "" {
				d.Value = 3
			}
			shape = append(shape, d.Value)
		}
		size, err := tensor.ByteSize(dt, shape)
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", p.Name, err)
		}
		if size > 256<<20 {
			return nil, fmt.Errorf("input %s: %d bytes are too many", p.Name, size)
		}
		t, err := tensor.New(dt, shape)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// engine returns an engine that is closed when the test ends.
func engine(tb testing.TB) *runtime.Engine {
	eng := compiler.NewEngine()
	tb.Cleanup(func() {
		if err := eng.Close(); err != nil {
			tb.Errorf("close the engine: %v", err)
		}
	})
	return eng
}

// judge compares how a file ended with what must come of it.
func (s specimen) judge(t *testing.T, where stage, err error) {
	t.Helper()
	ok := false
	switch s.want {
	case refused:
		ok = where == atImport && err != nil
	case fails:
		ok = err != nil
	case either:
		ok = true
	case works, imports:
		ok = err == nil
	}
	if !ok {
		t.Errorf("it ended at %s with %v", where, err)
	}
	if err != nil {
		s.clear(t, err.Error())
	}
}

// clear checks that a message is for people: one line, no panic, not endless, and that it
// says what it must.
func (s specimen) clear(t *testing.T, msg string) {
	t.Helper()
	if s.says != "" && !strings.Contains(msg, s.says) {
		t.Errorf("the error does not mention %q: %s", s.says, cut(msg))
	}
	for _, bad := range []string{"panic", "goroutine ", "runtime error", "nil pointer", "%!"} {
		if strings.Contains(msg, bad) {
			t.Errorf("the error speaks of %q: %s", bad, cut(msg))
		}
	}
	if len(msg) > 8<<10 {
		t.Errorf("the error has %d bytes: %s", len(msg), cut(msg))
	}
	for _, c := range msg {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			t.Errorf("the error holds the control character %q: %s", c, cut(msg))
			break
		}
	}
}

func cut(s string) string {
	if len(s) > 400 {
		return s[:400] + "..."
	}
	return s
}

// TestSpecimens takes every bad file through the facade.
func TestSpecimens(t *testing.T) {
	eng := engine(t)
	for _, s := range specimens() {
		t.Run(s.name, func(t *testing.T) {
			data := s.data()
			var where stage
			var err error
			used := within(t, "it", func() {
				if s.want == imports {
					where = atImport
					_, err = load(t.Context(), data)
					return
				}
				where, err = through(t.Context(), eng, data, instruments.WellFormed(false))
			})
			s.judge(t, where, err)
			t.Logf("%v, %d MiB, ended at %s: %s", used.time, used.heap>>20, where, cut(fmt.Sprint(err)))
		})
	}
}

// TestTruncatedFiles cuts models of the gallery at many bytes.
func TestTruncatedFiles(t *testing.T) {
	eng := engine(t)
	for _, g := range gallery.Models() {
		t.Run(g.Name, func(t *testing.T) {
			data := g.Bytes
			used := within(t, "all cuts together, a hundred", func() {
				for i := range 100 {
					at := i
					if i >= 50 {
						at = (i - 50) * len(data) / 50
					}
					where, err := through(t.Context(), eng, data[:at])
					if err == nil {
						t.Errorf("the first %d bytes of %d are taken for a model", at, len(data))
						continue
					}
					if where != atImport {
						t.Errorf("the first %d bytes of %d come to %s: %v", at, len(data), where, err)
					}
				}
			})
			t.Logf("100 cuts take %v", used.time)
		})
	}
}
