package runtime

import (
	"context"
	"fmt"
)

// Session is a turn on a device: while it lasts nobody else runs kernels there. It must
// be ended, and is not safe for concurrent use.
type Session struct {
	dev  *Device
	ctx  context.Context
	halt func() bool
	done chan struct{}
}

// Begin waits for the device and starts a session. When ctx is done the stop flag is
// set, so that kernels and virtual machines return ErrStopped.
func (d *Device) Begin(ctx context.Context) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("waiting for the device: %w: %w", ErrStopped, context.Cause(ctx))
	}
	select {
	case <-d.turn:
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the device: %w: %w", ErrStopped, context.Cause(ctx))
	}
	d.mu.Lock()
	closed := d.closed
	d.mu.Unlock()
	if closed {
		d.turn <- struct{}{}
		return nil, fmt.Errorf("starting a session: device %w", ErrClosed)
	}
	s := &Session{dev: d, ctx: ctx}
	d.stop.Store(false)
	if ctx.Done() != nil {
		s.done = make(chan struct{})
		s.halt = context.AfterFunc(ctx, func() {
			d.stop.Store(true)
			close(s.done)
		})
	}
	return s, nil
}

// End ends the session. A second End does nothing.
func (s *Session) End() {
	d := s.dev
	if d == nil {
		return
	}
	s.dev = nil
	if s.halt != nil && !s.halt() {
		<-s.done // the flag must not be set in the turn of another
	}
	d.stop.Store(false)
	d.turn <- struct{}{}
}

// Device is the device of the session.
func (s *Session) Device() *Device { return s.dev }

// Context is the context that the session began with.
func (s *Session) Context() context.Context { return s.ctx }

// Stopped reports whether the run was canceled. Kernels that run long ask it now and then, as
// package abi says; it costs one load from memory.
func (s *Session) Stopped() bool { return s.dev.stop.Load() }

// Err reports an error that wraps ErrStopped and the cause once the context is done. It
// costs one load from memory.
func (s *Session) Err() error {
	if !s.Stopped() {
		return nil
	}
	return s.stopped()
}

func (s *Session) stopped() error {
	if cause := context.Cause(s.ctx); cause != nil {
		return fmt.Errorf("%w: %w", ErrStopped, cause)
	}
	return ErrStopped
}
