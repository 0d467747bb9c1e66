package terminal

import (
	"io"
	"os"
	"strconv"
	"sync"

	"golang.org/x/term"
)

// Screen is the standard output and the standard error of a process. Both may be one terminal, on which a line of progress stays
// below what is written to either.
type Screen struct {
	Out, Err *Stream

	mu sync.Mutex
	// progress is nil where there is none. shown tells whether its line is on the terminal, open whether another line is not ended.
	progress    *Progress
	shown, open bool
}

// Stream is one of the two. What is written to it passes the filter for what steers a terminal; see Raw.
type Stream struct {
	screen *Screen
	filter Filter
	file   *os.File
	tty    bool
}

// NewScreen returns the screen of two files.
func NewScreen(out, err *os.File) *Screen {
	s := &Screen{}
	s.Out, s.Err = s.stream(out), s.stream(err)
	return s
}

func (s *Screen) stream(f *os.File) *Stream {
	w := &Stream{screen: s, file: f, tty: term.IsTerminal(int(f.Fd())) && enable(f)}
	w.filter.W = raw{w}
	return w
}

// Write implements io.Writer.
func (s *Stream) Write(data []byte) (int, error) {
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	return s.filter.Write(data)
}

// raw writes to the file, past the filter. The screen is locked.
type raw struct{ *Stream }

// Write implements io.Writer.
func (r raw) Write(data []byte) (int, error) {
	if r.tty && len(data) > 0 {
		r.screen.erase()
		r.screen.open = data[len(data)-1] != '\n'
	}
	return r.file.Write(data)
}

// locked writes past the filter and locks the screen.
type locked struct{ *Stream }

// Write implements io.Writer.
func (l locked) Write(data []byte) (int, error) {
	l.screen.mu.Lock()
	defer l.screen.mu.Unlock()
	return raw(l).Write(data)
}

// Raw returns the writer behind the filter of w, for text that was filtered and then colored; w itself where it is no stream.
func Raw(w io.Writer) io.Writer {
	if s, ok := w.(*Stream); ok {
		return locked{s}
	}
	return w
}

// Is tells whether w is a terminal.
func Is(w io.Writer) bool {
	s, ok := w.(*Stream)
	return ok && s.tty
}

// defaultWidth is the width of a terminal that is not known.
const defaultWidth = 80

// Width returns the number of columns that w has: what COLUMNS says, or the size of the terminal. It is not known of a file or a
// pipe: then it is defaultWidth.
func Width(w io.Writer) (columns int, known bool) {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n, true
	}
	if s, ok := w.(*Stream); ok && s.tty {
		if n, _, err := term.GetSize(int(s.file.Fd())); err == nil && n > 0 {
			return n, true
		}
	}
	return defaultWidth, false
}
