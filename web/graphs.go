package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/flow"
	"github.com/irscope/irscope/web/lru"
	"github.com/irscope/irscope/web/share"
)

// Limits of graphs.
const (
	// maxGraphText is the length of the longest text that a graph is made of, in bytes.
	maxGraphText = 2 << 20
	// graphCache is what graphs may hold in memory, and drawingCache what drawings may.
	graphCache   = 16 << 20
	drawingCache = 32 << 20
)

// graphs keeps the graphs of texts and their drawings by what they were made of.
type graphs struct {
	flows    *lru.Cache[string, *flow.Graph]
	drawings *lru.Cache[drawingKey, []byte]
}

func newGraphs() *graphs {
	return &graphs{flows: lru.New[string, *flow.Graph](graphCache), drawings: lru.New[drawingKey, []byte](drawingCache)}
}

// drawGraph answers with the graph of a function, or of what became of it between two texts.
func (s *Server) drawGraph(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	if s.cfg.Compiler == nil {
		return &httpError{status: http.StatusNotImplemented, message: "this server does not draw graphs; see the text of the function"}
	}
	key, err := readDrawingKey(r)
	if err != nil {
		return err
	}
	groups, err := s.grouping(r, t)
	if err != nil {
		return err
	}
	key.groups = groups.hash
	body, ok := s.graphs.drawings.Get(key)
	if !ok {
		if body, err = s.draw(r.Context(), t, key, groups); err != nil {
			return err
		}
		s.graphs.drawings.Put(key, body, int64(len(body)))
	}
	t.Hold(int64(len(body)))
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	w.Header().Set("ETag", tag)
	cached := immutable
	if groups.run != "" {
		cached = "no-cache" // the run may still tell more of where things come from
	}
	if knows(r, tag) {
		w.Header().Set("Cache-Control", cached)
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return keptJSON(w, body, cached)
}

// knows tells whether the one who asks has the answer with that tag. A proxy that compresses
// makes the tag a weak one.
func knows(r *http.Request, tag string) bool {
	for _, t := range splitList(r.Header["If-None-Match"]) {
		if t == "*" || strings.TrimPrefix(t, "W/") == tag {
			return true
		}
	}
	return false
}

// splitList splits values with commas between them.
func splitList(values []string) []string {
	var out []string
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}

// draw makes a drawing within the time that a question to the compiler has.
func (s *Server) draw(ctx context.Context, t *share.Ticket, key drawingKey, groups *grouping) ([]byte, error) {
	return work(ctx, s, t, checkBytes, func(ctx context.Context) ([]byte, error) {
		var texts [2]string
		for i, hash := range []string{key.before, key.after} {
			var err error
			if texts[i], err = s.graphText(ctx, hash); err != nil {
				return nil, err
			}
		}
		var both [2]*flow.Graph
		for i, hash := range []string{key.before, key.after} {
			g, err := s.flowOf(ctx, hash, texts[i])
			if err != nil {
				return nil, err
			}
			both[i] = g
		}
		return draw(ctx, key, groups, both[0], both[1])
	})
}

// graphText returns the text that a graph is made of; none for "-" and where the graph is known.
func (s *Server) graphText(ctx context.Context, hash string) (string, error) {
	if hash == noText {
		return "", nil
	}
	if _, ok := s.graphs.flows.Get(hash); ok {
		return "", nil
	}
	doc, err := s.texts.document(ctx, hash)
	if err != nil {
		return "", err
	}
	text := doc.Text()
	if doc.Language() != event.LangTVMScript {
		return "", badRequest("text %s is %s, want the TVMScript of a function: generated code has no graph", hash, doc.Language())
	}
	if len(text) > maxGraphText {
		return "", &httpError{
			status:  http.StatusRequestEntityTooLarge,
			message: fmt.Sprintf("the function has %d bytes of text; graphs are limited to %s: see the text instead", len(text), size(maxGraphText)),
		}
	}
	return text, nil
}

// flowOf returns the graph of a text, nil for "-".
func (s *Server) flowOf(ctx context.Context, hash, text string) (*flow.Graph, error) {
	if hash == noText {
		return nil, nil
	}
	if g, ok := s.graphs.flows.Get(hash); ok {
		return g, nil
	}
	if text == "" { // the graph was dropped since
		var err error
		if text, err = s.graphText(ctx, hash); err != nil {
			return nil, err
		}
	}
	g, err := s.cfg.Compiler.Graph(ctx, text)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, &httpError{status: http.StatusUnprocessableEntity, message: fmt.Sprintf("text %s has no graph: %v; see the text instead", hash, err)}
	}
	s.graphs.flows.Put(hash, g, int64(2*len(text)))
	return g, nil
}
