package driver

import (
	"reflect"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments/rewrites"
	"github.com/irscope/irscope/target"
)

// asked is what a key is made for.
type asked struct {
	module *ir.Module
	pass   *pass.Pass
	ctx    *pass.Context
}

const (
	keyedOption = "tir.disable_vectorize"
	otherOption = "tir.disable_assert"
)

// ask returns a pass that reads all that a pass may read, with a context.
func ask(t *testing.T) *asked {
	t.Helper()
	tg, err := target.Parse("wasm")
	if err != nil {
		t.Fatal(err)
	}
	c, err := pass.NewContext(t.Context(), pass.OptLevel(2), pass.Configure(map[string]any{keyedOption: true}), pass.WithTarget(tg))
	if err != nil {
		t.Fatal(err)
	}
	args := ir.NewAttrs().With("a", int64(1))
	return &asked{
		ir.NewModule(),
		&pass.Pass{Name: "P", Level: 1, Args: args, Config: []string{keyedOption}, ReadsLevel: true, ReadsTarget: true},
		c,
	}
}

// key returns the key of what is asked where its module is known.
func (a *asked) key() string {
	r := newReuse(newMemory().of(nil), nil, nil, &Model{Module: a.module, ID: "id"})
	return r.key(a.ctx, a.pass, a.module)
}

// decision says for a field whether it determines the result of a pass, and how it is changed to see it.
type decision struct {
	keyed  bool
	change func(t *testing.T, a *asked)
	why    string // of a field that determines nothing
}

// no is the decision on a field that determines nothing.
func no(why string) decision { return decision{why: why} }

// TestReuseKeyDependsOnWhatIsRead has a decision for each field of a pass and of its context: a field that is added fails here until
// somebody says whether the results of passes depend on it.
func TestReuseKeyDependsOnWhatIsRead(t *testing.T) {
	config := func(key string) func(*testing.T, *asked) {
		return func(t *testing.T, a *asked) {
			c, err := pass.NewConfig(map[string]any{keyedOption: key != keyedOption, otherOption: key == otherOption})
			if err != nil {
				t.Fatal(err)
			}
			a.ctx.Config = c
		}
	}
	retarget := func(t *testing.T, a *asked) {
		tg, err := target.Parse("wasm -mattr=-simd128")
		if err != nil {
			t.Fatal(err)
		}
		a.ctx.Target = tg
	}
	observe := func(t *testing.T, a *asked) {
		c, err := pass.NewContext(t.Context(), pass.OptLevel(2), pass.Configure(map[string]any{keyedOption: true}), pass.WithTarget(a.ctx.Target), pass.Observe(&rewrites.Observer{}))
		if err != nil {
			t.Fatal(err)
		}
		// A context is heard while it runs a pass.
		_, err = c.Run(&pass.Pass{Name: "Q", Kind: pass.Module, Run: func(in *pass.Context, m *ir.Module) (*ir.Module, error) {
			a.ctx = in
			return m, nil
		}}, ir.NewModule())
		if err != nil {
			t.Fatal(err)
		}
	}
	relevel := func(_ *testing.T, a *asked) { a.ctx.OptLevel = 3 }
	decisions := map[string]decision{
		"Pass.Name":        {true, func(_ *testing.T, a *asked) { a.pass.Name = "Q" }, ""},
		"Pass.Args":        {true, func(_ *testing.T, a *asked) { a.pass.Args = ir.NewAttrs().With("a", int64(2)) }, ""},
		"Pass.Config":      {true, func(_ *testing.T, a *asked) { a.pass.Config = []string{keyedOption, otherOption} }, ""},
		"Pass.ReadsLevel":  {true, func(_ *testing.T, a *asked) { a.pass.ReadsLevel = false }, ""},
		"Pass.ReadsTarget": {true, func(_ *testing.T, a *asked) { a.pass.ReadsTarget = false }, ""},
		"Pass.Level":       no("says whether the pass runs, not what it does"),
		"Pass.Required":    no("runs before the pass: the module says so"),
		"Pass.Kind":        no("belongs to the name"),
		"Pass.Doc":         no("is for people"),
		"Pass.Lowering":    no("is for people"),
		"Pass.Without":     no("is for people"),
		"Pass.Options":     no("belong to the name; their values are Args"),
		"Pass.Needs":       no("is the form of the module, which the verifier checks"),
		"Pass.Gives":       no("is the form of the module, which the verifier checks"),
		"Pass.Breaks":      no("says which forms the result may lack, which belongs to the name"),
		"Pass.Foreign":     no("belongs to the name"),
		"Pass.Run":         no("belongs to the name"),
		"Pass.Children":    no("only sequences have some, which are not reused as a whole"),
		"Pass.Aside":       no("is about numbers of steps"),
		"Pass.Inside":      no("belongs to the name"),
		"Pass.Title":       no("is for people"),
		"Pass.Line":        no("is for people"),
		"Pass.plain":       no("is the pass without its options, which are Args"),

		"Context.OptLevel":    {true, relevel, ""},
		"Context.Config":      {true, config(keyedOption), ""},
		"Context.Target":      {true, retarget, ""},
		"Context.Required":    no("says which passes run"),
		"Context.Disabled":    no("says which passes run"),
		"Context.Evaluator":   no("is the same for all runs of a process"),
		"Context.Generators":  no("is the same for all runs of a process"),
		"Context.Registry":    no("names passes; user's passes have the hash of their script in their options"),
		"Context.ctx":         no("ends runs, whose steps are not kept then"),
		"Context.instruments": no("see Replayable"),
		"Context.diag":        no("takes what is said"),
		"Context.budget":      no("ends passes, whose steps are not kept then"),
		"Context.step":        no("is the place of the step, which replaying gives"),
		"Context.observer":    {true, observe, ""},
		"Context.forms":       no("saves walks to see what the module says"),
		"Context.root":        no("counts passes"),
	}
	base := ask(t).key()
	if len(base) != 64 || ask(t).key() != base {
		t.Fatalf("the key is %q, and once more %q", base, ask(t).key())
	}
	seen := map[string]string{base: "nothing"}
	for _, typ := range []reflect.Type{reflect.TypeFor[pass.Pass](), reflect.TypeFor[pass.Context]()} {
		for i := range typ.NumField() {
			name := typ.Name() + "." + typ.Field(i).Name
			d, ok := decisions[name]
			delete(decisions, name)
			switch {
			case !ok:
				t.Errorf("%s is new: does the result of a pass depend on it?", name)
			case !d.keyed && d.why == "":
				t.Errorf("%s: say why it determines nothing", name)
			case d.keyed:
				a := ask(t)
				d.change(t, a)
				key := a.key()
				if other, ok := seen[key]; ok {
					t.Errorf("%s does not change the key (it is that of %s)", name, other)
				}
				seen[key] = name
			case typ.Field(i).IsExported():
				a := ask(t)
				set(t, a, typ, i)
				if a.key() != base {
					t.Errorf("%s changes the key, but %s", name, d.why)
				}
			}
		}
	}
	if len(decisions) > 0 {
		t.Errorf("there are no fields %v any more", decisions)
	}

	// What a pass does not declare to read does not keep it from being reused.
	deaf := func(change func(*testing.T, *asked)) string {
		a := ask(t)
		a.pass.Config, a.pass.ReadsLevel, a.pass.ReadsTarget = nil, false, false
		if change != nil {
			change(t, a)
		}
		return a.key()
	}
	for name, change := range map[string]func(*testing.T, *asked){"level": relevel, "config": config(keyedOption), "target": retarget} {
		if deaf(change) != deaf(nil) {
			t.Errorf("a pass that does not read the %s is computed again where it differs", name)
		}
	}
	a := ask(t)
	config(otherOption)(t, a)
	if a.key() != base {
		t.Error("a key of the config that the pass does not declare changes its key")
	}
	// The order in which it declares keys is none, and the order is not changed.
	one, two := ask(t), ask(t)
	one.pass.Config, two.pass.Config = []string{keyedOption, otherOption}, []string{otherOption, keyedOption}
	if one.key() != two.key() || one.pass.Config[0] != keyedOption || two.pass.Config[0] != otherOption {
		t.Error("the key depends on the order of declarations, or changes it")
	}
}

