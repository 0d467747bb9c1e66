package onnx

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/internal/refeval"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// checkValues evaluates main on inputs of a test and compares the results. It returns the number of elements.
func checkValues(c onnxtest.NodeCase, mod *ir.Module, given []*onnxpb.Tensor) (compared int, err error) {
	var inputs []*tensor
	for _, in := range given {
		x, err := refeval.FromONNX(in)
		if err != nil {
			return 0, fmt.Errorf("%w: %w", errNotEvaluated, err)
		}
		inputs = append(inputs, x)
	}
	out, err := evaluate(mod, inputs)
	if err != nil {
		return 0, err
	}
	for i, p := range c.Sets[0].Outputs {
		want, err := refeval.FromONNX(p)
		if err != nil {
			return 0, fmt.Errorf("%w: %w", errNotEvaluated, err)
		}
		if len(out[i].Data) != len(want.Data) {
			return 0, fmt.Errorf("output %d has %d elements, want %d", i, len(out[i].Data), len(want.Data))
		}
		compared += len(want.Data)
		for k, w := range want.Data {
			g := out[i].Data[k]
			if d := math.Abs(g - w); !(d <= 1e-6+1e-3*math.Abs(w)) && g != w && !(g != g && w != w) {
				return 0, fmt.Errorf("output %d: element %d is %g, want %g", i, k, g, w)
			}
		}
	}
	return compared, nil
}

// suite is what came of node tests.
type suite struct {
	imported, checked int
	unbound           int            // imported with all that may be data
	missing           map[string]int // tests by the operator that the importer lacks
	valued            map[string]int // tests of one node whose values were compared, by operator
}

// runSuite imports node tests. Each is imported with the shapes and element types that its outputs have, and the values that the
// evaluator has rules for, or refused because an operator or a type is missing.
func runSuite(t *testing.T, cases []onnxtest.NodeCase) suite {
	t.Helper()
	s := suite{missing: map[string]int{}, valued: map[string]int{}}
	for _, c := range cases {
		if len(c.Sets) == 0 {
			continue
		}
		m, err := onnxpb.Read(c.Model, onnxpb.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		bound, given := onnxtest.Bound(m, c.Sets[0])
		mod, err := Import(t.Context(), m, Options{Bind: bound})
		var unsupported *UnsupportedError
		switch {
		case errors.As(err, &unsupported):
			for _, o := range unsupported.Ops {
				s.missing[o.First.Op]++
			}
			continue
		case err != nil:
			if !refusedAsKnown(c.Name, err) {
				t.Errorf("%s: %v", c.Name, err)
			}
			continue
		}
		got := ir.MustLookup[*relax.Function](mod, "main").Ret
		fields := []relax.StructInfo{got}
		if tup, ok := got.(*relax.TupleStructInfo); ok {
			fields = tup.Fields
		}
		for i, want := range c.Sets[0].Outputs {
			d, err := want.Type.DType()
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			got, ok := fields[i].(*relax.TensorStructInfo)
			if dims, known := got.Dims(); ok && (!known || !allInts(dims)) && got.DType == d && got.NDim == len(want.Dims) {
				continue // extents that show at run time
			}
			if info := relax.StaticTensor(d, want.Dims...); !relax.EqualSInfo(fields[i], info) {
				t.Errorf("%s: output %d is %s, want %s", c.Name, i, relax.FormatSInfo(fields[i]), relax.FormatSInfo(info))
			}
		}
		wellFormed(t, c.Name, mod)
		s.imported++
		compared, err := checkValues(c, mod, given)
		if err != nil {
			if !errors.Is(err, errNotEvaluated) && !slices.Contains(onnxtest.Otherwise, c.Name) {
				t.Errorf("%s: %v", c.Name, err)
			}
			continue
		}
		if len(bound) > 0 { // what may be data gives the same
			if mod, err := Import(t.Context(), m, Options{}); err == nil {
				wellFormed(t, c.Name+", nothing bound", mod)
				s.unbound++
				if _, err := checkValues(c, mod, c.Sets[0].Inputs); err != nil && !errors.Is(err, errNotEvaluated) && c.Name != leavesOver {
					t.Errorf("%s, nothing bound: %v", c.Name, err)
				}
			}
		}
		s.checked++
		if own := strings.HasPrefix(c.Name, "own_"); compared > 0 && (own || len(m.Graph.Nodes) == 1) {
			for i := range m.Graph.Nodes {
				s.valued[opLabel(&m.Graph.Nodes[i])]++
			}
		}
	}
	return s
}

// leavesOver is a test of scales that are data where nothing is bound, and leave a part of an extent over, which ends the run.
const leavesOver = "test_resize_downsample_scales_nearest"

func allInts(dims []tir.Expr) bool {
	_, ok := relax.StaticInts(dims)
	return ok
}

// withoutValues returns the operators of a table of which no test compared values.
func (s suite) withoutValues(table map[string]*operator) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if s.valued[name] == 0 {
			out = append(out, name)
		}
	}
	return out
}

// TestNodeSuite runs the node tests that ONNX publishes and our own. Each row of the importer's table must have one whose values are
// compared with what others computed.
func TestNodeSuite(t *testing.T) {
	s := runSuite(t, append(slices.Concat(ownNodes(), ownOld(), ownSequences(), ownRandom()), onnxtest.Nodes(t)...))
	if s.checked < 600 {
		t.Errorf("the values of %d tests were checked, expected at least 600", s.checked)
	}
	for _, name := range s.withoutValues(tables()[""]) {
		t.Errorf("operator %s: no test compares its values; the published tests have none that is read, so add one to ownNodes, with values by the operator's text, and what the evaluator lacks to eval_*_test.go", name)
	}
	t.Logf("%d imported, the values of %d checked, %d imported with nothing bound; operators that are missing: %s", s.imported, s.checked, s.unbound, strings.Join(slices.Sorted(maps.Keys(s.missing)), " "))
}

// refused lists tests, by the start of their names, that are refused although their
// operators are supported, with a part of the error.
var refused = []struct{ prefix, why string }{
	{"test_affine_grid_2d_expanded", "the shape (input 1,"},
	{"test_affine_grid_3d_expanded", "the shape (input 1,"},
	{"test_blackmanwindow_symmetric", "limit (input 1) must be a constant"},
	{"test_hammingwindow", "limit (input 1) must be a constant"},
	{"test_hannwindow", "limit (input 1) must be a constant"},
	{"test_if_opt", "an optional value without an element is used where a tensor is expected"},
}

func refusedAsKnown(name string, err error) bool {
	for _, r := range refused {
		if strings.HasPrefix(name, r.prefix) && strings.Contains(err.Error(), r.why) {
			return true
		}
	}
	return false
}
