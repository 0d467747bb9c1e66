// Package catalog describes, as plain data, what visitors may choose from: models, targets, passes, pipelines, options and
// scripts. Whoever knows the compiler fills a Catalog; the web serves it and knows no pass. It imports web/run for the
// form of settings, and neither the compiler nor the web.
package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// Catalog is what visitors may choose from, as plain data. It is not written after
// the server was made.
type Catalog struct {
	Models []Model
	// Targets begin with that of runs for which none was chosen.
	Targets   []Target
	Passes    []Pass
	Pipelines []Pipeline
	// Config are the options of the pass context.
	Config []Option
	// Scripts are passes that a visitor might have written, to start from.
	Scripts []ScriptExample

	taught string // the target of lessons, if it is not the first
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

// Target is a target whose programs run: code can be generated for it or, where StandIn is set, the interpreter stands in for that.
type Target struct {
	Name    string `json:"name"`
	Doc     string `json:"doc"`
	StandIn bool   `json:"stand_in,omitempty"`
}

// Pass is a pass of the registry.
type Pass struct {
	Name  string         `json:"name"`
	Level int            `json:"level"`
	Role  event.Role     `json:"role"`
	Kind  event.PassKind `json:"kind"`
	// IR is what it works on: "relax", Relax functions, or "tir", PrimFuncs.
	//
	//wire:type "relax" | "tir"
	IR  string `json:"ir"`
	Doc string `json:"doc"`
	// Without says what happens without a lowering pass, where that is not that code generation fails, in half a sentence.
	Without  string       `json:"without,omitempty"`
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

// Earlier says what the pass whose constraint this is wants of the other one, which runs before it.
func (o Order) Earlier() string {
	if o.Needs {
		return "needs"
	}
	return "better after"
}

// Later says what the pass whose constraint this is does for the other one, which runs after it.
func (o Order) Later() string {
	if o.Needs {
		return "feeds"
	}
	return "better before"
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

// LessonDefaults returns the settings of the first run of a lesson about a source.
func (c *Catalog) LessonDefaults(src store.Source) run.Settings {
	out := c.Defaults(src)
	out.Target = cmp.Or(c.taught, out.Target)
	return out
}

// Defaults returns the settings of the first run of a source.
func (c *Catalog) Defaults(src store.Source) run.Settings {
	out := run.Settings{OptLevel: 2, Pipeline: "default"}
	if len(c.Targets) > 0 {
		out.Target = c.Targets[0].Name
	}
	if src.Kind == store.SourceGallery {
		if m := c.Model(src.Name); m != nil {
			out.Bindings = m.Bindings
		}
	}
	if written(src) {
		out.Config = map[string]any{boundCheckers: true}
	}
	return out
}

// boundCheckers is the config option that has accesses checked against the bounds of their
// buffers. It is on at first for programs that people wrote: there a loop that goes too far is
// likelier than in a model, and an error that names it is worth what the checks cost.
const boundCheckers = "tir.instrument_bound_checkers"

// written tells whether a source is a text that says every index, and not a model.
func written(src store.Source) bool {
	return src.Kind == store.SourceScript || src.Kind == store.SourceUpload && strings.HasSuffix(strings.ToLower(src.Name), ".json")
}

// Pass returns the pass of that name, or nil.
func (c *Catalog) Pass(name string) *Pass {
	for i := range c.Passes {
		if c.Passes[i].Name == name {
			return &c.Passes[i]
		}
	}
	return nil
}

// Example returns the script of that name, or nil.
func (c *Catalog) Example(name string) *ScriptExample {
	for i := range c.Scripts {
		if c.Scripts[i].Name == name {
			return &c.Scripts[i]
		}
	}
	return nil
}

// Without returns the catalog without a target, for a server that does not run code for it.
func (c Catalog) Without(target string) Catalog {
	c.Targets = slices.DeleteFunc(slices.Clone(c.Targets), func(t Target) bool { return t.Name == target })
	c.Pipelines = slices.DeleteFunc(slices.Clone(c.Pipelines), func(p Pipeline) bool { return p.Target == target })
	return c
}

// First returns the catalog with a target before the others. Lessons keep the one that was first: what they say is true on every machine.
func (c Catalog) First(target string) Catalog {
	if i := slices.IndexFunc(c.Targets, func(t Target) bool { return t.Name == target }); i > 0 {
		c.taught = c.Targets[0].Name
		rest := slices.Delete(slices.Clone(c.Targets), i, i+1)
		c.Targets = slices.Insert(rest, 0, c.Targets[i])
	}
	return c
}

// WithExample returns settings with the script of an example: its passes are the first
// steps of the pipeline. The example must exist.
func (c *Catalog) WithExample(settings run.Settings, name string) run.Settings {
	e := c.Example(name)
	settings.Scripts = []run.Script{e.Script}
	if len(e.Passes) == 0 {
		return settings // an instrument watches the pipeline as it is
	}
	for _, p := range c.Pipelines {
		if kind, _, _ := strings.Cut(settings.Target, " "); p.Name == cmp.Or(settings.Pipeline, "default") && p.Target == kind {
			for _, name := range e.Passes {
				settings.Steps = append(settings.Steps, run.Step{Name: name})
			}
			for _, step := range p.Steps {
				if step.Parent != "" && step.Parent == p.Steps[0].Step {
					settings.Steps = append(settings.Steps, run.Step{Name: step.Name})
				}
			}
		}
	}
	return settings
}
