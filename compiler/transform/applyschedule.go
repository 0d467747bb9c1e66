package transform

import (
	"strings"

	"github.com/irscope/irscope/compiler/dlight"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// AttrIsScheduled is the function attribute of PrimFuncs that have a schedule.
const AttrIsScheduled = "tir.is_scheduled"

// scheduler schedules one function.
type scheduler func(f *tir.PrimFunc, origins *ir.Origins, w cpu.Watcher) (*tir.PrimFunc, error)

// schedulers is the table of default rules by the keys of targets.
var schedulers = map[string]func(target.Target) scheduler{
	"cpu": func(t target.Target) scheduler { return cpu.MachineOf(t).Schedule },
}

// schedulerOf returns the rules of the first key of t that has some, nil where none has.
func schedulerOf(t target.Target) scheduler {
	for _, key := range t.Keys() {
		if of := schedulers[key]; of != nil {
			return of(t)
		}
	}
	return nil
}

// ApplyDefaultSchedule gives PrimFuncs the schedule of the first rule that fits.
var ApplyDefaultSchedule = &pass.Pass{
	Name: "ApplyDefaultSchedule", Level: 1, Kind: pass.Module,
	Doc: "Schedules every PrimFunc that has no schedule yet by the default rules of the target: inlines what is cheap, tiles convolutions, matrix products and other reductions for registers, and vectorises contiguous loops. Nothing is scheduled without a target, and for one that has no rules. A function's attribute target comes before that of the run. With rules, those of DLight are tried in place of the default ones, and a function that none fits stays as it is.",
	Options: []pass.Option{{
		Name: "rules", Default: []ir.Value{}, Elem: "",
		Doc: "rules of DLight to try in order, e.g. gpu.Matmul; none are the default rules. There are " + strings.Join(dlight.Names(), ", "),
	}},
	ReadsTarget: true,
	Breaks:      []*pass.Form{pass.OpaqueBlocks}, // a copy in one block becomes a block for each element
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		if rules := c.Arg("rules").([]ir.Value); len(rules) > 0 {
			return applyRules(c, m, rules)
		}
		t := c.TargetOf()
		if t.IsZero() {
			return m, nil
		}
		common := schedulerOf(t)
		return pass.EachPrimFunc(func(c *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			if f.Attrs.Bool(AttrIsScheduled, false) {
				c.Declined("schedule", f, "it has a schedule already")
				return f, nil
			}
			schedule := common
			if text := f.Attrs.Str(ir.AttrTarget, ""); text != "" {
				// What is no target of ours, an accelerator's for one, has no rules here.
				schedule = nil
				if own, err := target.Parse(text); err == nil {
					schedule = schedulerOf(own)
				}
			}
			if schedule == nil {
				c.Declined("schedule", f, "its target has no default rules")
				return f, nil
			}
			var w cpu.Watcher
			if c.Observed() {
				w = c
			}
			out, err := schedule(f, m.Origins(), w)
			if err != nil { // a rule met a form that it does not know: the plain loops are right as well
				c.Report(ir.Diagnostic{Severity: ir.Warning, Func: gv.Name, Code: "unscheduled", Message: err.Error(), Help: "the function runs as plain loops"})
				out = f
			}
			marked := out.WithFuncAttrs(out.Attrs.With(AttrIsScheduled, true)).(*tir.PrimFunc)
			c.Rewrite("mark as scheduled", f, marked)
			return marked, nil
		})(c, m)
	},
}
