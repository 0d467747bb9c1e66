package runtime

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync/atomic"
)

// fakeLoader is a loader whose modules are the names of Go functions, separated by blanks.
type fakeLoader struct {
	bits                          int
	funcs                         map[string]GoFunc
	prepared, loaded, closed, end atomic.Int32
	attached                      *fakeAttachment
}

// fakeAttachment notes what a device tells it.
type fakeAttachment struct {
	grown  []uint64
	refuse uint64 // memory from here on is refused, where not zero
	closed int
}

func (a *fakeAttachment) Grow(end uint64) error {
	if a.refuse != 0 && end > a.refuse {
		return errors.New("no more")
	}
	a.grown = append(a.grown, end)
	return nil
}

func (a *fakeAttachment) Close() error { a.closed++; return nil }

func (l *fakeLoader) Format() string { return "fake" }
func (l *fakeLoader) PtrBits() int   { return l.bits }
func (l *fakeLoader) Close() error   { l.end.Add(1); return nil }

func (l *fakeLoader) Prepare(_ context.Context, code []byte) (Code, error) {
	if len(code) == 0 {
		return nil, errors.New("an empty module")
	}
	l.prepared.Add(1)
	c := &fakeCode{l: l}
	for _, n := range bytes.Fields(code) {
		c.names = append(c.names, string(n))
	}
	slices.Sort(c.names)
	return c, nil
}

type fakeCode struct {
	l     *fakeLoader
	names []string
}

func (c *fakeCode) Release() { c.l.prepared.Add(-1) }

func (c *fakeCode) Load(s *Session) (Library, error) {
	for _, n := range c.names {
		if c.l.funcs[n] == nil {
			return nil, errors.New("no function " + n)
		}
	}
	if c.l.attached != nil {
		if _, err := s.Attach(c.l, func() (Attachment, error) { return c.l.attached, nil }); err != nil {
			return nil, err
		}
	}
	c.l.loaded.Add(1)
	return &fakeLibrary{c}, nil
}

type fakeLibrary struct{ c *fakeCode }

func (b *fakeLibrary) Names() []string { return b.c.names }
func (b *fakeLibrary) Close() error    { b.c.l.loaded.Add(-1); b.c.l.closed.Add(1); return nil }

func (b *fakeLibrary) Entry(name string) Entry {
	if f := b.c.l.funcs[name]; f != nil {
		return fakeEntry(f)
	}
	return nil
}

type fakeEntry GoFunc

func (f fakeEntry) Call(s *Session, args []Value) (Value, error) {
	if err := s.CheckArgs(args); err != nil {
		return Value{}, err
	}
	return f(s, args)
}
