package inproc

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/web/catalog"
)

// TestEachPassIsDescribedWhole: with the constraints on its place from both sides, its options and their choices.
func TestEachPassIsDescribedWhole(t *testing.T) {
	c, err := Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byKey := map[string]catalog.Option{}
	for _, o := range c.Config {
		byKey[o.Key] = o
		known := pass.ListConfigs()[o.Key]
		if o.Type != known["type"] || o.Doc != known["doc"] || o.Doc == "" || !reflect.DeepEqual(o.Default, plain(pass.Config{}.Get(o.Key))) {
			t.Errorf("the config %s is described as %+v", o.Key, o)
		}
	}
	before, after := map[string][]catalog.Order{}, map[string][]catalog.Order{}
	for _, k := range pipeline.Constraints() {
		before[k.After] = append(before[k.After], catalog.Order{Pass: k.Before, Why: k.Why, Needs: k.Needs})
		after[k.Before] = append(after[k.Before], catalog.Order{Pass: k.After, Why: k.Why, Needs: k.Needs})
	}
	for i, p := range pipeline.All() {
		got := c.Passes[i]
		if got.Role != instruments.Role(p) || got.Kind != event.PassKind(p.Kind.String()) || !reflect.DeepEqual(got.Before, before[p.Name]) || !reflect.DeepEqual(got.After, after[p.Name]) {
			t.Errorf("%s is described as %+v", p.Name, got)
		}
		if loops := p.Kind == pass.PrimFunc || strings.HasPrefix(p.Name, "tir."); loops != (got.IR == "tir") {
			t.Errorf("%s works on %s", p.Name, got.IR)
		}
		for k, key := range p.Config {
			if !reflect.DeepEqual(got.Config[k], byKey[key]) {
				t.Errorf("%s reads %+v, want %+v", p.Name, got.Config[k], byKey[key])
			}
		}
		for k, o := range p.Options {
			want := catalog.PassOption{Name: o.Name, Type: o.Type(), Default: plain(ir.Normalize(pipeline.Held(p).Arg(o.Name))), Doc: o.Doc}
			for _, v := range o.Choices {
				want.Choices = append(want.Choices, plain(ir.Normalize(v)))
			}
			if !reflect.DeepEqual(got.Options[k], want) || want.Doc == "" {
				t.Errorf("%s has the option %+v, want %+v", p.Name, got.Options[k], want)
			}
		}
	}
	if len(after) == 0 || len(before["FuseTIR"]) == 0 {
		t.Error("there are no constraints")
	}
	// A CPU that no code is generated for is not offered: nothing stands in for it.
	if names := compiler.RunKinds().Names(); slices.Contains(names, "llvm") || !slices.Contains(names, "cuda") || len(c.Targets) != len(names) {
		t.Errorf("the targets are %+v of %v", c.Targets, names)
	}
	for i, k := range compiler.RunKinds() {
		if c.Targets[i] != (catalog.Target{Name: k.Name, Doc: k.Doc, StandIn: k.HasKey("gpu")}) || k.Doc == "" {
			t.Errorf("the target %s is described as %+v", k.Name, c.Targets[i])
		}
	}
	for i, got := range c.Pipelines {
		kind := target.Kinds()[i%len(target.Kinds())].Name
		pl, err := pipeline.Lookup(got.Name, target.Of(kind))
		if err != nil || got.Doc != pl.Doc || got.Target != kind || !reflect.DeepEqual(got.Steps, instruments.Plan(pl)) {
			t.Errorf("the pipeline %s is described as %+v (%v)", got.Name, got, err)
		}
	}
}

