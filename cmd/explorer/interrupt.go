package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long what is going on may take to end in order once it was told to. Whoever
// pressed Ctrl-C waits for a second at most, whatever the program does.
const patience = 900 * time.Millisecond

// interruption is the cause of a context that a signal ended.
type interruption struct{ syscall.Signal }

// Error says what happened.
func (i interruption) Error() string {
	if i.Signal == syscall.SIGINT {
		return "interrupted"
	}
	return "terminated"
}

// code is the exit code, that of a process which the signal ended.
func (i interruption) code() int { return 128 + int(i.Signal) }

// interruptible returns a context that ends with the first interrupt or SIGTERM. The process ends
// with it, at the latest after the time of patience, and at once where a second signal comes.
func interruptible(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s, _ := (<-signals).(syscall.Signal)
		why := interruption{s}
		cancel(why)
		select {
		case <-signals:
		case <-time.After(patience):
			fmt.Fprintf(os.Stderr, "irscope: %v: the current work did not stop in time and was abandoned\n", why)
		}
		os.Exit(why.code())
	}()
	return ctx, cancel
}
