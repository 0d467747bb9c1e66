package starpass

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/starpass/dialect"
)

// Script is a script that was read but did not run yet. It may be used by several goroutines.
type Script struct {
	name   string
	hash   string
	limits Limits
	prog   *starlark.Program
	order  []string // variables of the top level by first binding
	source string
}

// Parse reads a script: name is that of the file, for messages. Errors are of the form
// file:line:col: message.
func Parse(name, source string, limits Limits) (*Script, error) {
	if len(source) > MaxSource {
		return nil, &LimitError{fmt.Sprintf("%s: the script has %d bytes, more than the limit of %d", name, len(source), MaxSource)}
	}
	f, err := dialect.Parse(name, source)
	if err != nil {
		return nil, err
	}
	var celled []string
	if len(f.Stmts) > 0 {
		celled = dialect.Celled(f)
	}
	if err := harden(f); err != nil {
		return nil, err
	}
	prog, err := starlark.FileProgram(f, predeclared(nil).Has)
	if err != nil {
		return nil, err
	}
	limits = limits.withDefaults()
	limits.Print = &writer{w: limits.Print}
	sum := sha256.Sum256([]byte(source))
	s := &Script{name: name, hash: hex.EncodeToString(sum[:]), limits: limits, prog: prog, source: source}
	for _, b := range f.Module.(*resolve.Module).Globals {
		s.order = append(s.order, b.First.Name)
	}
	s.order = append(s.order, celled...)
	return s, nil
}

// Hash returns the SHA-256 of the source in hexadecimal.
func (s *Script) Hash() string { return s.hash }

// start runs the top level of the script.
func (s *Script) start(r *run, mod *ir.Module) (starlark.StringDict, error) {
	names := predeclared(mod)
	if r.sch != nil {
		names["sch"] = r.sch
	}
	globals, err := s.prog.Init(r.thread, names)
	err = r.unwind(0, err)
	if err != nil {
		if r.stopped != nil {
			err = &cause{r.stopped, err}
		}
		return nil, located(err)
	}
	if cells, ok := globals[dialect.Cells].(*starlark.Dict); ok { // what blocks under try assigned
		for k, v := range cells.Entries() {
			globals[string(k.(starlark.String))] = v
		}
	}
	s.claim(globals)
	return globals, nil
}

// claim notes in passes and instruments what script they come from.
func (s *Script) claim(globals starlark.StringDict) {
	for _, name := range globals.Keys() {
		if e, ok := globals[name].(exported); ok {
			e.source(s.hash)
		}
	}
}

// instances puts instances in the place of the classes of passes and instruments that variables of the top level hold, for whoever asks for
// what the script exports.
func (s *Script) instances(r *run, globals starlark.StringDict) error {
	for _, name := range s.order {
		v, err := instantiate(r.thread, globals[name], globals)
		if err != nil {
			return located(err)
		}
		if v != nil {
			globals[name] = v
		}
	}
	s.claim(globals)
	return nil
}

// exported is a value that a script can give to the world around it.
type exported interface {
	starlark.Value
	// source notes the hash of the script that the value comes from.
	source(hash string)
}

// Program is a script whose top level ran. What it exports are the passes and instruments
// that variables of the top level hold. It may be used by several goroutines.
type Program struct {
	script  *Script
	passes  []*pass.Pass
	watches []string // variables that hold instruments
}

// Compile reads a script and runs its top level, without a module: the variable mod is None.
// Everything that the variables of the top level hold is frozen, so that passes depend on
// their modules alone.
func Compile(name, source string, limits Limits) (*Program, error) {
	s, err := Parse(name, source, limits)
	if err != nil {
		return nil, err
	}
	p := &Program{script: s}
	var globals starlark.StringDict
	err = guarded(name, func() error {
		var err error
		r := newRun(context.Background(), name, s.limits, nil)
		if globals, err = s.start(r, nil); err != nil {
			return err
		}
		return s.instances(r, globals)
	})
	if err != nil {
		return nil, err
	}
	if err := freezable(globals); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	globals.Freeze()
	seen := map[*Pass]bool{}
	for _, v := range s.order {
		switch x := globals[v].(type) {
		case *Pass:
			if !seen[x] && x.builtin == nil {
				seen[x] = true
				p.passes = append(p.passes, x.export(s))
			}
		case *Instrument:
			p.watches = append(p.watches, v)
		}
	}
	return p, nil
}

// Hash returns the SHA-256 of the source in hexadecimal. It is also the option "source" of
// each pass, so it enters the keys of runs.
func (p *Program) Hash() string { return p.script.hash }

// Passes returns the passes that variables of the top level hold, in the order of the text,
// without those of the compiler itself. Each run of a pass has a thread and limits of its own.
func (p *Program) Passes() []*pass.Pass { return append([]*pass.Pass(nil), p.passes...) }

// Instruments returns the instruments that variables of the top level hold, in the order of
// the text. They are those of a fresh run of the top level, so what they count starts anew;
// they are for one run of passes, under the limits of one run.
func (p *Program) Instruments(ctx context.Context) ([]*pass.Instrument, error) {
	if len(p.watches) == 0 {
		return nil, nil
	}
	r := newRun(ctx, p.script.name, p.script.limits, nil)
	var globals starlark.StringDict
	err := guarded(p.script.name, func() error {
		var err error
		if globals, err = p.script.start(r, nil); err != nil {
			return err
		}
		return p.script.instances(r, globals)
	})
	if err != nil {
		return nil, err
	}
	var out []*pass.Instrument
	for _, v := range p.watches {
		out = append(out, globals[v].(*Instrument).bind(r))
	}
	return out, nil
}
