package stream

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"
)

// source is a Source that has no events until it is closed.
type source struct{ closed chan struct{} }

func (s *source) Next(ctx context.Context, _ int) ([][]byte, bool, error) {
	select {
	case <-s.closed:
		return nil, true, nil
	case <-ctx.Done():
		return nil, false, context.Cause(ctx)
	}
}

// TestViewersAreCounted lets many come and go at once: without the lock some are lost, or a map breaks.
func TestViewersAreCounted(t *testing.T) {
	const goers, each = 8, 20_000
	h := New(Config{Viewers: goers})
	var wg sync.WaitGroup
	for i := range goers {
		wg.Go(func() {
			src := &source{}
			for range each {
				sh, err := h.enter(src)
				if err != nil {
					t.Error(i, err)
					return
				}
				h.leave(src, sh)
			}
		})
	}
	wg.Wait()
	if h.Viewers() != 0 || len(h.shared) != 0 {
		t.Errorf("%d viewers of %d sources are left", h.Viewers(), len(h.shared))
	}
}

// TestViewersOfOneSourceShare what is prepared, and the last of them takes it away. There are so many viewers at most, and none
// when the hub ends.
func TestViewersOfOneSourceShare(t *testing.T) {
	h := New(Config{Viewers: 3})
	one, two := &source{}, &source{}
	enter := func(src Source) *shared {
		sh, err := h.enter(src)
		if err != nil {
			t.Fatal(err)
		}
		return sh
	}
	a, b, c := enter(one), enter(one), enter(two)
	if a != b || a == c || a.viewers.Load() != 2 || c.viewers.Load() != 1 || h.Viewers() != 3 {
		t.Errorf("%d viewers; of the first source %d, of the second %d", h.Viewers(), a.viewers.Load(), c.viewers.Load())
	}
	if _, err := h.enter(one); err == nil || err.Error() != "too many pages are following runs right now; try again later" {
		t.Errorf("a fourth gets %v", err)
	}
	h.leave(one, a)
	if h.shared[one] != a || h.Viewers() != 2 {
		t.Errorf("one is left of the first source, and %d of all", h.Viewers())
	}
	h.leave(one, b)
	if h.shared[one] != nil || len(h.shared) != 1 {
		t.Error("what the viewers of a source shared is still there when they are gone")
	}
	h.leave(two, c)
	h.Drain(t.Context())
	if _, err := h.enter(one); !errors.Is(err, errDrain) {
		t.Errorf("after the end a viewer gets %v", err)
	}
}

// TestWhoIsNotLetIn is told why and when to come back.
func TestWhoIsNotLetIn(t *testing.T) {
	h := New(Config{})
	h.Drain(t.Context())
	w := httptest.NewRecorder()
	h.Serve(w, httptest.NewRequest(http.MethodGet, "/", nil), &source{}, 0)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "10" || strings.TrimSpace(w.Body.String()) != errDrain.Error() {
		t.Errorf("it answers %d %v %s", w.Code, w.Header(), w.Body)
	}
	var got string
	h = New(Config{Error: func(_ http.ResponseWriter, _ *http.Request, status int, message string) {
		got = fmt.Sprint(status, " ", message)
	}})
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if Wants(r) {
		t.Error("a plain request is taken for a websocket")
	}
	h.Serve(httptest.NewRecorder(), r, &source{}, 0)
	if !strings.HasPrefix(got, "400 websocket: ") || h.Viewers() != 0 {
		t.Errorf("a request that is not a websocket gives %q, %d viewers are left", got, h.Viewers())
	}
}

// TestDefaults: each field that is zero has its default, each other one its value.
func TestDefaults(t *testing.T) {
	want := fmt.Sprint(2000, 25*time.Second, 60*time.Second, 4*time.Second, 12*time.Second, 10*time.Second)
	show := func(c Config) string { return fmt.Sprint(c.Viewers, c.Ping, c.Pong, c.TalkPing, c.TalkPong, c.Slow) }
	if got := show(New(Config{}).cfg); got != want || show(Defaults()) != want {
		t.Errorf("the defaults are %s and %s, want %s", got, show(Defaults()), want)
	}
	mine := Config{Viewers: 1, Ping: 2, Pong: 3, Slow: 4, TalkPing: 5, TalkPong: 6}
	if got := New(mine).cfg; show(got) != show(mine) || got.Error == nil {
		t.Errorf("the limits are %s, want %s", show(got), show(mine))
	}
}

