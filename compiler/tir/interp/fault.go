package interp

import (
	"fmt"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// FaultKind is a kind of ThreadFault.
type FaultKind string

// The kinds of fault.
const (
	// Race is for two threads that access an element with nothing between them that orders them, and one of them changes it.
	Race FaultKind = "race"
	// Divergence is for a barrier that some threads of a group wait at and others never come to.
	Divergence FaultKind = "divergent barrier"
	// Uninitialized is for a read of shared memory that no thread has written.
	Uninitialized FaultKind = "uninitialized read"
	// Absent is for a shuffle from a thread that does not take part in it.
	Absent FaultKind = "shuffle from an absent thread"
)

// ThreadFault is wrapped by the error of a run in which threads did what a GPU does not define.
type ThreadFault struct {
	Kind FaultKind
	// Function is the name of the function, and Fn the function that was run, whose nodes the accesses name.
	Function string
	Fn       *tir.PrimFunc
	// Element is what was accessed, as "S[3, 4]"; "" for barriers and shuffles.
	Element string
	Scope   string
	// First and Second are what two threads did, in the order in which the interpreter ran them. Second is that of the other thread at a barrier. Of an
	// uninitialized read there is only First.
	First, Second Access
}

// Access is what a thread did.
type Access struct {
	Thread string // as "blockIdx.x=0, threadIdx.x=3"
	Does   string // "reads", "writes", ...; "" if it did nothing
	Node   ir.Node
	Span   *ir.Span // where the source has it; nil if not known
}

// String says what was done, by which thread, and where.
func (a Access) String() string {
	out := a.Does
	if out == "" {
		out = "does not come to it"
	}
	if s := a.Span.String(); s != "" {
		out += " at " + s
	}
	return "thread (" + a.Thread + ") " + out
}

// Error describes the fault in one line.
func (f *ThreadFault) Error() string {
	switch f.Kind {
	case Race:
		return fmt.Sprintf("race on %s in %s: %s and %s, and no barrier orders them (tir.ThreadSync inserts those that are missing)",
			f.Element, describeScope(f.Scope), f.First, f.Second)
	case Divergence:
		return fmt.Sprintf("divergent barrier: %s, and %s: all threads must come to one barrier together", f.First, f.Second)
	case Absent:
		return fmt.Sprintf("%s: %s, and %s", f.Kind, f.First, f.Second)
	}
	return fmt.Sprintf("%s of %s in %s: %s, and no thread has written it", f.Kind, f.Element, describeScope(f.Scope), f.First)
}

// site is a place in the program that accesses memory or brings threads together.
type site struct {
	does string
	node ir.Node
	span *ir.Span
}

// site returns that of a node: the place of the statement around it where the node has none.
func (c *compiler) site(does string, n ir.Node) site {
	s := site{does, n, n.Meta().Span}
	if s.span == nil && c.at != nil {
		s.span = c.at.Meta().Span
	}
	return s
}

func (s site) access(thread string) Access { return Access{thread, s.does, s.node, s.span} }

// name is that of the thread.
func (t *thread) name() string {
	return nameThread(t.block.launch.axesInWords(), func(a axis) int64 { return t.fr.i[a.index] })
}

// axesInWords are the axes in the order in which they are named: blocks first.
func (run *launched) axesInWords() []axis {
	var out []axis
	for _, blocks := range []bool{true, false} {
		for _, a := range run.axes {
			if isBlock(a.tag) == blocks {
				out = append(out, a)
			}
		}
	}
	return out
}

// nameOf returns the name of the thread with a serial number.
func (m *machine) nameOf(serial uint32) string {
	for i := len(m.runs) - 1; i >= 0; i-- {
		if run := m.runs[i]; serial >= run.first {
			return nameThread(run.axesInWords(), func(a axis) int64 { return run.indexOf(serial, a) })
		}
	}
	return ""
}

func (fr *frame) fault(f *ThreadFault) {
	f.Function, f.Fn = fr.fn.name, fr.fn.fn
	panic(&failure{fr.fn.name, f.Error(), f})
}

// divergent fails since t waits at a barrier that other does not come to.
func divergent(t, other *thread) {
	f := &ThreadFault{Kind: Divergence, First: t.at.site.access(t.name()), Second: Access{Thread: other.name()}}
	if other.at != nil && other.at.what != reachStep {
		f.Second = other.at.site.access(other.name())
	}
	t.fr.fault(f)
}

// where compiles what the error of an access inside of a kernel says of the thread and the place; "" outside of kernels.
func (c *compiler) where() func(*frame) string {
	if c.kernel == nil {
		return func(*frame) string { return "" }
	}
	name, at := c.threadName(), ""
	if c.at != nil {
		if s := c.at.Meta().Span.String(); s != "" {
			at = " at " + s
		}
	}
	return func(fr *frame) string { return ", in thread (" + name(fr) + ")" + at }
}
