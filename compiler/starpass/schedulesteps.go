package starpass

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
)

// Schedule runs the script with the schedule of a module as the variable sch, and returns the schedule that sch is in the end. An error names
// the place of the step.
func (s *Script) Schedule(ctx context.Context, m *ir.Module, seed int64) (*sch.Schedule, error) {
	first, err := sch.NewSchedule(m, seed)
	if err != nil {
		return nil, err
	}
	r := newRun(ctx, s.name, s.limits, nil)
	r.sch = &Schedule{s: first}
	err = guarded(s.name, func() error {
		globals, err := s.start(r, m)
		if err != nil {
			return err
		}
		if v, ok := globals["sch"]; ok { // the script made one itself
			last, ok := v.(*Schedule)
			if !ok {
				return fmt.Errorf("%s: sch is %s in the end, expected a schedule", s.name, describe(v))
			}
			r.sch = last
		}
		return nil
	})
	if err != nil {
		return nil, located(err)
	}
	return r.sch.s, nil
}