// TestModelsOfTheCatalog have the numbers that their files have: each dense layer is a weight that is transposed, a product and a sum.
func TestModelsOfTheCatalog(t *testing.T) {
	ctx := t.Context()
	model := func(name string) catalog.Model {
		t.Helper()
		m, ok := gallery.Lookup(name)
		if !ok {
			t.Fatalf("there is no model %s", name)
		}
		out, err := describeModel(ctx, m)
		if err != nil || out.Title != m.Title || out.Doc != m.Description || out.Name != name || out.Functions != 1 {
			t.Fatalf("%s is described as %+v (%v)", name, out, err)
		}
		return out
	}
	mlp := model("mlp")
	if want := (catalog.Input{Name: "image", DType: "float32", Shape: []any{int64(1), int64(1), int64(8), int64(8)}}); !reflect.DeepEqual(mlp.Inputs, []catalog.Input{want}) || mlp.Bindings != nil {
		t.Errorf("mlp has the inputs %+v", mlp.Inputs)
	}
	ops := map[string]int{"relax.add": 3, "relax.matmul": 3, "relax.permute_dims": 3, "relax.nn.relu": 2, "relax.nn.softmax": 1, "relax.reshape": 1}
	if layers := int64(64*64 + 64 + 64*32 + 32 + 32*10 + 10); mlp.Parameters != layers || !maps.Equal(mlp.Ops, ops) {
		t.Errorf("mlp has %d parameters and %v, want %d and %v", mlp.Parameters, mlp.Ops, layers, ops)
	}
	batch := model("batch")
	if want := (catalog.Input{Name: "features", DType: "float32", Shape: []any{"batch", int64(32)}}); !reflect.DeepEqual(batch.Inputs, []catalog.Input{want}) {
		t.Errorf("batch has the inputs %+v", batch.Inputs)
	}
	if want := []map[string]int64{{"batch": 1}, {"batch": 3}, {"batch": 8}}; !reflect.DeepEqual(batch.Bindings, want) {
		t.Errorf("batch is bound to %v, want %v", batch.Bindings, want)
	}
	mlpModel, _ := gallery.Lookup("mlp")
	mlpModel.Bytes = mlpModel.Bytes[:50]
	if _, err := describeModel(ctx, mlpModel); err == nil {
		t.Error("half a file is described")
	}
	unknown := &onnxpb.Model{IRVersion: 8, OpsetImports: []onnxpb.OpsetID{{Version: 18}}, Graph: &onnxpb.Graph{Nodes: []onnxpb.Node{{OpType: "Nothing", Outputs: []string{"y"}}}}}
	mlpModel.Bytes = unknown.Marshal()
	if _, err := describeModel(ctx, mlpModel); err == nil || !strings.Contains(err.Error(), "Nothing") {
		t.Errorf("a model of an unknown operator is described (%v)", err)
	}
	for _, m := range gallery.Models() {
		if data, ok := Gallery(m.Name); !ok || !slices.Equal(data, m.Bytes) {
			t.Errorf("%s has other bytes in the gallery of runs", m.Name)
		}
	}
	if data, ok := Gallery("zoo"); ok || data != nil {
		t.Error("there is a model zoo")
	}
}

// TestValuesForJSON: lists and dictionaries at any depth, and what JSON has no form for as text.
func TestValuesForJSON(t *testing.T) {
	attrs := ir.NewAttrs("a", int64(1), "b", []ir.Value{true, ir.NewAttrs("c", "x"), []ir.Value{}})
	want := map[string]any{"a": int64(1), "b": []any{true, map[string]any{"c": "x"}, []any{}}}
	if got := plain(attrs); !reflect.DeepEqual(got, want) {
		t.Errorf("%v becomes %#v, want %#v", attrs, got, want)
	}
	for in, want := range map[ir.Value]any{2.5: 2.5, "": "", false: false, int64(-3): int64(-3)} {
		if got := plain(in); got != want {
			t.Errorf("%v becomes %#v, want %#v", in, got, want)
		}
	}
	g := ir.NewGlobalVar("f")
	if got, ok := plain(g).(string); !ok || !strings.Contains(got, "f") {
		t.Errorf("a name of a function becomes %#v", plain(g))
	}
}
