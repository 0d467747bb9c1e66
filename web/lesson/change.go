package lesson

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/irscope/irscope/instruments/request"
)

// Freedom names a part of the settings that an answer may change.
type Freedom string

// The freedoms of answers.
const (
	Order     Freedom = "order"     // the order of the passes
	Passes    Freedom = "passes"    // which passes there are, in which order, with which options
	Disabled  Freedom = "disabled"  // the passes that are off
	Required  Freedom = "required"  // the passes that run whatever their level
	OptLevel  Freedom = "opt_level" // the optimization level
	Config    Freedom = "config"    // the options of the pass context
	Scripts   Freedom = "scripts"   // passes and instruments of the student's own
	Edits     Freedom = "edits"     // edits of the IR between passes
	Schedules Freedom = "schedules" // schedules of kernels
)

var freedoms = [...]Freedom{Order, Passes, Disabled, Required, OptLevel, Config, Scripts, Edits, Schedules}

// Overreach says what an answer changed that the lesson does not leave free, "" for nothing. Plans are the names of the passes of the
// pipelines, in order: those of the first run of the lesson, and those of the answer.
func (l *Lesson) Overreach(s request.Settings, startPlan, plan []string) string {
	if l.MayChange == nil {
		return ""
	}
	free := func(f Freedom) bool { return slices.Contains(l.MayChange, f) }
	start := l.Settings
	ours := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return free(Scripts) && strings.HasPrefix(name, request.UserPrefix) || strings.HasPrefix(name, request.EditPrefix) || strings.HasPrefix(name, request.SchedulePrefix)
		})
	}
	startPlan, plan = ours(startPlan), ours(plan)
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	switch {
	case !free(Passes) && !slices.Equal(sorted(startPlan), sorted(plan)):
		return "other passes are in the pipeline than at first"
	case !free(Passes) && !free(Order) && !slices.Equal(startPlan, plan):
		return "the passes have another order than at first"
	case !free(Passes) && !slices.EqualFunc(options(start.Steps), options(s.Steps), func(a, b string) bool { return a == b }):
		return "options of passes have changed"
	case !free(Disabled) && !slices.Equal(sorted(start.Disabled), sorted(s.Disabled)):
		return "other passes are off than at first"
	case !free(Required) && !slices.Equal(sorted(start.Required), sorted(s.Required)):
		return "other passes are required than at first"
	case !free(OptLevel) && start.OptLevel != s.OptLevel:
		return fmt.Sprintf("opt_level is %d, and was %d at first", s.OptLevel, start.OptLevel)
	case !free(Config) && !sameConfig(start.Config, s.Config):
		return "options of the pass context have changed"
	case !free(Scripts) && !slices.Equal(start.Scripts, s.Scripts):
		return "scripts were added or changed"
	case !free(Edits) && len(s.Patches) > 0:
		return "the IR was edited between two passes"
	case !free(Schedules) && !slices.Equal(start.Schedules, s.Schedules):
		return "a kernel was scheduled by hand"
	case start.Seed != s.Seed:
		return "the seed of the random inputs has changed"
	}
	return ""
}

// options lists the steps that have options, in a form to compare.
func options(steps []request.Step) []string {
	var out []string
	for _, s := range steps {
		if len(s.Options) > 0 {
			out = append(out, fmt.Sprint(s.Name, s.Options)) // maps print in the order of their keys
		}
		out = append(out, options(s.Steps)...)
	}
	slices.Sort(out)
	return out
}

// sameConfig compares options of the pass context. Texts that people wrote run with checks of bounds, whether a lesson says so or not.
func sameConfig(a, b map[string]any) bool {
	for _, pair := range [][2]map[string]any{{a, b}, {b, a}} {
		for key, v := range pair[0] {
			if other, ok := pair[1][key]; key != "tir.instrument_bound_checkers" && (!ok || !reflect.DeepEqual(v, other)) {
				return false
			}
		}
	}
	return true
}
