package relaypass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

func TestDynamicToStaticPairs(t *testing.T) {
	const (
		xy = "%x: Tensor[(4, 7), float32], %y: Tensor[(2, 7, 2), float32]"
		s  = "shape_of(%y, dtype=\"int32\")"
	)
	runPairs(t, relaypass.DynamicToStatic, []pair{
		{name: "reshape", params: xy, before: "dyn.reshape(%x, " + s + ")", after: "reshape(%x, newshape=[2, 7, 2])"},
		{
			name: "the shape of what was reshaped", params: xy, before: "%0 = dyn.reshape(%x, " + s + "); %1 = nn.relu(%0); dyn.reshape(%1, shape_of(%1, dtype=\"int64\"))",
			after: "reshape(nn.relu(reshape(%x, newshape=[2, 7, 2])), newshape=[2, 7, 2])",
		},
		{name: "a shape that is computed", params: xy, before: "dyn.ones(multiply(" + s + ", 2), dtype=\"float32\")", after: "ones(shape=[4, 14, 4], dtype=\"float32\")"},
		{name: "tile", params: "%x: Tensor[(4, 7), float32], %y: Tensor[(4, 2), float32]", before: "dyn.tile(%x, " + s + ")", after: "tile(%x, reps=[4, 2])"},
		{name: "full", params: "%x: float32, %y: Tensor[(2, 3), int64]", before: "dyn.full(%x, " + s + ", dtype=\"float32\")", after: "full(%x, shape=[2, 3], dtype=\"float32\")"},
		{name: "zeros", params: xy, before: "dyn.zeros(" + s + ", dtype=\"int8\")", after: "zeros(shape=[2, 7, 2], dtype=\"int8\")"},
		{name: "broadcast_to", params: "%x: Tensor[(3), float32], %y: Tensor[(2, 3), float32]", before: "dyn.broadcast_to(%x, " + s + ")", after: "broadcast_to(%x, shape=[2, 3])"},
		{name: "topk", params: xy, before: "dyn.topk(%x, 2, axis=0).1", after: "topk(%x, k=2, axis=0).1"},
		{name: "one_hot", params: "%x: Tensor[(3), int32]", before: "dyn.one_hot(%x, 1f, 0f, 5, axis=0, dtype=\"float32\")", after: "one_hot(%x, 1f, 0f, depth=5, axis=0, dtype=\"float32\")"},
		{name: "upsampling", params: "%x: Tensor[(1, 2, 3, 3), float32]", before: "dyn.nn.upsampling(%x, 2f, 3f)", after: "nn.upsampling(%x, scale_h=2f, scale_w=3f)"},
		{name: "upsampling3d", params: "%x: Tensor[(1, 2, 3, 3, 3), float32]", before: "dyn.nn.upsampling3d(%x, 2f, 3f, 1f)", after: "nn.upsampling3d(%x, scale_d=2f, scale_h=3f, scale_w=1f)"},
		{name: "strided_slice", params: xy + ", %b: Tensor[(1, 1, 1), int8]", before: "dyn.strided_slice(%y, shape_of(%b), shape_of(%y), shape_of(%b))", after: "strided_slice(%y, begin=[1, 1, 1], end=[2, 7, 2], strides=[1, 1, 1])"},
		{name: "pad", params: "%x: Tensor[(7), float32], %b: Tensor[(1, 2), int8]", before: "dyn.nn.pad(%x, reshape(shape_of(%b), newshape=[1, 2]), 4f)", after: "nn.pad(%x, 4f, pad_width=[[1, 2]])"},
		{name: "a shape that is not known", params: "%x: Tensor[(4, 7), float32], %y: Tensor[(?, 7), float32]", before: "dyn.reshape(%x, " + s + ")"},
		{name: "a shape that is a parameter", params: "%x: Tensor[(4, 7), float32], %n: Tensor[(3), int64]", before: "dyn.reshape(%x, %n)"},
	})
}

