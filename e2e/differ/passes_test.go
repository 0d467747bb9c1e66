package differ

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
)

// another lists passes after which main takes or gives something else, and relay.FuseOps, whose functions are for passes on Relay.
var another = strings.Fields("DecomposeOpsForTraining relay.FuseOps LazyGetInput LazySetOutput LazyTransformParams BundleModelParams LiftTransformParams RemoveUnusedOutputs RemoveUnusedParameters tir.MakeUnpackedAPI tir.Filter relay.FirstOrderGradient relay.ToMixedPrecision ToMixedPrecision")

// gpuOnly lists passes that make kernels of GPUs.
var gpuOnly = strings.Fields("tir.DefaultGPUSchedule tir.RemapThreadAxis tir.InjectTextureAlloc tir.TextureFlatten")

// TestPasses runs graphs through the passes of the default pipeline up to a place, and there through passes that are not in it, each alone: the rest of the pipeline makes the same of it.
func TestPasses(t *testing.T) {
	e := &engines{}
	t.Cleanup(func() { e.close(t) })
	optional := slices.DeleteFunc(pipeline.All(), func(p *pass.Pass) bool {
		return p.Lowering || slices.Contains(another, p.Name) || slices.Contains(gpuOnly, p.Name)
	})
	if list := os.Getenv("DIFFER_PASSES"); list != "" {
		optional = slices.DeleteFunc(optional, func(p *pass.Pass) bool { return !slices.Contains(strings.Split(list, ","), p.Name) })
	}
	changed, refused := map[string]int{}, map[string]int{}
	seed.Each(t, 25, func(t *testing.T, r *rand.Rand) {
		d := newDraw(r)
		drawers[pick(d, "images", "images", "rows", "rows", "mixed", "sizes", "control", "quantized")](d)
		d.tol.rel, d.tol.ofMax, d.tol.abs = max(d.tol.rel, 1e-3), max(d.tol.ofMax, 2e-4), max(d.tol.abs, 1e-4)
		s, err := d.stage(t, e)
		if err != nil {
			t.Skip(err)
		}
		for range 40 {
			p := optional[r.IntN(len(optional))]
			if !s.allowed(p) {
				continue
			}
			out, err := s.c.Run(p, s.m)
			var failed *pass.Error
			if errors.As(err, &failed) && failed.Stack != "" {
				t.Fatalf("%s: %v\n%s", p.Name, err, passtest.Text(s.m))
			}
			if err != nil {
				refused[p.Name]++
				continue
			}
			if out == s.m {
				continue
			}
			out, _ = passtest.Check(t, s.c, p, s.m)
			changed[p.Name]++
			if err := s.same(t, d, out); err != nil {
				t.Fatalf("%s, at %s, target %s: %v\n%s\n--- before\n%s\n--- after\n%s", p.Name, s.ran, s.to, err, d.text(), passtest.Text(s.m), passtest.Text(out))
			}
		}
	})
	for _, p := range optional {
		t.Logf("%5d %5d %s", changed[p.Name], refused[p.Name], p.Name)
	}
}

// stage is a module on its way through the default pipeline.
type stage struct {
	to    target.Target
	level int
	c     *pass.Context
	m     *ir.Module
	ran   []string     // what the module has gone through
	rest  []*pass.Pass // what is to come
	eng   *runtime.Engine
	want  [][]*tensor.Tensor
}

// stage imports the model, and takes it so far as is drawn. What the program computes is that of the whole pipeline.
func (d *draw) stage(t *testing.T, e *engines) (*stage, error) {
	pb, err := onnxpb.Read(d.begin().Bytes(), onnxpb.Options{})
	if err != nil {
		return nil, err
	}
	s := &stage{eng: e.get(t, d)}
	if s.m, err = onnx.Import(t.Context(), pb, onnx.Options{}); err != nil {
		return nil, err
	}
	if s.to, err = target.Parse(pick(d, "x86", "x86", "wasm")); err != nil {
		return nil, err
	}
	if s.to.Kind().Name == "x86" {
		if s.to, err = compiler.ForMachine(s.to); err != nil {
			return nil, err
		}
	}
	s.level = d.IntN(4)
	req := compiler.Request{Module: s.m, Target: s.to, OptLevel: &s.level}
	if s.c, err = req.Context(t.Context()); err != nil {
		return nil, err
	}
	whole, err := pipeline.Lookup("default", s.to)
	if err != nil {
		return nil, err
	}
	s.rest = steps(whole)
	if s.want, err = s.run(t, d, s.m); err != nil { // what is no model, which ONNX Runtime tells in TestDiffer
		return nil, err
	}
	n := d.IntN(len(s.rest))
	if d.chance(0.5) {
		n = d.IntN(14) // before kernels are lowered
	}
	for _, p := range s.rest[:n] {
		if s.m, err = s.c.Run(p, s.m); err != nil {
			t.Fatal(err)
		}
		s.ran = append(s.ran, p.Name)
	}
	s.rest = s.rest[n:]
	return s, nil
}

// allowed reports whether a pass may come behind what ran, and before what is to come.
func (s *stage) allowed(p *pass.Pass) bool {
	if !pipeline.OnLoops(p.Name) && !slices.ContainsFunc(s.rest, func(q *pass.Pass) bool { return !pipeline.OnLoops(q.Name) }) {
		return false
	}
	for _, c := range pipeline.Constraints() {
		coming := slices.ContainsFunc(s.rest, func(q *pass.Pass) bool { return q.Name == c.Before })
		if c.After == p.Name && coming || c.Before == p.Name && slices.Contains(s.ran, c.After) {
			return false
		}
	}
	return true
}

// run takes a module through the rest of the pipeline, and runs it with each set of inputs.
func (s *stage) run(t *testing.T, d *draw, m *ir.Module) (out [][]*tensor.Tensor, err error) {
	res, err := compiler.Compile(t.Context(), compiler.Request{Module: m, Target: s.to, Pipeline: pass.NewSequential("rest", s.rest...), OptLevel: &s.level})
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	prog, err := res.Artifact.Open(t.Context(), s.eng, runtime.DeviceOptions{}, vm.Options{})
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	defer func() { err = errors.Join(err, prog.Close()) }()
	for _, args := range d.sets() {
		outs, err := prog.Run(t.Context(), "main", args...)
		if err != nil {
			return nil, fmt.Errorf("run: %w", err)
		}
		out = append(out, outs)
	}
	return out, nil
}

// same says how what a module computes differs.
func (s *stage) same(t *testing.T, d *draw, m *ir.Module) error {
	got, err := s.run(t, d, m)
	if err != nil {
		return err
	}
	for k := range got {
		for i, x := range got[k] {
			if wrong := d.differ(x, s.want[k][i]); wrong != "" {
				return fmt.Errorf("output %d of set %d: %s", i, k, wrong)
			}
		}
	}
	return nil
}
