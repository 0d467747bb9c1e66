package patch

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

// Pass returns the pass that applies the patch. Constants that the text refers to by their
// keys are those of the module that it is applied to, or of imported, the module before the
// first step.
func (p *Patch) Pass(imported *ir.Module) *pass.Pass {
	args := ir.NewAttrs().With("text", p.Text).With("removed", strings.Join(p.Removed, " "))
	for _, name := range slices.Sorted(maps.Keys(p.Before)) {
		args = args.With("before "+name, p.Before[name])
	}
	return &pass.Pass{
		Name: p.Name(), Kind: pass.Module, Args: args, Foreign: true,
		Doc: "Replaces functions by what a user wrote in their place, after " + p.After + ".",
		Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
			out, found := p.Apply(m, imported)
			for _, d := range found {
				c.Report(d)
			}
			if out == nil {
				return nil, fmt.Errorf("the edited IR no longer fits the module; edit it again, or turn the edit off: %w", firstError(found))
			}
			return out, nil
		},
	}
}

// On returns a pass that applies a patch as it is for another imported module; any other pass is returned itself.
func On(p *pass.Pass, imported *ir.Module) *pass.Pass {
	after, ok := strings.CutPrefix(p.Name, Prefix)
	if !ok {
		return p
	}
	of := &Patch{After: after, Before: map[string]string{}}
	for i := range p.Args.Len() {
		switch key, v := p.Args.At(i); key {
		case "text":
			of.Text = v.(string)
		case "removed":
			of.Removed = strings.Fields(v.(string))
		default:
			of.Before[strings.TrimPrefix(key, "before ")] = v.(string)
		}
	}
	return of.Pass(imported)
}

// firstError returns the first error of a list.
func firstError(found []ir.Diagnostic) error {
	for _, d := range found {
		if d.Severity == ir.Error {
			return errors.New(d.String())
		}
	}
	return errors.New("there is no module")
}

// Apply returns the module with the functions of the patch, and warnings about functions that
// are not what they were when they were edited. With errors there is no module.
func (p *Patch) Apply(m, imported *ir.Module) (*ir.Module, []ir.Diagnostic) {
	found := p.differences(m)
	functions, wrong := read(m, imported, p.Name(), p.Text)
	found = append(found, wrong...)
	if functions == nil {
		return nil, found
	}
	edit := m.Edit()
	for gv, fn := range functions.Funcs() {
		edit.Set(gv.Name, inherit(m.Lookup(gv.Name), fn))
	}
	for _, name := range p.Removed {
		edit.Remove(name)
	}
	out := edit.Done()
	wrong = verify(m, out)
	found = append(found, wrong...)
	if failed(wrong) {
		return nil, found
	}
	return out, found
}

// differences warns of functions that have changed since they were edited.
func (p *Patch) differences(m *ir.Module) []ir.Diagnostic {
	var out []ir.Diagnostic
	warn := func(name, format string, args ...any) {
		out = append(out, ir.Diagnostic{
			Severity: ir.Warning, Code: Code, Func: name, Message: fmt.Sprintf(format, args...),
			Help: "compare the two, and edit it again where the edit should follow",
		})
	}
	for _, name := range slices.Sorted(maps.Keys(p.Before)) {
		fn, was := m.Lookup(name), p.Before[name]
		removed := slices.Contains(p.Removed, name)
		switch {
		case fn == nil && was == "", fn != nil && was != "" && Hash(name, fn) == was:
		case fn == nil && removed:
			warn(name, "the edit removes %s, which is no longer in the module", name)
		case fn == nil:
			warn(name, "%s was edited here but is no longer in the module; the edit adds it again", name)
		case was == "":
			warn(name, "the edit adds %s, but now there is a function of that name, which it replaces", name)
		case removed:
			warn(name, "the edit removes %s, which has changed since the edit was made", name)
		default:
			warn(name, "%s has changed since it was edited: the edited text replaces it, including what earlier passes now do to it", name)
		}
	}
	return out
}

// read returns the functions that a text defines as parts of the module m, nil with errors.
func read(m, imported *ir.Module, name, text string) (*ir.Module, []ir.Diagnostic) {
	o := parse.Options{Within: m}
	if strings.Contains(text, "metadata[") {
		o.Constants = roundtrip.Constants(m)
		if imported != nil && imported != m {
			for key, blob := range roundtrip.Constants(imported) {
				if o.Constants[key] == nil {
					o.Constants[key] = blob
				}
			}
		}
	}
	if onlyComments(text) {
		return ir.NewModule(), nil
	}
	mods, found := parse.File(name, text, o)
	for i, d := range found {
		if d.Severity == ir.Error && strings.HasPrefix(d.Message, "the value of the constant") {
			found[i].Help = "no function of the module has it; use a key from the text, or write the value with R.const"
		}
		if d.Code == "" {
			found[i].Code = Code
		}
	}
	switch {
	case failed(found):
		return nil, found
	case len(mods) == 0:
		return nil, append(found, textError(name, text, "the text contains no function", "begin one with @R.function or @T.prim_func"))
	case len(mods) > 1 || mods[0].Name != "Module" || strings.Contains(text, "@I.ir_module"):
		return nil, append(found, textError(name, text, "the text defines a class", "the functions are those of the module at this step; leave out the class around them"))
	}
	return mods[0].Module, found
}

// onlyComments tells whether a text says nothing: functions are then only taken out.
func onlyComments(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// textError is an error of a text as a whole.
func textError(name, text, message, help string) ir.Diagnostic {
	return ir.Diagnostic{
		Severity: ir.Error, Code: Code, Message: message, Help: help,
		Span: &ir.Span{Source: &ir.Source{Name: name, Text: text}, Line: 1, Col: 1, EndLine: 1, EndCol: 1},
	}
}

// verify returns what is wrong with the functions of m that from has not, and with Relax
// functions, which may call them.
func verify(from, m *ir.Module) []ir.Diagnostic {
	changed := map[string]bool{}
	m.EachChange(from, func(name string, _, _ ir.Function) { changed[name] = true })
	if len(changed) == 0 {
		return nil
	}
	var found []ir.Diagnostic
	for gv, fn := range m.Funcs() {
		switch f := fn.(type) {
		case *relax.Function:
			found = append(found, relax.WellFormedFunc(m, gv.Name, f, op.VerifyOpts())...)
		case *tir.PrimFunc:
			if changed[gv.Name] {
				found = append(found, tir.Verify(gv.Name, f)...)
			}
		}
	}
	found = append(found, tir.VerifyHandles(m, func(name string) bool { return changed[name] })...)
	for i := range found {
		if fn := m.Lookup(found[i].Func); found[i].Span == nil && fn != nil {
			found[i].Span = fn.Meta().Span
		}
		found[i].Code = Code
	}
	return found
}

// failed tells whether one of the findings is an error.
func failed(found []ir.Diagnostic) bool {
	return slices.ContainsFunc(found, func(d ir.Diagnostic) bool { return d.Severity == ir.Error })
}
