package dlight

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// Rule is a rule that schedules functions.
type Rule struct {
	// Name is the name with its number, if it takes one: gpu.Matmul, gpu.LowBatchGEMV(4).
	Name string
	// Doc says what it is for.
	Doc string

	gpu      bool  // for targets with the key gpu, else for those of kind llvm
	takes    int64 // the number that it takes where none is given, 0 if it takes none
	n        int64
	schedule func(p *program, t target.Target, r *Rule)
}

// rules is the table of all rules.
var rules = []Rule{
	{Name: "cpu.GEMV", Doc: "products of a matrix and a vector", schedule: cpuGEMV},
	{Name: "gpu.Matmul", gpu: true, Doc: "products of matrices, on tensor cores where the target has them", schedule: matmul},
	{Name: "gpu.GEMV", gpu: true, Doc: "products of a matrix and a vector", schedule: gemv},
	{Name: "gpu.LowBatchGEMV", gpu: true, takes: 4, Doc: "products of a matrix and few vectors, as many as a variable says", schedule: lowBatchGEMV},
	{Name: "gpu.Reduction", gpu: true, Doc: "sums over axes of a tensor", schedule: reductionRule},
	{Name: "gpu.GeneralReduction", gpu: true, Doc: "chains of reductions, such as softmax and norms", schedule: generalReduction},
	{Name: "gpu.RMSNorm", gpu: true, Doc: "norms by the root of the mean of squares", schedule: rmsNorm},
	{Name: "gpu.Transpose", gpu: true, Doc: "transpositions of two axes, by way of shared memory", schedule: transpose},
	{Name: "gpu.Fallback", gpu: true, Doc: "whatever has loops that are independent", schedule: fallback},
}

// Names lists the rules.
func Names() []string {
	out := make([]string, len(rules))
	for i, r := range rules {
		out[i] = r.Name
	}
	return out
}

var ruleText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([a-z]+\.\w+)(?:\((?:bucket=)?(\d{1,6})?\))?$`)
})

// Parse returns the rule of a name such as gpu.Matmul or gpu.LowBatchGEMV(4).
func Parse(text string) (*Rule, error) {
	m := ruleText().FindStringSubmatch(strings.ReplaceAll(text, " ", ""))
	if m == nil {
		return nil, fmt.Errorf("%.60q is no rule: expected a name like gpu.Matmul or gpu.LowBatchGEMV(4)", text)
	}
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.Name == m[1] })
	if i < 0 {
		return nil, fmt.Errorf("unknown rule %s: known are %s", m[1], strings.Join(Names(), ", "))
	}
	r := rules[i]
	r.n = r.takes
	if m[2] != "" {
		n, err := strconv.ParseInt(m[2], 10, 64)
		switch {
		case err != nil || n < 1:
			return nil, fmt.Errorf("rule %s: expected a number of 1 or more, got %s", text, m[2])
		case r.takes == 0:
			return nil, fmt.Errorf("rule %s takes no number", m[1])
		}
		r.n = n
		r.Name += "(" + m[2] + ")"
	}
	return &r, nil
}

// Apply returns f with the schedule of the rule for a target, or an error that says why the rule does not apply. Origins is the table
// of origins of the module of f. Where the rule has a better schedule that does not fit, note hears of it, and why.
func (r *Rule) Apply(f *tir.PrimFunc, t target.Target, origins *ir.Origins, note func(schedule string, why error)) (*tir.PrimFunc, error) {
	var out *tir.PrimFunc
	err := try(func() {
		if r.gpu {
			declineIf(!t.HasKey("gpu"), "target %s is no GPU", t.Kind().Name)
		} else {
			declineIf(t.Kind().Name != "llvm", "it is for targets of kind llvm, not %s", t.Kind().Name)
		}
		p := newProgram(f, origins)
		p.note = note
		r.schedule(p, t, r)
		p.checkParts()
		out = p.fn()
		checkThreads(out)
	})
	return out, err
}
