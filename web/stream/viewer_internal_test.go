package stream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// wire is a connection that takes what is written, after so many attempts in vain, and then calls a function.
type wire struct {
	net.Conn
	vain  int
	err   error // of all later writes
	taken func()
	bytes.Buffer
}

func (c *wire) SetDeadline(time.Time) error      { return nil }
func (c *wire) SetReadDeadline(time.Time) error  { return nil }
func (c *wire) SetWriteDeadline(time.Time) error { return nil }
func (c *wire) Close() error                     { return nil }
func (c *wire) Read([]byte) (int, error)         { return 0, io.EOF }

func (c *wire) Write(p []byte) (int, error) {
	if c.vain--; c.vain >= 0 {
		return 0, os.ErrDeadlineExceeded
	}
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.Buffer.Write(p)
	if c.taken != nil {
		c.taken()
	}
	return n, err
}

// frames cuts what a server wrote into its frames, short ones: the kind of each and its text.
func (c *wire) frames() []string {
	var out []string
	for b := c.Bytes(); len(b) > 1; {
		n := int(b[1])
		text := string(b[2 : 2+n])
		if b[0] == 0x88 {
			text = fmt.Sprint(int(b[2])<<8|int(b[3]), " ", text[2:])
		}
		out = append(out, fmt.Sprintf("%x %s", b[0], text))
		b = b[2+n:]
	}
	return out
}

// wired is an answer that hands out a wire.
type wired struct {
	http.ResponseWriter
	conn *wire
}

func (h wired) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h.conn, bufio.NewReadWriter(bufio.NewReader(h.conn), bufio.NewWriter(h.conn)), nil
}

// view returns a viewer of a source on a wire, on which nothing has been written yet.
func view(t *testing.T, src Source, ping time.Duration) (*viewer, *wire) {
	t.Helper()
	h, c := New(Config{Ping: ping}), &wire{}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	for k, v := range map[string]string{"Connection": "upgrade", "Upgrade": "websocket", "Sec-Websocket-Version": "13", "Sec-Websocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="} {
		r.Header.Set(k, v)
	}
	hijack := &hijacker{ResponseWriter: wired{httptest.NewRecorder(), c}, cfg: h.cfg}
	conn, err := h.upgrader.Upgrade(hijack, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Reset()
	return &viewer{hub: h, conn: conn, link: hijack.link, src: src, shared: &shared{}, every: h.cfg.Ping}, c
}

// answers is a Source that gives one answer after the other.
type answers []func(seq int) ([][]byte, bool, error)

func (a *answers) Next(_ context.Context, seq int) ([][]byte, bool, error) {
	f := (*a)[0]
	*a = (*a)[1:]
	return f(seq)
}

func lines(sealed bool, texts ...string) func(int) ([][]byte, bool, error) {
	return func(int) ([][]byte, bool, error) {
		var out [][]byte
		for _, text := range texts {
			out = append(out, []byte(text))
		}
		return out, sealed, nil
	}
}

func fails(err error) func(int) ([][]byte, bool, error) {
	return func(int) ([][]byte, bool, error) { return nil, false, err }
}

// TestWritingGoesOn until the source is at its end: where it had nothing in time, however it says so, and with what came with the end.
func TestWritingGoesOn(t *testing.T) {
	src := &answers{
		lines(false, "a", "b"), fails(context.DeadlineExceeded), fails(fmt.Errorf("log: %w", context.DeadlineExceeded)), lines(false), lines(true, "c"), lines(true),
	}
	v, c := view(t, src, time.Hour)
	if err := v.write(t.Context()); err != nil || v.seq != 3 || len(*src) != 0 {
		t.Errorf("it ends with %v after %d events, with %d answers left", err, v.seq, len(*src))
	}
	if got := fmt.Sprint(c.frames()); got != "[81 a 81 b 81 c]" {
		t.Errorf("it wrote %s", got)
	}
	broken := errors.New("broken")
	v, c = view(t, &answers{lines(false, "a"), fails(broken)}, time.Hour)
	if err := v.write(t.Context()); !errors.Is(err, broken) || v.seq != 1 || c.Len() != 3 {
		t.Errorf("a log that breaks ends it with %v after %d events", err, v.seq)
	}
}

// TestWritingEnds between two events, with the cause of its context; and where the client takes nothing, with that.
func TestWritingEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	v, c := view(t, &answers{lines(true, "a", "b", "c"), lines(true)}, time.Hour)
	c.taken = func() { cancel(errDrain) }
	if err := v.write(ctx); !errors.Is(err, errDrain) || v.seq != 1 {
		t.Errorf("it ends with %v after %d events", err, v.seq)
	}
	// A ping stands between events, too.
	v, c = view(t, &answers{lines(true, "a", "b"), lines(true)}, time.Nanosecond)
	time.Sleep(time.Microsecond)
	if err := v.write(t.Context()); err != nil || fmt.Sprint(c.frames()[:3]) != "[81 a 89  81 b]" {
		t.Errorf("with pings it ends with %v after %q", err, c.frames())
	}
	v, c = view(t, &answers{lines(true, "a", "b"), lines(true)}, time.Nanosecond)
	c.taken = func() { c.err = io.ErrClosedPipe }
	if err := v.write(t.Context()); !errors.Is(err, errGone) || v.seq != 1 {
		t.Errorf("a ping that fails ends it with %v after %d events", err, v.seq)
	}
	v, c = view(t, &answers{lines(true, "a")}, time.Hour)
	c.err = io.ErrClosedPipe
	if err := v.write(t.Context()); !errors.Is(err, errGone) || v.seq != 0 {
		t.Errorf("a write that fails ends it with %v after %d events", err, v.seq)
	}
}

