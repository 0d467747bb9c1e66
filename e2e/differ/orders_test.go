package differ

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
)

// TestOrders compiles graphs by the pipelines default and relay as they are, and with passes left out, moved, repeated, and put in, whether or not
// the page warns of it. The program computes the same, or the compiler says what is wrong with the order: no pass panics.
func TestOrders(t *testing.T) {
	e := &engines{}
	t.Cleanup(func() { e.close(t) })
	others := slices.DeleteFunc(pipeline.All(), func(p *pass.Pass) bool {
		return slices.Contains(another, p.Name) || slices.Contains(gpuOnly, p.Name)
	})
	same, refused := 0, 0
	seed.Each(t, seed.Cases(30, 1000), func(t *testing.T, r *rand.Rand) {
		d := newDraw(r)
		drawers[pick(d, "images", "images", "rows", "rows", "mixed", "sizes", "control", "quantized")](d)
		d.tol.rel, d.tol.ofMax, d.tol.abs = max(d.tol.rel, 1e-3), max(d.tol.ofMax, 2e-4), max(d.tol.abs, 1e-4)
		x, err := d.ordered(t, e)
		if err != nil {
			t.Skip(err)
		}
		whole := pick(d, "default", pipeline.Relay)
		for i := range 4 {
			p, err := pipeline.Lookup(whole, x.to)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				p = pass.NewSequential("order", d.disorder(p, others)...)
			}
			level, verify := d.IntN(4), d.chance(0.5)
			names := pipeline.Flatten(p)
			got, err := x.run(t, d, p, level, verify)
			var failed *pass.Error
			switch {
			case err != nil && (i == 0 || errors.As(err, &failed) && failed.Stack != ""):
				t.Fatalf("%v\ntarget %s, level %d, %v\n%s", err, x.to, level, names, d.text())
			case err != nil:
				refused++
				continue
			}
			same++
			for k := range got {
				for i, y := range got[k] {
					if wrong := d.differ(y, x.want[k][i]); wrong != "" {
						t.Fatalf("output %d of set %d: %s\ntarget %s, level %d, %v\n%v\n%s\n%s", i, k, wrong, x.to, level, names, pipeline.CheckOrder(names), d.text(), passtest.Text(x.m))
					}
				}
			}
		}
	})
	t.Logf("%d programs computed the same, %d orders were refused", same, refused)
}

// ordered is a module that orders of passes are tried on.
type ordered struct {
	m    *ir.Module
	to   target.Target
	eng  *runtime.Engine
	want [][]*tensor.Tensor
}

// ordered imports the model. What it computes is that of the whole pipeline.
func (d *draw) ordered(t *testing.T, e *engines) (*ordered, error) {
	pb, err := onnxpb.Read(d.begin().Bytes(), onnxpb.Options{})
	if err != nil {
		return nil, err
	}
	x := &ordered{eng: e.get(t, d)}
	if x.m, err = onnx.Import(t.Context(), pb, onnx.Options{}); err != nil {
		return nil, err
	}
	if x.to, err = target.Parse(pick(d, "x86", "x86", "wasm", "interp")); err != nil {
		return nil, err
	}
	if x.to.Kind().Name == "x86" {
		if x.to, err = compiler.ForMachine(x.to); err != nil {
			return nil, err
		}
	}
	p, err := pipeline.Lookup("default", x.to)
	if err != nil {
		return nil, err
	}
	x.want, err = x.run(t, d, p, pass.DefaultOptLevel, false)
	return x, err
}

// run compiles the module by a pipeline and runs it with each set of inputs.
func (x *ordered) run(t *testing.T, d *draw, p *pass.Pass, level int, verify bool) (out [][]*tensor.Tensor, err error) {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v\n%v\n%s", r, pipeline.Flatten(p), debug.Stack())
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	req := compiler.Request{Module: x.m, Target: x.to, Pipeline: p, OptLevel: &level}
	if verify {
		req.Instruments = []*pass.Instrument{instruments.WellFormed(false)}
	}
	res, err := compiler.Compile(t.Context(), req)
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	prog, err := res.Artifact.Open(t.Context(), x.eng, runtime.DeviceOptions{}, vm.Options{})
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

// disorder changes some places of a pipeline.
func (d *draw) disorder(whole *pass.Pass, others []*pass.Pass) []*pass.Pass {
	list := steps(whole)
	if off := pick(d, 0, 0.1, 0.5); off > 0 {
		list = slices.DeleteFunc(list, func(p *pass.Pass) bool { return !p.Lowering && d.chance(off) })
	}
	for range 1 + d.IntN(3) {
		i := d.IntN(len(list))
		switch p := list[i]; d.IntN(4) {
		case 0: // moved
			list = slices.Delete(list, i, i+1)
			to := d.IntN(len(list) + 1)
			if d.chance(0.5) {
				to = min(max(i+d.IntN(7)-3, 0), len(list))
			}
			list = slices.Insert(list, to, p)
		case 1: // repeated
			list = slices.Insert(list, d.IntN(len(list)+1), p)
		default:
			list = slices.Insert(list, i, pick(d, others...))
		}
	}
	return list
}

// steps lists the passes of a pipeline without its phases.
func steps(whole *pass.Pass) (out []*pass.Pass) {
	for _, p := range whole.Children {
		if p.Kind == pass.Sequential && !slices.Contains(pipeline.All(), p) {
			out = append(out, steps(p)...)
			continue
		}
		out = append(out, p)
	}
	return out
}
