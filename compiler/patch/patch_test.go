package patch_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/patch"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
)

const start = `# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        cls = Module
        with R.dataflow():
            lv: R.Tensor((2, 3), dtype="float32") = R.add(x, R.const([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "float32"))
            lv1 = R.call_tir(cls.double, (lv,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
            R.output(lv1)
        return lv1

    @T.prim_func(private=True)
    def double(a: T.Buffer((2, 3), "float32"), b: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            with T.sblock("double"):
                vi, vj = T.axis.remap("SS", [i, j])
                b[vi, vj] = a[vi, vj] * T.float32(2)

    @T.prim_func(private=True)
    def spare(a: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.sblock("spare"):
                vi = T.axis.spatial(2, i)
                a[vi] = T.float32(0)
`

func module(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, found := parse.Module("start.py", text, parse.Options{})
	for _, d := range found {
		t.Error(d)
	}
	if m == nil {
		t.FailNow()
	}
	return m
}

func text(m *ir.Module, name string) string {
	return script.Function(name, m.Lookup(name), script.Options{}).Source
}

// made is Make for a text that has no errors.
func made(t *testing.T, e patch.Edit) *patch.Made {
	t.Helper()
	e.Name = "edit.X"
	out, found := patch.Make(e)
	for _, d := range found {
		t.Error(d)
	}
	if out == nil {
		t.FailNow()
	}
	return out
}

func TestEditedFunctionTakesItsPlace(t *testing.T) {
	m := module(t, start)
	was := text(m, "double")
	edit := strings.Replace(was, "T.float32(2.0)", "T.float32(3.0)", 1)
	if edit == was {
		t.Fatalf("the text has nothing to edit:\n%s", was)
	}
	out := made(t, patch.Edit{Module: m, After: "X", Functions: []string{"double"}, Text: "# three times\n" + edit})
	p := out.Patch
	if p == nil || p.After != "X" || p.Text != edit || len(p.Removed) > 0 || !slices.Equal(out.Functions, []string{"double"}) || p.Before["double"] != patch.Hash("double", m.Lookup("double")) {
		t.Fatalf("the patch is %+v", p)
	}
	after, found := p.Apply(m, m)
	if after == nil || len(found) > 0 || text(after, "double") != edit || after.Lookup("main") != m.Lookup("main") {
		t.Errorf("applied it says %v", found)
	}
	again := made(t, patch.Edit{Module: m, After: "X", Old: p, Functions: []string{"double"}, Text: was})
	if again.Patch != nil {
		t.Errorf("edited back to what it was, the patch is %+v", again.Patch)
	}
}

// TestConstantsAreThoseOfTheModule edits a function whose constants stand in the text by their keys only.
func TestConstantsAreThoseOfTheModule(t *testing.T) {
	m := module(t, start)
	was := text(m, "main")
	if !strings.Contains(was, "metadata[") {
		t.Fatalf("the text has no constant by key:\n%s", was)
	}
	edit := strings.Replace(was, "R.add", "R.multiply", 1)
	p := made(t, patch.Edit{Module: m, After: "X", Functions: []string{"main"}, Text: edit}).Patch
	constant := func(m *ir.Module) *ir.Blob {
		var b *ir.Blob
		ir.Walk(m.Lookup("main"), func(n ir.Node) bool {
			if c, ok := n.(*relax.Constant); ok {
				b = c.Data
			}
			return true
		})
		return b
	}
	after, found := p.Apply(m, m)
	if after == nil || constant(after) != constant(m) {
		t.Fatalf("the constant is another one; %v", found)
	}
	// A pass before may have folded it away: then it is that of the imported module.
	without := m.With("main", module(t, strings.Replace(start, `R.const([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "float32")`, "x", 1)).Lookup("main"))
	after, found = p.Apply(without, m)
	if after == nil || constant(after) != constant(m) || len(found) != 1 || found[0].Severity != ir.Warning || found[0].Func != "main" {
		t.Errorf("where the module lacks it, the patch says %v", found)
	}
	if after, found = p.Apply(without, without); after != nil || len(found) != 2 || !strings.Contains(found[1].Message, "the value of the constant") || found[1].Span == nil {
		t.Errorf("where no module has it, the patch says %v", found)
	}
}

