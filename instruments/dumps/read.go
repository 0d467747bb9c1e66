package dumps

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/irscope/irscope/instruments/event"
)

// reader reads one format. It keeps no line beyond the call.
type reader interface {
	line(line []byte, number int) error
	end() error
}

// formats are those of streams of lines, with the line that begins a dump of each.
var formats = []struct {
	knows func(line []byte) bool
	open  func(t *timeline) reader
}{
	{knowsLLVM, newLLVM},
	{knowsMLIR, newMLIR},
	{knowsTVM, newTVM},
	{knowsXLA, newXLA},
	{knowsSSAPage, newSSAPage},
	{knowsGitLog, newGitLog},
}

// Unreadable is the message for what has no pass in it.
const Unreadable = "no pass was found in it. irscope reads what LLVM, MLIR, TVM, XLA, GCC, and Go print of their passes, folders of numbered files, and git log -p"

// pictured begins the page that LLVM writes with -print-changed=dot-cfg.
var pictured = []byte("<title>passes.html</title>")

func pictures() error {
	return &event.Error{Kind: event.KindInput, Message: "this is what LLVM writes with -print-changed=dot-cfg: pictures of control flow, without the IR. Print with -print-changed or -print-changed=diff instead"}
}

// Read reads what a compiler printed, named model: a text, also compressed with gzip, or a folder as a zip or tar archive. It writes the
// passes to the sink, all but run_finished. It returns an *event.Error for what is no dump and for what goes beyond a limit; what was
// read before is in the log then.
func Read(ctx context.Context, in io.Reader, model string, sink event.Sink) error {
	t := newTimeline(sink, model)
	files, text, err := unpack(in)
	switch {
	case text != nil:
		err = readStream(ctx, t, text)
	case err == nil || broken(err):
		err = errors.Join(readFolder(ctx, t, files), err)
	}
	if (t.started || len(t.waiting) > 0) && (err == nil || broken(err)) {
		err = errors.Join(t.end(), err)
	}
	switch {
	case err != nil:
		return fault(err)
	case !t.started:
		return unreadable()
	}
	return nil
}

// readStream reads lines in whatever format the first dump has.
func readStream(ctx context.Context, t *timeline, in io.Reader) error {
	l := newLines(in)
	r, err := readLines(ctx, t, l)
	t.notes.long = l.long
	if r != nil && (err == nil || broken(err)) {
		err = errors.Join(r.end(), err)
	}
	return err
}

// knownLines is the number of lines in which a dump has to begin for Knows.
const knownLines = 10_000

// Knows tells whether data is a text with passes in it, by a line that begins one.
func Knows(data []byte) bool {
	l := newLines(bytes.NewReader(data))
	for range knownLines {
		line, err := l.next()
		if err != nil {
			return false
		}
		for _, f := range formats {
			if f.knows(line) {
				return true
			}
		}
	}
	return false
}

// readLines reads to the end; the reader is nil where no format was found.
func readLines(ctx context.Context, t *timeline, l *lines) (reader, error) {
	var r reader
	for {
		line, err := l.next()
		if ended(err) {
			return r, nil
		}
		if err != nil {
			return r, &unread{l.number, err}
		}
		if l.number&1023 == 0 && ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		if r == nil {
			if r = detect(t, line); r == nil {
				if bytes.Contains(line, pictured) {
					return nil, pictures()
				}
				t.notes.before++
				continue
			}
		}
		if err := r.line(line, l.number); err != nil {
			return r, err
		}
	}
}

// detect returns the reader of the format in which a line begins a dump, or nil.
func detect(t *timeline, line []byte) reader {
	for _, f := range formats {
		if f.knows(line) {
			return f.open(t)
		}
	}
	return nil
}

// unread is an input that broke off.
type unread struct {
	line int
	err  error
}

func (u *unread) Error() string { return fmt.Sprintf("the input ended at line %d: %v", u.line, u.err) }
func (u *unread) Unwrap() error { return u.err }

func broken(err error) bool {
	var u *unread
	return errors.As(err, &u)
}

// fault returns an error as the end of a run tells it.
func fault(err error) error {
	var known *event.Error
	if errors.As(err, &known) || !broken(err) {
		return err
	}
	return &event.Error{Kind: event.KindInput, Message: err.Error()}
}
