package starpass

import (
	"context"
	"fmt"
	"io"
	"sync"

	"go.starlark.net/starlark"
)

// Limits bounds what a script may use. A zero field stands for its default.
type Limits struct {
	// Steps bounds the instructions of one run; what builtins do counts by its size.
	Steps uint64
	// Depth bounds the calls that are active at one time.
	Depth int
	// Memory bounds the bytes that operations on strings and collections may make in one run,
	// whether they are still in use or not. One value has at most a sixteenth of it.
	Memory int64
	// Output bounds the bytes that are printed in one run.
	Output int64
	// Print receives what scripts print; nil drops it.
	Print io.Writer
}

// The defaults of Limits.
const (
	DefaultSteps  = 10_000_000
	DefaultDepth  = 1000
	DefaultMemory = 256 << 20
	DefaultOutput = 1 << 20
)

// MaxSource is the length in bytes of the longest script. The parser's stack grows with the
// nesting of the text, so the text itself is bounded.
const MaxSource = 64 << 10

func (l Limits) withDefaults() Limits {
	if l.Steps == 0 {
		l.Steps = DefaultSteps
	}
	if l.Depth == 0 {
		l.Depth = DefaultDepth
	}
	if l.Memory == 0 {
		l.Memory = DefaultMemory
	}
	if l.Output == 0 {
		l.Output = DefaultOutput
	}
	if l.Print == nil {
		l.Print = io.Discard
	}
	return l
}

// LimitError says which limit a script hit.
type LimitError struct{ What string }

// Error names the limit.
func (e *LimitError) Error() string { return e.What }

// pollSteps is how many steps pass between two looks at depth and context.
const pollSteps = 256

// meter counts what one run uses.
type meter struct {
	limits  Limits
	ctx     context.Context
	thread  *starlark.Thread
	memory  int64
	printed int64
	keys    crowds
	stopped error // why the thread was canceled
}

// writer lets several runs print to one writer.
type writer struct {
	mu sync.Mutex
	w  io.Writer
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(p)
}

// watch makes the thread look at the limits from time to time.
func (m *meter) watch() {
	m.thread.SetMaxExecutionSteps(pollSteps)
	m.thread.OnMaxSteps = func(t *starlark.Thread) {
		if err := m.check(); err != nil {
			m.stopped = err
			t.Cancel(err.Error())
			return
		}
		t.SetMaxExecutionSteps(t.Steps + pollSteps)
	}
}

// check returns an error if a limit is passed or the run was canceled.
func (m *meter) check() error {
	switch {
	case m.stopped != nil:
		return m.stopped
	case m.ctx.Err() != nil:
		return context.Cause(m.ctx)
	case m.thread.Steps > m.limits.Steps:
		return &LimitError{fmt.Sprintf("the script took more than the limit of %d steps: is there an endless loop?", m.limits.Steps)}
	case m.thread.CallStackDepth() > m.limits.Depth:
		return &LimitError{fmt.Sprintf("the script has more than %d active calls, the limit: is there an endless recursion?", m.limits.Depth)}
	}
	return nil
}

// work counts n units that a builtin worked, as steps.
func (m *meter) work(n int) error {
	before := m.thread.Steps
	m.thread.Steps += uint64(n)
	if before/pollSteps != m.thread.Steps/pollSteps {
		return m.check()
	}
	return nil
}

// alloc counts the n bytes of a new value.
func (m *meter) alloc(n int64) error {
	if most := m.limits.Memory / 16; n < 0 || n > most {
		return &LimitError{fmt.Sprintf("a value of %d bytes is beyond the limit of %d", n, most)}
	}
	m.memory += n
	if m.memory > m.limits.Memory {
		return &LimitError{fmt.Sprintf("the script made more than the limit of %d bytes of strings and collections", m.limits.Memory)}
	}
	return m.work(int(n / 64))
}

// print writes a line for the script.
func (m *meter) print(text string) error {
	m.printed += int64(len(text)) + 1
	if m.printed > m.limits.Output {
		return &LimitError{fmt.Sprintf("the script printed more than the limit of %d bytes", m.limits.Output)}
	}
	if _, err := io.WriteString(m.limits.Print, text+"\n"); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return m.work(len(text) / 64)
}
