package driver

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
)

// profiled runs a request and returns its profiles.
func (s *stage) profiled(q Request) []event.Profile {
	s.Helper()
	d := &diary{}
	if err := s.Run(s.Context(), q, d); err != nil {
		s.Fatal(err)
	}
	if _, err := event.Encode(d.events[len(d.events)-1]); err != nil {
		s.Fatal(err)
	}
	return event.Fold(d.events).Profiles
}

// reference is a model of the gallery, to be measured n times.
func reference(t *testing.T, name string, n int) Request {
	t.Helper()
	m, ok := gallery.Lookup(name)
	if !ok {
		t.Fatalf("the gallery has no model %s", name)
	}
	return Request{Source: Source{Name: name + ".onnx", Data: m.Bytes}, Settings: request.Settings{OptLevel: 2, Profile: n}}
}

// TestProfileOfTheCNN: the work is that of the model, the times add up, and the plan is that of StaticPlanBlockMemory.
func TestProfileOfTheCNN(t *testing.T) {
	s := newStage(t)
	all := s.profiled(reference(t, "cnn", 20))
	if len(all) != 1 {
		t.Fatalf("%d profiles", len(all))
	}
	p, times := all[0].Body, all[0].Times
	byName := map[string]event.ProfiledCall{}
	sum, kernels := times.Copies+times.Machine+times.Other, 0
	for i, c := range p.Calls {
		sum += times.Calls[i].Median
		if c.Kernel {
			byName[c.Name] = c
			kernels++
		}
		if times.Calls[i].Best > times.Calls[i].Median || c.Kernel != (times.Calls[i].Ideal > 0) {
			t.Errorf("%s: %+v", c.Name, times.Calls[i])
		}
	}
	if kernels != 8 || times.Runs != 20 || times.Best > times.Median || times.Took < 20*times.Best {
		t.Errorf("%d kernels in %d runs, median %d, best %d, measured in %d", kernels, times.Runs, times.Median, times.Best, times.Took)
	}
	if off := float64(sum)/float64(times.Median) - 1; off < -1e-9 || off > 0.05 {
		t.Errorf("the parts add up to %d, the whole is %d", sum, times.Median)
	}
	// 16 channels of 16x16 from 16 channels of 3x3, and two operations for each element after the convolution.
	conv := byName["fused_conv2d_add_relu_block1_conv1_Conv_conv2d1"]
	want := event.ProfiledCall{
		Name: conv.Name, Kernel: true, In: "main", Value: "block1_relu1_Relu", Count: 1,
		Flops: 16 * 16 * 16 * (2*16*9 + 2), Read: 4 * (16*16*16 + 16*16*9 + 16), Written: 4 * 16 * 16 * 16,
	}
	if conv != want {
		t.Errorf("the convolution is %+v, want %+v", conv, want)
	}
	if c := byName["softmax"]; c.Special != 10 || c.Flops == 0 {
		t.Errorf("softmax is %+v, want ten exponentials", c)
	}
	plan := p.Plan
	if plan.Peak != 96<<10 || plan.PeakFrom != 3 || plan.PeakTo != 3 || len(plan.Steps) != 8 || plan.Inputs != 4*3*32*32 || plan.Unplanned != 4*(16*32*32+3*16*16*16+32*8*8+32+10+10) {
		t.Errorf("the plan is %+v", plan)
	}
	relu := plan.Tensors[0]
	if relu.Name != "relu1_Relu" || !slices.Equal(relu.Shape, []int64{1, 16, 32, 32}) || relu.Maker != 0 || relu.LastUse != 1 || relu.To != 1 {
		t.Errorf("the first tensor is %+v", relu)
	}
	if reused := plan.Tensors[2]; reused.Name != "block1_relu1_Relu" || reused.Storage != relu.Storage {
		t.Errorf("the third tensor is %+v, not in the storage of the first", reused)
	}
}

// TestProfileIsDeterministic: two runs say the same but for their times, also when their steps are reused.
func TestProfileIsDeterministic(t *testing.T) {
	s := newStage(t)
	for _, name := range []string{"mlp", "transformer"} {
		first, second := s.profiled(reference(t, name, 1)), s.profiled(reference(t, name, 3))
		if len(first) != 1 || !reflect.DeepEqual(first[0].Body, second[0].Body) {
			t.Errorf("%s: %+v, then %+v", name, first[0].Body, second[0].Body)
		}
		for _, c := range first[0].Body.Calls {
			if c.Partial {
				t.Errorf("%s: the work of %s was not counted", name, c.Name)
			}
		}
	}
}

// TestProfileOfSymbolicShapes: sizes are those of the execution, and code for these sizes has the same work.
func TestProfileOfSymbolicShapes(t *testing.T) {
	s := newStage(t)
	flops := func(p event.Profile) (n int64) {
		for _, c := range p.Body.Calls {
			n += c.Flops
		}
		return n
	}
	q := reference(t, "batch", 1)
	q.Settings.Bindings = []map[string]int64{{"batch": 2}, {"batch": 6}}
	all := s.profiled(q)
	if len(all) != 2 || all[0].Body.Bindings["batch"] != 2 || flops(all[0]) == 0 || 3*flops(all[0]) != flops(all[1]) {
		t.Fatalf("%d profiles, of %d and %d operations", len(all), flops(all[0]), flops(all[1]))
	}
	const heap = 32 // of the symbolic dimensions, whatever they are
	if a, b := all[0].Body.Plan.Unplanned-heap, all[1].Body.Plan.Unplanned-heap; a <= 0 || 3*a != b {
		t.Errorf("the tensors take %d and %d bytes", a, b)
	}
	q.Settings.Bindings, q.Fixed = q.Settings.Bindings[:1], FixedInstead
	if fixed := s.profiled(q); flops(fixed[0]) != flops(all[0]) {
		t.Errorf("code for fixed sizes has %d operations, that for all sizes %d", flops(fixed[0]), flops(all[0]))
	}
}

// TestProfileIsOptIn: nothing is measured, and nothing kept, where nobody asks; a lone PrimFunc says that it has no calls.
func TestProfileIsOptIn(t *testing.T) {
	s := newStage(t)
	d := &diary{}
	if err := s.Run(s.Context(), reference(t, "mlp", 0), d); err != nil {
		t.Fatal(err)
	}
	for _, e := range d.events {
		if e.Type == event.TypeProfiled || e.Measured != nil && e.Measured.Profile != nil {
			t.Errorf("event %d is %s", e.Seq, e.Type)
		}
	}
	q := reference(t, "mlp", 0)
	q.Settings.Profile = request.MaxProfile + 1
	if _, err := q.Settings.Normalize(); err == nil {
		t.Error("a measurement of so many runs was allowed")
	}
}

// TestProfileStops: a measurement ends with its context, and says why.
func TestProfileStops(t *testing.T) {
	s := newStage(t)
	q := reference(t, "cnn", request.MaxProfile)
	q.Inputs.Repeat = 1 // no end but that of the context
	task := s.compile(q, &diary{})
	why := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, why)
	defer cancel()
	began := time.Now()
	if err := task.Execute(ctx); !errors.Is(err, why) || time.Since(began) > 20*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
