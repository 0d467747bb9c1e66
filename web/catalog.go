package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/static"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/export"
)

// all returns xs, never nil.
func all[T any](xs []T) []T { return append([]T{}, xs...) }

func (s *Server) catalogModels(w http.ResponseWriter, _ *http.Request) error {
	return s.json(w, http.StatusOK, map[string]any{"models": all(s.cfg.Catalog.Models)})
}

func (s *Server) catalogTargets(w http.ResponseWriter, _ *http.Request) error {
	return s.json(w, http.StatusOK, map[string]any{"targets": all(s.cfg.Catalog.Targets)})
}

func (s *Server) catalogPasses(w http.ResponseWriter, _ *http.Request) error {
	return s.json(w, http.StatusOK, map[string]any{"passes": s.passes()})
}

// passes describes all passes; no list in it is null.
func (s *Server) passes() []catalog.Pass {
	passes := all(s.cfg.Catalog.Passes)
	for i := range passes {
		p := &passes[i]
		p.Required, p.Config, p.Options = all(p.Required), all(p.Config), all(p.Options)
		p.Before, p.After = all(p.Before), all(p.After)
	}
	return passes
}

func (s *Server) catalogConfig(w http.ResponseWriter, _ *http.Request) error {
	return s.json(w, http.StatusOK, map[string]any{"config": all(s.cfg.Catalog.Config)})
}

func (s *Server) catalogPipelines(w http.ResponseWriter, r *http.Request) error {
	target := r.URL.Query().Get("target")
	out := []catalog.Pipeline{}
	for _, p := range s.cfg.Catalog.Pipelines {
		if target == "" || p.Target == target {
			p.Steps = all(p.Steps)
			out = append(out, p)
		}
	}
	return s.json(w, http.StatusOK, map[string]any{"pipelines": out})
}

// gallery shows the start page.
func (s *Server) gallery(w http.ResponseWriter, r *http.Request) error {
	v := s.galleryView("")
	if err := s.fillSessions(r, &v); err != nil {
		return err
	}
	return s.page(w, r, http.StatusOK, templates.Gallery(v))
}

// galleryView is the start page with what was wrong with an upload, if anything.
func (s *Server) galleryView(problem string) templates.GalleryView {
	v := templates.GalleryView{
		Assets: assets("gallerypage"), Next: static.Preload("sessionpage"), MaxUpload: MaxModel, MaxArchive: export.MaxArchive, Error: problem,
		Version: s.cfg.Version, Code: codeFor(s.cfg.Catalog.Targets),
	}
	if s.cfg.Compiler != nil {
		v.MaxText = MaxScript
		for _, e := range s.cfg.Catalog.Scripts {
			v.Scripts = append(v.Scripts, templates.ScriptCard{Name: e.Name, Title: e.Title, Doc: e.Doc, File: e.Script.Name})
		}
	}
	v.AllLessons = len(s.cfg.Lessons)
	for i, l := range s.cfg.Lessons[:min(len(s.cfg.Lessons), shownLessons)] {
		v.Lessons = append(v.Lessons, lessonCard(i, l))
	}
	for _, m := range s.cfg.Catalog.Models {
		card := templates.ModelCard{Name: m.Name, Title: m.Title, Doc: m.Doc, Parameters: m.Parameters, Bindings: printBindings(m.Bindings)}
		for _, in := range m.Inputs {
			card.Inputs = append(card.Inputs, templates.InputDoc{Name: in.Name, DType: in.DType, Shape: printShape(in.Shape)})
		}
		for op, n := range m.Ops {
			card.Ops = append(card.Ops, templates.OpCount{Op: op, N: n})
		}
		slices.SortFunc(card.Ops, func(a, b templates.OpCount) int {
			if a.N != b.N {
				return b.N - a.N
			}
			return strings.Compare(a.Op, b.Op)
		})
		v.Models = append(v.Models, card)
	}
	return v
}

// codeFor says in words what code the first of the targets is, that of runs for which none was chosen.
func codeFor(targets []catalog.Target) string {
	if len(targets) > 0 {
		switch targets[0].Name {
		case "wasm":
			return "WebAssembly"
		case "x86":
			return "x86-64 machine code"
		}
	}
	return "a program"
}

// printShape prints a shape as "1×3×32×32"; a scalar as "scalar".
func printShape(shape []any) string {
	if len(shape) == 0 {
		return "scalar"
	}
	dims := make([]string, len(shape))
	for i, d := range shape {
		switch d := d.(type) {
		case string:
			dims[i] = d
		case int:
			dims[i] = strconv.Itoa(d)
		case int64:
			dims[i] = strconv.FormatInt(d, 10)
		case float64: // from JSON
			dims[i] = strconv.FormatFloat(d, 'f', -1, 64)
		default:
			dims[i] = "?"
		}
	}
	return strings.Join(dims, "×")
}

// printBindings prints bindings as "batch = 1, 3, 8".
func printBindings(bindings []map[string]int64) string {
	values := map[string][]string{}
	for _, b := range bindings {
		for name, v := range b {
			values[name] = append(values[name], strconv.FormatInt(v, 10))
		}
	}
	var parts []string
	for name, vs := range values {
		parts = append(parts, name+" = "+strings.Join(vs, ", "))
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}
