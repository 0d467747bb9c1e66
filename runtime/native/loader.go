package native

import (
	"context"
	"fmt"
	"sync"

	"github.com/irscope/irscope/runtime"
)

// Options configures a Loader; the zero value is fine.
type Options struct {
	// Threads is how many threads run the loops of a kernel whose turns may run side by side; 0 means 1. Results do not depend on it.
	Threads int
}

// Loader is the runtime.Loader of machine code. It verifies each object before a page of it can be executed.
type Loader struct {
	pool   *pool
	mu     sync.Mutex
	closed bool
}

// NewLoader returns a loader for one engine. It exists everywhere; where no machine code runs, it says so when it is to prepare some.
func NewLoader(opts Options) *Loader { return &Loader{pool: newPool(max(1, opts.Threads))} }

// Format implements runtime.Loader.
func (l *Loader) Format() string { return Format }

// PtrBits implements runtime.Loader.
func (l *Loader) PtrBits() int { return 32 }

// Close implements runtime.Loader. What was prepared is released by its owners.
func (l *Loader) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.pool.close()
	return nil
}

// Prepare implements runtime.Loader: it decodes an object, verifies its code and makes it executable. That takes about as long as reading the code, so
// that a context which ends is noticed at the start only.
func (l *Loader) Prepare(ctx context.Context, b []byte) (runtime.Code, error) {
	l.mu.Lock()
	closed := l.closed
	l.mu.Unlock()
	if closed {
		return nil, fmt.Errorf("loading machine code: engine %w", runtime.ErrClosed)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("loading machine code: %w: %w", runtime.ErrStopped, context.Cause(ctx))
	}
	o, err := Decode(b)
	if err != nil {
		return nil, err
	}
	if err := Available(); err != nil {
		return nil, fmt.Errorf("machine code: %w: %w", runtime.ErrUnsupported, err)
	}
	c, err := Load(&o.Blob)
	if err != nil {
		return nil, err
	}
	return &module{loader: l, object: o, code: c}, nil
}

// module is an object whose code is executable.
type module struct {
	loader *Loader
	object *Object
	code   *Code
}

// Release implements runtime.Code.
func (m *module) Release() {
	// Pages that the system does not take back stay mapped and are used no more: there is no error to act on.
	_ = m.code.Close()
}
