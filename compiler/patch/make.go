package patch

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
)

// Edit is an edited text.
type Edit struct {
	// Module is what the step left behind, before any patch; Imported the module before the
	// first step, whose constants may be named too.
	Module, Imported *ir.Module
	// Old is the patch that this step has already, nil for none. What it says of functions
	// outside of the text stays.
	Old *Patch
	// After is the step, as in Patch.
	After string
	// Functions are those whose text was edited; none means that Text had all functions but
	// external ones. Those that the text does not define any more are taken out.
	Functions []string
	// Name is that of the text in messages.
	Name, Text string
}

// Made is what an edited text stands for.
type Made struct {
	// Patch is nil where the text says the same as the module.
	Patch *Patch
	// Functions are the names of the functions that are edited, added or removed.
	Functions []string
	// Text is the edited text as the printer writes it.
	Text string
}

// Make reads an edited text, verifies the module with it, and returns the patch that makes
// this module of the one before. It is nil where there are errors.
func Make(e Edit) (*Made, []ir.Diagnostic) {
	base, now := e.Module, e.Module
	var found []ir.Diagnostic
	old := e.Old
	if old != nil {
		patched, wrong := old.Apply(base, e.Imported)
		if patched == nil && old.covered(e.Functions) {
			old = nil
		} else if patched == nil {
			found = append(found, ir.Diagnostic{
				Severity: ir.Warning, Code: Code,
				Message: "the previous edit here no longer fits the module and is removed: " + firstError(wrong).Error(),
			})
			old = nil
		} else {
			now = patched
		}
	}
	functions, wrong := read(now, e.Imported, e.Name, e.Text)
	found = append(found, wrong...)
	if functions == nil {
		return nil, found
	}
	edit := now.Edit()
	for gv, fn := range functions.Funcs() {
		edit.Set(gv.Name, fn)
	}
	for gv, fn := range now.Funcs() {
		_, external := fn.(*relax.ExternFunc)
		shown := slices.Contains(e.Functions, gv.Name) || len(e.Functions) == 0 && !external
		if shown && functions.Lookup(gv.Name) == nil {
			edit.Remove(gv.Name)
		}
	}
	after := edit.Done()
	wrong = verify(base, after)
	found = append(found, wrong...)
	if failed(wrong) {
		return nil, found
	}
	return e.compare(old, functions, after), found
}

// covered tells whether a patch is about no other functions than these; none means all.
func (p *Patch) covered(functions []string) bool {
	for name := range p.Before {
		if len(functions) > 0 && !slices.Contains(functions, name) {
			return false
		}
	}
	return true
}

// compare returns the patch that makes the module after of the one before.
func (e Edit) compare(old *Patch, edited, after *ir.Module) *Made {
	p := &Patch{After: e.After, Before: map[string]string{}}
	made := &Made{Text: texts(edited, script.FuncNames(edited))}
	note := func(name string, before ir.Function) {
		made.Functions = append(made.Functions, name)
		if before != nil {
			p.Before[name] = Hash(name, before)
		} else {
			p.Before[name] = ""
		}
		if old == nil {
			return
		}
		if was, known := old.Before[name]; known && edited.Lookup(name) == nil && !slices.Contains(p.Removed, name) {
			p.Before[name] = was // this part of the patch was not looked at
		}
	}
	var names []string
	after.EachChange(e.Module, func(name string, before, fn ir.Function) {
		switch {
		case fn == nil:
			p.Removed = append(p.Removed, name)
		case before != nil && printed(name, before) == printed(name, fn):
			return
		default:
			names = append(names, name)
		}
		note(name, before)
	})
	if len(made.Functions) == 0 {
		return made
	}
	slices.Sort(p.Removed)
	slices.Sort(made.Functions)
	p.Text = texts(after, slices.DeleteFunc(script.FuncNames(after), func(name string) bool { return !slices.Contains(names, name) }))
	made.Patch = p
	return made
}

// texts prints functions of a module, one after the other.
func texts(m *ir.Module, names []string) string {
	var b strings.Builder
	for _, name := range names {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(strings.TrimRight(printed(name, m.Lookup(name)), "\n"))
		b.WriteString("\n")
	}
	return b.String()
}

// removedMark begins the lines of a file that name functions to take out.
const removedMark = "# removed: "

// File returns the patch as a file for the command line: the text, and functions that are
// taken out in comments.
func (p *Patch) File() string {
	var b strings.Builder
	for _, name := range p.Removed {
		b.WriteString(removedMark + name + "\n")
	}
	b.WriteString(p.Text)
	return b.String()
}

// FromFile reads what File wrote. What the functions were before is then not known.
func FromFile(after, text string) *Patch {
	p := &Patch{After: after, Text: text}
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, removedMark); ok {
			p.Removed = append(p.Removed, strings.TrimSpace(name))
		}
	}
	return p
}
