package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// maxScript is what the scripts of the first view may weigh on the wire, maxStyle the style sheet, and maxFonts all fonts.
const (
	maxScript = 45 << 10
	maxStyle  = 16 << 10
	maxFonts  = 150 << 10
)

func TestFirstViewIsSmall(t *testing.T) {
	script := 0
	for _, name := range firstScripts("sessionpage") {
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

// TestFontsAreSmall checks that the fonts are subsets, one for the page and one for code, and that the style sheet names them.
func TestFontsAreSmall(t *testing.T) {
	sum := 0
	fonts := Fonts()
	for _, url := range fonts {
		name := strings.TrimPrefix(url, Prefix)
		_, wire, ok := Size(name)
		if !ok {
			t.Fatalf("%s is not embedded", name)
		}
		sum += wire
		if !bytes.Contains(files().byName["app.css"].data, []byte(name)) {
			t.Errorf("the style sheet does not name %s", name)
		}
	}
	t.Logf("%d fonts, %d bytes", len(fonts), sum)
	if len(fonts) != 2 || sum > maxFonts {
		t.Errorf("the fonts %v weigh %d bytes, want two of at most %d", fonts, sum, maxFonts)
	}
}

// pages are the scripts of pages.
var pages = []string{"comparepage", "gallerypage", "sessionpage", "sourcepage"}

// firstScripts names the scripts that a page loads at once.
func firstScripts(page string) []string {
	return append([]string{"theme.js", "app.js"}, files().preload(page)...)
}

// TestScriptsShareChunks checks what splitting is for: a page fetches few files at first, parts that are loaded later hold
// nothing that the page has already, and what two of them share is not in both.
func TestScriptsShareChunks(t *testing.T) {
	first := firstScripts("sessionpage")
	if len(first) > 5 {
		t.Errorf("a session loads %v at first, want the theme, app.js, the page, and one chunk each that it shares with what is loaded later and with other pages", first)
	}
	later := 0
	for name, f := range files().byName {
		if !strings.HasSuffix(name, ".js") || name == "codemirror.js" || name == "exported.js" { // no page loads the last one
			continue
		}
		if !slices.Contains(first, name) {
			later++
		}
		// Words that stand in one source file each, which every part of the page uses.
		for word, source := range map[string]string{"the server cannot be reached": "store/api.ts", "pass_skipped": "store/model.ts"} {
			if bytes.Contains(f.data, []byte(word)) && !slices.Contains(first, name) {
				t.Errorf("%s holds a copy of %s, which the page has already", name, source)
			}
		}
		if len(f.data) == 0 {
			t.Errorf("%s is empty: a file that every page would fetch for nothing", name)
		}
	}
	// What the bundler left out of the script of exported pages is asked for by nothing that such a page does at once.
	for _, m := range regexp.MustCompile(`([\w$]+)\("(\.{1,2}/[^"]+)"\)`).FindAllSubmatch(files().byName["exported.js"].data, -1) {
		if string(m[1]) != "import" {
			t.Errorf("exported.js needs %s at once, which bundle/main.go leaves out of it", m[2])
		}
	}
	if later < 8 {
		t.Errorf("%d scripts are loaded later, want one for each part of the page that is", later)
	}
}

// TestImports checks that the imports that a page preloads are those that the scripts name, directly and by others.
func TestImports(t *testing.T) {
	s, err := load(fstest.MapFS{
		"dist/a.js":          {Data: []byte(`import{x as y}from"./b-AAAAAAAA.js";import"./c-BBBBBBBB.js";import("./d-CCCCCCCC.js");`)},
		"dist/b-AAAAAAAA.js": {Data: []byte(`import{z}from"./c-BBBBBBBB.js";export{z as x};`)},
		"dist/c-BBBBBBBB.js": {Data: []byte(`export{a as z}from"./e-DDDDDDDD.js";`)},
		"dist/d-CCCCCCCC.js": {Data: []byte(`import"./b-AAAAAAAA.js"`)},
		"dist/e-DDDDDDDD.js": {Data: []byte(`export let a`)},
	}, "dist")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(s.imports("a.js"), " "), "a.js b-AAAAAAAA.js c-BBBBBBBB.js e-DDDDDDDD.js"; got != want {
		t.Errorf("a.js imports %s, want %s", got, want)
	}
	if f := s.byName["b-AAAAAAAA.js"]; f.hashed != "b-AAAAAAAA.js" {
		t.Errorf("a chunk is served as %s, want the name by which scripts import it", f.hashed)
	}
	if _, err := load(fstest.MapFS{"dist/a.js": {Data: []byte(`import"./gone.js"`)}}, "dist"); err == nil {
		t.Error("a script may import what is not embedded")
	}
}

func TestHandler(t *testing.T) {
	server := httptest.NewServer(Handler())
	defer server.Close()
	for name := range files().byName {
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
	for _, page := range pages {
		for _, name := range firstScripts(page) {
			if strings.Contains(string(files().byName[name].data), "cm-editor") {
				t.Errorf("%s, which %s loads at first, holds CodeMirror", name, page)
			}
		}
	}
}

// TestNothingFromElsewhere looks for addresses of other hosts in what is served; the SVG namespace is a name, not an address.
func TestNothingFromElsewhere(t *testing.T) {
	for name, f := range files().byName {
		text := strings.ReplaceAll(string(f.data), "http://www.w3.org/2000/svg", "")
		for _, bad := range []string{"http://", "https://", "//cdn", "@import url"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s contains %q", name, bad)
			}
		}
	}
	for name, f := range files().byName {
		if !strings.HasSuffix(name, ".js") {
			continue
		}
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"} {
			if bytes.Contains(f.data, []byte(bad)) {
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
