package vm

import (
	"fmt"

	"github.com/irscope/irscope/runtime"
)

// maxTraced bounds the calls of a run that a trace lists.
const maxTraced = 50_000

// Trace says what a run calls, in order, and what memory it takes meanwhile.
type Trace struct {
	// Sites are the instructions that call kernels and packed functions, in the order in which the run reaches them first.
	Sites []Site
	// Calls lists the calls in order.
	Calls []TracedCall
	Plan  *Plan
}

// Site is an instruction that calls a kernel or a packed function.
type Site struct {
	PC     int64  // counted over the whole executable
	In     string // the function of the executable
	Callee string // the kernel, where it is called through vm.builtin.call_tir_dyn
	Kernel bool
}

// TracedCall is a call of a site. Args are the arguments of a kernel; tensors among them are gone, only their type and
// shape may be asked for.
type TracedCall struct {
	Site int
	Args []runtime.Value
}

// tracer takes the trace of one run. It retains no value, so that all is freed as without it.
type tracer struct {
	m     *Machine
	sites map[int64]int
	out   Trace
	plan  *planner
}

func newTracer(m *Machine) *tracer {
	return &tracer{m: m, sites: map[int64]int{}, plan: newPlanner()}
}

func (t *tracer) hook() *Hook {
	return &Hook{Before: t.before, After: t.after}
}

func (t *tracer) before(c *Call) (bool, error) {
	t.plan.poll()
	if t.m.exec.Funcs[t.m.code[c.PC].fn].Kind == VMFunc {
		return false, nil
	}
	if len(t.out.Calls) == maxTraced {
		return false, fmt.Errorf("a run makes more than %d calls, the limit of a measurement", maxTraced)
	}
	site, ok := t.sites[c.PC]
	if !ok {
		site = len(t.out.Sites)
		t.sites[c.PC] = site
		t.out.Sites = append(t.out.Sites, t.site(c))
	}
	call := TracedCall{Site: site}
	if t.out.Sites[site].Kernel {
		call.Args = kernelArgs(c)
	}
	t.plan.call(c, len(t.out.Calls), t.out.Sites[site].Kernel)
	t.out.Calls = append(t.out.Calls, call)
	return false, nil
}

func (t *tracer) after(c *Call) {
	if c.Err == nil {
		t.plan.result(c)
	}
}

// returned tells the tracer that the function has returned, and its frame is gone.
func (t *tracer) returned() { t.plan.poll() }

// finish returns the trace of a run that is over.
func (t *tracer) finish() Trace {
	t.out.Plan = t.plan.finish()
	return t.out
}

func (t *tracer) site(c *Call) Site {
	s := Site{PC: c.PC, Callee: c.Func, Kernel: c.Kernel}
	if k := dynamicKernel(c); k != nil {
		s.Callee, s.Kernel = k.Name(), true
	}
	for _, f := range t.m.exec.Funcs {
		if f.Kind == VMFunc && f.Start <= c.PC && c.PC < f.End {
			s.In = f.Name
		}
	}
	return s
}

// dynamicKernel returns the kernel that vm.builtin.call_tir_dyn is to call, nil for other calls.
func dynamicKernel(c *Call) *runtime.Kernel {
	if c.Func != "vm.builtin.call_tir_dyn" || len(c.Args) == 0 {
		return nil
	}
	f, _ := c.Args[0].AsFunc()
	k, _ := f.(*runtime.Kernel)
	return k
}

// kernelArgs returns the arguments of a kernel: those of call_tir_dyn are tensors and a shape, whose dimensions follow as ints.
func kernelArgs(c *Call) []runtime.Value {
	if c.Kernel {
		return append([]runtime.Value{}, c.Args...)
	}
	last := len(c.Args) - 1
	out := append([]runtime.Value{}, c.Args[1:last]...)
	dims, _ := c.Args[last].AsShape()
	for _, d := range dims {
		out = append(out, runtime.Int(d))
	}
	return out
}
