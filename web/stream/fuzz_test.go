package stream_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/stream"
)

// masked is a frame as a client sends it, with a key of zeros.
func masked(head byte, payload []byte) []byte {
	out := []byte{head, 0x80}
	switch n := len(payload); {
	case n < 126:
		out[1] |= byte(n)
	default:
		out[1] |= 126
		out = append(out, byte(n>>8), byte(n))
	}
	return append(append(out, 0, 0, 0, 0), payload...)
}

// FuzzMessage sends bytes to a viewer's connection after the handshake. The server may end the
// connection or not; it must not panic, and must let go of the viewer when the client has gone.
func FuzzMessage(f *testing.F) {
	var bomb bytes.Buffer
	w, err := flate.NewWriter(&bomb, flate.BestCompression)
	if err != nil {
		f.Fatal(err)
	}
	_, _ = w.Write(make([]byte, 1<<20))
	_ = w.Flush()
	for _, seed := range [][]byte{
		masked(0x81, []byte("hello")), masked(0x89, nil), masked(0x8a, []byte("pong")), masked(0x88, []byte{3, 232}), masked(0x88, []byte{1}),
		masked(0x01, []byte("first")), append(masked(0x01, []byte("first")), masked(0x80, []byte("last"))...), masked(0x80, []byte("no first")),
		masked(0xc1, bytes.TrimSuffix(bomb.Bytes(), []byte{0, 0, 0xff, 0xff})), masked(0xf1, nil), masked(0x83, nil),
		{0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		{0x81, 5, 'h', 'e', 'l', 'l', 'o'},
		[]byte("GET / HTTP/1.1\r\n\r\n"), bytes.Repeat(masked(0x81, []byte("x")), 150), masked(0xc1, []byte{0xff, 0xff}),
	} {
		f.Add(seed)
	}
	hub := stream.New(stream.Config{Slow: time.Second})
	log := run.NewLog()
	fill(f, log, 3, 2000)
	panicked := make(chan any, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				panicked <- p
			}
		}()
		hub.Serve(w, r, log, 0)
	}))
	f.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		hub.Drain(ctx)
		srv.Close()
	})
	addr := strings.TrimPrefix(srv.URL, "http://")
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			t.Skip("more than a client may send")
		}
		c := dialDeflate(t, addr)
		defer func() { _ = c.Close() }()
		r := bufio.NewReader(c)
		resp, err := http.ReadResponse(r, nil)
		if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("handshake: %v, %v", resp, err)
		}
		if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write(data) // the server may have hung up
		_ = c.CloseWrite()
		if _, err := io.Copy(io.Discard, r); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("the server does not let go of a client that has gone")
		}
		select {
		case p := <-panicked:
			t.Fatalf("panic: %v", p)
		default:
		}
	})
}