// TestDynamicToStaticNegative: what has no shape stays.
func TestDynamicToStaticNegative(t *testing.T) {
	m := read(t, "def @main(%x: Tensor[(2), float32]) { dyn.zeros(subtract(shape_of(%x, dtype=\"int32\"), 5), dtype=\"int8\") }")
	out, err := passtest.NewContext().Run(relaypass.DynamicToStatic, m)
	if err != nil || !strings.Contains(passtest.Text(out), "R.relay.dyn.zeros(") {
		t.Error(err, passtest.Text(out))
	}
	m = read(t, "def @main(%x: Tensor[(2), float32]) { add(shape_of(%x), 1) }")
	if out, err := passtest.NewContext().Run(relaypass.DynamicToStatic, m); err != nil || out != m {
		t.Error(err, passtest.Text(out))
	}
}

// TestDynamicToStaticKeepsMeaning writes random programs twice, with computed shapes and with their numbers, and runs what the pass makes of the first, which has no kernels
// itself.
func TestDynamicToStaticKeepsMeaning(t *testing.T) {
	seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
		dynamic, static := shapeProgram(r)
		m := read(t, dynamic)
		out, _ := passtest.Check(t, passtest.NewContext(), relaypass.DynamicToStatic, m)
		if strings.Contains(passtest.Text(out), "dyn.") {
			t.Fatalf("it left\n%s\nof\n%s", passtest.Text(out), dynamic)
		}
		if d := passtest.Differ(outputs(t, out), outputs(t, read(t, static))); d != "" {
			t.Fatalf("%s\nit made\n%s\nof\n%s", d, passtest.Text(out), dynamic)
		}
	})
}

// shapeProgram writes a program that reshapes, repeats and adds.
func shapeProgram(r *rand.Rand) (dynamic, static string) {
	var params, dyn, st []string
	dims := []int{2, 3, 4}
	params = append(params, "%x: Tensor[(2, 3, 4), float32]")
	value := "%x"
	emit := func(d, s string) {
		name := fmt.Sprintf("%%%d", len(dyn))
		dyn, st = append(dyn, name+" = "+d+";"), append(st, name+" = "+s+";")
		value = name
	}
	shape := func(d []int) string { // of a parameter that has it
		p := fmt.Sprintf("%%p%d", len(params))
		params = append(params, fmt.Sprintf("%s: Tensor[(%s), int8]", p, commas(d)))
		return fmt.Sprintf("shape_of(%s, dtype=%q)", p, []string{"int32", "int64"}[r.IntN(2)])
	}
	for range 1 + r.IntN(5) {
		list := strings.TrimSuffix(commas(dims), ",")
		switch r.IntN(5) {
		case 0:
			dims = append(append([]int{}, dims[1:]...), dims[0])
			emit(fmt.Sprintf("dyn.reshape(%s, %s)", value, shape(dims)), fmt.Sprintf("reshape(%s, newshape=[%s])", value, commas(dims)))
		case 1:
			reps := []int{1 + r.IntN(2), 1, 1 + r.IntN(2)}
			before := value
			s := shape(reps)
			for i := range dims {
				dims[i] *= reps[i]
			}
			emit(fmt.Sprintf("dyn.tile(%s, %s)", before, s), fmt.Sprintf("tile(%s, reps=[%s])", before, commas(reps)))
		case 2:
			k := []string{"zeros", "ones"}[r.IntN(2)]
			emit(fmt.Sprintf("dyn.%s(shape_of(%s, dtype=\"int64\"), dtype=\"float32\")", k, value), fmt.Sprintf("%s(shape=[%s], dtype=\"float32\")", k, list))
		case 3:
			emit(fmt.Sprintf("add(%s, %s)", value, value), fmt.Sprintf("add(%s, %s)", value, value))
		case 4:
			wide := append([]int{}, dims...)
			emit(fmt.Sprintf("dyn.broadcast_to(sum(%s, axis=[2], keepdims=True), shape_of(%s, dtype=\"int32\"))", value, value), fmt.Sprintf("broadcast_to(sum(%s, axis=[2], keepdims=True), shape=[%s])", value, commas(wide)))
		}
	}
	program := func(body []string) string {
		return fmt.Sprintf("def @main(%s) {\n%s\nadd(%s, 1f)\n}", strings.Join(params, ", "), strings.Join(body, "\n"), value)
	}
	return program(dyn), program(st)
}
