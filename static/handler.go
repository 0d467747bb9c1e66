package static

import (
	"net/http"
	"strconv"
	"strings"
)

// Handler serves the embedded files under Prefix by their hashed names. Answers are immutable, so browsers keep them for a year;
// a name whose hash is not current is 404. Only GET and HEAD are allowed.
func Handler() http.Handler { return handler{files()} }

type handler struct{ set set }

// ServeHTTP implements http.Handler.
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "static files are read with GET or HEAD", http.StatusMethodNotAllowed)
		return
	}
	f, ok := h.set.byHash[strings.TrimPrefix(r.URL.Path, Prefix)]
	if !ok {
		http.NotFound(w, r)
		return
	}
	head := w.Header()
	head.Set("Content-Type", f.contentType)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cache-Control", "public, max-age=31536000, immutable")
	head.Set("Vary", "Accept-Encoding")
	body := f.data
	if f.gzipped != nil && acceptsGzip(r.Header.Get("Accept-Encoding")) {
		head.Set("Content-Encoding", "gzip")
		body = f.gzipped
	}
	head.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodHead {
		return
	}
	// A failed write means that the reader has gone; there is nobody left to tell.
	_, _ = w.Write(body)
}

// acceptsGzip reports whether an Accept-Encoding header allows gzip: named with a quality other than zero.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		q, found := strings.CutPrefix(strings.TrimSpace(params), "q=")
		if !found {
			return true
		}
		v, err := strconv.ParseFloat(q, 64)
		return err == nil && v > 0
	}
	return false
}
