package web

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/compare"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// comparisonJSON is what two runs are and how they compare.
type comparisonJSON struct {
	A runJSON `json:"a"`
	B runJSON `json:"b"`
	// Sealed says that both runs are over: nothing will be added.
	Sealed bool `json:"sealed"`
	compare.Comparison
}

// functionsJSON lists the functions after a row of a comparison.
type functionsJSON struct {
	Functions []compare.Function `json:"functions"`
}

// compared is a run as far as its log was read.
type compared struct {
	info   run.Info
	state  *event.Run
	sealed bool
}

// comparePage shows two runs side by side. The query may name a session of each, to which the page leads back.
func (s *Server) comparePage(w http.ResponseWriter, r *http.Request) error {
	ctx, q := r.Context(), r.URL.Query()
	v := templates.CompareView{Assets: assets("comparepage"), Pages: strings.Join(slices.Sorted(maps.Keys(pagedPasses())), " ")}
	var titles [2]string
	for i, side := range []struct {
		name string
		run  *templates.ComparedRun
	}{{"a", &v.A}, {"b", &v.B}} {
		info, err := s.manager.Run(ctx, chi.URLParam(r, side.name))
		if err != nil {
			return err
		}
		*side.run = templates.ComparedRun{Run: info.ID, Label: labelOf(info.Source, info.Settings), Command: command(info)}
		titles[i] = info.Source.Name
		if info.Source.Kind == store.SourceDump {
			v.Pages, v.Dumps = "", true
		}
		// A session that is gone, or never had the run, is left out.
		if sess, err := s.cfg.Store.Session(ctx, q.Get(side.name)); err == nil && slices.Contains(sess.Runs, info.ID) {
			side.run.Session, titles[i] = sess.ID, sess.Title
		}
	}
	v.Title = titles[0]
	if titles[1] != titles[0] {
		v.Title += " and " + titles[1]
	}
	v.Swapped = "/compare/" + v.B.Run + "/" + v.A.Run
	back := url.Values{}
	if v.B.Session != "" {
		back.Set("a", v.B.Session)
	}
	if v.A.Session != "" {
		back.Set("b", v.A.Session)
	}
	if len(back) > 0 {
		v.Swapped += "?" + back.Encode()
	}
	return s.page(w, r, http.StatusOK, templates.Compare(v))
}

// compareRuns answers with two runs side by side.
func (s *Server) compareRuns(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	answer, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) (*comparisonJSON, error) {
		a, b, err := s.comparedRuns(ctx, r)
		if err != nil {
			return nil, err
		}
		return &comparisonJSON{
			A: describe(a.info), B: describe(b.info),
			Sealed: a.sealed && b.sealed, Comparison: *compare.Runs(a.state, b.state),
		}, nil
	})
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, answer)
}

// compareFunctions answers with the functions of both runs after a row of their comparison.
func (s *Server) compareFunctions(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	row, err := number(r, "row", 0, 0, 1<<31-1)
	if err != nil {
		return err
	}
	all := r.URL.Query().Get("all") != ""
	answer, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) (*functionsJSON, error) {
		a, b, err := s.comparedRuns(ctx, r)
		if err != nil {
			return nil, err
		}
		functions := compare.Functions(a.state, b.state, row, all)
		if functions == nil {
			return nil, &httpError{status: http.StatusNotFound, message: "the comparison has no such row; the runs may be others by now"}
		}
		return &functionsJSON{functions}, nil
	})
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, answer)
}

// comparedRuns returns the two runs that a request names, whose logs are read at once.
func (s *Server) comparedRuns(ctx context.Context, r *http.Request) (a, b compared, err error) {
	var second error
	var wait sync.WaitGroup
	wait.Go(func() { b, second = s.compared(ctx, chi.URLParam(r, "b")) })
	a, err = s.compared(ctx, chi.URLParam(r, "a"))
	wait.Wait()
	if err == nil {
		err = second
	}
	return a, b, err
}

func (s *Server) compared(ctx context.Context, id string) (c compared, err error) {
	if c.info, err = s.manager.Run(ctx, id); err != nil {
		return c, err
	}
	c.state, c.sealed, err = s.manager.State(ctx, id)
	return c, err
}
