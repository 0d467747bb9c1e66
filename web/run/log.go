package run

import (
	"context"
	"errors"
	"sync"
)

// ErrSealed says that a log takes no more events.
var ErrSealed = errors.New("the log of the run is closed")

// Log is the append-only log of a run as encoded events. Any number of readers
// follow it from any number on; a writer never waits for them, and a reader costs
// nothing but the number it has reached.
type Log struct {
	mu     sync.Mutex
	lines  [][]byte
	bytes  int64
	sealed bool
	// grown is closed and replaced at each append, and only if somebody waits.
	grown   chan struct{}
	waiting bool
}

// NewLog returns an empty log.
func NewLog() *Log { return &Log{grown: make(chan struct{})} }

// SealedLog returns the log of a run that has finished.
func SealedLog(lines [][]byte) *Log {
	l := &Log{lines: lines, sealed: true, grown: make(chan struct{})}
	for _, line := range lines {
		l.bytes += int64(len(line))
	}
	return l
}

// Append appends one encoded event, which is not written again.
func (l *Log) Append(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sealed {
		return ErrSealed
	}
	l.lines = append(l.lines, line)
	l.bytes += int64(len(line))
	l.wake()
	return nil
}

// Seal closes the log: readers that have read all of it are done. Sealing twice
// does nothing.
func (l *Log) Seal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sealed = true
	l.wake()
}

// wake lets readers go on that wait for news.
func (l *Log) wake() {
	if l.waiting {
		close(l.grown)
		l.grown, l.waiting = make(chan struct{}), false
	}
}

// Len returns the number of events, and whether there will be no more.
func (l *Log) Len() (n int, sealed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lines), l.sealed
}

// Bytes returns the size of the encoded events.
func (l *Log) Bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes
}

// Next returns the events from number seq on. Where there is none it waits for
// one, for the end of the log (then it returns none, with sealed true), or for the end of
// the context, whose cause it returns.
func (l *Log) Next(ctx context.Context, seq int) (lines [][]byte, sealed bool, err error) {
	for {
		l.mu.Lock()
		n := len(l.lines)
		lines, sealed = l.lines[min(max(seq, 0), n):n:n], l.sealed
		grown := l.grown
		if len(lines) == 0 && !sealed {
			l.waiting = true
		}
		l.mu.Unlock()
		if len(lines) > 0 || sealed {
			return lines, sealed, nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
}
