package driver

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/resolve"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
)

// maxPrinted bounds the bytes that the scripts of a run print together.
const maxPrinted = 256 << 10

// The codes of what scripts say: what they print, and how they fail.
const (
	codePrint  = "print"
	codeScript = "script"
)

// budget is what the scripts of a run may still print.
type budget struct {
	mu   sync.Mutex
	left int
}

// output collects what a script prints until an event says it.
type output struct {
	room *budget
	text []byte
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.room.mu.Lock()
	defer o.room.mu.Unlock()
	if o.room.left -= len(p); o.room.left < 0 {
		return 0, &event.Error{Kind: event.KindLimit, Limit: codePrint, Message: fmt.Sprintf("the scripts of a run can print at most %d KiB", maxPrinted>>10)}
	}
	o.text = append(o.text, p...)
	return len(p), nil
}

// take returns what was printed since it was called last.
func (o *output) take() string {
	o.room.mu.Lock()
	defer o.room.mu.Unlock()
	text := string(o.text)
	o.text = nil
	return text
}

// again runs a top level that was run before. What it prints then has been said, and takes no more room; if it fails, what it printed
// takes the place of what was said.
func (o *output) again(run func() error) error {
	said := o.take()
	o.give(len(said))
	err := run()
	if err == nil {
		o.give(len(o.take()) - len(said))
		o.text = []byte(said)
	}
	return err
}

// give makes room for n more bytes.
func (o *output) give(n int) {
	o.room.mu.Lock()
	defer o.room.mu.Unlock()
	o.room.left += n
}

// said returns what the script printed and how it failed, if it did so by itself.
func (s *userScript) said(ctx context.Context, failed error) []ir.Diagnostic {
	var out []ir.Diagnostic
	if text := s.out.take(); text != "" {
		out = append(out, ir.Diagnostic{
			Severity: ir.Note, Code: codePrint, Message: strings.TrimSuffix(text, "\n"), Span: &ir.Span{Source: s.source},
		})
	}
	if failed != nil && ctx.Err() == nil {
		out = append(out, s.places(failed)...)
	}
	return out
}

// places returns the places that an error of the script names, and the calls that were
// active.
func (s *userScript) places(err error) []ir.Diagnostic {
	var list resolve.ErrorList
	if errors.As(err, &list) {
		out := make([]ir.Diagnostic, len(list))
		for i, e := range list {
			out[i] = ir.Diagnostic{Severity: ir.Error, Code: codeScript, Message: e.Msg, Span: s.span(int(e.Pos.Line), int(e.Pos.Col))}
		}
		return out
	}
	d := ir.Diagnostic{Severity: ir.Error, Code: codeScript, Message: err.Error(), Help: starpass.Trace(err)}
	var placed *starpass.Error
	if errors.As(err, &placed) { // the pass around it is that of the step
		err = placed
	}
	var program string
	d.Message, program = instruments.Reported(err)
	if strings.Count(d.Help, "\n") <= 2 {
		d.Help = "" // a stack of one call says what the place says
	}
	if program != "" {
		d.Help = strings.TrimSuffix(program+"\n\n"+d.Help, "\n\n")
	}
	if at := scriptPlace().FindStringSubmatch(d.Message); at != nil && at[1] == s.source.Name {
		line, _ := strconv.Atoi(at[2])
		col, _ := strconv.Atoi(at[3])
		d.Span, d.Message = s.span(line, col), d.Message[len(at[0]):]
	} else {
		d.Span = &ir.Span{Source: s.source}
	}
	return []ir.Diagnostic{d}
}

