package stream_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/stream"
)

// lags appends events to a log in steady beats and returns how long each took to reach each
// of some viewers, who follow the log from its end on.
func lags(t *testing.T, log *run.Log, url string, viewers, events int, beat time.Duration) []time.Duration {
	t.Helper()
	first, _ := log.Len()
	sent := make([]time.Time, events)
	var mu sync.Mutex
	var all []time.Duration
	var wg sync.WaitGroup
	for range viewers {
		c := dial(t, fmt.Sprint(url, "?from=", first))
		wg.Go(func() {
			var own []time.Duration
			for want := range events {
				_, msg, err := c.ReadMessage()
				now := time.Now()
				if err != nil || !bytes.HasPrefix(msg, fmt.Appendf(nil, `{"seq":%d,`, first+want)) {
					t.Errorf("event %d: got %.30q, error %v", first+want, msg, err)
					return
				}
				own = append(own, now.Sub(sent[want]))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, own...)
		})
	}
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for i := range events {
		<-tick.C
		sent[i] = time.Now() // before it is appended, so before anybody reads it
		if err := log.Append(line(first+i, 500+i%4*500)); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	if len(all) != viewers*events {
		t.Errorf("%d events arrived, want %d", len(all), viewers*events)
	}
	return all
}

// beats returns how many events the load tests send: more where goals are bounds.
func beats() int {
	if goal.Strict() {
		return 500
	}
	return 50
}

// TestTwoHundredViewers lets 200 viewers follow a run.
func TestTwoHundredViewers(t *testing.T) {
	log := run.NewLog()
	url, _ := serve(t, log, stream.Config{})
	all := lags(t, log, url, 200, beats(), 20*time.Millisecond)
	goal.Time(t, "99th percentile of the lag of 200 viewers", goal.Percentile(all, 99), 250*time.Millisecond)
}

// TestHundredViewersBesideAStuckOne lets 100 viewers follow a run that another has stopped to
// read.
func TestHundredViewersBesideAStuckOne(t *testing.T) {
	log := run.NewLog()
	fill(t, log, 400, 64<<10) // what the stuck one has asked for, and stopped to read
	url, hub := serve(t, log, stream.Config{})
	stuck := mute(t, url)
	defer func() { _ = stuck.Close() }()
	waitFor(t, "the stuck viewer is there", func() bool { return hub.Viewers() == 1 })
	all := lags(t, log, url, 100, beats(), 20*time.Millisecond)
	goal.Time(t, "99th percentile of the lag of 100 viewers beside a stuck one", goal.Percentile(all, 99), 250*time.Millisecond)
}

// mute opens a websocket by hand and never reads from it.
func mute(t *testing.T, url string) net.Conn {
	t.Helper()
	host, path, _ := strings.Cut(strings.TrimPrefix(url, "ws://"), "/")
	return shake(t, host, "/"+path, "")
}

// dialDeflate opens a websocket by hand that may send compressed messages.
func dialDeflate(t *testing.T, host string) *net.TCPConn {
	t.Helper()
	return shake(t, host, "/", "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n")
}

// shake connects and asks for a websocket; the answer is not read.
func shake(t *testing.T, host, path, header string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n", path, host, header); err != nil {
		t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// countingListener counts what is written to its connections.
type countingListener struct {
	net.Listener
	bytes *atomic.Int64
}

func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countingConn{c, l.bytes}, err
}

type countingConn struct {
	net.Conn
	bytes *atomic.Int64
}

func (c countingConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.bytes.Add(int64(n))
	return n, err
}

// TestStuckViewersCostLittle lets 50 viewers of a long run stop to read: each costs what the
// kernel buffers and little heap, and is cut in time.
func TestStuckViewersCostLittle(t *testing.T) {
	log := run.NewLog()
	fill(t, log, 400, 64<<10)
	const slow, viewers = 5 * time.Second, 50
	hub := stream.New(stream.Config{Slow: slow})
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hub.Serve(w, r, log, 0) }))
	var sent atomic.Int64
	srv.Listener = countingListener{srv.Listener, &sent}
	srv.Start()
	defer srv.Close()
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		hub.Drain(ctx)
	}()
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	url := "ws" + strings.TrimPrefix(srv.URL, "http") + "/"
	var conns []net.Conn
	open := func(n int) {
		for range n {
			conns = append(conns, mute(t, url))
		}
		waitFor(t, "viewers are there", func() bool { return hub.Viewers() == len(conns) })
		// They are stuck when a while nothing was sent.
		last, since := sent.Load(), time.Now()
		waitFor(t, "viewers are stuck", func() bool {
			if now := sent.Load(); now != last {
				last, since = now, time.Now()
			}
			return time.Since(since) > 200*time.Millisecond
		})
	}
	defer func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}()
	// What viewers share, such as messages made ready for all of them, is there with the first two.
	open(2)
	before, sentBefore := heap(), sent.Load()
	open(viewers)
	if n := hub.Viewers(); n != len(conns) {
		t.Fatalf("%d viewers are left of %d before any was measured", n, len(conns))
	}
	goal.Bytes(t, "heap for each stuck viewer", (heap()-before)/viewers, 64<<10)
	goal.Bytes(t, "kernel buffers for each stuck viewer", (sent.Load()-sentBefore)/viewers, 8<<20)
	began := time.Now()
	waitFor(t, "stuck viewers are cut", func() bool { return hub.Viewers() == 0 })
	goal.Time(t, "the last of them was cut", time.Since(began), slow+2*time.Second)
	if def := stream.Defaults().Slow; def > 10*time.Second {
		t.Errorf("a viewer may be stuck for %v, want at most 10 s", def)
	}
}

// openFiles returns the number of open files of the process, or 0 where it is unknown.
func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// TestBrokenHandshakesLeaveNothing opens a thousand connections that end in the middle of a
// handshake or right after it.
func TestBrokenHandshakesLeaveNothing(t *testing.T) {
	log := run.NewLog()
	fill(t, log, 3, 10)
	url, hub := serve(t, log, stream.Config{})
	dial(t, url)
	waitFor(t, "first viewer", func() bool { return hub.Viewers() == 1 })
	goroutines, files := runtime.NumGoroutine(), openFiles()
	for i := range 1000 {
		c := mute(t, url)
		switch i % 3 {
		case 0: // at once
		case 1: // when the server has answered
			if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		case 2: // in the middle of a frame
			if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			_, _ = c.Write([]byte{0x81, 0xff, 1, 2})
		}
		_ = c.Close()
	}
	waitFor(t, "viewers are gone", func() bool { return hub.Viewers() == 1 })
	waitFor(t, "goroutines are gone", func() bool { return runtime.NumGoroutine() <= goroutines+5 })
	waitFor(t, "files are closed", func() bool { return openFiles() <= files+5 })
}
