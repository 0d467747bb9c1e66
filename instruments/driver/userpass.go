package driver

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/target"
)

// watchSteps bounds the instructions that all callbacks of a script's instruments take
// together in a run; passes have the default of starpass each time they run.
const watchSteps = 200_000_000

// userPasses are what the scripts of a run define.
type userPasses struct {
	scripts []*userScript
	passes  map[string]*pass.Pass // by name, with request.UserPrefix
}

// userScript is a script of a run that was read.
type userScript struct {
	source *ir.Source
	out    *output
	aloud  bool // what it prints goes elsewhere, at once
	// prog holds the passes, and watching the same with limits for instruments.
	prog, watching *starpass.Program
	passes         []*pass.Pass
}

// scriptError is an error in a script that was found when it was read.
type scriptError struct {
	script *userScript
	err    error
}

// Error says what is wrong with the script.
func (e *scriptError) Error() string { return e.err.Error() }

// Unwrap returns the error.
func (e *scriptError) Unwrap() error { return e.err }

// readScripts reads the scripts of a run. An error is a *scriptError, or says that two
// scripts define the same. What scripts print goes to print, if it is not nil.
func readScripts(ctx context.Context, list []request.Script, print io.Writer) (*userPasses, error) {
	u := &userPasses{passes: map[string]*pass.Pass{}}
	from := map[string]string{}
	room := &budget{left: maxPrinted}
	for _, text := range list {
		s, err := readScript(ctx, text, room, print)
		if err != nil {
			return u, &scriptError{s, err}
		}
		u.scripts = append(u.scripts, s)
		for _, p := range s.passes {
			if other, ok := from[p.Name]; ok {
				return u, &scriptError{s, fmt.Errorf("the pass %s is defined in %s and in %s; rename one", p.Name, other, text.Name)}
			}
			from[p.Name], u.passes[p.Name] = text.Name, p
		}
	}
	return u, nil
}

// readScript reads one script.
func readScript(ctx context.Context, text request.Script, room *budget, print io.Writer) (*userScript, error) {
	s := &userScript{source: &ir.Source{Name: text.Name, Text: text.Source}, out: &output{room: room}, aloud: print != nil}
	var err error
	if s.aloud {
		s.prog, err = starpass.Compile(text.Name, text.Source, starpass.Limits{Print: print})
		if s.watching = s.prog; err != nil {
			return s, err
		}
		return s, s.adopt(traced)
	}
	limits := starpass.Limits{Print: s.out}
	if s.prog, err = compileScript(ctx, text, limits); err != nil {
		return s, err
	}
	// The top level is known to end within the steps of one pass.
	limits.Steps = watchSteps
	err = s.out.again(func() error {
		s.watching, err = compileScript(ctx, text, limits)
		return err
	})
	if err != nil {
		return s, err
	}
	return s, s.adopt(s.reporting)
}

// adopt takes the passes of the script, whose names differ.
func (s *userScript) adopt(wrap func(pass.RunFunc) pass.RunFunc) error {
	own := map[string]bool{}
	for _, p := range s.prog.Passes() {
		if own[p.Name] {
			return fmt.Errorf("two passes are named %s; rename one", p.Name)
		}
		own[p.Name] = true
	}
	s.passes = starpass.Adopt(s.prog.Passes(), request.UserPrefix, wrap)
	return nil
}

// compileScript runs the top level of a script. Where the context ends before, it is left
// behind: its limit of steps ends it soon.
func compileScript(ctx context.Context, text request.Script, limits starpass.Limits) (*starpass.Program, error) {
	type result struct {
		prog *starpass.Program
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = &starpass.PanicError{What: text.Name, Value: p, Stack: string(debug.Stack())}
			}
			done <- r
		}()
		r.prog, r.err = starpass.Compile(text.Name, text.Source, limits)
	}()
	select {
	case r := <-done:
		return r.prog, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// reporting returns the body of a pass that reports what the script says.
func (s *userScript) reporting(body pass.RunFunc) pass.RunFunc {
	return func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		after, err := body(c, m)
		for _, d := range s.said(c.Context(), err) {
			c.Report(d)
		}
		return after, err
	}
}

// traced adds to an error of a script where it came from.
func traced(body pass.RunFunc) pass.RunFunc {
	return func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		out, err := body(c, m)
		if err != nil {
			if trace := starpass.Trace(err); trace != "" {
				c.Report(ir.Diagnostic{Severity: ir.Note, Message: trace})
			}
		}
		return out, err
	}
}

// registry finds the passes of the compiler and of scripts, and the pipelines of a target.
type registry struct {
	*pipeline.Registry
	target target.Target
	user   map[string]*pass.Pass
	// alone has passes as they are, and not as the pipelines hold them.
	alone bool
}

// Lookup implements pass.Registry.
func (r registry) Lookup(name string) *pass.Pass {
	if p := r.user[name]; p != nil {
		return p
	}
	p := r.Registry.Lookup(name)
	if r.alone {
		return p
	}
	return pipeline.Held(p)
}

// Nearest implements pass.Registry.
func (r registry) Nearest(name string) string {
	if short, ok := strings.CutPrefix(name, request.UserPrefix); ok {
		if near := nearest.Name(short, func(yield func(string) bool) {
			for n := range r.user {
				if !yield(strings.TrimPrefix(n, request.UserPrefix)) {
					return
				}
			}
		}); near != "" {
			return request.UserPrefix + near
		}
	}
	if r.user[request.UserPrefix+name] != nil {
		return request.UserPrefix + name
	}
	return r.Registry.Nearest(name)
}
