package lesson

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/run"
)

// verifying is the state of a check of lessons.
type verifying struct {
	ctx      context.Context
	catalog  *catalog.Catalog
	compiler run.Compiler
	errs     Errors
}

// Verify checks what lessons name and hold against the compiler: models, passes and options, modules, scripts and checks. Nothing is
// compiled. The error is of type Errors, or one of the compiler or the context.
func Verify(ctx context.Context, list []*Lesson, c *catalog.Catalog, compiler run.Compiler) error {
	v := &verifying{ctx: ctx, catalog: c, compiler: compiler}
	files := map[string]string{}
	for _, l := range list {
		if other, ok := files[l.Name]; ok {
			v.fail(l, pos{1, 1}, "%s is a lesson of the same name", other)
		}
		files[l.Name] = l.File
		if err := v.lesson(l); err != nil {
			return fmt.Errorf("check lesson %s: %w", l.File, err)
		}
	}
	return v.errs.sorted()
}

func (v *verifying) fail(l *Lesson, at pos, format string, args ...any) {
	v.errs = append(v.errs, &Error{l.File, at.line, at.col, fmt.Sprintf(format, args...)})
}

// found reports the errors that the compiler found in a text of a lesson. The text was given its lines in the file.
func (v *verifying) found(l *Lesson, at pos, list []event.Diagnostic) {
	for _, d := range list {
		if d.Severity != event.SeverityError {
			continue
		}
		if s := d.Span; s != nil && s.Line > 0 {
			at = pos{s.Line, max(s.Column, 1)}
		}
		v.fail(l, at, "%s", d.Message)
	}
}

// lesson checks one lesson.
func (v *verifying) lesson(l *Lesson) error {
	before := len(v.errs)
	if l.Model != "" && v.catalog.Model(l.Model) == nil {
		var names []string
		for _, m := range v.catalog.Models {
			names = append(names, m.Name)
		}
		v.fail(l, l.places.model, "there is no model %q; there are %s", l.Model, strings.Join(names, ", "))
	}
	if l.Module != "" {
		found, err := v.compiler.Check(v.ctx, l.File, shifted(l.Module, l.places.module.line))
		if err != nil {
			return err
		}
		v.found(l, l.places.module, found.Diagnostics)
	}
	own, err := v.scripts(l)
	if err != nil {
		return err
	}
	v.names(l, own)
	for i := range l.Steps {
		s := &l.Steps[i]
		if s.Check == nil {
			if s.Question != nil {
				v.fail(l, pos{1, 1}, "the step %q asks a question and has no check", s.Title)
			}
			continue
		}
		if s.Solution == nil {
			v.fail(l, pos{1 + leading(s.Check.Source), 1}, "the step %q has a check and no solution", s.Title)
		}
		found, err := v.compiler.CheckPredicate(v.ctx, *s.Check)
		if err != nil {
			return err
		}
		v.found(l, pos{1 + leading(s.Check.Source), 1}, found)
	}
	if len(v.errs) > before {
		return nil // what follows would only repeat them
	}
	return v.plans(l)
}

// leading counts the empty lines before a text.
func leading(text string) int { return len(text) - len(strings.TrimLeft(text, "\n")) }

// shifted is a text whose first line is the one of that number.
func shifted(text string, line int) string { return strings.Repeat("\n", line-1) + text }

// scripts checks the scripts of a lesson and returns the names of their passes.
func (v *verifying) scripts(l *Lesson) ([]string, error) {
	var own []string
	for _, s := range l.places.scripts {
		found, err := v.compiler.CheckScript(v.ctx, request.Script{Name: s.Name, Source: shifted(s.Source, s.line)})
		if err != nil {
			return nil, err
		}
		v.found(l, pos{s.line, 1}, found.Diagnostics)
		for _, p := range found.Passes {
			own = append(own, p.Name)
		}
	}
	return own, nil
}

// names checks the names of passes, pipelines and options of the context.
func (v *verifying) names(l *Lesson, own []string) {
	for _, n := range l.places.passes {
		name, whole := strings.CutPrefix(n.name, pipelinePrefix)
		pipeline := slices.ContainsFunc(v.catalog.Pipelines, func(p catalog.Pipeline) bool { return p.Name == name })
		if whole && !pipeline {
			v.fail(l, n.pos, "there is no pipeline %.60q; list passes in brackets, or take default", name)
		}
		if whole || pipeline { // a pipeline may be a step of another
			continue
		}
		if !slices.Contains(own, n.name) && !slices.ContainsFunc(v.catalog.Passes, func(p catalog.Pass) bool { return p.Name == n.name }) {
			v.fail(l, n.pos, "there is no pass %.60q; those of scripts begin with %s", n.name, request.UserPrefix)
		}
	}
	for _, n := range l.places.config {
		if !slices.ContainsFunc(v.catalog.Config, func(o catalog.Option) bool { return o.Key == n.name }) {
			v.fail(l, n.pos, "there is no option %.60q of the pass context", n.name)
		}
	}
}

// plans checks all settings of a lesson as a whole.
func (v *verifying) plans(l *Lesson) error {
	all := []request.Settings{l.Settings}
	for _, s := range l.Steps {
		if s.Solution != nil && s.Solution.Settings != nil {
			all = append(all, *s.Solution.Settings)
		}
		for _, a := range s.Wrong {
			if a.Settings != nil {
				all = append(all, *a.Settings)
			}
		}
	}
	for _, s := range all {
		s, err := s.Normalize()
		if err != nil {
			v.fail(l, pos{1, 1}, "%v", err)
			continue
		}
		planned, err := v.compiler.Plan(v.ctx, s)
		if err != nil {
			return err
		}
		for _, p := range planned.Problems {
			v.fail(l, pos{1, 1}, "%s", p.Message)
		}
	}
	return nil
}