// TestDrainEndsWithItsContext where viewers do not go, and not before.
func TestDrainEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Config{})
		src := &source{}
		sh, err := h.enter(src)
		if err != nil {
			t.Fatal(err)
		}
		drain := func(leave bool) time.Duration {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			began := time.Now()
			if leave {
				time.AfterFunc(time.Second, func() { h.leave(src, sh) })
			}
			h.Drain(ctx)
			return time.Since(began)
		}
		if took := drain(false); took != time.Minute {
			t.Errorf("with a viewer that stays it takes %v, want a minute", took)
		}
		if took := drain(true); took != time.Second {
			t.Errorf("with a viewer that leaves after a second it takes %v", took)
		}
		if took := drain(false); took != 0 {
			t.Errorf("without viewers it takes %v", took)
		}
	})
}

// TestMessagesArePreparedOnce for all who ask, whatever the order of their numbers, and for many at once.
func TestMessagesArePreparedOnce(t *testing.T) {
	var sh shared
	var mu sync.Mutex
	seen := map[int]*websocket.PreparedMessage{}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 3000 {
				seq := (i*7 + w) % 3000
				m, err := sh.message(seq, []byte("x"))
				mu.Lock()
				if err != nil || m == nil || seen[seq] != nil && seen[seq] != m {
					t.Errorf("message %d is prepared twice (%v)", seq, err)
				}
				seen[seq] = m
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(sh.messages) != 3000 {
		t.Errorf("there are %d messages, want 3000", len(sh.messages))
	}
}

// scripted is a connection that answers as told, and notes its deadlines.
type scripted struct {
	net.Conn
	deadline        error
	n               []int
	errs            []error
	reads, writes   []time.Duration // from now to the deadlines
	took, discarded int
}

func (c *scripted) SetReadDeadline(at time.Time) error {
	c.reads = append(c.reads, time.Until(at))
	return c.deadline
}

func (c *scripted) SetWriteDeadline(at time.Time) error {
	c.writes = append(c.writes, time.Until(at))
	return c.deadline
}

func (c *scripted) Read(p []byte) (int, error) {
	if len(c.n) == 0 {
		c.discarded += len(p)
		return len(p), nil
	}
	n, err := c.n[0], c.errs[0]
	c.n, c.errs = c.n[1:], c.errs[1:]
	return n, err
}

func (c *scripted) Write(p []byte) (int, error) {
	n, err := c.Read(p)
	c.took += n
	return n, err
}

// TestLinkGoesOn after what was done, with a part of the time for each attempt, and says what went wrong.
func TestLinkGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late, broken := os.ErrDeadlineExceeded, errors.New("broken")
		open := func(n []int, errs ...error) (*link, *scripted) {
			c := &scripted{n: n, errs: errs}
			return &link{Conn: c, slow: 8 * time.Second, pong: 16 * time.Second, sent: rate.NewLimiter(sentPerSecond, sentBurst)}, c
		}
		p := make([]byte, 100)
		l, c := open([]int{30, 0, 70}, late, late, nil)
		if n, err := l.Write(p); n != 100 || err != nil || c.took != 100 || fmt.Sprint(c.writes) != "[1s 1s 1s]" {
			t.Errorf("in three attempts it wrote %d (%v), took %d, with %v each", n, err, c.took, c.writes)
		}
		l, _ = open([]int{30, 10}, late, broken)
		if n, err := l.Write(p); n != 40 || !errors.Is(err, broken) {
			t.Errorf("until it broke it wrote %d (%v)", n, err)
		}
		for _, f := range []func(*link) (int, error){func(l *link) (int, error) { return l.Write(p) }, func(l *link) (int, error) { return l.Read(p) }} {
			l, c = open(nil)
			c.deadline = broken
			if n, err := f(l); n != 0 || !errors.Is(err, broken) {
				t.Errorf("without deadlines it gives %d, %v", n, err)
			}
		}
		l, c = open([]int{0, 0, 5}, late, late, nil)
		if n, err := l.Read(p); n != 5 || err != nil || fmt.Sprint(c.reads) != "[2s 2s 2s]" {
			t.Errorf("in three attempts it read %d (%v), with %v each", n, err, c.reads)
		}
		l, _ = open([]int{1}, late) // something came just in time
		if n, err := l.Read(p); n != 1 || !errors.Is(err, late) {
			t.Errorf("at the deadline it read %d (%v)", n, err)
		}
		l, _ = open([]int{0}, broken)
		if n, err := l.Read(p); n != 0 || !errors.Is(err, broken) {
			t.Errorf("from a broken connection it read %d (%v)", n, err)
		}
		l, c = open(make([]int, chances+1), late, late, late, late, late, late, late, late, late)
		if n, err := l.Read(p); n != 0 || !errors.Is(err, late) || len(c.reads) != chances {
			t.Errorf("from a silent one it read %d (%v) in %d attempts", n, err, len(c.reads))
		}
		l, _ = open([]int{sentBurst, 1}, nil, nil)
		if n, err := l.Read(make([]byte, sentBurst)); n != sentBurst || err != nil {
			t.Errorf("as much as may come at once gives %d, %v", n, err)
		}
		if n, err := l.Read(p); n != 0 || !errors.Is(err, errTooBig) {
			t.Errorf("a byte more gives %d, %v", n, err)
		}
		l, _ = open([]int{sentBurst, sentPerSecond}, nil, nil)
		_, _ = l.Read(make([]byte, sentBurst))
		time.Sleep(time.Second)
		if n, err := l.Read(p); n != sentPerSecond || err != nil {
			t.Errorf("a second later it gives %d, %v", n, err)
		}
		l, c = open(nil)
		if l.discard(); c.discarded != maxDiscarded {
			t.Errorf("%d bytes are discarded, want %d", c.discarded, maxDiscarded)
		}
		if err := errors.Join(l.SetDeadline(time.Now()), l.SetReadDeadline(time.Now()), l.SetWriteDeadline(time.Now())); err != nil || len(c.writes) > 0 || len(c.reads) != 1 {
			t.Errorf("the deadlines of the library are set: %v", err)
		}
	})
}

