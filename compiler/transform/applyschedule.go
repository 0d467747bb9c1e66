package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/schedule/cpu"
	"github.com/irscope/irscope/compiler/tir"
)

// AttrIsScheduled is the function attribute of loop functions that have a schedule.
const AttrIsScheduled = "tir.is_scheduled"

// ApplyDefaultSchedule gives loop functions the schedule of the first rule that fits.
var ApplyDefaultSchedule = &pass.Pass{
	Name: "ApplyDefaultSchedule", Level: 1, Kind: pass.Module,
	Doc:         "Schedules every loop function that has no schedule yet by the default rules of the target: inlines what is cheap, tiles convolutions, matrix products and other reductions for registers, and vectorises contiguous loops. Without a target nothing is scheduled.",
	ReadsTarget: true,
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		t := c.TargetOf()
		if t.IsZero() || t.Kind().Name != "wasm" {
			return m, nil
		}
		return pass.EachPrimFunc(func(c *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			if f.Attrs.Bool(AttrIsScheduled, false) {
				c.Declined("schedule", f, "it has a schedule already")
				return f, nil
			}
			var w cpu.Watcher
			if c.Observed() {
				w = c
			}
			out, err := cpu.ScheduleWatched(f, m.Origins(), w)
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
