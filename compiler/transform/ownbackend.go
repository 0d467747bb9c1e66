package transform

import (
	"errors"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
)

// ownCodegen is the name of the generator that compiles through this compiler.
const ownCodegen = "irscope"

// ownBackend returns the patterns that are there without registering any: operators followed by what is cheap to compute on their results, the
// simple ones first, as the latest counts.
func ownBackend() Backend {
	out := Backend{Codegens: []Codegen{{Name: ownCodegen, Compile: compileOwn}}}
	add := func(name string, op func() (dpl.Pattern, map[string]dpl.Pattern)) {
		for _, bias := range []bool{false, true} {
			for _, activation := range []string{"", "relu", "gelu", "silu"} {
				p, parts := op()
				full := ownCodegen + "." + name
				if bias {
					parts["bias"] = dpl.Wildcard()
					p, full = dpl.Op("relax.add", p, parts["bias"]), full+"_bias"
				}
				if activation != "" {
					p, full = dpl.Op("relax.nn."+activation, p), full+"_"+activation
				}
				out.Patterns = append(out.Patterns, FusionPattern{Name: full, Pattern: p, Annotations: parts, Check: checkOwn})
			}
		}
	}
	add("conv2d", func() (dpl.Pattern, map[string]dpl.Pattern) {
		x, w := dpl.Wildcard(), dpl.Wildcard()
		root := dpl.Op("relax.nn.conv2d", x, w)
		return root, map[string]dpl.Pattern{"input": x, "weight": w, "root": root}
	})
	add("matmul", func() (dpl.Pattern, map[string]dpl.Pattern) {
		x, w := dpl.Wildcard(), dpl.Wildcard()
		root := dpl.Op("relax.matmul", x, w)
		return root, map[string]dpl.Pattern{"lhs": x, "rhs": w, "root": root}
	})
	add("matmul_transposed", func() (dpl.Pattern, map[string]dpl.Pattern) {
		x, w := dpl.Wildcard(), dpl.Wildcard()
		root := dpl.Op("relax.matmul", x, dpl.Op("relax.permute_dims", w))
		return root, map[string]dpl.Pattern{"lhs": x, "rhs": w, "root": root}
	})
	return out
}

// checkOwn refuses what would have several results, or results of unknown shape.
func checkOwn(x *PatternCheckContext) error {
	if err := x.Leaks(); err != nil {
		return err
	}
	t, ok := relax.SInfoOf(x.Matched).(*relax.TensorStructInfo)
	if !ok {
		return errors.New("the result is no tensor")
	}
	if _, known := t.Dims(); !known {
		return errors.New("the shape of the result is unknown")
	}
	return nil
}
