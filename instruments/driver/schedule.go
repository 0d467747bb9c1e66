package driver

import (
	"cmp"
	"io"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/instruments/request"
)

// codeSchedule is the code of the warnings about schedules.
const codeSchedule = "schedule"

// readSchedules reads the schedules of a run and returns the passes that apply them. What they print goes to print, if it is not nil. An
// error is a *scriptError.
func readSchedules(list []request.Schedule, print io.Writer) ([]*pass.Pass, error) {
	var out []*pass.Pass
	room := &budget{left: maxPrinted}
	for _, x := range list {
		s := &userScript{source: &ir.Source{Name: x.Step(), Text: x.Source}, out: &output{room: room}, aloud: print != nil}
		limits, adopt := starpass.Limits{Print: s.out}, s.reporting
		if s.aloud {
			limits.Print, adopt = print, traced
		}
		script, err := starpass.Parse(x.Step(), x.Source, limits)
		if err != nil {
			return nil, &scriptError{s, err}
		}
		out = append(out, starpass.SchedulePass(x.Kernel, script, adopt))
	}
	return out, nil
}

// scheduled returns the pipeline with the schedules of users before the pass that schedules the other kernels.
func (j *Job) scheduled(pl *pass.Pass) (*pass.Pass, *ir.Diagnostic) {
	for _, p := range j.schedules {
		j.registry.adopt(p)
	}
	out, ok := starpass.AddSchedules(pl, j.schedules...)
	if ok {
		return out, nil
	}
	what := "the schedule of " + cmp.Or(j.Settings.Schedules[0].Kernel, "the kernel") + " is"
	if len(j.schedules) > 1 {
		what = "the schedules of kernels are"
	}
	return out, &ir.Diagnostic{
		Severity: ir.Warning, Code: codeSchedule, Message: what + " left out: the pipeline has no ApplyDefaultSchedule, before which schedules of users run",
		Help: "put ApplyDefaultSchedule back, turned off if nothing else is to be scheduled",
	}
}
