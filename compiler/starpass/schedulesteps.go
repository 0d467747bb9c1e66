package starpass

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
)

// Primitive is a call of an instruction of a schedule that a script is about to make.
type Primitive struct {
	*sch.Kind
	// Call is the call as traces spell it, without results; Line is that of the script, 0 where it is not known.
	Call string
	Line int
	// Key says which calls were made so far, with this one: two scripts that have made the same calls on the same module have the same module.
	Key string
	of  *sch.Schedule
}

// Module returns the module that the schedule of the call holds now.
func (p *Primitive) Module() *ir.Module { return p.of.Module() }

// Schedule runs the script with the schedule of a module as the variable sch, and returns the schedule that sch is in the end. An error names
// the place of the step. each, where not nil, is called for each instruction in place of making it: do makes it.
func (s *Script) Schedule(ctx context.Context, m *ir.Module, seed int64, each func(p *Primitive, do func() error) error) (*sch.Schedule, error) {
	first, err := sch.NewSchedule(m, seed)
	if err != nil {
		return nil, err
	}
	r := newRun(ctx, s.name, s.limits, nil)
	first.UseIntrinsics(r.intrinsic)
	r.each = each
	r.sch = r.scheduled(first, false)
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

// scheduled returns a schedule as a value of the script, whose instructions are told to whoever listens.
func (r *run) scheduled(s *sch.Schedule, debug bool) *Schedule {
	out := &Schedule{s: s, debug: debug}
	if r.each == nil {
		return out
	}
	told, key := 0, sha256.New()
	teller := &sch.Teller{}
	out.tell = func(k *sch.Kind, call string, do func() error) error {
		if n := told - len(s.Trace()); n > 0 {
			fmt.Fprintln(key, "undo", n)
			told -= n
		}
		for ; told < len(s.Trace()); told++ {
			fmt.Fprintln(key, teller.Made(s.Trace()[told]))
		}
		fmt.Fprintln(key, call)
		return r.each(&Primitive{Kind: k, Call: call, Line: r.line(), Key: hex.EncodeToString(key.Sum(nil)), of: s}, do)
	}
	s.Watch(func(c *sch.Call, do func() error) error { return out.tell(c.Kind, teller.Call(c), do) })
	return out
}

// line returns the line of the script that is being run, 0 where none is.
func (r *run) line() int {
	for i := range r.thread.CallStackDepth() {
		if pos := r.thread.CallFrame(i).Pos; pos.Filename() == r.name {
			return int(pos.Line)
		}
	}
	return 0
}
