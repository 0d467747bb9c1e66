package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// maxScript is what the scripts of the first view may weigh on the wire, and maxStyle the style sheet.
const (
	maxScript = 40 << 10
	maxStyle  = 12 << 10
)

func TestFirstViewIsSmall(t *testing.T) {
	script := 0
	for _, name := range []string{"app.js", "theme.js"} {
		_, wire, ok := Size(name)
		if !ok {
			t.Fatalf("%s is not embedded", name)
		}
		script += wire
	}
	_, style, _ := Size("app.css")
	t.Logf("scripts %d bytes, style sheet %d bytes on the wire", script, style)
	if script > maxScript {
		t.Errorf("the scripts of the first view weigh %d bytes gzipped, want at most %d", script, maxScript)
	}
	if style > maxStyle {
		t.Errorf("the style sheet weighs %d bytes gzipped, want at most %d", style, maxStyle)
	}
}

func TestHandler(t *testing.T) {
	server := httptest.NewServer(Handler())
	defer server.Close()
	for _, name := range []string{"app.js", "theme.js", "editor.js", "userpass.js", "editir.js", "graph.js", "history.js", "pipeline.js", "search.js", "metrics.js", "codemirror.js", "app.css", "history.css", "favicon.svg"} {
		for _, encoding := range []string{"", "gzip", "br, gzip;q=0.5", "gzip;q=0"} {
			res := get(t, server, http.MethodGet, URL(name), encoding)
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			if res.Header.Get("Content-Encoding") == "gzip" {
				if encoding == "" || encoding == "gzip;q=0" {
					t.Errorf("%s with Accept-Encoding %q came with gzip", name, encoding)
				}
				zr, err := gzip.NewReader(bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				if body, err = io.ReadAll(zr); err != nil {
					t.Fatal(err)
				}
			}
			if plain, _, _ := Size(name); len(body) != plain {
				t.Errorf("%s with Accept-Encoding %q has %d bytes, want %d", name, encoding, len(body), plain)
			}
			if !strings.Contains(res.Header.Get("Cache-Control"), "immutable") || res.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s has the headers %v", name, res.Header)
			}
		}
	}
}

func TestHandlerRefuses(t *testing.T) {
	server := httptest.NewServer(Handler())
	defer server.Close()
	tests := []struct {
		method, path string
		want         int
	}{
		{http.MethodGet, Prefix + "app.js", http.StatusNotFound}, // without its hash it could not be cached for ever
		{http.MethodGet, Prefix + "app.000000000000.js", http.StatusNotFound},
		{http.MethodGet, Prefix + "../embed.go", http.StatusNotFound},
		{http.MethodGet, Prefix, http.StatusNotFound},
		{http.MethodPost, URL("app.js"), http.StatusMethodNotAllowed},
		{http.MethodHead, URL("app.js"), http.StatusOK},
	}
	for _, tt := range tests {
		if res := get(t, server, tt.method, tt.path, ""); res.StatusCode != tt.want {
			t.Errorf("%s %s is %d, want %d", tt.method, tt.path, res.StatusCode, tt.want)
		}
	}
}

// TestHashFollowsContent checks that another content has another address.
func TestHashFollowsContent(t *testing.T) {
	a, b := newFile("app.js", []byte("a")), newFile("app.js", []byte("b"))
	if a.hashed == b.hashed {
		t.Errorf("two contents share the name %s", a.hashed)
	}
	if !strings.HasPrefix(a.hashed, "app.") || !strings.HasSuffix(a.hashed, ".js") {
		t.Errorf("the hashed name is %s, want app.<hash>.js", a.hashed)
	}
}

// TestVendoredFiles compares what others wrote with SHA256SUMS.
func TestVendoredFiles(t *testing.T) {
	sums := string(read(t, "vendor/SHA256SUMS"))
	for _, name := range []string{"codemirror.js", "codemirror.LICENSE"} {
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(read(t, "vendor/"+name)), name); !strings.Contains(sums, line) {
			t.Errorf("SHA256SUMS lacks the line %q", line)
		}
	}
	if strings.Contains(string(files.byName["app.js"].data), "cm-editor") {
		t.Error("the script of every page holds the editor")
	}
}

// TestNothingFromElsewhere looks for addresses of other hosts in what is served; the SVG namespace is a name, not an address.
func TestNothingFromElsewhere(t *testing.T) {
	for name, f := range files.byName {
		text := strings.ReplaceAll(string(f.data), "http://www.w3.org/2000/svg", "")
		for _, bad := range []string{"http://", "https://", "//cdn", "@import url"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s contains %q", name, bad)
			}
		}
	}
	for _, name := range []string{"app.js", "theme.js", "editor.js", "userpass.js", "editir.js", "graph.js", "history.js", "pipeline.js", "search.js", "metrics.js", "codemirror.js"} {
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"} {
			if bytes.Contains(files.byName[name].data, []byte(bad)) {
				t.Errorf("%s uses %s: text must go through textContent", name, bad)
			}
		}
	}
}

func get(t *testing.T, server *httptest.Server, method, path, encoding string) *http.Response {
	t.Helper()
	req, err := http.NewRequest(method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Naming the encoding keeps the client from unpacking by itself; "identity" stands for none.
	req.Header.Set("Accept-Encoding", "identity")
	if encoding != "" {
		req.Header.Set("Accept-Encoding", encoding)
	}
	res, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}