// set gives a field of the pass or context another value than the zero one that it has, or has by default.
func set(t *testing.T, a *asked, typ reflect.Type, i int) {
	t.Helper()
	v := reflect.ValueOf(a.pass).Elem()
	if typ != v.Type() {
		v = reflect.ValueOf(a.ctx).Elem()
	}
	f := v.Field(i)
	switch f.Kind() {
	case reflect.String:
		f.SetString("other")
	case reflect.Int:
		f.SetInt(f.Int() + 1)
	case reflect.Bool:
		f.SetBool(!f.Bool())
	case reflect.Slice:
		f.Set(reflect.MakeSlice(f.Type(), 1, 1))
	case reflect.Uint8:
		f.SetUint(f.Uint() + 1)
	}
}

// TestKeyNeedsAKnownModule: where nobody knows what made the module nothing is reused, and modules differ by what made them.
func TestKeyNeedsAKnownModule(t *testing.T) {
	a := ask(t)
	r := newReuse(newMemory().of(nil), nil, nil, &Model{Module: a.module, ID: "id"})
	other, third := ir.NewModule(), ir.NewModule()
	if k := r.key(a.ctx, a.pass, other); k != "" {
		t.Errorf("a module from nowhere has the key %s", k)
	}
	first := r.key(a.ctx, a.pass, a.module)
	r.identify(a.module, other, "made")
	if k := r.key(a.ctx, a.pass, other); k == "" || k == first {
		t.Errorf("a module that a step made has the key %q, its input has %q", k, first)
	}
	// A pass that changed nothing made none, what is known stays, and what made an unknown one is unknown.
	r.identify(a.module, a.module, "same")
	r.identify(a.module, other, "again")
	r.identify(a.module, third, "")
	if r.ids[a.module] != "id" || r.ids[other] != "made" || len(r.ids) != 2 {
		t.Errorf("the modules are known as %v", r.ids)
	}
}

// TestWrapKeepsSequences: passes in sequences are wrapped at any depth, and the pipeline itself stays as it was.
func TestWrapKeepsSequences(t *testing.T) {
	pl, err := pipeline.Lookup("default", target.Default())
	if err != nil {
		t.Fatal(err)
	}
	r := newReuse(newMemory().of(nil), nil, nil, &Model{})
	var compare func(a, b *pass.Pass)
	compare = func(a, b *pass.Pass) {
		if a == b || a.Name != b.Name || a.Kind != b.Kind || len(a.Children) != len(b.Children) {
			t.Fatalf("%s is wrapped as %s", a.Name, b.Name)
		}
		if a.Run != nil && reflect.ValueOf(a.Run).Pointer() == reflect.ValueOf(b.Run).Pointer() {
			t.Errorf("%s is not wrapped", a.Name)
		}
		for i := range a.Children {
			compare(a.Children[i], b.Children[i])
		}
	}
	compare(pl, r.wrap(pl))
	if none := r.wrap(&pass.Pass{Name: "N"}); none.Run != nil {
		t.Error("a pass without a body got one")
	}
}
