package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/target"
)

func flat(t *testing.T, name, kind string) []string {
	t.Helper()
	p, err := pipeline.Lookup(name, target.Of(kind))
	if err != nil {
		t.Fatal(err)
	}
	return pipeline.Flatten(p)
}

func TestPipelinesKeepTheOrder(t *testing.T) {
	for _, kind := range target.Kinds().Names() {
		for _, name := range []string{"default", "zero", "tir"} {
			for _, w := range pipeline.CheckOrder(flat(t, name, kind)) {
				t.Errorf("%s for %s: %s", name, kind, w.Message)
			}
		}
	}
}

// TestPipelinesByTarget checks that every kind of target has all pipelines, that a pipeline for a target is one value, that
// every pass of it is registered, and what differs between kinds.
func TestPipelinesByTarget(t *testing.T) {
	reg := pipeline.NewRegistry()
	for _, kind := range target.Kinds().Names() {
		for _, name := range pipeline.Names() {
			for _, p := range flat(t, name, kind) {
				if reg.Lookup(p) == nil {
					t.Errorf("%s for %s: %s is not registered", name, kind, p)
				}
			}
			a, _ := pipeline.Lookup(name, target.Of(kind))
			if b, _ := pipeline.Lookup(name, target.Of(kind)); a != b || a.Name != name {
				t.Errorf("%s for %s is %p and %p (%s)", name, kind, a, b, a.Name)
			}
		}
	}
	if p, err := pipeline.Lookup("", target.Target{}); err != nil || !slices.Equal(pipeline.Flatten(p), flat(t, "default", target.DefaultKind)) {
		t.Errorf("without a name and a target: %v, %v", p, err)
	}
	// What only some kinds have is optional: functions for one kind go through the list of another where a module mixes them.
	copies := []string{"tir.InjectSoftwarePipeline", "tir.LoopPartition", "tir.UnrollLoop"}
	for _, p := range copies {
		if reg.Lookup(p).Lowering {
			t.Errorf("%s is needed for code", p)
		}
	}
	for _, name := range []string{"default", "tir"} {
		want := slices.DeleteFunc(flat(t, name, "wasm"), func(p string) bool { return slices.Contains(copies, p) })
		if got := flat(t, name, "interp"); !slices.Equal(got, want) || len(want)+len(copies) != len(flat(t, name, "wasm")) {
			t.Errorf("%s for interp is %v, want %v", name, got, want)
		}
	}
	list, err := pipeline.Parse("mine[tir]", reg, target.Of("interp"))
	if err != nil || !slices.Equal(pipeline.Flatten(list[0]), flat(t, "tir", "interp")) {
		t.Errorf("tir in a list for interp is %v (%v)", list, err)
	}
}

// TestConstraintsHold checks that every constraint names passes that exist, that none
// contradicts another, and that breaking it alone is noticed.
func TestConstraintsHold(t *testing.T) {
	reg := pipeline.NewRegistry()
	def := flat(t, "default", target.DefaultKind)
	for _, c := range pipeline.Constraints() {
		for _, n := range []string{c.Before, c.After} {
			if reg.Lookup(n) == nil && n != "ApplyDefaultSchedule" {
				t.Errorf("%s is not a pass", n)
			}
		}
		if c.Why == "" {
			t.Errorf("%s before %s: why?", c.Before, c.After)
		}
		i, j := slices.Index(def, c.Before), slices.Index(def, c.After)
		if i < 0 || j < 0 {
			continue
		}
		swapped := slices.DeleteFunc(slices.Clone(def), func(n string) bool { return n == c.After })
		swapped = slices.Insert(swapped, slices.Index(swapped, c.Before), c.After)
		found := slices.ContainsFunc(pipeline.CheckOrder(swapped), func(w pipeline.Warning) bool { return w.Constraint == c })
		if !found {
			t.Errorf("%s moved before %s is not noticed", c.After, c.Before)
		}
		without := slices.DeleteFunc(slices.Clone(def), func(n string) bool { return n == c.Before })
		found = slices.ContainsFunc(pipeline.CheckOrder(without), func(w pipeline.Warning) bool { return w.Constraint == c })
		if found != c.Needs {
			t.Errorf("%s without %s: noticed %v, want %v", c.After, c.Before, found, c.Needs)
		}
	}
}

