package stream_test

import (
	"bufio"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/stream"
)

// pipeWriter is the answer to a request over a pipe, which is only good for being hijacked.
type pipeWriter struct {
	http.ResponseWriter
	conn net.Conn
	rw   *bufio.ReadWriter
}

func (w pipeWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.conn, w.rw, nil }

// follow opens a websocket to a hub over a pipe, which holds no byte that was not read: its
// client is as fast as it reads. In a bubble of synctest no time passes but by sleeping.
func follow(t *testing.T, hub *stream.Hub, src stream.Source, wrap func(net.Conn) net.Conn) *websocket.Conn {
	t.Helper()
	there, here := net.Pipe()
	go func() {
		r := bufio.NewReader(there)
		req, err := http.ReadRequest(r)
		if err != nil {
			t.Error(err)
			return
		}
		conn := there
		if wrap != nil {
			conn = wrap(there)
		}
		hub.Serve(pipeWriter{conn: conn, rw: bufio.NewReadWriter(r, bufio.NewWriter(conn))}, req, src, 0)
	}()
	d := websocket.Dialer{NetDial: func(string, string) (net.Conn, error) { return here, nil }}
	c, _, err := d.Dial("ws://pipe/", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// pausing is a connection of a process that gets no processor for an hour after it has set the
// deadline for a write, every other time.
type pausing struct {
	net.Conn
	writes int
}

func (c *pausing) SetWriteDeadline(at time.Time) error {
	err := c.Conn.SetWriteDeadline(at)
	if c.writes++; c.writes%2 == 1 && !at.IsZero() {
		time.Sleep(time.Hour)
	}
	return err
}

// TestPausesOfTheServerHarmNobody lets the server sleep through its own deadlines: time that it
// did not use is no fault of viewers.
func TestPausesOfTheServerHarmNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := run.NewLog()
		fill(t, log, 20, 2000)
		log.Seal()
		hub := stream.New(stream.Config{Slow: time.Second, Pong: 1000 * time.Hour})
		c := follow(t, hub, log, func(c net.Conn) net.Conn { return &pausing{Conn: c} })
		for want := range 20 {
			_, msg, err := c.ReadMessage()
			if err != nil || seqOf(t, msg) != want {
				t.Fatalf("event %d, error %v", want, err)
			}
		}
		_, _, err := c.ReadMessage()
		wantClose(t, err, websocket.CloseNormalClosure)
	})
}

// TestSlowViewerIsToldToComeBack reads nothing for a while: for less than half of the time that
// a message may take that is fine, for more the viewer is told so, and for all of it it is cut.
func TestSlowViewerIsToldToComeBack(t *testing.T) {
	const slow = 8 * time.Second
	for _, c := range []struct {
		pause time.Duration
		code  int // of the close message; 0 where there is none
	}{
		{3900 * time.Millisecond, websocket.CloseNormalClosure},
		{4100 * time.Millisecond, websocket.CloseTryAgainLater},
		{7900 * time.Millisecond, websocket.CloseTryAgainLater},
		{8100 * time.Millisecond, 0},
	} {
		t.Run(c.pause.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := run.NewLog()
				fill(t, log, 5, 300)
				log.Seal()
				conn := follow(t, stream.New(stream.Config{Slow: slow}), log, nil)
				time.Sleep(c.pause)
				for seen := 0; ; seen++ {
					_, msg, err := conn.ReadMessage()
					switch {
					case err == nil && seqOf(t, msg) != seen:
						t.Fatalf("event %d is %.20q", seen, msg)
					case err == nil:
					case c.code == 0 && websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseTryAgainLater):
						t.Fatalf("a viewer that read nothing for %v was not cut: %v", c.pause, err)
					case c.code != 0:
						wantClose(t, err, c.code)
						return
					default:
						return
					}
				}
			})
		})
	}
}

// TestDeadViewersAreFoundByPings has a viewer that answers pings beside one that does not.
func TestDeadViewersAreFoundByPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := run.NewLog()
		hub := stream.New(stream.Config{})
		alive, dead := follow(t, hub, log, nil), follow(t, hub, log, nil)
		dead.SetPingHandler(func(string) error { return nil })
		for _, c := range []*websocket.Conn{alive, dead} {
			go func() { _, _, _ = c.ReadMessage() }()
		}
		time.Sleep(59 * time.Second)
		if n := hub.Viewers(); n != 2 {
			t.Fatalf("%d of 2 viewers are left before the time to answer is over", n)
		}
		time.Sleep(15 * time.Second)
		if n := hub.Viewers(); n != 1 {
			t.Errorf("%d viewers are left, want the one that answers", n)
		}
		time.Sleep(time.Hour)
		if n := hub.Viewers(); n != 1 {
			t.Errorf("an hour later %d viewers are left, want the one that answers", n)
		}
		hub.Drain(t.Context())
	})
}
