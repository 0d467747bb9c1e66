package stream

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// chances is into how many parts the time is divided that a client has to take or send
// something. Each part is one attempt of its own, and a client is given up when all of them
// were in vain.
//
// A deadline alone would blame the client for what this process did with the time: a write
// whose deadline has passed fails without an attempt, however much room there is, so that a
// server that did not get the processor for as long would cut viewers who wait for it. So a
// pause of this process, however long, costs a client at most one chance.
const chances = 8

// Limits on the bytes that a client sends, whatever they are: messages, fragments of them,
// pings and pongs, down to empty ones. A client that has nothing to say sends a few bytes for
// each of our pings.
const (
	sentBurst     = 16 << 10
	sentPerSecond = 64
	// A client that talks to a Sink may say so much.
	saidBurst     = 64 << 10
	saidPerSecond = 16 << 10
	// maxDiscarded is what is read of a client that is told to go.
	maxDiscarded = 1 << 20
)

// link is the connection of a viewer. Its deadlines are its own: it ignores those that
// the websocket library sets.
type link struct {
	net.Conn
	// slow is the time that a message has to be taken, pong the time without a sign of life.
	slow, pong time.Duration
	// waits counts the chances that the present message has used up.
	waits atomic.Int32
	sent  *rate.Limiter
}

// SetDeadline implements net.Conn.
func (l *link) SetDeadline(time.Time) error { return nil }

// SetReadDeadline implements net.Conn.
func (l *link) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline implements net.Conn.
func (l *link) SetWriteDeadline(time.Time) error { return nil }

// begin says that a message begins, which has all its chances.
func (l *link) begin() { l.waits.Store(0) }

// wasSlow tells whether the client needed half of its chances for the present message.
func (l *link) wasSlow() bool { return l.waits.Load() >= chances/2 }

// Write implements net.Conn.
func (l *link) Write(p []byte) (int, error) {
	for done := 0; ; {
		if err := l.Conn.SetWriteDeadline(time.Now().Add(l.slow / chances)); err != nil {
			return done, err
		}
		n, err := l.Conn.Write(p[done:])
		done += n
		if !errors.Is(err, os.ErrDeadlineExceeded) || l.waits.Add(1) >= chances {
			return done, err
		}
	}
}

// Read implements net.Conn. It returns errTooBig where the client sends more than it may.
func (l *link) Read(p []byte) (int, error) {
	for range chances {
		if err := l.Conn.SetReadDeadline(time.Now().Add(l.pong / chances)); err != nil {
			return 0, err
		}
		n, err := l.Conn.Read(p)
		if !l.sent.AllowN(time.Now(), n) {
			return 0, errTooBig
		}
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
	return 0, os.ErrDeadlineExceeded
}

// discard reads what the client still sends, up to a bound, until the connection ends.
func (l *link) discard() {
	_ = l.Conn.SetReadDeadline(time.Time{})
	_, _ = io.CopyN(io.Discard, l.Conn, maxDiscarded)
}

// hijacker hands the connection of a request out as a link.
type hijacker struct {
	http.ResponseWriter
	cfg   Config
	talks bool  // the client has a Sink to talk to
	link  *link // set by Hijack
}

// Hijack implements http.Hijacker.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.link = &link{Conn: conn, slow: h.cfg.Slow, pong: h.cfg.Pong, sent: rate.NewLimiter(sentPerSecond, sentBurst)}
	if h.talks {
		h.link.pong, h.link.sent = h.cfg.TalkPong, rate.NewLimiter(saidPerSecond, saidBurst)
	}
	return h.link, rw, nil
}
