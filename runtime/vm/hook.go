package vm

import (
	"slices"
	"sync"
	"time"

	"github.com/irscope/irscope/runtime"
)

// Hook is called around every call that a machine makes: kernels, builtins and functions
// of the executable. It runs inside of the session, so it must not wait for the device.
type Hook struct {
	// Before may skip the call, whose result is then None, or fail the run.
	Before func(*Call) (skip bool, err error)
	// After sees the result and the time. It may keep the Call but not its values,
	// unless it retains them.
	After func(*Call)
}

// Call is a call that a hook sees.
type Call struct {
	Func    string
	Kernel  bool // whether Func is generated code
	Args    []runtime.Value
	Depth   int // 1 for calls made by the function that was invoked
	Session *runtime.Session

	// What After sees in addition. Elapsed includes calls made by the callee.
	Result  runtime.Value
	Err     error
	Elapsed time.Duration
}

// Profile adds up the time of calls by name. Its Hook may be installed in many machines.
type Profile struct {
	mu   sync.Mutex
	rows map[string]*ProfileRow
}

// ProfileRow is the cost of all calls of one function.
type ProfileRow struct {
	Func   string
	Kernel bool
	Calls  int
	Total  time.Duration
	Max    time.Duration
}

// Hook returns the hook that feeds the profile.
func (p *Profile) Hook() *Hook {
	return &Hook{After: func(c *Call) {
		p.mu.Lock()
		defer p.mu.Unlock()
		r := p.rows[c.Func]
		if r == nil {
			if p.rows == nil {
				p.rows = map[string]*ProfileRow{}
			}
			r = &ProfileRow{Func: c.Func, Kernel: c.Kernel}
			p.rows[c.Func] = r
		}
		r.Calls++
		r.Total += c.Elapsed
		r.Max = max(r.Max, c.Elapsed)
	}}
}

// Rows returns the functions, the most expensive first.
func (p *Profile) Rows() []ProfileRow {
	p.mu.Lock()
	defer p.mu.Unlock()
	rows := make([]ProfileRow, 0, len(p.rows))
	for _, r := range p.rows {
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b ProfileRow) int {
		if a.Total != b.Total {
			if a.Total > b.Total {
				return -1
			}
			return 1
		}
		if a.Func < b.Func {
			return -1
		}
		return 1
	})
	return rows
}
