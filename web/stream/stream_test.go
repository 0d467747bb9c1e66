package stream_test

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/stream"
)

// serve serves one log and returns its websocket address.
func serve(t *testing.T, log *run.Log, cfg stream.Config) (string, *stream.Hub) {
	t.Helper()
	hub := stream.New(cfg)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, _ := strconv.Atoi(r.FormValue("from"))
		hub.Serve(w, r, log, from)
	}))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		hub.Drain(ctx)
		srv.Close()
	})
	return "ws" + strings.TrimPrefix(srv.URL, "http") + "/", hub
}

func dial(t testing.TB, url string) *websocket.Conn {
	t.Helper()
	d := websocket.Dialer{EnableCompression: true}
	c, _, err := d.Dial(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// seqOf returns the number in a message.
func seqOf(t testing.TB, msg []byte) int {
	t.Helper()
	var e struct{ Seq int }
	if err := json.Unmarshal(msg, &e); err != nil {
		t.Fatalf("message %.60q: %v", msg, err)
	}
	return e.Seq
}

func line(i, pad int) []byte {
	return fmt.Appendf(nil, `{"seq":%d,"pad":"%s"}`, i, strings.Repeat("x", pad))
}

func fill(t testing.TB, log *run.Log, n, pad int) {
	t.Helper()
	for i := range n {
		if err := log.Append(line(i, pad)); err != nil {
			t.Fatal(err)
		}
	}
}

func wantClose(t *testing.T, err error, code int) {
	t.Helper()
	if !websocket.IsCloseError(err, code) {
		t.Errorf("connection ended with %v, want close code %d", err, code)
	}
}

func TestViewersSeeEveryEventInOrder(t *testing.T) {
	log := run.NewLog()
	url, hub := serve(t, log, stream.Config{})
	const n = 400
	var wg sync.WaitGroup
	for v := range 5 {
		c := dial(t, fmt.Sprint(url, "?from=", v))
		wg.Go(func() {
			for want := v; ; want++ {
				_, msg, err := c.ReadMessage()
				if err != nil {
					if want != n || !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
						t.Errorf("viewer %d ended at %d with %v", v, want, err)
					}
					return
				}
				if !bytes.Equal(msg, line(want, 20+want*8)) {
					t.Errorf("viewer %d got %.40q, want event %d", v, msg, want)
					return
				}
			}
		})
	}
	for i := range n {
		if err := log.Append(line(i, 20+i*8)); err != nil { // some above the bound for compression
			t.Fatal(err)
		}
	}
	log.Seal()
	wg.Wait()
	waitFor(t, "viewers are gone", func() bool { return hub.Viewers() == 0 })
}

func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestFiftyCutsLoseNothing(t *testing.T) {
	log := run.NewLog()
	url, _ := serve(t, log, stream.Config{})
	const n = 1000
	go func() {
		for i := range n {
			_ = log.Append(line(i, 100))
			if i%50 == 0 {
				runtime.Gosched()
			}
		}
		log.Seal()
	}()
	next, cuts := 0, 0
	for next < n {
		c := dial(t, fmt.Sprint(url, "?from=", next))
		for k := 0; ; k++ {
			_, msg, err := c.ReadMessage()
			if err != nil {
				break
			}
			if got := seqOf(t, msg); got != next {
				t.Fatalf("after %d cuts: got event %d, want %d", cuts, got, next)
			}
			next++
			if k == 18 && cuts < 50 {
				cuts++
				_ = c.NetConn().Close() // no close message: the network fails
				break
			}
		}
	}
	if cuts != 50 {
		t.Errorf("the connection was cut %d times, want 50", cuts)
	}
}

func TestStuckViewerIsCutAndHarmsNobody(t *testing.T) {
	log := run.NewLog()
	fill(t, log, 400, 64<<10)
	log.Seal()
	url, hub := serve(t, log, stream.Config{Slow: 300 * time.Millisecond})
	stuck, _, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stuck.Close() }()
	good := dial(t, url)
	for want := 0; want < 400; want++ {
		_, msg, err := good.ReadMessage()
		if err != nil || seqOf(t, msg) != want {
			t.Fatalf("beside a stuck viewer: event %d, error %v", want, err)
		}
	}
	began := time.Now() // how fast the good viewer reads depends on the machine
	waitFor(t, "stuck viewer is cut", func() bool { return hub.Viewers() == 0 })
	goal.Time(t, "the stuck viewer was cut", time.Since(began), 2*time.Second)
	// It resumes where it was.
	seen := 0
	for {
		_, msg, err := stuck.ReadMessage()
		if err != nil {
			break
		}
		if got := seqOf(t, msg); got != seen {
			t.Fatalf("stuck viewer has event %d, want %d", got, seen)
		}
		seen++
	}
	again := dial(t, fmt.Sprint(url, "?from=", seen))
	if _, msg, err := again.ReadMessage(); err != nil || seqOf(t, msg) != seen {
		t.Errorf("resuming from %d: error %v", seen, err)
	}
}

