package irjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// reader reads tokens of JSON and knows the line and column where it is.
type reader struct {
	dec *json.Decoder
	in  *lines
	lim Limits
}

// limited refuses to read more than a number of bytes.
type limited struct {
	r           io.Reader
	left, limit int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		// Only a file that goes on is too long.
		var one [1]byte
		if n, err := l.r.Read(one[:]); n == 0 {
			return 0, err
		}
		return 0, fmt.Errorf("the file is longer than %d bytes (Limits.FileBytes)", l.limit)
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// lines notes where lines end. Those before the decoder's position are only counted.
type lines struct {
	r      io.Reader
	off    int64 // of the next byte
	count  int
	start  int64 // of the line after those counted
	breaks []int64
	at     func() int64 // the decoder's position
}

func (l *lines) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	l.settle()
	for i, c := range p[:n] {
		if c == '\n' {
			l.breaks = append(l.breaks, l.off+int64(i))
		}
	}
	l.off += int64(n)
	return n, err
}

// settle counts the lines before the decoder's position.
func (l *lines) settle() {
	at, i := l.at(), 0
	for i < len(l.breaks) && l.breaks[i] < at {
		l.start = l.breaks[i] + 1
		i++
	}
	l.count += i
	l.breaks = append(l.breaks[:0], l.breaks[i:]...)
}

// position is where the last token ended.
func (r *reader) position() string {
	r.in.settle()
	return fmt.Sprintf("line %d, column %d", r.in.count+1, max(1, r.dec.InputOffset()-r.in.start))
}

func (r *reader) fail(format string, args ...any) error {
	return fmt.Errorf("irjson: %s: %s", r.position(), fmt.Sprintf(format, args...))
}

// wrap says where err happened, which a decoder returned.
func (r *reader) wrap(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.fail("the file ends unexpectedly")
	}
	return r.fail("%v", err)
}

func (r *reader) token() (json.Token, error) {
	tok, err := r.dec.Token()
	if err != nil {
		return nil, r.wrap(err)
	}
	if s, ok := tok.(string); ok && len(s) > r.lim.StringBytes {
		return nil, r.fail("a string of %d bytes; the limit is %d (Limits.StringBytes)", len(s), r.lim.StringBytes)
	}
	return tok, nil
}

func show(tok json.Token) string {
	switch t := tok.(type) {
	case json.Delim:
		return strconv.Quote(t.String())
	case string:
		if len(t) > 40 {
			t = t[:40] + "..."
		}
		return "the string " + strconv.Quote(t)
	case json.Number:
		return "the number " + t.String()
	case nil:
		return "null"
	}
	return fmt.Sprint(tok)
}

func (r *reader) delim(d json.Delim, what string) error {
	tok, err := r.token()
	if err == nil && tok != d {
		err = r.fail("expected %s, which starts with %q, found %s", what, d.String(), show(tok))
	}
	return err
}

// array calls entry for each entry of a list.
func (r *reader) array(what string, entry func(i int) error) error {
	if err := r.delim('[', what); err != nil {
		return err
	}
	return r.entries(entry)
}

// entries reads a list of which the bracket was read.
func (r *reader) entries(entry func(i int) error) error {
	for i := 0; r.dec.More(); i++ {
		if err := entry(i); err != nil {
			return err
		}
	}
	_, err := r.token()
	return err
}

// object calls entry for each key of an object.
func (r *reader) object(what string, entry func(key string) error) error {
	if err := r.delim('{', what); err != nil {
		return err
	}
	return r.keys(entry)
}

// keys reads an object of which the brace was read.
func (r *reader) keys(entry func(key string) error) error {
	for r.dec.More() {
		tok, err := r.token()
		if err != nil {
			return err
		}
		key, ok := tok.(string)
		if !ok {
			return r.fail("expected a key, found %s", show(tok))
		}
		if err := entry(key); err != nil {
			return err
		}
	}
	_, err := r.token()
	return err
}

func (r *reader) bool(what string) (bool, error) {
	tok, err := r.token()
	if err != nil {
		return false, err
	}
	b, ok := tok.(bool)
	if !ok {
		return false, r.fail("expected true or false for %s, found %s", what, show(tok))
	}
	return b, nil
}

func (r *reader) number(what string, lo, hi int64) (int64, error) {
	tok, err := r.token()
	if err != nil {
		return 0, err
	}
	return r.toInt(tok, what, lo, hi)
}

func (r *reader) toInt(tok json.Token, what string, lo, hi int64) (int64, error) {
	n, ok := tok.(json.Number)
	if !ok {
		return 0, r.fail("expected a whole number for %s, found %s", what, show(tok))
	}
	x, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil {
		return 0, r.fail("expected a whole number for %s, found %.40s", what, n)
	}
	if hi < lo {
		return 0, r.fail("%s is %d, but there is nothing before it to refer to", what, x)
	}
	if x < lo || x > hi {
		return 0, r.fail("%s is %d, expected a number from %d to %d", what, x, lo, hi)
	}
	return x, nil
}

func (r *reader) ints(what string, lo, hi int64) ([]int64, error) {
	out := []int64{}
	err := r.array(what, func(int) error {
		x, err := r.number(what, lo, hi)
		out = append(out, x)
		return err
	})
	return out, err
}