// scriptPlace matches the place at the beginning of an error of the interpreter.
var scriptPlace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([^:\s]+):(\d{1,7}):(\d{1,7}): `) })

// span returns the word at a place of the script; columns of the interpreter count
// characters.
func (s *userScript) span(line, col int) *ir.Span {
	out := ir.NewSpan(s.source, max(line, 1), 1, max(line, 1), 1)
	lines := strings.Split(s.source.Text, "\n")
	if line < 1 || line > len(lines) {
		return out
	}
	text := lines[line-1]
	at := 0
	for i := 1; i < col && at < len(text); i++ {
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	rest := text[at:]
	end := strings.IndexFunc(rest, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		end = len(rest)
	}
	if end == 0 && rest != "" {
		_, end = utf8.DecodeRuneInString(rest)
	}
	if end == 0 && at > 0 { // behind the last character
		at--
		end = 1
	}
	out.Col, out.EndCol = int32(at+1), int32(at+1+end)
	return out
}

// emit makes events of what the script says in a callback of an instrument.
func (s *userScript) emit(ctx context.Context, sink event.Sink, step *pass.Step, failed error) error {
	path, parent := "", ""
	if step != nil {
		path, parent = step.Path(), parentPath(step)
	}
	for _, d := range s.said(ctx, failed) {
		if err := sink.Emit(event.New(path, parent, Diagnostic(d), nil)); err != nil {
			return errors.Join(failed, err)
		}
	}
	return failed
}

// instruments returns the instruments of all scripts; what they say goes to the sink.
func (u *userPasses) instruments(ctx context.Context, sink event.Sink) ([]*pass.Instrument, error) {
	var out []*pass.Instrument
	for _, s := range u.scripts {
		list, err := s.watches(ctx)
		if err != nil {
			return nil, &scriptError{s, err}
		}
		if s.aloud {
			if len(list)+len(s.passes) == 0 {
				return nil, &scriptError{s, fmt.Errorf("%s defines neither a pass nor an instrument, so nothing of it would run: decorate a function with @module_pass or a class with @pass_instrument; a TVMScript module is not a script but an input", s.source.Name)}
			}
			out = append(out, list...)
			continue
		}
		for _, in := range list {
			out = append(out, s.watch(ctx, sink, in))
		}
	}
	return out, nil
}

// watches returns the instruments of the script, which runs its top level again.
func (s *userScript) watches(ctx context.Context) (list []*pass.Instrument, err error) {
	if s.aloud {
		return s.watching.Instruments(ctx)
	}
	err = s.out.again(func() error {
		list, err = s.watching.Instruments(ctx)
		return err
	})
	return list, err
}

// watch returns an instrument whose script is heard.
func (s *userScript) watch(ctx context.Context, sink event.Sink, in *pass.Instrument) *pass.Instrument {
	out := *in
	plain := func(f func() error) func() error {
		if f == nil {
			return nil
		}
		return func() error { return s.emit(ctx, sink, nil, f()) }
	}
	about := func(f func(*ir.Module, *pass.Step) error) func(*ir.Module, *pass.Step) error {
		if f == nil {
			return nil
		}
		return func(m *ir.Module, step *pass.Step) error { return s.emit(ctx, sink, step, f(m, step)) }
	}
	out.EnterPassCtx, out.ExitPassCtx = plain(in.EnterPassCtx), plain(in.ExitPassCtx)
	out.RunBeforePass, out.RunAfterPass = about(in.RunBeforePass), about(in.RunAfterPass)
	if ask := in.ShouldRun; ask != nil {
		out.ShouldRun = func(m *ir.Module, step *pass.Step) (bool, error) {
			ok, err := ask(m, step)
			return ok, s.emit(ctx, sink, step, err)
		}
	}
	return &out
}

// CheckedScript is what reading a script found, and what it defines, for whoever writes it. Passes and Instruments are nil where there are errors.
type CheckedScript struct {
	Found       []ir.Diagnostic
	Passes      []*pass.Pass
	Instruments []*pass.Instrument
}

// CheckScript reads a script by itself. An error is one of the script, whose places Found names, or of the context.
func CheckScript(ctx context.Context, text request.Script) (out CheckedScript, err error) {
	s, err := readScript(ctx, text, &budget{left: maxPrinted}, nil)
	if ctx.Err() != nil {
		return out, context.Cause(ctx)
	}
	if err == nil {
		out.Instruments, err = s.watches(ctx)
	}
	out.Found = s.said(ctx, err)
	if err == nil {
		out.Passes = s.passes
	}
	return out, err
}
