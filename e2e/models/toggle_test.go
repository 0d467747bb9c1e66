package models

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// steps returns the names of the passes of the default pipeline that run code: leaves and
// sequences alike may be turned off by name.
func steps(t *testing.T, lowering bool) []string {
	t.Helper()
	pl, err := pipeline.Lookup("default", target.Default())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var visit func(p *pass.Pass)
	visit = func(p *pass.Pass) {
		for _, c := range p.Children {
			visit(c)
		}
		if len(p.Children) == 0 && p.Lowering == lowering && !slices.Contains(out, p.Name) {
			out = append(out, p.Name)
		}
	}
	visit(pl)
	return out
}

// TestOptionalPasses turns optional passes off, each alone and in random sets: the program
// must still compile and compute the same.
func TestOptionalPasses(t *testing.T) {
	optional := steps(t, false)
	if len(optional) < 8 {
		t.Fatalf("the default pipeline has only these optional passes: %v", optional)
	}
	n := seed.Times(15, 200)
	if testing.Short() {
		n = 5
	}
	for _, c := range onnxtest.Gallery(t) {
		for _, level := range levels() {
			t.Run(fmt.Sprintf("%s/%d", c.Name, level), func(t *testing.T) {
				t.Parallel()
				h := newHarness(t)
				mod := h.importModel(c.Model(t))
				var sets [][]*tensor.Tensor
				for _, s := range c.Sets {
					sets = append(sets, h.tensors(s.Inputs))
				}
				try := func(disabled []string) {
					s := settings{level: level, disabled: disabled}
					outs, err := h.compileAndRun(mod, s, sets)
					if err != nil {
						t.Errorf("%s: %v", s, err)
						return
					}
					for i, set := range c.Sets {
						h.check(s.String(), c, outs[i], set.Outputs)
					}
				}
				for _, name := range optional {
					try([]string{name})
				}
				rnd := seed.Rand(t)
				for range n {
					var off []string
					for _, name := range optional {
						if rnd.IntN(2) == 0 {
							off = append(off, name)
						}
					}
					try(off)
				}
			})
		}
	}
}

// TestLoweringPasses turns lowering passes off: the error must say what was left and name the
// pass that is missing, unless the model has nothing for it to lower.
func TestLoweringPasses(t *testing.T) {
	for _, c := range onnxtest.Gallery(t) {
		t.Run(c.Name, func(t *testing.T) {
			h := newHarness(t)
			mod := h.importModel(c.Model(t))
			var sets [][]*tensor.Tensor
			for _, s := range c.Sets {
				sets = append(sets, h.tensors(s.Inputs))
			}
			for _, name := range steps(t, true) {
				s := settings{level: 2, disabled: []string{name}}
				outs, err := h.compileAndRun(mod, s, sets)
				if err == nil {
					for i, set := range c.Sets {
						h.check(s.String(), c, outs[i], set.Outputs)
					}
					t.Logf("%s: nothing of this model was left unlowered without it", name)
					continue
				}
				short := strings.TrimPrefix(name, "tir.")
				if !strings.Contains(err.Error(), short) && !namesWhatIsLeft(name, err) {
					t.Errorf("without %s: the error does not name it: %v", name, err)
				}
			}
		})
	}
}

// stage maps passes whose absence another pass of the same stage reports, since what they
// leave is that pass's business too.
var stage = map[string][]string{
	"FuseTIRInner": {"FuseTIR"},
}

func namesWhatIsLeft(name string, err error) bool {
	for _, s := range stage[name] {
		if strings.Contains(err.Error(), s) {
			return true
		}
	}
	return false
}
