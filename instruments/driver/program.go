package driver

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/linediff"
	"github.com/irscope/irscope/runtime/artifact"
)

// Code is what code generation left behind. That of code for fixed sizes has only the artifact.
type Code struct {
	Artifact *artifact.Artifact
	// Module is what the code was made of, after the last pass.
	Module *ir.Module
	// Kernels are those of the result, without their texts.
	Kernels []compiler.Kernel
	// Body and Measured are those of code_generated, as first emitted.
	Body     *event.CodeGenerated
	Measured *event.Measured
	// Took is what making and describing the code took.
	Took time.Duration
}

// Programs remembers code by the hash of all that determines them, from one run to the next.
type Programs interface {
	// Code returns what was put under a key, while it is remembered.
	Code(key string) (Code, bool)
	PutCode(key string, c Code)
}

// program makes the program and reports its kernels, or takes both from an earlier run. id names what made the module; another
// way to an equal module is found by its content.
func (t *Task) program(ctx context.Context, id string) error {
	if t.hooks.Programs == nil || t.hooks.Steps == nil || t.hooks.Quiet || id == "" {
		_, err := t.generate(ctx)
		return err
	}
	began := time.Now()
	made := codeKey(t.Job.Target.String(), t.Model.ID, "made by "+id)
	if p, ok := t.hooks.Programs.Code(made); ok {
		if _, done, err := t.takeCode(p, began); done || err != nil {
			return err
		}
	}
	content, err := t.content()
	if err != nil {
		return err
	}
	content = codeKey(t.Job.Target.String(), t.Model.ID, content)
	p, ok := t.hooks.Programs.Code(content)
	if ok = ok && ir.StructuralEqualModule(p.Module, t.Result.Module, ir.EqualOpts{}); ok {
		if p, ok, err = t.takeCode(p, began); err != nil {
			return err
		}
	}
	if !ok {
		if p, err = t.generate(ctx); err != nil {
			return err
		}
		t.hooks.Programs.PutCode(content, p)
	}
	t.hooks.Programs.PutCode(made, p)
	return nil
}

// codeKey is the hash of what determines the code of a module: the target, the model, whose signatures the program has, and
// what identifies the module.
func codeKey(target, model, module string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "code for %q\nmodel %s\nmodule %s\n", target, model, module))
	return hex.EncodeToString(sum[:])
}

// content identifies the module after the last pass by its texts, its attributes and the order of its functions, in which code is
// laid out. Texts do not spell constants out: who finds a module by its content must compare the two.
func (t *Task) content() (string, error) {
	m := t.Result.Module
	hash, err := t.rec.ModuleHash(m)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n%v\n", hash, m.Attrs())
	for gv := range m.Funcs() {
		fmt.Fprintf(&out, "%q\n", gv.Name)
	}
	return out.String(), nil
}

// takeCode uses a program of an earlier run, whose module is equal to that of the task, and reports it. It returns the program as it is to
// be remembered for this module, and false where a text that its event names is gone.
func (t *Task) takeCode(p Code, began time.Time) (Code, bool, error) {
	if there, err := keepTexts(t.hooks.Steps, []event.Event{p.event(nil)}); err != nil || !there {
		return p, false, err
	}
	t.Result.Artifact, t.Result.Kernels = p.Artifact, p.Kernels
	if p.Module != t.Result.Module {
		// Where the values of this module come from may differ.
		body := *p.Body
		var err error
		if body.History, err = t.codeHistory(); err != nil {
			return p, false, err
		}
		p.Body, p.Module = &body, t.Result.Module
	}
	t.Generated = time.Since(began)
	t.Compiled += t.Generated
	m := *p.Measured
	m.At, m.Saved = time.Since(t.start).Nanoseconds(), (p.Took - t.Generated).Nanoseconds()
	e := p.event(&m)
	e.Reused = true
	return p, true, t.sink.Emit(e)
}

// event is the event of the code. The body is that of all runs which share the code: it stays as it is.
func (c Code) event(m *event.Measured) event.Event {
	return event.Event{Type: c.Body.EventType(), Body: c.Body, Measured: m}
}

// generate makes the program and reports its kernels.
func (t *Task) generate(ctx context.Context) (Code, error) {
	began := time.Now()
	err := compiler.Codegen(ctx, t.Job.Target, t.Result, t.Model.Module)
	t.Generated = time.Since(began)
	t.Compiled += t.Generated
	if err != nil {
		return Code{}, &CodegenError{err}
	}
	p := Code{Artifact: t.Result.Artifact, Module: t.Result.Module}
	if t.hooks.Quiet {
		return p, nil
	}
	body := &event.CodeGenerated{Target: t.Job.Target.String()}
	for _, m := range t.Result.Artifact.Modules {
		body.Bytes += int64(len(m.Bytes))
	}
	for _, k := range t.Result.Kernels {
		text := t.withLines(k)
		hash, err := t.sink.Text(k.Language, text)
		if err != nil {
			return p, err
		}
		made := event.Kernel{Name: k.Name, Language: k.Language, Text: hash, Lines: linediff.CountLines(text), Bytes: int64(k.Bytes)}
		for _, r := range t.Result.Refused {
			if r.Name == k.Name {
				made.Target, made.Refused = r.By, r.Reason
			}
		}
		body.Kernels = append(body.Kernels, made)
		k.Text, k.Lines = nil, nil
		p.Kernels = append(p.Kernels, k)
	}
	slices.SortFunc(body.Kernels, func(a, b event.Kernel) int { return cmp.Compare(a.Name, b.Name) })
	// A module of kernels alone has none.
	if text := t.Result.Artifact.Exec.AsText(); text != "" {
		if body.VM, err = t.sink.Text(event.LangVM, text); err != nil {
			return p, err
		}
	}
	if body.History, err = t.codeHistory(); err != nil {
		return p, err
	}
	p.Took = time.Since(began)
	p.Body, p.Measured = body, &event.Measured{At: time.Since(t.start).Nanoseconds(), Total: t.Generated.Nanoseconds()}
	return p, t.sink.Emit(event.New("", "", body, p.Measured))
}

// linesAt is the column behind which a line of assembly names the line of its statement.
const linesAt = 64

// withLines is the code of a kernel, each line with the number of the line of its function, as the last pass left it, that it is for.
// Comments of the code itself stand before it.
func (t *Task) withLines(k compiler.Kernel) string {
	f, ok := t.Result.Module.Lookup(k.Name).(*tir.PrimFunc)
	if k.Lines == nil || !ok {
		return k.Text()
	}
	number := map[ir.Node]int{}
	for i, n := range t.snaps.Of(k.Name, f).Nodes {
		if _, known := number[n]; n != nil && !known {
			number[n] = i + 1
		}
	}
	text, of := k.Lines()
	format := fmt.Sprintf("%%-%ds ; %%d", linesAt)
	if k.Language == event.LangWAT { // many of whose lines are longer
		format = "%s ;; %d"
	}
	var out strings.Builder
	for i, line := range linediff.Lines(text) {
		if n := number[of[i]]; of[i] != nil && n > 0 {
			line = fmt.Sprintf(format, line, n)
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

// codeHistory keeps what the code was made from, where the history is kept.
func (t *Task) codeHistory() (string, error) {
	if t.lives == nil {
		return "", nil
	}
	return t.lives.generated(t.Result)
}
