package runtime

import (
	"container/list"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// EngineOptions configures an Engine; the zero value is fine.
type EngineOptions struct {
	// CompileWorkers is how many goroutines translate one kernel module to machine code;
	// 0 means 1.
	CompileWorkers int

	// CacheBytes bounds the size of the modules (as WebAssembly) that stay compiled
	// while no device has them loaded; 0 means 32 MiB, negative none.
	CacheBytes int64
}

// Engine compiles kernel modules and makes devices. It may be used by many goroutines.
type Engine struct {
	opts EngineOptions
	rt   wazero.Runtime

	mu       sync.Mutex
	closed   bool
	compiled map[[sha256.Size]byte]*compiledCode
	idle     *list.List // of *compiledCode that nobody uses, oldest first
	idleSize int64
	devices  map[*Device]struct{}
}

// compiledCode is a compiled module. The goroutine that makes it closes ready; refs and
// elem are guarded by the engine's mutex.
type compiledCode struct {
	key   [sha256.Size]byte
	size  int64
	refs  int
	elem  *list.Element
	ready chan struct{}
	mod   wazero.CompiledModule
	out   outline
	err   error
}

// NewEngine returns an engine; close it when done.
func NewEngine(opts EngineOptions) *Engine {
	switch {
	case opts.CacheBytes == 0:
		opts.CacheBytes = 32 << 20
	case opts.CacheBytes < 0:
		opts.CacheBytes = 0
	}
	cfg := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2).WithDebugInfoEnabled(false)
	return &Engine{
		opts:     opts,
		rt:       wazero.NewRuntimeWithConfig(context.Background(), cfg),
		compiled: map[[sha256.Size]byte]*compiledCode{},
		idle:     list.New(),
		devices:  map[*Device]struct{}{},
	}
}

// Close closes all devices and frees all code. Sessions in progress are waited for.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	devices := make([]*Device, 0, len(e.devices))
	for d := range e.devices {
		devices = append(devices, d)
	}
	e.mu.Unlock()
	var errs []error
	for _, d := range devices {
		errs = append(errs, d.Close())
	}
	if err := e.rt.Close(context.Background()); err != nil {
		errs = append(errs, fmt.Errorf("closing the WebAssembly runtime: %w", err))
	}
	return errors.Join(errs...)
}

// Compile translates a kernel module to machine code and keeps it in the cache, so that
// loading it is quick. Equal modules are translated once, also when asked for at the
// same time.
func (e *Engine) Compile(ctx context.Context, wasm []byte) error {
	c, err := e.acquire(ctx, wasm)
	if err != nil {
		return err
	}
	e.release(c)
	return nil
}

// acquire returns the compiled form of wasm; release it when done.
func (e *Engine) acquire(ctx context.Context, wasm []byte) (*compiledCode, error) {
	key := sha256.Sum256(wasm)
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, fmt.Errorf("compiling a kernel module: engine %w", ErrClosed)
	}
	c := e.compiled[key]
	mine := c == nil
	if mine {
		c = &compiledCode{key: key, size: int64(len(wasm)), ready: make(chan struct{})}
		e.compiled[key] = c
	}
	c.refs++
	if c.elem != nil {
		e.idle.Remove(c.elem)
		e.idleSize -= c.size
		c.elem = nil
	}
	e.mu.Unlock()
	if mine {
		// Others may wait for this result, so it does not end with the context of one.
		c.out, c.err = inspect(wasm)
		if c.err == nil {
			wctx := experimental.WithCompilationWorkers(context.Background(), max(1, e.opts.CompileWorkers))
			c.mod, c.err = e.rt.CompileModule(wctx, wasm)
		}
		close(c.ready)
	}
	select {
	case <-c.ready:
	case <-ctx.Done():
		e.release(c)
		return nil, fmt.Errorf("compiling a kernel module: %w: %w", ErrStopped, context.Cause(ctx))
	}
	if c.err != nil {
		err := c.err
		e.release(c)
		return nil, fmt.Errorf("compiling a kernel module of %d bytes: %w", len(wasm), err)
	}
	return c, nil
}

// release gives up one use of c. Code that no device uses stays in the cache while there
// is room; code that did not compile never does.
func (e *Engine) release(c *compiledCode) {
	var drop []*compiledCode
	e.mu.Lock()
	if c.refs--; c.refs == 0 { // so its maker is done, and c.err is set
		if c.err != nil {
			delete(e.compiled, c.key)
		} else {
			c.elem = e.idle.PushBack(c)
			e.idleSize += c.size
		}
		for e.idleSize > e.opts.CacheBytes {
			old := e.idle.Remove(e.idle.Front()).(*compiledCode)
			e.idleSize -= old.size
			old.elem = nil
			delete(e.compiled, old.key)
			drop = append(drop, old)
		}
	}
	e.mu.Unlock()
	for _, old := range drop {
		// Close only takes the module off wazero's list; there is no error to act on.
		_ = old.mod.Close(context.Background())
	}
}

// CachedModules reports how many modules are compiled, and how many of them no device uses.
func (e *Engine) CachedModules() (all, idle int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.compiled), e.idle.Len()
}
