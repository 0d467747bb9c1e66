package export

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/instruments/check"
)

// checked writes what a check of every pass found: the pass at fault, and a row for each module that is new.
func (m *markdown) checked(r *check.Report) {
	if r == nil {
		return
	}
	verdict := "No pass changes what the model computes, within the tolerances."
	switch {
	case r.Reference < 0:
		verdict = "No pass can be checked: " + short(r.Why, maxReportText)
	case r.Fault != nil && r.Fault.Path == check.CodePath:
		verdict = "**The generated code is wrong, and no pass is**" + functionsAtFault(r.Fault)
	case r.Fault != nil:
		verdict = fmt.Sprintf("**%s is the first pass whose result is wrong**%s", short(r.Fault.Path, maxReportName), functionsAtFault(r.Fault))
	}
	var rows []check.Step
	for _, s := range r.Steps {
		if s.Changed {
			rows = append(rows, s)
		}
	}
	m.section("## Check of every pass\n\n"+verdict+"\n\n| module after | outputs | max abs error | max rel error | NaN |\n|---|---|---:|---:|---:|", m.left, "modules", len(rows), func(i int) string {
		s := rows[i]
		name, figures := s.Path, " | | "
		if name == "" {
			name = "import"
		}
		if d := s.Difference; d != nil {
			figures = fmt.Sprintf("%.3g | %.3g | %d", float64(d.MaxAbs), float64(d.MaxRel), d.NaNs)
		}
		return fmt.Sprintf("| %s | %s | %s |\n", short(name, maxReportName), strings.ReplaceAll(string(s.Status), "_", " "), figures)
	})
}

func functionsAtFault(f *check.Fault) string {
	if len(f.Functions) == 0 {
		return "."
	}
	return ", in " + short(strings.Join(f.Functions, ", "), maxReportText) + "."
}