func TestForeignOriginsAreRefused(t *testing.T) {
	log := run.NewLog()
	log.Seal()
	url, _ := serve(t, log, stream.Config{Origins: []string{"https://explorer.example:8443"}})
	host := strings.TrimSuffix(strings.TrimPrefix(url, "ws://"), "/")
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		t.Fatal(err)
	}
	dial := func(header http.Header) int {
		t.Helper()
		c, resp, err := websocket.DefaultDialer.Dial(url, header)
		if err == nil {
			_ = c.Close()
		} else if !errors.Is(err, websocket.ErrBadHandshake) {
			t.Fatal(err)
		}
		return resp.StatusCode
	}
	for _, origin := range []string{"", "http://" + host, "https://" + host, "https://explorer.example:8443", "HTTPS://Explorer.Example:8443"} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		if got := dial(header); got != http.StatusSwitchingProtocols {
			t.Errorf("origin %q gives %d, want %d", origin, got, http.StatusSwitchingProtocols)
		}
	}
	for _, origin := range []string{
		"null", "https://evil.example", "http://evil.example:" + port, host, "//" + host, "http://", "http:///" + host,
		// Another port, or none.
		"http://" + name, "http://" + name + ":1", "http://" + name + ":" + port + "0", "http://" + name + ":0" + port,
		"https://explorer.example", "https://explorer.example:443", "https://explorer.example:84430",
		// Another scheme.
		"http://explorer.example:8443", "file://" + host, "ws://" + host, "chrome-extension://" + host, "javascript://" + host, "data:text/html,http://" + host,
		// The name as a part of another.
		"http://" + host + ".evil.example", "http://evil.example." + host, "http://evil" + host, "https://evil.explorer.example:8443",
		"https://explorer.example.:8443", "https://explorer.example.evil.example:8443", "https://explorerXexample:8443",
		// The name elsewhere in the address.
		"http://evil.example/" + host, "http://evil.example?" + host, "http://evil.example#" + host, "http://evil.example\\@" + host,
		"http://" + host + "@evil.example", "http://evil.example@" + host, "http://user:pass@" + host, "http://" + host + "/", "http://" + host + "/path",
		"http://" + host + "?q", "http://" + host + "#f", "http://" + host + " http://evil.example", "http://" + host + ",http://evil.example",
		"http://%31%32%37.0.0.1:" + port, "http://[::ffff:127.0.0.1]:" + port, "http://2130706433:" + port, "http://0x7f.0.0.1:" + port,
		"http://localhost:" + port, "http://127.1:" + port, "http://exp\u0131orer.example:8443", "https://\u0435xplorer.example:8443", "",
	} {
		if got := dial(http.Header{"Origin": {origin}}); got != http.StatusForbidden {
			t.Errorf("origin %q gives %d, want %d", origin, got, http.StatusForbidden)
		}
	}
	if got := dial(http.Header{"Origin": {"http://" + host, "https://evil.example"}}); got != http.StatusForbidden {
		t.Errorf("two origins give %d", got)
	}
}