// TestEachMessageHasAllItsChances: what one needed does not count against the next.
func TestEachMessageHasAllItsChances(t *testing.T) {
	for what, f := range map[string]func(v *viewer) error{
		"event": func(v *viewer) error { return v.send([]byte("a")) },
		"ping":  func(v *viewer) error { _, err := v.ping(time.Time{}); return err },
		"end": func(v *viewer) error {
			if !v.sayGoodbye(nil) {
				return errGone
			}
			return nil
		},
	} {
		v, c := view(t, &answers{}, time.Hour)
		v.link.waits.Store(chances - 1)
		c.vain = chances/2 - 1
		if err := f(v); err != nil || c.Len() == 0 {
			t.Errorf("%s: it ends with %v", what, err)
		}
		v, c = view(t, &answers{}, time.Hour)
		c.vain = chances
		if err := f(v); !errors.Is(err, errGone) || c.Len() != 0 {
			t.Errorf("%s: where every chance is in vain it ends with %v", what, err)
		}
	}
	v, c := view(t, &answers{}, time.Hour)
	c.vain = chances / 2
	if err := v.send([]byte("a")); !errors.Is(err, errSlow) || v.seq != 1 {
		t.Errorf("half of the chances give %v", err)
	}
	// What several viewers share is a text, too.
	v, c = view(t, &answers{}, time.Hour)
	v.shared.viewers.Store(2)
	if err := v.send([]byte("a")); err != nil || fmt.Sprint(c.frames()) != "[81 a]" {
		t.Errorf("a shared message is %q (%v)", c.frames(), err)
	}
	now := time.Now()
	if last, err := v.ping(now); err != nil || !last.Equal(now) || c.Len() != 3 {
		t.Errorf("a ping too early gives %v (%v)", last, err)
	}
}

// TestGoodbyes say by their codes what a client is to do.
func TestGoodbyes(t *testing.T) {
	for cause, want := range map[error]string{
		nil: "88 1000 run finished", errDrain: "88 1012 server restarts", errSlow: "88 1013 reading too slowly", errTooBig: "88 1009 clients must not send messages",
		errors.New("x"): "88 1011 log cannot be read",
	} {
		v, c := view(t, &answers{}, time.Hour)
		if !v.sayGoodbye(cause) || fmt.Sprint(c.frames()) != "["+want+"]" {
			t.Errorf("%v: %q, want %q", cause, c.frames(), want)
		}
	}
	v, c := view(t, &answers{}, time.Hour)
	if v.sayGoodbye(errGone) || c.Len() > 0 {
		t.Errorf("a client that is gone is told %q", c.frames())
	}
}