func TestErrorsAreFoundWhereTheyAre(t *testing.T) {
	m := module(t, start)
	main, double := text(m, "main"), text(m, "double")
	for name, c := range map[string]struct {
		function, text, want string
		line                 int
	}{
		"syntax":             {"double", strings.Replace(double, "* T", "** ** T", 1), "expected", 9},
		"number of a handle": {"double", strings.Replace(double, "* T", "* T.Cast(\"float32\", T.reinterpret(\"int64\", a.data)) * T", 1), "an address is not a number", 9},
		"unknown function":   {"main", strings.Replace(main, "cls.double", "cls.duble", 1), "duble", 5},
		"shape":              {"main", strings.Replace(main, "out_sinfo=R.Tensor((2, 3)", "out_sinfo=R.Tensor((2, 4)", 1), "4", 5},
		"removed but used":   {"", main, "double", 5},
		"signature changed":  {"double", strings.Replace(double, "T.Buffer((2, 3), \"float32\"))", "T.Buffer((2, 4), \"float32\"))", 1), "4", 0},
		"class":              {"", start, "class", 1},
		"constant":           {"main", regexpKey(main), "the value of the constant", 4},
		"not a function":     {"main", "x = 1", "no function", 1},
	} {
		t.Run(name, func(t *testing.T) {
			if c.text == main && c.function != "" || c.text == double {
				t.Fatal("nothing was edited")
			}
			out, found := patch.Make(patch.Edit{Module: m, After: "X", Functions: strings.Fields(c.function), Name: "edit.X", Text: c.text})
			if out != nil || len(found) == 0 {
				t.Fatalf("it makes %+v with %v", out, found)
			}
			d := found[0]
			if d.Severity != ir.Error || !strings.Contains(d.Message, c.want) {
				t.Errorf("it says %v, want something about %q", d, c.want)
			}
			if c.line > 0 && (d.Span == nil || int(d.Span.Line) != c.line || d.Span.Source.Name != "edit.X") {
				t.Errorf("it is at %+v, want line %d: %v", d.Span, c.line, d)
			}
		})
	}
}

func regexpKey(text string) string {
	i := strings.Index(text, `"]["`) + 4
	return text[:i] + "000000000000" + text[i+12:]
}

func TestFunctionsAreAddedAndRemoved(t *testing.T) {
	m := module(t, start)
	more := strings.Replace(text(m, "double"), "def double", "def triple", 1)
	all := strings.Replace(text(m, "main"), "cls.double", "cls.triple", 1) + more
	out := made(t, patch.Edit{Module: m, After: "X", Text: all})
	if !slices.Equal(out.Functions, []string{"double", "main", "spare", "triple"}) || !slices.Equal(out.Patch.Removed, []string{"double", "spare"}) {
		t.Fatalf("the patch is %+v", out.Patch)
	}
	after, found := out.Patch.Apply(m, m)
	if after == nil || len(found) > 0 || after.Lookup("spare") != nil || after.Lookup("triple") == nil {
		t.Errorf("applied it says %v", found)
	}
	file := patch.FromFile("X", out.Patch.File())
	again, found := file.Apply(m, m)
	if again == nil || len(found) > 0 || !ir.StructuralEqualModule(after, again, ir.EqualOpts{}) {
		t.Errorf("from its file it says %v", found)
	}

	// Where the module has changed since, each function says so.
	changed := m.Without("spare").With("triple", m.Lookup("double")).With("double", m.Lookup("spare"))
	_, found = out.Patch.Apply(changed, m)
	var said []string
	for _, d := range found {
		if d.Severity != ir.Warning || d.Code != patch.Code {
			t.Error(d)
		}
		said = append(said, d.Func)
	}
	if !slices.Equal(said, []string{"double", "spare", "triple"}) {
		t.Errorf("warnings are about %v: %v", said, found)
	}
}

