package wasm

import (
	"container/list"
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/irscope/irscope/runtime"
)

// Format is the name of the format that the loader takes.
const Format = "wasm"

// Options configures a Loader; the zero value is fine.
type Options struct {
	// CompileWorkers is how many goroutines translate one kernel module to machine code;
	// 0 means 1.
	CompileWorkers int

	// CacheBytes bounds the size of the modules (as WebAssembly) that stay compiled
	// while no device has them loaded; 0 means 32 MiB, negative none.
	CacheBytes int64
}

// Loader is the runtime.Loader of WebAssembly. It translates each module once.
type Loader struct {
	opts Options
	rt   wazero.Runtime

	mu       sync.Mutex
	closed   bool
	compiled map[[sha256.Size]byte]*code
	idle     *list.List // of *code that nobody uses, oldest first
	idleSize int64
}

// code is a compiled module. The goroutine that makes it closes ready; refs and elem are
// guarded by the loader's mutex.
type code struct {
	loader *Loader
	key    [sha256.Size]byte
	size   int64
	refs   int
	elem   *list.Element
	ready  chan struct{}
	mod    wazero.CompiledModule
	out    outline
	err    error
}

// NewLoader returns a loader for one engine, which closes it.
func NewLoader(opts Options) *Loader {
	switch {
	case opts.CacheBytes == 0:
		opts.CacheBytes = 32 << 20
	case opts.CacheBytes < 0:
		opts.CacheBytes = 0
	}
	cfg := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2).WithDebugInfoEnabled(false)
	return &Loader{
		opts:     opts,
		rt:       wazero.NewRuntimeWithConfig(context.Background(), cfg),
		compiled: map[[sha256.Size]byte]*code{},
		idle:     list.New(),
	}
}

// Format implements runtime.Loader.
func (l *Loader) Format() string { return Format }

// PtrBits implements runtime.Loader.
func (l *Loader) PtrBits() int { return 32 }

// Close frees all code.
func (l *Loader) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	if err := l.rt.Close(context.Background()); err != nil {
		return fmt.Errorf("closing the WebAssembly runtime: %w", err)
	}
	return nil
}

// Prepare translates a kernel module to machine code and keeps it in the cache, so that
// loading it again is quick. Equal modules are translated once, also when asked for at the
// same time.
func (l *Loader) Prepare(ctx context.Context, wasm []byte) (runtime.Code, error) {
	c, err := l.acquire(ctx, wasm)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Release implements runtime.Code.
func (c *code) Release() { c.loader.release(c) }

// acquire returns the compiled form of wasm; release it when done.
func (l *Loader) acquire(ctx context.Context, wasm []byte) (*code, error) {
	key := sha256.Sum256(wasm)
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, fmt.Errorf("compiling a kernel module: engine %w", runtime.ErrClosed)
	}
	c := l.compiled[key]
	mine := c == nil
	if mine {
		c = &code{loader: l, key: key, size: int64(len(wasm)), ready: make(chan struct{})}
		l.compiled[key] = c
	}
	c.refs++
	if c.elem != nil {
		l.idle.Remove(c.elem)
		l.idleSize -= c.size
		c.elem = nil
	}
	l.mu.Unlock()
	if mine {
		// Others may wait for this result, so it does not end with the context of one.
		c.out, c.err = inspect(wasm)
		if c.err == nil {
			wctx := experimental.WithCompilationWorkers(context.Background(), max(1, l.opts.CompileWorkers))
			c.mod, c.err = l.rt.CompileModule(wctx, wasm)
		}
		close(c.ready)
	}
	select {
	case <-c.ready:
	case <-ctx.Done():
		l.release(c)
		return nil, fmt.Errorf("compiling a kernel module: %w: %w", runtime.ErrStopped, context.Cause(ctx))
	}
	if c.err != nil {
		err := c.err
		l.release(c)
		return nil, fmt.Errorf("compiling a kernel module of %d bytes: %w", len(wasm), err)
	}
	return c, nil
}

// release gives up one use of c. Code that no device uses stays in the cache while there
// is room; code that did not compile never does.
func (l *Loader) release(c *code) {
	var drop []*code
	l.mu.Lock()
	if c.refs--; c.refs == 0 { // so its maker is done, and c.err is set
		if c.err != nil {
			delete(l.compiled, c.key)
		} else {
			c.elem = l.idle.PushBack(c)
			l.idleSize += c.size
		}
		for l.idleSize > l.opts.CacheBytes {
			old := l.idle.Remove(l.idle.Front()).(*code)
			l.idleSize -= old.size
			old.elem = nil
			delete(l.compiled, old.key)
			drop = append(drop, old)
		}
	}
	l.mu.Unlock()
	for _, old := range drop {
		// Close only takes the module off wazero's list; there is no error to act on.
		_ = old.mod.Close(context.Background())
	}
}

// CachedModules reports how many modules are compiled, and how many of them no device uses.
func (l *Loader) CachedModules() (all, idle int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.compiled), l.idle.Len()
}
