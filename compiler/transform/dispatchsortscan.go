package transform

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// ruleSortScan is the name of the rule.
const ruleSortScan = "take the kernel of the backend"

// sortScanOps are the operators whose kernels depend on the backend most: a sort and a running sum on one core are loops that
// no schedule can make parallel.
var sortScanOps = []string{"relax.sort", "relax.argsort", "relax.topk", "relax.cumsum", "relax.cumprod"}

// DispatchSortScan lowers sorts and scans before all other operators.
var DispatchSortScan = &pass.Pass{
	Name: "DispatchSortScan", Kind: pass.Module,
	Doc: "Replaces sort, argsort, topk, cumsum and cumprod by kernels for the target: on a CPU those that LegalizeOps would take. What lies on a virtual device that is a GPU is left alone.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		return lowerPicked(c, "DispatchSortScan", m, nil, func(vb *relax.VarBinding) *lowered {
			name := opName(vb.Value)
			if !slices.Contains(sortScanOps, name) {
				return nil
			}
			if t := deviceOf(vb.Var.SInfo); isGPU(t) {
				c.Declined(ruleSortScan, vb, "there are no kernels for "+t)
				return nil
			}
			return &lowered{rule: legalizeRule(name), hint: strings.TrimPrefix(name, "relax."), why: ruleSortScan}
		})
	},
}

// isGPU reports whether a target, as a virtual device writes it, is a GPU.
func isGPU(target string) bool {
	fields := strings.FieldsFunc(target, func(r rune) bool { return strings.ContainsRune(" :{}\"'", r) })
	return slices.ContainsFunc(fields, func(s string) bool {
		return slices.Contains([]string{"cuda", "nvptx", "rocm", "metal", "vulkan", "opencl", "webgpu"}, s)
	})
}
