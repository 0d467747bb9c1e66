package hostile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestCutRequests sends requests of which bytes are missing or wrong, several at a time, some for a websocket, and hangs up before, in, or behind the answer. The server lets go of
// each, and has nothing to log.
func TestCutRequests(t *testing.T) {
	log := &complaints{}
	before := goroutines()
	t.Run("requests", func(t *testing.T) {
		srv := serveWith(t, slog.New(log))
		have := srv.begin(t)
		addr := strings.TrimPrefix(srv.URL, "http://")
		seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
			var wg sync.WaitGroup
			for range 1 + r.IntN(8) {
				list := requests(r)
				q := list[r.IntN(len(list))]
				path, body, kind := have.send(r, q)
				raw := rawRequest(r, addr, q.method, path, kind, body)
				hasty, wait := r.IntN(3) == 0, time.Duration(r.IntN(30))*time.Millisecond
				wg.Go(func() {
					if err := exchange(addr, raw, hasty, wait); err != nil {
						t.Errorf("%q: %v", cut(string(raw)), err)
					}
				})
			}
			wg.Wait()
			for _, c := range log.taken() {
				t.Errorf("it logs %s", c)
			}
		})
	})
	letGo(t, before)
}

// rawRequest is a request as bytes, of which some are missing, or wrong.
func rawRequest(r *rand.Rand, addr, method, path, kind string, body []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: 10.9.%d.%d\r\nAuthorization: Bearer %s\r\n", method, path, addr, r.IntN(256), r.IntN(256), owner)
	if kind != "" {
		fmt.Fprintf(&b, "Content-Type: %s\r\n", kind)
	}
	length := len(body)
	switch r.IntN(6) {
	case 0:
		length += 1 + r.IntN(100)
	case 1:
		length = max(0, length-1-r.IntN(100))
	}
	switch {
	case method == http.MethodGet && r.IntN(2) == 0:
		b.WriteString("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
		for range r.IntN(4) { // frames
			n := r.IntN(130)
			b.Write([]byte{byte(r.IntN(256)), byte(r.IntN(256)), byte(n)})
			b.Write(make([]byte, n))
		}
		return b.Bytes()
	case length > 0 && r.IntN(5) == 0:
		fmt.Fprintf(&b, "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", length, body)
		if r.IntN(2) == 0 {
			b.WriteString("0\r\n\r\n")
		}
	default:
		if length > 0 || method == http.MethodPost {
			fmt.Fprintf(&b, "Content-Length: %d\r\n", length)
		}
		b.WriteString("\r\n")
		b.Write(body)
	}
	raw := b.Bytes()
	switch r.IntN(6) {
	case 0:
		raw = raw[:r.IntN(len(raw))]
	case 1:
		for range 1 + r.IntN(3) {
			raw[r.IntN(len(raw))] = byte(r.IntN(256))
		}
	}
	return raw
}

// exchange sends bytes and reads what comes, until the server ends the connection or has answered; a hasty client hangs up earlier.
func exchange(addr string, raw []byte, hasty bool, wait time.Duration) error {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := c.SetDeadline(time.Now().Add(50 * time.Second)); err != nil {
		return err
	}
	if _, err := c.Write(raw); err != nil {
		return nil // the server has hung up
	}
	if hasty {
		time.Sleep(wait)
		return nil
	}
	_ = c.(*net.TCPConn).CloseWrite()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errors.New("no answer, and the connection stays")
	}
	return nil
}
