package onnx

import (
	"fmt"
	"strings"
	"testing"
	"time"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// ref is an attribute that stands for one of the function.
func ref(name string, t onnxpb.AttrType, of string) onnxpb.Attribute {
	return onnxpb.Attribute{Name: name, Type: t, RefAttrName: of}
}

func inner(op string, inputs, outputs []string, attrs ...onnxpb.Attribute) onnxpb.Node {
	return onnxpb.Node{OpType: op, Inputs: inputs, Outputs: outputs, Attributes: attrs}
}

// functionsOfTest has a function that clips x between two optional bounds, flattens it, and normalizes it by another function along an axis.
func functionsOfTest() []onnxpb.Function {
	sets := []onnxpb.OpsetID{{Version: 17}, {Domain: "my", Version: 1}}
	normal := inner("Normal", []string{"c"}, []string{"y"}, ref("axis", onnxpb.AttrInt, "where"))
	normal.Domain, normal.Name = "my", "normal"
	return []onnxpb.Function{
		{
			Name: "Scaled", Domain: "my", Inputs: []string{"x", "low", "high"}, Outputs: []string{"y", "c"}, OpsetImports: sets,
			Attributes: []string{"where"}, AttributeDefaults: []onnxpb.Attribute{ob.Int("rows", 1)},
			Nodes: []onnxpb.Node{
				inner("Clip", []string{"x", "low", "high"}, []string{"t"}), inner("Flatten", []string{"t"}, []string{"c"}, ref("axis", onnxpb.AttrInt, "rows")), normal,
			},
		},
		{
			Name: "Normal", Domain: "my", Inputs: []string{"x"}, Outputs: []string{"y"}, OpsetImports: sets, Attributes: []string{"axis"},
			Nodes: []onnxpb.Node{inner("Softmax", []string{"x"}, []string{"y"}, ref("axis", onnxpb.AttrInt, "axis"))},
		},
		{
			Name: "Normal", Domain: "my", Overload: "log", Inputs: []string{"x"}, Outputs: []string{"y"}, OpsetImports: sets,
			Nodes: []onnxpb.Node{inner("LogSoftmax", []string{"x"}, []string{"y"})},
		},
	}
}

// calling is a model that calls a function of the domain "my" once.
func calling(fs []onnxpb.Function, op string, inputs []string, attrs ...onnxpb.Attribute) *ob.Builder {
	b := ob.New("g", 17)
	b.Model().Functions = fs
	b.Input("x", onnxpb.Float, 2, 3)
	b.Input("h", onnxpb.Float)
	g := b.Model().Graph
	n := inner(op, inputs, []string{"r"}, attrs...)
	n.Domain, n.Name = "my", "call"
	g.Nodes = append(g.Nodes, n)
	b.Output("r", onnxpb.Float)
	return b
}

func TestFunctions(t *testing.T) {
	fs := functionsOfTest()
	m := calling(fs, "Scaled", []string{"x", "", "h"}, ob.Int("where", 0))
	wantBindings(t, importFn(t, m, Options{}),
		`call_Clip_t = relax.minimum: Tensor((2, 3), "float32")`,
		`call_normal_Softmax_y = relax.nn.softmax: Tensor((2, 3), "float32")`, `r = *relax.Var: Tensor((2, 3), "float32")`)
	// What a call leaves out is left out in the body; the default axis of Softmax is the last.
	for axis, attrs := range map[int64][]onnxpb.Attribute{-1: nil, 0: {ob.Int("where", 0)}} {
		f := importFn(t, calling(fs, "Scaled", []string{"x"}, attrs...), Options{})
		found := false
		for _, b := range f.Body.Blocks[0].Bindings {
			if c, ok := b.BoundValue().(*relax.Call); ok && c.Op.(*ir.Op).Name == "relax.nn.softmax" {
				found = true
				if got := c.Attrs.Int("axis", 9); got != axis && got != axis+2 {
					t.Errorf("axis %d, want %d", got, axis)
				}
			}
		}
		if !found {
			t.Errorf("no softmax in %v", bindings(f))
		}
	}
	mod, err := Import(t.Context(), m.Model(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "functions", mod)
	bind := ir.MustLookup[*relax.Function](mod, "main").Body.Blocks[0].Bindings
	if o := mod.Origins().Get(bind[1].Meta().Origin); o.Name != "call/normal/y" || o.Op != "Softmax" {
		t.Errorf("the origin is %q of %s", o.Name, o.Op)
	}
	overloaded := calling(fs, "Normal", []string{"x"})
	overloaded.Model().Graph.Nodes[0].Overload = "log"
	wantBindings(t, importFn(t, overloaded, Options{}), `call_LogSoftmax_y = relax.nn.log_softmax: Tensor((2, 3), "float32")`, `r = *relax.Var: Tensor((2, 3), "float32")`)
}

// function is one of the domain "my" that applies an operator of it to x.
func function(name, op string, attrs ...onnxpb.Attribute) onnxpb.Function {
	n := inner(op, []string{"x"}, []string{"y"}, attrs...)
	n.Domain = "my"
	return onnxpb.Function{Name: name, Domain: "my", Inputs: []string{"x"}, Outputs: []string{"y"}, Nodes: []onnxpb.Node{n}}
}

func TestFunctionErrors(t *testing.T) {
	x := []string{"x"}
	plain := func(f onnxpb.Function) onnxpb.Function {
		for i := range f.Nodes {
			f.Nodes[i].Domain = ""
		}
		return f
	}
	versioned := func(f onnxpb.Function, v int64) onnxpb.Function {
		f.OpsetImports = []onnxpb.OpsetID{{Version: v}}
		return plain(f)
	}
	lost := versioned(function("F", "Relu"), 17)
	lost.Outputs = []string{"z"}
	list := func(fs ...onnxpb.Function) []onnxpb.Function { return fs }
	for _, c := range []struct {
		want string
		b    *ob.Builder
	}{
		{`the function my.F calls itself`, calling(list(function("F", "F")), "F", x)},
		{`the function my.F calls itself, through my.G, my.H`, calling(list(function("F", "G"), function("G", "H"), function("H", "F")), "F", x)},
		{`graph.node[0].F.node[0]: my.Missing "y" (operator set 0): operators of the domain "my" are not supported, and the model has no function`, calling(list(function("F", "Missing")), "F", x)},
		{`graph.node[0].F.node[0]: Nothing "y" (operator set 17): the operator is not supported`, calling(list(versioned(function("F", "Nothing"), 17)), "F", x)},
		{`functions[1]: the function my.F is defined twice`, calling(list(function("F", "G"), function("F", "G")), "F", x)},
		{`it does not import the default operator set, which node 0 is of`, calling(list(plain(function("F", "Relu"))), "F", x)},
		{`function F: operator set 99 is not supported`, calling(list(versioned(function("F", "Relu"), 99)), "F", x)},
		{`has 2 inputs, but the function my.F takes 1`, calling(list(versioned(function("F", "Relu"), 17)), "F", []string{"x", "h"})},
		{`unknown attribute "a": the function my.F does not declare it`, calling(list(versioned(function("F", "Relu"), 17)), "F", x, ob.Int("a", 1))},
		{`graph.node[0].F.node[0]: Relu "y" (operator set 17): input 0 is missing`, calling(list(versioned(function("F", "Relu"), 17)), "F", nil)},
		{`graph.node[0].F.output[0]: "z" is not defined`, calling(list(lost), "F", x)},
		{`attribute "where" is of type float, but the function Scaled uses it as int`, calling(functionsOfTest(), "Scaled", x, ob.Float("where", 1))},
	} {
		if _, err := tryImport(t, c.b, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestManyCalls imports functions that each call the next twice, and such a chain that is long.
func TestManyCalls(t *testing.T) {
	var twice, chain []onnxpb.Function
	for i := range 40 {
		f := function(fmt.Sprint("F", i), fmt.Sprint("F", i+1))
		second := f.Nodes[0]
		second.Inputs, second.Outputs = []string{"y"}, []string{"z"}
		f.Nodes, f.Outputs = append(f.Nodes, second), []string{"z"}
		twice = append(twice, f)
	}
	for i := range 5000 {
		chain = append(chain, function(fmt.Sprint("F", i), fmt.Sprint("F", i+1)))
	}
	last := function("F40", "Relu")
	last.Nodes[0].Domain, last.OpsetImports = "", []onnxpb.OpsetID{{Version: 17}}
	start := time.Now()
	for want, fs := range map[string][]onnxpb.Function{"have more than 200000 nodes": append(twice, last), "more than 100 deep": chain} {
		if _, err := tryImport(t, calling(fs, "F0", []string{"x"}), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
}
