package request

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Schedule is a schedule that a visitor wrote for a kernel, which takes the place of the default one.
type Schedule struct {
	// Kernel is the name that the PrimFunc has when it is scheduled; "" is the only one of the module.
	Kernel string `json:"kernel"`
	// Source is a script in which sch is the schedule of the kernel.
	Source string `json:"source"`
}

// SchedulePrefix stands before the kernel in the names of the steps that apply schedules.
const SchedulePrefix = "schedule."

// maxSchedules bounds the schedules of a run. Each is at most as long as a script.
const maxSchedules = 32

// maxKernelName bounds the names of kernels, which stand in the paths of steps.
const maxKernelName = 255

// isKernelName tells whether a PrimFunc may have a name.
func isKernelName(name string) bool {
	for i, c := range []byte(name) {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c != '.' && (c < '0' || c > '9')) {
			return false
		}
	}
	return len(name) <= maxKernelName
}

// Step returns the name of the step that applies the schedule, which is also that of the script in messages.
func (s Schedule) Step() string { return strings.TrimSuffix(SchedulePrefix+s.Kernel, ".") }

// normalSchedules checks schedules and returns them sorted by kernel.
func normalSchedules(list []Schedule) ([]Schedule, error) {
	if len(list) == 0 {
		return nil, nil
	}
	if len(list) > maxSchedules {
		return nil, fmt.Errorf("there are %d schedules; the limit is %d", len(list), maxSchedules)
	}
	out := slices.Clone(list)
	for _, s := range out {
		switch {
		case !isKernelName(s.Kernel):
			return nil, fmt.Errorf("a schedule is for the kernel %.120q, want the name of a PrimFunc", s.Kernel)
		case len(s.Source) > MaxScriptSource:
			return nil, fmt.Errorf("the schedule of %s has %d bytes; the limit is %d KiB", cmp.Or(s.Kernel, "the kernel"), len(s.Source), MaxScriptSource>>10)
		case !utf8.ValidString(s.Source):
			return nil, fmt.Errorf("the schedule of %s is not valid UTF-8", cmp.Or(s.Kernel, "the kernel"))
		}
	}
	slices.SortStableFunc(out, func(a, b Schedule) int { return cmp.Compare(a.Kernel, b.Kernel) })
	for i := 1; i < len(out); i++ {
		if out[i].Kernel == out[i-1].Kernel {
			return nil, fmt.Errorf("there are two schedules of %s; combine them", cmp.Or(out[i].Kernel, "the kernel"))
		}
	}
	return out, nil
}
