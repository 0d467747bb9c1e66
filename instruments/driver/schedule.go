package driver

import (
	"cmp"
	"io"
	"strings"

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

// scheduled returns the pipeline with the schedules of users before the pass that schedules the other kernels, but for those that the pipeline
// names as steps of its own.
func (j *Job) scheduled(pl *pass.Pass) (*pass.Pass, *ir.Diagnostic) {
	var rest []*pass.Pass
	for _, p := range j.schedules {
		j.registry.adopt(p)
		if !pl.Holds(p.Name) {
			rest = append(rest, p)
		}
	}
	out, ok := starpass.AddSchedules(pl, rest...)
	if ok {
		return out, nil
	}
	what := "the schedule of " + cmp.Or(strings.TrimPrefix(rest[0].Name, starpass.SchedulePrefix), "the kernel") + " is"
	if len(rest) > 1 {
		what = "the schedules of kernels are"
	}
	return out, &ir.Diagnostic{
		Severity: ir.Warning, Code: codeSchedule, Message: what + " left out: the pipeline has no ApplyDefaultSchedule, before which schedules of users run",
		Help: "put ApplyDefaultSchedule back, turned off if nothing else is to be scheduled",
	}
}
