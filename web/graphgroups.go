package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/flow"
	"github.com/irscope/irscope/instruments/history"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// Limits of what a request for a drawing says.
const (
	// foldedFrom is the number of nodes from which groups are folded at first.
	foldedFrom = 60
	// maxToggled is the number of groups that are opened or folded by name.
	maxToggled = 400
	// maxNear is how many steps around a node can be asked for.
	maxNear = 20
)

// What a drawing may leave out.
const (
	hideMemory    = "memory"
	hideConstants = "constants"
)

// drawingKey is all that a drawing depends on.
type drawingKey struct {
	before, after     string
	memory, constants bool   // left out
	near              string // the node around which it is drawn; empty for all
	steps             int
	groups            [sha256.Size]byte
}

// readDrawingKey reads which drawing a request wants, up to its groups.
func readDrawingKey(r *http.Request) (drawingKey, error) {
	q := r.URL.Query()
	key := drawingKey{before: chi.URLParam(r, "before"), after: chi.URLParam(r, "after"), near: q.Get("near")}
	for _, what := range splitList(q["hide"]) {
		switch what {
		case hideMemory:
			key.memory = true
		case hideConstants:
			key.constants = true
		default:
			return key, badRequest("hide is %.60q, want %s, %s, or both separated by a comma", what, hideMemory, hideConstants)
		}
	}
	if key.before == noText && key.after == noText {
		return key, badRequest("both texts are -, want the hash of a text for one of them at least")
	}
	if len(key.near) > maxHistoryName {
		return key, badRequest("near is %.60q with %d bytes, want the id of a node", key.near, len(key.near))
	}
	if key.near != "" {
		steps, err := number(r, "steps", 2, 1, maxNear)
		if err != nil {
			return key, err
		}
		key.steps = steps
	}
	return key, nil
}

// grouping says which nodes of a drawing belong together, and which groups are drawn as one node.
type grouping struct {
	run           string // that knows where lines come from; empty where no groups are wanted
	before, after scopes // of the lines of the two texts
	open, shut    map[string]bool
	all           string // "open" or "folded" for those that are in neither
	hash          [sha256.Size]byte
}

// grouping reads the groups that a request wants. The scopes of lines are those that the names of the nodes of the model have from
// which the lines come, as the history of the run knows them. Where it knows none there are none.
func (s *Server) grouping(r *http.Request, t *share.Ticket) (*grouping, error) {
	q := r.URL.Query()
	g := &grouping{run: q.Get("run"), open: map[string]bool{}, shut: map[string]bool{}, all: q.Get("groups")}
	step, function := q.Get("step"), q.Get("function")
	switch {
	case len(q["open"])+len(q["shut"]) > maxToggled:
		return nil, badRequest("%d groups are opened or folded by name, want %d at most", len(q["open"])+len(q["shut"]), maxToggled)
	case g.all != "" && g.all != "open" && g.all != "folded":
		return nil, badRequest("groups is %.60q, want open or folded", g.all)
	case g.run == "" && step == "" && function == "":
	case g.run == "" || step == "" || function == "":
		return nil, badRequest("run is %.60q, step is %.60q, and function is %.60q; want all three or none", g.run, step, function)
	}
	for _, id := range q["open"] {
		g.open[id] = true
	}
	for _, id := range q["shut"] {
		g.shut[id] = true
	}
	if g.run != "" {
		if err := s.scopes(r.Context(), t, g, step, function); err != nil {
			return nil, err
		}
	}
	said, err := json.Marshal([]any{g.before, g.after, g.open, g.shut, g.all})
	if err != nil {
		return nil, fmt.Errorf("encode groups: %w", err)
	}
	g.hash = sha256.Sum256(said)
	return g, nil
}

// scopes fills in the scopes of a function before and after a step.
func (s *Server) scopes(ctx context.Context, t *share.Ticket, g *grouping, step, function string) error {
	_, err := work(ctx, s, t, checkBytes, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.withLives(ctx, g.run, func(l *lives, _ bool) error {
			g.before, g.after = scopesOf(l.h.Lines(l.h.Before(step), function)), scopesOf(l.h.Lines(step, function))
			return nil
		})
	})
	if e := (*httpError)(nil); errors.Is(err, store.ErrNotFound) || errors.As(err, &e) && e.status == http.StatusNotFound {
		return nil // a run that is gone, or has no history: its graph has no groups
	}
	return err
}

// scopes says to which scope the lines of a function belong.
type scopes struct {
	Of map[int]string
	// Spread says that they are those of weights: what has none belongs to where its operands do.
	Spread bool
}

// scopesOf returns the scopes of lines: those of the nodes that they come from. Where the model has no paths in the names of its nodes,
// as many exporters leave them, those of the weights say as much.
func scopesOf(lines map[int]*history.Line) scopes {
	out := scopes{Of: make(map[int]string, len(lines))}
	for n, l := range lines {
		if scope := flow.ScopeOf(l.Nodes); scope != "" {
			out.Of[n] = scope
		}
	}
	if len(out.Of) > 0 {
		return out
	}
	for n, l := range lines {
		if scope := flow.ScopeOfWeights(l.Weights); scope != "" {
			out.Of[n], out.Spread = scope, true
		}
	}
	return out
}

// withScopes returns a graph whose nodes know the scopes of their lines. What comes in and what goes out belong to none.
func withScopes(g *flow.Graph, s scopes) *flow.Graph {
	if g == nil || len(s.Of) == 0 || g.Form != flow.Dataflow {
		return g
	}
	out := *g
	out.Nodes = slices.Clone(g.Nodes)
	for i := range out.Nodes {
		if n := &out.Nodes[i]; n.Kind != flow.Param && n.Kind != flow.Return {
			n.Scope = s.Of[n.Line]
		}
	}
	if s.Spread {
		flow.SpreadScopes(&out)
	}
	return &out
}

// fold folds the groups of a graph that is large, or those that the reader chose.
func fold(g *flow.Graph, groups *grouping) (*flow.Graph, []groupState) {
	if len(g.Clusters) == 0 {
		return g, nil
	}
	folded := flow.FoldLevel(g, foldedFrom)
	states := make([]groupState, len(g.Clusters))
	for i, c := range g.Clusters {
		switch {
		case groups.open[c.ID], groups.all == "open" && !groups.shut[c.ID]:
			folded[i] = false
		case groups.shut[c.ID], groups.all == "folded":
			folded[i] = true
		}
		states[i] = groupState{ID: c.ID, Label: c.Label, Folded: folded[i]}
	}
	return flow.FoldClusters(g, folded), states
}
