package stream_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/stream"
)

// TestWhatClientsMaySay tries a message and a number of messages at their bounds and one beyond.
func TestWhatClientsMaySay(t *testing.T) {
	for name, c := range map[string]struct {
		sizes []int
		code  int
	}{
		"nothing":            {nil, websocket.CloseNormalClosure},
		"4 KiB":              {[]int{4096}, websocket.CloseNormalClosure},
		"4 KiB and a byte":   {[]int{4097}, websocket.CloseMessageTooBig},
		"99 messages":        {make([]int, 99), websocket.CloseNormalClosure},
		"a hundred messages": {make([]int, 100), websocket.CloseMessageTooBig},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := run.NewLog()
				conn := follow(t, stream.New(stream.Config{}), log, nil)
				ended := make(chan error, 1)
				go func() {
					_, _, err := conn.ReadMessage()
					ended <- err
				}()
				for _, n := range c.sizes {
					_ = conn.WriteMessage(websocket.TextMessage, make([]byte, n))
				}
				synctest.Wait()
				log.Seal()
				wantClose(t, <-ended, c.code)
			})
		})
	}
}

// failingSource is a log that cannot be read.
type failingSource struct{ err error }

func (s *failingSource) Next(context.Context, int) ([][]byte, bool, error) { return nil, false, s.err }

// TestLogThatCannotBeRead is told as an error of the server.
func TestLogThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := stream.New(stream.Config{})
		_, _, err := follow(t, hub, &failingSource{errors.New("disk on fire")}, nil).ReadMessage()
		var closed *websocket.CloseError
		if !errors.As(err, &closed) || closed.Code != websocket.CloseInternalServerErr || closed.Text != "log cannot be read" {
			t.Errorf("it ends with %v", err)
		}
		time.Sleep(time.Minute)
		if n := hub.Viewers(); n != 0 {
			t.Errorf("%d viewers are left", n)
		}
	})
}

// TestWordsOfTheEnd are what a page tells its visitor.
func TestWordsOfTheEnd(t *testing.T) {
	for want, end := range map[string]func(*run.Log, *stream.Hub){
		"1000 run finished":    func(log *run.Log, _ *stream.Hub) { log.Seal() },
		"1012 server restarts": func(_ *run.Log, hub *stream.Hub) { go hub.Drain(context.Background()) },
	} {
		synctest.Test(t, func(t *testing.T) {
			log := run.NewLog()
			hub := stream.New(stream.Config{})
			conn := follow(t, hub, log, nil)
			end(log, hub)
			_, _, err := conn.ReadMessage()
			if err == nil || !strings.Contains(err.Error(), want[:4]) || !strings.Contains(err.Error(), want[5:]) {
				t.Errorf("it ends with %v, want %s", err, want)
			}
		})
	}
}

// TestClientThatDoesNotAnswerTheEnd is cut after a second, or as soon as a slow client is.
func TestClientThatDoesNotAnswerTheEnd(t *testing.T) {
	for slow, want := range map[time.Duration]time.Duration{10 * time.Second: time.Second, 500 * time.Millisecond: 500 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			log := run.NewLog()
			hub := stream.New(stream.Config{Slow: slow})
			conn := follow(t, hub, log, nil)
			conn.SetCloseHandler(func(int, string) error { return nil })
			log.Seal()
			if _, _, err := conn.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
				t.Errorf("it ends with %v", err)
			}
			time.Sleep(want - time.Millisecond)
			synctest.Wait()
			if n := hub.Viewers(); n != 1 {
				t.Errorf("before %v there are %d viewers, want 1", want, n)
			}
			time.Sleep(2 * time.Millisecond)
			synctest.Wait()
			if n := hub.Viewers(); n != 0 {
				t.Errorf("after %v there are %d viewers, want 0", want, n)
			}
		})
	}
}

// counting is a connection that counts what comes.
type counting struct {
	net.Conn
	read int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read += n
	return n, err
}

// TestLongMessagesAreCompressed where the client can, from 1 KiB on: what is on the wire is shorter than what is read, and a shorter
// message is sent as it is.
func TestLongMessagesAreCompressed(t *testing.T) {
	for size, compressed := range map[int]bool{1023: false, 1024: true, 100_000: true} {
		log := run.NewLog()
		fill(t, log, 1, size-len(line(0, 0)))
		url, _ := serve(t, log, stream.Config{})
		var wire *counting
		d := websocket.Dialer{EnableCompression: true, NetDial: func(network, addr string) (net.Conn, error) {
			c, err := net.Dial(network, addr)
			wire = &counting{Conn: c}
			return wire, err
		}}
		c, resp, err := d.Dial(url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("Sec-Websocket-Extensions"); !strings.Contains(got, "permessage-deflate") {
			t.Errorf("the extensions are %q", got)
		}
		_, msg, err := c.ReadMessage()
		if err != nil || len(msg) != size || (wire.read < size) != compressed {
			t.Errorf("a message of %d bytes came as %d in %d (%v)", size, len(msg), wire.read, err)
		}
		_ = c.Close()
	}
}