func TestBombsAndFloodsEndTheConnection(t *testing.T) {
	url, _ := serve(t, run.NewLog(), stream.Config{})
	t.Run("plain", func(t *testing.T) {
		c := dial(t, url)
		c.EnableWriteCompression(false)
		_ = c.WriteMessage(websocket.TextMessage, make([]byte, 8<<10))
		_, _, err := c.ReadMessage()
		wantClose(t, err, websocket.CloseMessageTooBig)
	})
	t.Run("inflated", func(t *testing.T) {
		c := dial(t, url)
		if err := c.SetCompressionLevel(flate.BestCompression); err != nil {
			t.Fatal(err)
		}
		_ = c.WriteMessage(websocket.TextMessage, make([]byte, 2<<20)) // 2 KiB on the wire
		_, _, err := c.ReadMessage()
		wantClose(t, err, websocket.CloseMessageTooBig)
	})
	t.Run("flood", func(t *testing.T) {
		c := dial(t, url)
		for range 200 {
			if c.WriteMessage(websocket.TextMessage, []byte("hello")) != nil {
				break
			}
		}
		_, _, err := c.ReadMessage()
		wantClose(t, err, websocket.CloseMessageTooBig)
	})
	// What is no message: frames without a mask are an error of the protocol, so all have one of zeros.
	for name, frame := range map[string][]byte{
		"pings": {0x89, 0x80, 0, 0, 0, 0}, "pongs": {0x8a, 0x80, 0, 0, 0, 0}, "full pongs": append([]byte{0x8a, 0xfd, 0, 0, 0, 0}, make([]byte, 125)...),
		"empty fragments": {0x00, 0x80, 0, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, url)
			if name == "empty fragments" {
				if _, err := c.NetConn().Write([]byte{0x01, 0x80, 0, 0, 0, 0}); err != nil {
					t.Fatal(err)
				}
			}
			_, err := c.NetConn().Write(bytes.Repeat(frame, 500<<10/len(frame)))
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = c.ReadMessage()
			wantClose(t, err, websocket.CloseMessageTooBig)
		})
	}
}

func TestDrainSaysRestart(t *testing.T) {
	url, hub := serve(t, run.NewLog(), stream.Config{Viewers: 2})
	a, b := dial(t, url), dial(t, url)
	if _, resp, err := websocket.DefaultDialer.Dial(url, nil); err == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a viewer too many gets %v, want 503", err)
	}
	ended := make(chan error, 2)
	for _, c := range []*websocket.Conn{a, b} {
		go func() { _, _, err := c.ReadMessage(); ended <- err }()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	hub.Drain(ctx)
	for range 2 {
		wantClose(t, <-ended, websocket.CloseServiceRestart)
	}
	if ctx.Err() != nil || hub.Viewers() != 0 {
		t.Errorf("after draining %d viewers are left", hub.Viewers())
	}
}

func TestThousandConnectionsLeaveNothing(t *testing.T) {
	log := run.NewLog()
	fill(t, log, 3, 10)
	url, hub := serve(t, log, stream.Config{})
	dial(t, url) // the server's own goroutines are there
	waitFor(t, "first viewer", func() bool { return hub.Viewers() == 1 })
	before, files := runtime.NumGoroutine(), openFiles()
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range 100 {
				c, _, err := websocket.DefaultDialer.Dial(url, nil)
				if err != nil {
					t.Error(err)
					return
				}
				_, _, _ = c.ReadMessage()
				_ = c.Close()
			}
		})
	}
	wg.Wait()
	waitFor(t, "viewers are gone", func() bool { return hub.Viewers() == 1 })
	waitFor(t, "goroutines are gone", func() bool { return runtime.NumGoroutine() <= before+5 })
	waitFor(t, "files are closed", func() bool { return openFiles() <= files+5 })
}

func BenchmarkTenViewers(b *testing.B) {
	log := run.NewLog()
	fill(b, log, 300, 8<<10)
	log.Seal()
	hub := stream.New(stream.Config{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hub.Serve(w, r, log, 0) }))
	defer srv.Close()
	url := "ws" + strings.TrimPrefix(srv.URL, "http")
	b.ReportAllocs()
	for b.Loop() {
		var wg sync.WaitGroup
		for range 10 {
			c := dial(b, url)
			wg.Go(func() {
				for {
					if _, _, err := c.ReadMessage(); err != nil {
						return
					}
				}
			})
		}
		wg.Wait()
	}
}