func TestCheckOrder(t *testing.T) {
	for _, tt := range []struct{ names, want string }{
		{"", ""},
		{"LegalizeOps FuseOps AnnotateTIROpPattern", "FuseOps runs before AnnotateTIROpPattern: it groups kernels by their op_pattern; move AnnotateTIROpPattern before FuseOps"},
		{"FuseTIR", "FuseTIR runs without FuseOps: it makes kernels of the groups that FuseOps formed; add FuseOps before it"},
		{"DecomposeOpsForInference LegalizeOps", ""},
		{"LegalizeOps DecomposeOpsForInference", "LegalizeOps runs before DecomposeOps: operators for training have no kernels; move DecomposeOps before LegalizeOps"},
		{"LegalizeOps NoSuchPass", ""},
		{"tir.FlattenBuffer tir.VectorizeLoop", ""},
		{"tirx.VectorizeLoop FlattenBuffer", "tir.VectorizeLoop runs before tir.FlattenBuffer: vectors are contiguous in one dimension; move tir.FlattenBuffer before tir.VectorizeLoop"},
	} {
		var got []string
		for _, w := range pipeline.CheckOrder(strings.Fields(tt.names)) {
			got = append(got, w.Message)
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("%s: got %q, want %q", tt.names, got, tt.want)
		}
	}
}

func TestRegistry(t *testing.T) {
	reg := pipeline.NewRegistry()
	seen := map[string]*pass.Pass{}
	for _, p := range pipeline.All() {
		if q := seen[p.Name]; q != nil && q != p {
			t.Errorf("two passes are called %s", p.Name)
		}
		seen[p.Name] = p
		if reg.Lookup(p.Name) != p {
			t.Errorf("%s is not found by its name", p.Name)
		}
		if p.Doc == "" && p.Kind != pass.Sequential {
			t.Errorf("%s has no Doc", p.Name)
		}
		known := pass.ListConfigs()
		for _, key := range p.Config {
			if known[key] == nil {
				t.Errorf("%s reads config option %s, which is not registered", p.Name, key)
			}
		}
	}
	for alias, want := range map[string]string{
		"DecomposeOpsForInference": "DecomposeOps", "VMBuiltinLower": "LowerRuntimeBuiltin", "FlattenBuffer": "tir.FlattenBuffer",
		"tirx.FlattenBuffer": "tir.FlattenBuffer", "s_tir.LowerInitBlock": "tir.LowerInitBlock", "tirx.CommonSubexprElim": "tir.CommonSubexprElimTIR", "StmtSimplify": "tir.Simplify",
	} {
		if p := reg.Lookup(alias); p == nil || p.Name != want {
			t.Errorf("%s is %v, want %s", alias, p, want)
		}
	}
	for typo, want := range map[string]string{"fuseops": "FuseOps", "FuseOp": "FuseOps", "flattenbufer": "tir.FlattenBuffer", "xyzzy": "", "": ""} {
		if got := reg.Nearest(typo); got != want {
			t.Errorf("nearest to %q is %q, want %q", typo, got, want)
		}
	}
	if _, err := pipeline.Lookup("nope", target.Default()); err == nil || !strings.Contains(err.Error(), "default") {
		t.Errorf("error %v", err)
	}
}

// TestCheckPaths checks that a pipeline is judged by the passes of it that run, and that paths
// lead to them.
func TestCheckPaths(t *testing.T) {
	pl, err := pipeline.Lookup("default", target.Default())
	if err != nil {
		t.Fatal(err)
	}
	at := func(path []int) string {
		p := pl
		for _, i := range path {
			p = p.Children[i]
		}
		return p.Name
	}
	without := func(names ...string) *pass.Context {
		c, err := pass.NewContext(t.Context(), pass.OptLevel(4), pass.DisablePass(names...), pass.WithRegistry(pipeline.NewRegistry()))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if found := pipeline.Check(pl, without()); len(found) > 0 {
		t.Errorf("the default pipeline has %v", found)
	}
	found := pipeline.Check(pl, without("ToNonDataflow"))
	if len(found) != 1 || at(found[0].Path) != "CallTIRRewrite" || found[0].OtherPath != nil || !strings.Contains(found[0].Message, "add ToNonDataflow") {
		t.Errorf("without ToNonDataflow: %v", found)
	}
	swapped, err := pipeline.Parse("LegalizeOps,AnnotateTIROpPattern,phase[FuseTIR,FuseOps]", pipeline.NewRegistry(), target.Default())
	if err != nil {
		t.Fatal(err)
	}
	pl = pass.NewSequential("custom", swapped...)
	found = pipeline.Check(pl, without())
	if len(found) != 1 || !slices.Equal(found[0].Path, []int{2, 0}) || !slices.Equal(found[0].OtherPath, []int{2, 1}) {
		t.Errorf("FuseTIR before FuseOps: %v", found)
	}
	if found = pipeline.Check(pl, without("phase")); len(found) > 0 {
		t.Errorf("a sequence that does not run has %v", found)
	}
}