// TestEditsAddUp edits one function after the other behind the same step.
func TestEditsAddUp(t *testing.T) {
	m := module(t, start)
	first := made(t, patch.Edit{Module: m, After: "X", Functions: []string{"double"}, Text: strings.Replace(text(m, "double"), "(2.0)", "(3.0)", 1)}).Patch
	now, _ := first.Apply(m, m)
	second := made(t, patch.Edit{Module: m, After: "X", Old: first, Functions: []string{"spare"}, Text: strings.Replace(text(now, "spare"), "(0.0)", "(1.0)", 1)})
	if !slices.Equal(second.Functions, []string{"double", "spare"}) {
		t.Fatalf("the second edit has %v", second.Functions)
	}
	after, found := second.Patch.Apply(m, m)
	if after == nil || len(found) > 0 || !strings.Contains(text(after, "double"), "(3.0)") || !strings.Contains(text(after, "spare"), "(1.0)") {
		t.Errorf("both together say %v", found)
	}
	// The warning about a function that was not looked at stays.
	changed := m.With("double", m.Lookup("spare"))
	third := made(t, patch.Edit{Module: changed.With("main", m.Lookup("main")).With("double", withFloat(t, m, "(7.0)")), After: "X", Old: first, Functions: []string{"spare"}, Text: strings.Replace(text(m, "spare"), "(0.0)", "(1.0)", 1)}).Patch
	if third.Before["double"] != first.Before["double"] {
		t.Error("editing another function forgets what double was")
	}
}

// withFloat returns double with another factor.
func withFloat(t *testing.T, m *ir.Module, factor string) ir.Function {
	t.Helper()
	p := made(t, patch.Edit{Module: m, After: "X", Functions: []string{"double"}, Text: strings.Replace(text(m, "double"), "(2.0)", factor, 1)}).Patch
	out, _ := p.Apply(m, m)
	return out.Lookup("double")
}

func TestInsertKeepsThePlacesOfSteps(t *testing.T) {
	leaf := func(name string) *pass.Pass {
		return &pass.Pass{Name: name, Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) { return m, nil }}
	}
	pl := pass.NewSequential("p", leaf("A"), pass.NewSequential("inner", leaf("B"), leaf("A")), leaf("C"))
	steps := func(p *pass.Pass) []string {
		var out []string
		note := &pass.Instrument{RunAfterPass: func(_ *ir.Module, s *pass.Step) error { out = append(out, s.Path()); return nil }}
		c, err := pass.NewContext(t.Context(), pass.Instruments(note))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Run(p, ir.NewModule()); err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := steps(pl)
	for after, want := range map[string]string{
		"import": "1.0e/X", "A": "1.1e/X", "A#0": "1.1e/X", "A#1": "1.2.2e/X", "B": "1.2.1e/X", "inner": "1.2e/X", "C": "1.3e/X", "p": "1.3e/X",
	} {
		with, err := patch.Insert(pl, after, leaf("X"))
		if err != nil {
			t.Errorf("after %s: %v", after, err)
			continue
		}
		got := steps(with)
		i := slices.Index(got, want)
		if i < 0 || !slices.Equal(slices.Delete(slices.Clone(got), i, i+1), before) {
			t.Errorf("after %s the steps are %v, want %s among %v", after, got, want, before)
		}
	}
	two, err := patch.Insert(pl, "A", leaf("X"))
	if err != nil {
		t.Fatal(err)
	}
	if two, err = patch.Insert(two, "A#1", leaf("Y")); err != nil || !slices.Contains(steps(two), "1.2.2e/Y") {
		t.Errorf("with two the steps are %v, %v", steps(two), err)
	}
	for after, steps := range map[string]int{"A#2": 2, "D": 0, "": 0} {
		var missing *patch.MissingStepError
		if _, err := patch.Insert(pl, after, leaf("X")); !errors.As(err, &missing) || missing.Steps != steps {
			t.Errorf("after %q: %v", after, err)
		}
	}
	for _, after := range []string{"A#x", "A#-1", "A#", "A#00"} {
		if _, err := patch.Insert(pl, after, leaf("X")); err == nil || !strings.Contains(err.Error(), "number from 0") {
			t.Errorf("after %q: %v", after, err)
		}
	}
}
