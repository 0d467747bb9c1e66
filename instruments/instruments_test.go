package instruments_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
)

// measured lists the names of the passes that a timing has, each after a tab for each step around it.
func measured(timing *instruments.Timing) []string {
	var out []string
	var add func(list []*instruments.Profile, indent string)
	add = func(list []*instruments.Profile, indent string) {
		for _, p := range list {
			out = append(out, indent+p.Name)
			add(p.Children, indent+"\t")
		}
	}
	add(timing.Profiles(), "")
	return out
}

func TestTiming(t *testing.T) {
	var timing instruments.Timing
	if got := measured(&timing); got != nil {
		t.Errorf("%q were measured before anything ran", got)
	}
	mustRun(t, legalized(), mlp(t), timing.Instrument())
	if got, want := measured(&timing), []string{"zero", "\tLegalizeOps", "\tAnnotateTIROpPattern", "\tDeadCodeElimination"}; !slices.Equal(got, want) {
		t.Fatalf("measured %q, want %q", got, want)
	}
	data, err := json.Marshal(&timing)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(data), `"name":"zero","step":"1/zero"`, `"step":"1.1/LegalizeOps"`, `"children":[`, `"self_ns":`)
	p := timing.Profiles()[0]
	sum := p.Self
	for _, c := range p.Children {
		sum += c.Total
	}
	if sum != p.Total {
		t.Errorf("self and children take %v of %v", sum, p.Total)
	}
}

// TestRule20 checks rule 20 of pass infrastructures: nothing is left of the times after the
// instruments were taken away and the timing was entered anew.
func TestRule20TimingAfterOverride(t *testing.T) {
	var timing instruments.Timing
	c, err := pass.NewContext(t.Context(), pass.Instruments(timing.Instrument()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(legalized(), mlp(t)); err != nil || measured(&timing) == nil {
		t.Fatalf("nothing was measured: %v", err)
	}
	if err := c.OverrideInstruments(timing.Instrument()); err != nil {
		t.Fatal(err)
	}
	if measured(&timing) != nil {
		t.Error("the times of before are still there")
	}
}

func TestTimingOfFailures(t *testing.T) {
	var timing instruments.Timing
	bad := &pass.Pass{Name: "Bad", Run: func(*pass.Context, *ir.Module) (*ir.Module, error) { return nil, errors.New("no") }}
	veto := &pass.Instrument{Name: "late", RunBeforePass: func(_ *ir.Module, s *pass.Step) error {
		if s.Pass.Name == "LegalizeOps" {
			return errors.New("stop")
		}
		return nil
	}}
	if _, err := runPass(t, pass.NewSequential("s", bad), mlp(t), timing.Instrument()); err == nil {
		t.Fatal("no error")
	}
	if got, want := measured(&timing), []string{"s", "\tBad"}; !slices.Equal(got, want) {
		t.Errorf("measured %q, want %q", got, want)
	}
	if p := timing.Profiles()[0]; !p.Failed || !p.Children[0].Failed {
		t.Error("the failure is not marked")
	}
	if _, err := runPass(t, legalized(), mlp(t), timing.Instrument(), veto); err == nil {
		t.Fatal("no error")
	}
	if p := timing.Profiles()[0]; p.Name != "zero" || p.Total == 0 {
		t.Errorf("the sequence was not measured: %+v", p)
	}
}

func TestPrint(t *testing.T) {
	var buf bytes.Buffer
	snaps := instruments.NewSnapshots()
	m := mlp(t)
	mustRun(t, legalized(), m, instruments.Print(&buf, snaps, instruments.PrintOptions{Before: []string{"LegalizeOps"}, After: []string{"LegalizeOps"}}))
	text := buf.String()
	if !strings.HasPrefix(text, "Print IR before: LegalizeOps\n"+script.Module(m, script.Options{}).Source+"\n\n") {
		t.Errorf("printed:\n%s", text)
	}
	contains(t, text, "Print IR after: LegalizeOps\n", "def matmul(")
	buf.Reset()
	mustRun(t, legalized(), m, instruments.Print(&buf, snaps, instruments.PrintOptions{After: []string{"all"}, OnlyChanged: true}))
	text = buf.String()
	contains(t, text, "Print IR after: LegalizeOps (3 functions changed)", "Print IR after: AnnotateTIROpPattern (2 functions changed)", "Print IR after: zero (3 functions changed)")
	if strings.Contains(text, "DeadCodeElimination") {
		t.Error("a pass that changed nothing was printed")
	}
}

func TestDump(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dumps")
	var warn bytes.Buffer
	odd := &pass.Pass{Name: `odd/na:me`, Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) { return m, nil }}
	seq := pass.NewSequential("s", transform.LegalizeOps, odd)
	mustRun(t, seq, mlp(t), instruments.DumpIR(dir, false, &warn))
	for _, name := range []string{"000_LegalizeOps.py", "001_odd_na_me.py", "002_s.py"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		contains(t, string(data), "@I.ir_module", "def matmul(")
	}
	mustRun(t, transform.LegalizeOps, mlp(t), instruments.DumpIR(dir, true, &warn))
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("refresh left %d files", len(entries))
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, seq, mlp(t), instruments.DumpIR(dir, true, &warn))
	if entries, _ := os.ReadDir(dir); len(entries) != 4 {
		t.Errorf("a folder with other files was emptied: %d files", len(entries))
	}
	contains(t, warn.String(), "contains files other than dumps (mine.txt)")
}

func TestDumpFailsNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dumps")
	var warn bytes.Buffer
	in := instruments.DumpIR(dir, false, &warn)
	in.EnterPassCtx = func() error { return nil } // so that the folder is missing
	mustRun(t, transform.LegalizeOps, mlp(t), in)
	contains(t, warn.String(), "cannot dump the IR after LegalizeOps")
}

func TestWellFormed(t *testing.T) {
	mustRun(t, legalized(), mlp(t), instruments.WellFormed(true))
	broken := &pass.Pass{Name: "Broken", Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		f := *ir.MustLookup[*relax.Function](m, "main")
		f.Params = nil
		return m.With("main", &f), nil
	}}
	_, err := runPass(t, pass.NewSequential("s", broken), mlp(t), instruments.WellFormed(false))
	if !errors.Is(err, instruments.ErrIllFormed) {
		t.Fatalf("error %v", err)
	}
	contains(t, err.Error(), "after 1.1/Broken", "x is")
	drop := &pass.Pass{Name: "Drop", Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) { return m.Without("matmul"), nil }}
	_, err = runPass(t, pass.NewSequential("s", transform.LegalizeOps, drop), mlp(t), instruments.WellFormed(false))
	if !errors.Is(err, instruments.ErrIllFormed) {
		t.Errorf("main calls a function that is gone, and nothing was found: %v", err)
	}
	broken.Name = "Normalize"
	mustRun(t, broken, mlp(t), instruments.WellFormed(true))
}

// TestWellFormedAgain changes a kernel under calls that were found right, once what it is noted for and once its parameters.
func TestWellFormedAgain(t *testing.T) {
	touch := func(name string, kernel func(m *ir.Module) ir.Function) *pass.Pass {
		return &pass.Pass{Name: name, Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
			f := ir.MustLookup[*relax.Function](m, "main")
			return m.With("main", f.WithFuncAttrs(f.FuncAttrs().With("touched", name))).With("matmul", kernel(m)), nil
		}}
	}
	noted := touch("Note", func(m *ir.Module) ir.Function {
		f := m.Lookup("matmul")
		return f.WithFuncAttrs(f.FuncAttrs().With("noted", int64(1)))
	})
	mustRun(t, pass.NewSequential("s", transform.LegalizeOps, noted, noted), mlp(t), instruments.WellFormed(false))
	other := touch("Other", func(m *ir.Module) ir.Function { return m.Lookup("relu") })
	_, err := runPass(t, pass.NewSequential("s", transform.LegalizeOps, noted, other), mlp(t), instruments.WellFormed(false))
	if !errors.Is(err, instruments.ErrIllFormed) {
		t.Fatalf("main calls a kernel that does not fit, and nothing was found: %v", err)
	}
	contains(t, err.Error(), "after 1.3/Other", "the PrimFunc has")
}

