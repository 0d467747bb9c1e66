package stream

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

// missing is a connection whose first attempts come to nothing.
type missing struct {
	net.Conn
	left int
}

func (c *missing) SetReadDeadline(time.Time) error  { return nil }
func (c *missing) SetWriteDeadline(time.Time) error { return nil }

func (c *missing) Read(p []byte) (int, error) { return c.Write(p) }

func (c *missing) Write(p []byte) (int, error) {
	if c.left--; c.left >= 0 {
		return 0, os.ErrDeadlineExceeded
	}
	return len(p), nil
}

// TestChances lets attempts fail: a client has as many in a row as it has chances, and anew for
// each message and each sign of life.
func TestChances(t *testing.T) {
	for _, c := range []struct {
		fail     int
		slow, ok bool
	}{{0, false, true}, {chances/2 - 1, false, true}, {chances / 2, true, true}, {chances - 1, true, true}, {chances, true, false}} {
		conn := &missing{}
		l := &link{Conn: conn, sent: rate.NewLimiter(sentPerSecond, sentBurst)}
		for range 3 {
			conn.left = c.fail
			if _, err := l.Read(make([]byte, 10)); (err == nil) != c.ok {
				t.Errorf("reading with %d failures gives %v", c.fail, err)
			}
			conn.left = c.fail
			l.begin()
			if n, err := l.Write(make([]byte, 10)); (err == nil) != c.ok || c.ok && n != 10 || l.wasSlow() != c.slow {
				t.Errorf("writing with %d failures gives %d, %v; slow: %t", c.fail, n, err, l.wasSlow())
			}
		}
	}
	l := &link{Conn: &missing{}, sent: rate.NewLimiter(sentPerSecond, sentBurst)}
	for range sentBurst / 1024 {
		if _, err := l.Read(make([]byte, 1024)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Read(make([]byte, 1024)); !errors.Is(err, errTooBig) {
		t.Errorf("more than %d bytes at once give %v", sentBurst, err)
	}
}
