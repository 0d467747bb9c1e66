package dumps

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the number of bytes of a line that are kept; the rest is cut, with a sign that says so.
const MaxLine = 1 << 20

// block is how much is read at once.
const block = 256 << 10

// lines cuts a stream into lines without their newline.
type lines struct {
	in   io.Reader
	buf  []byte
	from int // what is before is done
	end  error
	// number counts lines from 1, bytes what was read, long the lines that were cut.
	number int
	bytes  int64
	long   int
	plain  []byte // of the last line where escapes were taken out
}

func newLines(in io.Reader) *lines { return &lines{in: in, buf: make([]byte, 0, 2*block)} }

// next returns the next line, which is valid until the next call; io.EOF behind the last, or the error of the reader. The end of the
// input ends a line as a newline does.
func (l *lines) next() ([]byte, error) {
	for at := l.from; ; {
		if i := bytes.IndexByte(l.buf[at:], '\n'); i >= 0 {
			line := l.buf[l.from : at+i]
			l.from = at + i + 1
			return l.finish(line), nil
		}
		at = len(l.buf)
		if l.end != nil {
			if l.from == len(l.buf) {
				return nil, l.end
			}
			line := l.buf[l.from:]
			l.from = len(l.buf)
			return l.finish(line), nil
		}
		if len(l.buf)-l.from > MaxLine {
			return l.cut()
		}
		at -= l.from
		l.fill()
	}
}

// fill reads more behind what is not done yet.
func (l *lines) fill() {
	if l.from > 0 {
		l.buf = l.buf[:copy(l.buf, l.buf[l.from:])]
		l.from = 0
	}
	if cap(l.buf)-len(l.buf) < block {
		l.buf = append(make([]byte, 0, 2*cap(l.buf)), l.buf...)
	}
	n, err := l.in.Read(l.buf[len(l.buf):cap(l.buf)])
	l.buf = l.buf[:len(l.buf)+n]
	l.bytes += int64(n)
	l.end = err
}

// cut returns the beginning of a line that is too long, and skips the rest of it.
func (l *lines) cut() ([]byte, error) {
	head := bytes.Clone(l.buf[l.from : l.from+MaxLine])
	skipped := len(l.buf) - l.from - MaxLine
	for {
		l.from = len(l.buf)
		if l.end != nil {
			break
		}
		l.fill()
		if i := bytes.IndexByte(l.buf, '\n'); i >= 0 {
			skipped += i
			l.from = i + 1
			break
		}
		skipped += len(l.buf)
	}
	l.long++
	return l.finish(fmt.Appendf(head, " … (%d bytes of this line are left out)", skipped)), nil
}

// finish takes out what is not part of the text of a line: the carriage return of other systems, and colours for a terminal.
func (l *lines) finish(line []byte) []byte {
	l.number++
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if bytes.IndexByte(line, 0x1b) >= 0 {
		l.plain = withoutEscapes(l.plain[:0], line)
		line = l.plain
	}
	return line
}

// ended tells whether an error says that the input ended in order.
func ended(err error) bool { return errors.Is(err, io.EOF) }
