package web_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/web"
)

// endless gives a letter as often as it is asked for, up to a number of bytes.
func endless(n int64) io.Reader {
	return io.LimitReader(readerFunc(func(p []byte) (int, error) {
		for i := range p {
			p[i] = 'x'
		}
		return len(p), nil
	}), n)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// send posts a body of unknown length and returns the status, 0 where the server closed the
// connection while the body was still on its way.
func (s *site) send(path, contentType string, body io.Reader, header ...string) (status int, message string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+path, struct{ io.Reader }{body})
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err.Error()
	}
	return resp.StatusCode, string(data)
}

// TestEveryBodyIsLimited sends a body that never ends to every route that reads one: it is
// refused at its limit, soon, and costs no more than twice the limit of memory.
func TestEveryBodyIsLimited(t *testing.T) {
	s := openScripts(t)
	id := s.create("mlp").Session.ID
	file := "--b\r\nContent-Disposition: form-data; name=\"model\"; filename=\"a.onnx\"\r\n\r\n"
	const form, js = "application/x-www-form-urlencoded", "application/json"
	for _, c := range []struct {
		path, kind, begin string
		limit             int64
	}{
		{"/api/sessions", js, `{"gallery":"`, 4 << 20},
		{"/api/sessions", form, "gallery=", 4 << 20},
		{"/api/sessions", "multipart/form-data; boundary=b", file, web.MaxModel},
		{"/sessions", "multipart/form-data; boundary=b", file, web.MaxModel},
		{"/sessions", "application/zip", "PK\x03\x04", web.MaxModel},
		{"/new", form, "source=", 4 << 20},
		{"/api/check", js, `{"text":"`, 4 << 20},
		{"/api/format", js, `{"text":"`, 4 << 20},
		{"/api/passes/check", js, `{"source":"`, 4 << 20},
		{"/api/sessions/" + id + "/runs", js, `{"target":"`, 1 << 20},
		{"/s/" + id + "/runs", form, "target=", 1 << 20},
		{"/api/sessions/" + id + "/title", js, `{"title":"`, 1 << 20},
		{"/s/" + id + "/title", form, "title=", 1 << 20},
		{"/api/sessions/" + id + "/notes", js, `{"text":"`, 1 << 20},
		{"/s/" + id + "/notes", form, "text=", 1 << 20},
		{"/api/sessions/" + id + "/expiry", js, `{"days":"`, 1 << 20},
	} {
		t.Run(c.path+" "+c.kind, func(t *testing.T) {
			var status int
			var message string
			var took time.Duration
			heap := goal.Heap(func() {
				began := time.Now()
				status, message = s.send(c.path, c.kind, io.MultiReader(strings.NewReader(c.begin), endless(4*c.limit)))
				took = time.Since(began)
			})
			if status != http.StatusRequestEntityTooLarge && status != 0 {
				t.Errorf("an endless body gives %d %.200s", status, message)
			}
			goal.Bytes(t, "heap, with what the client needs", heap, 2*c.limit+16<<20)
			// The time to take 64 MiB over a connection is no time of refusing them.
			goal.Time(t, "refused", took, 100*time.Millisecond+time.Duration(c.limit>>20)*10*time.Millisecond)
		})
	}
	// A body that says its length is refused before any of it is read.
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/sessions", endless(1<<30))
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = 1 << 30
	req.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	began := time.Now()
	resp, err := s.client.Do(req)
	if err == nil {
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("a gigabyte gives %d", resp.StatusCode)
		}
	}
	goal.Time(t, "a gigabyte that says so is refused", time.Since(began), 100*time.Millisecond)
}

// zeros is a gzip, a deflate or a zstd frame of n zeros, about a thousandth of their size.
func zeros(t *testing.T, kind string, n int64) []byte {
	t.Helper()
	var buf bytes.Buffer
	var w io.WriteCloser
	var err error
	switch kind {
	case "gzip":
		w, err = gzip.NewWriterLevel(&buf, gzip.BestCompression)
	case "deflate":
		w, err = flate.NewWriter(&buf, flate.BestCompression)
	case "zstd":
		w, err = zstd.NewWriter(&buf)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(w, readerFunc(func(p []byte) (int, error) { clear(p); return len(p), nil }), n); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if int64(buf.Len())*900 > n {
		t.Fatalf("%s of %d bytes has %d", kind, n, buf.Len())
	}
	return buf.Bytes()
}

// zipOf is an archive with one file whose directory says that it has a size.
func zipOf(t *testing.T, name string, packed []byte, says uint64) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	f, err := w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CompressedSize64: uint64(len(packed)), UncompressedSize64: says})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(packed); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TestBombs sends small bodies that inflate a thousandfold: archives of sessions that say what
// they hold, and that do not, and bodies whose coding the server does not take.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("large bodies, one after the other")
	}
	s := open(t, nil)
	const size = 128 << 20
	flat := zeros(t, "deflate", size)
	for _, c := range []struct {
		name, kind string
		data       []byte
		header     []string
		want       string
	}{
		{"archive", "application/zip", zipOf(t, "session.json", flat, size), nil, "session.json"},
		{"archive at the bound of a file", "application/zip", zipOf(t, "session.json", flat, 60<<20), nil, "compressed more than"},
		{"archive that says less", "application/zip", zipOf(t, "manifest.json", flat, 1000), nil, "manifest.json"},
		{"archive of a model that says less", "application/zip", zipOf(t, "source/model.onnx", flat, 20<<20), nil, ""},
		{"gzip", "application/json", zeros(t, "gzip", size), []string{"Content-Encoding", "gzip"}, ""},
		{"zstd", "application/json", zeros(t, "zstd", size), []string{"Content-Encoding", "zstd"}, ""},
		{"gzip as an archive", "application/zip", zeros(t, "gzip", size), nil, "not a zip archive"},
		{"zstd as a model", "application/zip", zeros(t, "zstd", size), nil, "not a zip archive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var status int
			var message string
			var took time.Duration
			heap := goal.Heap(func() {
				began := time.Now()
				status, message = s.send("/api/sessions", c.kind, bytes.NewReader(c.data), c.header...)
				took = time.Since(began)
			})
			if status != http.StatusBadRequest && status != http.StatusRequestEntityTooLarge && status != http.StatusUnsupportedMediaType || !strings.Contains(message, c.want) {
				t.Errorf("a bomb of %d bytes gives %d %.200s", len(c.data), status, message)
			}
			goal.Bytes(t, fmt.Sprintf("heap beside the %d bytes of the body", len(c.data)), heap, 64<<20)
			goal.Time(t, "refused", took, time.Second)
		})
	}
}