// hijackable is an answer that hands out a connection, or fails to.
type hijackable struct {
	http.ResponseWriter
	err error
}

func (h hijackable) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return &scripted{}, &bufio.ReadWriter{}, h.err
}

// TestHijack makes a link with the limits of the hub.
func TestHijack(t *testing.T) {
	h := &hijacker{ResponseWriter: hijackable{err: io.ErrClosedPipe}}
	if conn, _, err := h.Hijack(); conn != nil || !errors.Is(err, io.ErrClosedPipe) || h.link != nil {
		t.Errorf("a connection that is gone gives %v, %v", conn, err)
	}
	h = &hijacker{ResponseWriter: hijackable{}, cfg: Config{Slow: 3, Pong: 4}}
	conn, rw, err := h.Hijack()
	if err != nil || rw == nil || conn != net.Conn(h.link) || h.link.slow != 3 || h.link.pong != 4 || h.link.sent.Burst() != sentBurst || h.link.sent.Limit() != sentPerSecond {
		t.Errorf("the link is %+v (%v)", h.link, err)
	}
	h = &hijacker{ResponseWriter: hijackable{}, cfg: Config{Slow: 3, Pong: 4, TalkPong: 5}, talks: true}
	if _, _, err := h.Hijack(); err != nil || h.link.pong != 5 || h.link.sent.Burst() != saidBurst || h.link.sent.Limit() != saidPerSecond {
		t.Errorf("the link of one that talks is %+v (%v)", h.link, err)
	}
}

// TestEndsOfReading: what a client says too much is told from one that is gone.
func TestEndsOfReading(t *testing.T) {
	for err, want := range map[error]error{
		websocket.ErrReadLimit: errTooBig, fmt.Errorf("x: %w", websocket.ErrReadLimit): errTooBig,
		fmt.Errorf("x: %w", errTooBig): errTooBig, io.EOF: errGone, os.ErrDeadlineExceeded: errGone,
	} {
		if got := ended(err); !errors.Is(got, want) {
			t.Errorf("%v ends as %v, want %v", err, got, want)
		}
	}
}
