package runtime

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Engine makes devices, and has the loaders of the formats of code that run on them. It may
// be used by many goroutines.
type Engine struct {
	loaders []Loader

	mu      sync.Mutex
	closed  bool
	devices map[*Device]struct{}
}

// NewEngine returns an engine with these loaders, which it closes when it is closed. Two of one
// format are an error of the caller: it panics.
func NewEngine(loaders ...Loader) *Engine {
	for i, l := range loaders {
		for _, m := range loaders[:i] {
			if m.Format() == l.Format() {
				panic("runtime: two loaders of format " + l.Format())
			}
		}
	}
	return &Engine{loaders: slices.Clone(loaders), devices: map[*Device]struct{}{}}
}

// Formats lists the formats of code that the engine loads.
func (e *Engine) Formats() []string {
	out := make([]string, len(e.loaders))
	for i, l := range e.loaders {
		out[i] = l.Format()
	}
	return out
}

// loader returns the loader of a format.
func (e *Engine) loader(format string) (Loader, error) {
	for _, l := range e.loaders {
		if l.Format() == format {
			return l, nil
		}
	}
	return nil, fmt.Errorf("no loader for kernel modules of format %q: there are loaders for %s", format, strings.Join(e.Formats(), ", "))
}

// Close closes all devices and then the loaders. Sessions in progress are waited for. A second
// Close does nothing.
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
	for _, l := range e.loaders {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}
