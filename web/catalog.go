package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/export"
	"github.com/irscope/irscope/web/run"
)

// Catalog is what visitors may choose from, as plain data. It is not written after
// the server was made.
type Catalog struct {
	Models    []Model
	Targets   []Target
	Passes    []Pass
	Pipelines []Pipeline
	// Config are the options of the pass context.
	Config []Option
	// Scripts are passes that a visitor might have written, to start from.
	Scripts []ScriptExample
}

// ScriptExample is a script with a module that has what it looks for.
type ScriptExample struct {
	// Name identifies the example in requests; Title and Doc are for people.
	Name  string `json:"name"`
	Title string `json:"title"`
	Doc   string `json:"doc"`
	// Script defines Passes, by the names that steps have; none where it is an instrument.
	Script run.Script `json:"script"`
	Passes []string   `json:"passes"`
	// ModuleName is the file name of Module, a text of TVMScript.
	ModuleName string `json:"-"`
	Module     string `json:"-"`
}

// Model is a model of the gallery.
type Model struct {
	// Name identifies the model in requests; Title and Doc are for people.
	Name  string `json:"name"`
	Title string `json:"title"`
	Doc   string `json:"doc"`
	// Inputs are those of the entry function in order.
	Inputs []Input `json:"inputs"`
	// Bindings are the values of symbolic dimensions with which it runs.
	Bindings []map[string]int64 `json:"bindings,omitempty"`
	// Ops counts the operators by name, Parameters the weights, Functions the functions.
	Ops        map[string]int `json:"ops,omitempty"`
	Parameters int64          `json:"parameters,omitempty"`
	Functions  int            `json:"functions,omitempty"`
}

// Input is an input of a model. A dimension is a number or the name of a symbol.
type Input struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
	Shape []any  `json:"shape"`
}

// Target is a target that code can be generated for.
type Target struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// Pass is a pass of the registry.
type Pass struct {
	Name  string     `json:"name"`
	Level int        `json:"level"`
	Role  event.Role `json:"role"`
	Kind  string     `json:"kind"`
	// IR is what it works on: "relax", graph functions, or "tir", loop functions.
	IR       string       `json:"ir"`
	Doc      string       `json:"doc"`
	Required []string     `json:"required"`
	Config   []Option     `json:"config"`
	Options  []PassOption `json:"options"`
	// Before are the passes that must stand before this one, After those that must stand
	// after it, wherever both run.
	Before []Order `json:"before"`
	After  []Order `json:"after"`
}

// PassOption is a parameter of a pass.
type PassOption struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default any    `json:"default"`
	Doc     string `json:"doc"`
	// Choices, where not empty, are the only values that it takes.
	Choices []any `json:"choices,omitempty"`
}

// Order is a constraint on the order of a pass and another.
type Order struct {
	Pass string `json:"pass"`
	Why  string `json:"why"`
	// Needs tells that the later of the two has nothing to work on without the earlier.
	Needs bool `json:"needs,omitempty"`
}

// Option is an option of the pass context.
type Option struct {
	Key     string `json:"key"`
	Type    string `json:"type"`
	Default any    `json:"default"`
	Doc     string `json:"doc"`
}

// Pipeline is a named list of steps for a target.
type Pipeline struct {
	Name   string           `json:"name"`
	Target string           `json:"target"`
	Doc    string           `json:"doc"`
	Steps  []event.PlanStep `json:"steps"`
}

// Model returns the model of the gallery with a name, or nil.
func (c *Catalog) Model(name string) *Model {
	for i := range c.Models {
		if c.Models[i].Name == name {
			return &c.Models[i]
		}
	}
	return nil
}

// all returns xs, never nil.
func all[T any](xs []T) []T { return append([]T{}, xs...) }

func (s *Server) catalogModels(w http.ResponseWriter, _ *http.Request) error {
	return s.json(w, http.StatusOK, map[string]any{"models": all(s.cfg.Catalog.Models)})
}

func (s *Server) catalogTargets(w http.ResponseWriter, _ *http.Request) error {
	return s.json(w, http.StatusOK, map[string]any{"targets": all(s.cfg.Catalog.Targets)})
}

func (s *Server) catalogPasses(w http.ResponseWriter, _ *http.Request) error {
	passes := all(s.cfg.Catalog.Passes)
	for i := range passes {
		p := &passes[i]
		p.Required, p.Config, p.Options = all(p.Required), all(p.Config), all(p.Options)
		p.Before, p.After = all(p.Before), all(p.After)
	}
	return s.json(w, http.StatusOK, map[string]any{"passes": passes})
}

func (s *Server) catalogConfig(w http.ResponseWriter, _ *http.Request) error {
	return s.json(w, http.StatusOK, map[string]any{"config": all(s.cfg.Catalog.Config)})
}

func (s *Server) catalogPipelines(w http.ResponseWriter, r *http.Request) error {
	target := r.URL.Query().Get("target")
	out := []Pipeline{}
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
	v := templates.GalleryView{Assets: assets(), MaxUpload: MaxModel, MaxArchive: export.MaxArchive, Error: problem}
	if s.cfg.Checker != nil {
		v.MaxText = MaxScript
	}
	if s.cfg.Scripts != nil {
		for _, e := range s.cfg.Catalog.Scripts {
			v.Scripts = append(v.Scripts, templates.ScriptCard{Name: e.Name, Title: e.Title, Doc: e.Doc, File: e.Script.Name})
		}
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
