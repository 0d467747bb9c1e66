package stream_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/stream"
)

// ear is a Sink that takes everything but one message.
type ear struct{ heard [][]byte }

func (e *ear) Take(msg []byte) error {
	e.heard = append(e.heard, msg)
	if string(msg) == "nonsense" {
		return errors.New("that is nonsense")
	}
	return nil
}

// talk connects a client to a sink; bye says in the end whether it said goodbye.
func talk(t *testing.T, hub *stream.Hub, src stream.Source, sink stream.Sink) (c *websocket.Conn, bye chan bool) {
	t.Helper()
	there, here := net.Pipe()
	bye = make(chan bool, 1)
	go func() {
		r := bufio.NewReader(there)
		req, err := http.ReadRequest(r)
		if err != nil {
			t.Error(err)
			return
		}
		bye <- hub.Converse(pipeWriter{conn: there, rw: bufio.NewReadWriter(r, bufio.NewWriter(there))}, req, src, 0, sink)
	}()
	d := websocket.Dialer{NetDial: func(string, string) (net.Conn, error) { return here, nil }}
	c, _, err := d.Dial("ws://pipe/", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, bye
}

// TestASinkTakesMessages in their order, many of them, while events go the other way.
func TestASinkTakesMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, e := run.NewLog(), &ear{}
		c, bye := talk(t, stream.New(stream.Config{}), log, e)
		go func() { _ = log.Append(line(0, 10)) }()
		if _, msg, err := c.ReadMessage(); err != nil || seqOf(t, msg) != 0 {
			t.Fatalf("got %q, %v", msg, err)
		}
		go func() { _, _, _ = c.ReadMessage() }()
		const n = 500
		for i := range n {
			time.Sleep(50 * time.Millisecond)
			if err := c.WriteMessage(websocket.TextMessage, bytes.Repeat([]byte{'x'}, i)); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		for i, msg := range e.heard {
			if len(msg) != i {
				t.Fatalf("message %d has %d bytes", i, len(msg))
			}
		}
		if len(e.heard) != n {
			t.Errorf("it heard %d messages, want %d", len(e.heard), n)
		}
		_ = c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, ""), time.Now().Add(time.Second))
		if !<-bye {
			t.Error("a client that went in form did not say goodbye")
		}
	})
}

// TestATalkerWhoseNetworkDies is missed within 15 seconds, whatever is sent meanwhile; one that answers pings and says nothing stays.
func TestATalkerWhoseNetworkDies(t *testing.T) {
	for _, dead := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			log := run.NewLog()
			c, bye := talk(t, stream.New(stream.Config{}), log, &ear{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				for i := 0; ; i++ { // what is sent must not put pings off
					_ = log.Append(line(i, 10))
					select {
					case <-time.After(3 * time.Second):
					case <-ctx.Done():
						return
					}
				}
			}()
			if dead {
				go func() { _, _ = io.Copy(io.Discard, c.UnderlyingConn()) }()
			} else {
				go func() {
					for {
						if _, _, err := c.ReadMessage(); err != nil {
							return
						}
					}
				}()
			}
			begun := time.Now()
			select {
			case said := <-bye:
				if took := time.Since(begun); !dead || said || took > 15*time.Second {
					t.Errorf("dead %t: it ends after %v, with a goodbye %t", dead, took, said)
				}
			case <-time.After(10 * time.Minute):
				if dead {
					t.Error("it is not missed")
				}
			}
			_ = c.Close()
		})
	}
}

// TestWhatATalkerMaySay ends connections that say too much or nonsense, and tells why.
func TestWhatATalkerMaySay(t *testing.T) {
	for name, c := range map[string]struct {
		say  func(c *websocket.Conn)
		code int
		text string
	}{
		"too long": {func(c *websocket.Conn) { _ = c.WriteMessage(websocket.TextMessage, make([]byte, 4097)) }, 1009, "too big"},
		"too often": {func(c *websocket.Conn) {
			for range 61 {
				_ = c.WriteMessage(websocket.TextMessage, nil)
			}
		}, 1009, "too large or too many"},
		"too much": {func(c *websocket.Conn) {
			for range 17 {
				_ = c.WriteMessage(websocket.TextMessage, make([]byte, 4096))
			}
		}, 1009, "too large or too many"},
		"nonsense": {func(c *websocket.Conn) { _ = c.WriteMessage(websocket.TextMessage, []byte("nonsense")) }, 1007, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, bye := talk(t, stream.New(stream.Config{}), run.NewLog(), &ear{})
				go c.say(conn)
				_, _, err := conn.ReadMessage()
				if !websocket.IsCloseError(err, c.code) || !strings.Contains(err.Error(), c.text) {
					t.Errorf("it ends with %v, want %d %s", err, c.code, c.text)
				}
				_ = conn.Close()
				if <-bye {
					t.Error("who was sent away said goodbye")
				}
			})
		})
	}
}

// TestATalkerThatIsCutSaysNoGoodbye, and one whose time is over neither.
func TestATalkerThatIsCutSaysNoGoodbye(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, bye := talk(t, stream.New(stream.Config{}), run.NewLog(), &ear{})
		_ = c.NetConn().Close()
		if <-bye {
			t.Error("a connection that broke counts as a goodbye")
		}
	})
}
