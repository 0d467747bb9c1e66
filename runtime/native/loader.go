package native

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/native/asm"
)

// Options configures a Loader; the zero value is fine.
type Options struct {
	// Threads is how many threads run the loops of a kernel whose turns may run side by side; 0 means 1. Results do not depend on it.
	Threads int
	// Processor is what the loader takes the processor to have; nil means what it has.
	Processor *asm.Features
}

// Loader is the runtime.Loader of machine code. It verifies each object before a page of it can be executed; equal objects share their pages, which are given back when
// nobody uses them.
type Loader struct {
	pool *pool
	has  asm.Features

	mu      sync.Mutex
	closed  bool
	modules map[[sha256.Size]byte]*module
}

// NewLoader returns a loader for one engine. It exists everywhere; where no machine code runs, it says so when it is to prepare some.
func NewLoader(opts Options) *Loader {
	l := &Loader{pool: newPool(max(1, opts.Threads)), has: Host(), modules: map[[sha256.Size]byte]*module{}}
	if opts.Processor != nil {
		l.has = *opts.Processor
	}
	return l
}

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

// Prepare implements runtime.Loader: it decodes an object, verifies its code and makes it executable, once for those that use it at a time. That takes about as long as reading
// the code, so that a context which ends is noticed at the start only.
func (l *Loader) Prepare(ctx context.Context, b []byte) (runtime.Code, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("loading machine code: %w: %w", runtime.ErrStopped, context.Cause(ctx))
	}
	key := sha256.Sum256(b)
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, fmt.Errorf("loading machine code: engine %w", runtime.ErrClosed)
	}
	m := l.modules[key]
	if m == nil {
		m = &module{loader: l, key: key}
		l.modules[key] = m
	}
	m.users++
	l.mu.Unlock()
	m.once.Do(func() { m.object, m.code, m.err = l.prepare(b) })
	if m.err != nil {
		err := m.err
		m.Release()
		return nil, err
	}
	return m, nil
}

func (l *Loader) prepare(b []byte) (*Object, *Code, error) {
	o, err := Decode(append([]byte(nil), b...)) // the object outlives the input of who came first
	if err != nil {
		return nil, nil, err
	}
	if err := Available(); err != nil {
		return nil, nil, fmt.Errorf("machine code: %w: %w", runtime.ErrUnsupported, err)
	}
	c, err := loadFor(&o.Blob, l.has)
	if err != nil {
		return nil, nil, err
	}
	o.Blob = asm.Blob{} // what runs is the copy
	return o, c, nil
}

// module is an object whose code is executable.
type module struct {
	loader *Loader
	key    [sha256.Size]byte
	users  int // guarded by the loader's lock
	once   sync.Once
	object *Object
	code   *Code
	err    error
}

// Release implements runtime.Code.
func (m *module) Release() {
	m.loader.mu.Lock()
	m.users--
	last := m.users == 0
	if last {
		delete(m.loader.modules, m.key)
	}
	m.loader.mu.Unlock()
	if last && m.code != nil {
		// Pages that the system does not take back stay mapped and are used no more: there is no error to act on.
		_ = m.code.Close()
	}
}