func TestMeter(t *testing.T) {
	meter := instruments.NewMeter()
	for name, tt := range map[string]struct {
		m    *ir.Module
		want int64
	}{
		"matmul": {mlp(t), 2*3*8*4 + 3*4},       // multiply-adds of the product and one relu each
		"conv2d": {conv(t), 2 * 5 * 4 * 9 * 16}, // 4x4 outputs
	} {
		if got := meter.Measure(tt.m).FLOPs; got != tt.want {
			t.Errorf("%s: %d FLOPs before it is a kernel, want %d", name, got, tt.want)
		}
		k := mustRun(t, legalized(), tt.m)
		got := meter.Measure(k)
		if got.FLOPs != tt.want {
			t.Errorf("%s: %d FLOPs as a kernel, want %d", name, got.FLOPs, tt.want)
		}
		if fresh := instruments.NewMeter().Measure(k); fresh.FLOPs != got.FLOPs || fresh.ConstantBytes != got.ConstantBytes ||
			fresh.Kernels != got.Kernels || fresh.IntermediateBytes != got.IntermediateBytes || fresh.Ops["relax.call_tir"] != got.Ops["relax.call_tir"] {
			t.Errorf("%s: measured after another module %+v, alone %+v", name, got, fresh)
		}
		// The functions add up to the module.
		var sum event.Structure
		ops := map[string]int{}
		for gv := range k.Funcs() {
			fm := meter.Function(gv.Name)
			sum.Add(fm.Structure, 1)
			for op, n := range fm.Ops {
				ops[op] += n
			}
		}
		if sum != got.Structure || !maps.Equal(ops, got.Ops) || sum.Loops == 0 || sum.Blocks == 0 || sum.Buffers == 0 || sum.Bindings == 0 || sum.Calls == 0 {
			t.Errorf("%s: functions add up to %+v and %v, the module has %+v and %v", name, sum, ops, got.Structure, got.Ops)
		}
	}
	if got := meter.Function("no such function"); got != nil {
		t.Errorf("a function that is not there has metrics %+v", got)
	}
	m := meter.Measure(mlp(t))
	if m.Functions != 1 || m.Kernels != 0 || m.ConstantBytes != 128 || m.IntermediateBytes != 2*3*4*4 || m.Ops["relax.matmul"] != 1 {
		t.Errorf("metrics %+v", m)
	}
}

func TestSnapshotsByPointer(t *testing.T) {
	snaps := instruments.NewSnapshots()
	a := mustRun(t, legalized(), mlp(t))
	first := snaps.Of("main", a.Lookup("main"))
	if snaps.Of("main", a.Lookup("main")) != first {
		t.Error("a function was printed twice")
	}
	if first.Kind != "relax" || snaps.Of("relu", a.Lookup("relu")).Kind != "prim_func" || snaps.Of("e", &relax.ExternFunc{Symbol: "e"}).Kind != "extern" {
		t.Error("kinds are wrong")
	}
	if d := snaps.Delta(a, a); d != nil {
		t.Errorf("delta of a module with itself: %v", d)
	}
	b := mustRun(t, touch("relu"), a).Without("matmul")
	var got []string
	for _, d := range snaps.Delta(a, b) {
		s := d.Name
		if d.Before == nil {
			s += "+"
		}
		if d.After == nil {
			s += "-"
		}
		got = append(got, s)
	}
	if strings.Join(got, " ") != "relu matmul-" {
		t.Errorf("delta %v", got)
	}
}
