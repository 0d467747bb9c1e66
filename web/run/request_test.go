package run_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/irscope/irscope/web/run"
)

// filled returns a value of a type in which nothing is zero: all fields are set, lists and maps have one element, and what
// contains itself does so twice.
func filled(t *testing.T, typ reflect.Type, depth int) reflect.Value {
	t.Helper()
	v := reflect.New(typ).Elem()
	switch typ.Kind() {
	case reflect.String:
		v.SetString("a")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Interface:
		v.Set(reflect.ValueOf("a"))
	case reflect.Slice:
		if depth == 0 {
			return v
		}
		v.Set(reflect.Append(v, filled(t, typ.Elem(), depth-1)))
	case reflect.Map:
		v.Set(reflect.MakeMap(typ))
		v.SetMapIndex(filled(t, typ.Key(), depth), filled(t, typ.Elem(), depth))
	case reflect.Struct:
		for i := range v.NumField() {
			v.Field(i).Set(filled(t, typ.Field(i).Type, depth))
		}
	default:
		t.Fatalf("a request holds a %s; say here how it is filled and changed", typ)
	}
	return v
}

// changes calls f once for each place below v with the value there changed, and puts it back.
func changes(t *testing.T, v reflect.Value, at string, f func(at string)) {
	t.Helper()
	old := reflect.ValueOf(v.Interface())
	try := func(changed reflect.Value, at string) {
		v.Set(changed)
		f(at)
		v.Set(old)
	}
	switch v.Kind() {
	case reflect.String:
		try(reflect.ValueOf("b").Convert(v.Type()), at)
	case reflect.Int, reflect.Int64:
		try(reflect.ValueOf(2).Convert(v.Type()), at)
	case reflect.Bool:
		try(reflect.ValueOf(false), at)
	case reflect.Interface:
		try(reflect.ValueOf("b"), at)
		try(reflect.ValueOf(1.5), at+" of another type")
	case reflect.Slice:
		if v.Len() == 0 {
			return
		}
		try(reflect.Zero(v.Type()), at+" emptied")
		try(reflect.AppendSlice(old, old), at+" doubled")
		changes(t, v.Index(0), at+"[0]", f)
	case reflect.Map:
		try(reflect.Zero(v.Type()), at+" emptied")
		for _, k := range v.MapKeys() {
			key, value := reflect.New(k.Type()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.Set(k)
			value.Set(v.MapIndex(k))
			here := func(at string) {
				changed := reflect.MakeMap(v.Type())
				changed.SetMapIndex(key, value)
				try(changed, at)
			}
			changes(t, key, at+" key", here)
			changes(t, value, at+" value", here)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			changes(t, v.Field(i), at+"."+v.Type().Field(i).Name, f)
		}
	default:
		t.Fatalf("%s is a %s; say here how it is changed", at, v.Type())
	}
}

// TestKeyDependsOnEverything changes each field of a request, whatever fields there are: no two of the requests may share a run.
func TestKeyDependsOnEverything(t *testing.T) {
	req := filled(t, reflect.TypeFor[run.Request](), 3)
	seen := map[string]string{}
	note := func(at string) {
		key, err := req.Interface().(run.Request).Key("build")
		if err != nil {
			t.Fatal(err)
		}
		if len(key) != 64 {
			t.Errorf("the key %q is not a SHA-256", key)
		}
		if other, ok := seen[key]; ok {
			t.Errorf("%s does not change the key (it is that of %s)", at, other)
		}
		seen[key] = at
	}
	note("nothing")
	changes(t, req, "request", note)
	if len(seen) < 50 {
		t.Errorf("only %d changes were tried", len(seen))
	}
	// Where the build ends and the request begins is part of the key.
	a, err := req.Interface().(run.Request).Key("build 2")
	if err != nil || seen[a] != "" {
		t.Errorf("another build has the key of %q (%v)", seen[a], err)
	}
	bad := run.Request{Settings: run.Settings{Config: map[string]any{"f": func() {}}}}
	if key, err := bad.Key(""); key != "" || err == nil || !strings.HasPrefix(err.Error(), "encode request: ") {
		t.Errorf("a request that cannot be encoded has the key %q, error %v", key, err)
	}
}

// times returns n copies.
func times[T any](n int, x T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = x
	}
	return out
}

// nested returns steps with so many sequences inside of each other.
func nested(n int) []run.Step {
	steps := []run.Step{{Name: "leaf"}}
	for i := n; i > 0; i-- {
		steps = []run.Step{{Name: fmt.Sprint("seq", i), Steps: steps}}
	}
	return steps
}

func patches(n int) []run.Patch {
	out := make([]run.Patch, n)
	for i := range out {
		out[i].After = fmt.Sprint("P", i)
	}
	return out
}

func names(n int) map[string]string {
	out := map[string]string{}
	for i := range n {
		out[fmt.Sprint(i)] = ""
	}
	return out
}

func scripts(n int) []run.Script {
	out := make([]run.Script, n)
	for i := range out {
		out[i].Name = fmt.Sprint("s", i)
	}
	return out
}

// TestBoundsOfSettings tries settings at each bound, which are taken, and one beyond it, which are refused in these words.
func TestBoundsOfSettings(t *testing.T) {
	script := func(name, source string) run.Settings {
		return run.Settings{Scripts: []run.Script{{Name: name, Source: source}}}
	}
	patch := func(p ...run.Patch) run.Settings { return run.Settings{Patches: p} }
	const named = "want import, a pass name such as FuseOps, or FuseOps#1 for the second pass of that name"
	const scriptNames = "want at most 64 letters, digits, dots, hyphens, and underscores, such as mine.star"
	inside := func(n int) []run.Step { return []run.Step{{Name: "a", Steps: times(n, run.Step{Name: "b"})}} }
	for _, c := range []struct {
		s    run.Settings
		want string // the error; "" where there is none
	}{
		{run.Settings{}, ""},
		{run.Settings{OptLevel: -1}, "opt_level is -1, want 0 to 4"},
		{run.Settings{OptLevel: 4}, ""},
		{run.Settings{OptLevel: 5}, "opt_level is 5, want 0 to 4"},
		{run.Settings{Disabled: times(1000, "a"), Required: times(1000, "b")}, ""},
		{run.Settings{Disabled: times(1001, "a")}, "disabled lists 1001 passes; the limit is 1000"},
		{run.Settings{Required: times(1001, "a")}, "required lists 1001 passes; the limit is 1000"},
		{run.Settings{Steps: times(1000, run.Step{Name: "a"})}, ""},
		{run.Settings{Steps: times(1001, run.Step{Name: "a"})}, "steps lists 1001 steps; the limit is 1000"},
		{run.Settings{Steps: inside(999)}, ""},
		{run.Settings{Steps: inside(1000)}, "steps lists 1001 steps; the limit is 1000"},
		{run.Settings{Steps: append([]run.Step{{Name: "first"}}, inside(999)...)}, "steps lists 1001 steps; the limit is 1000"},
		{run.Settings{Steps: nested(7)}, ""},
		{run.Settings{Steps: nested(8)}, `step "seq8" is nested too deeply; sequences nest at most 8 levels deep`},
		{run.Settings{Bindings: make([]map[string]int64, 16)}, ""},
		{run.Settings{Bindings: make([]map[string]int64, 17)}, "bindings lists 17 executions; the limit is 16"},

		{run.Settings{Scripts: scripts(8)}, ""},
		{run.Settings{Scripts: scripts(9)}, "there are 9 scripts; the limit is 8"},
		{run.Settings{Scripts: append(scripts(2), run.Script{Name: "s1"})}, "two scripts are named s1; rename one"},
		{script(strings.Repeat("a", 64), strings.Repeat("x", 64<<10)), ""},
		{script(strings.Repeat("a", 65), ""), fmt.Sprintf("a script is named %q, %s", strings.Repeat("a", 65), scriptNames)},
		{script("Az09_.-", ""), ""},
		{script("_", ""), ""},
		{script("", ""), `a script is named "", ` + scriptNames},
		{script(".a", ""), `a script is named ".a", ` + scriptNames},
		{script("a/b", ""), `a script is named "a/b", ` + scriptNames},
		{script("a\n", ""), `a script is named "a\n", ` + scriptNames},
		{script("a", strings.Repeat("x", 64<<10+1)), "script a has 65537 bytes; the limit is 64 KiB"},
		{script("a", "\xff"), "script a is not valid UTF-8"},
		{run.Settings{Scripts: []run.Script{{Name: "good"}, {Name: "bad", Source: "\xff"}}}, "script bad is not valid UTF-8"},

		{run.Settings{Patches: patches(32)}, ""},
		{run.Settings{Patches: patches(33)}, "there are 33 edits of the IR; the limit is 32"},
		{patch(run.Patch{After: "import"}, run.Patch{After: "FuseOps"}, run.Patch{After: "FuseOps#1"}, run.Patch{After: "user.A-b_9"}), ""},
		{patch(run.Patch{After: strings.Repeat("a", 100) + "#1234"}), ""},
		{patch(run.Patch{After: strings.Repeat("a", 101)}), fmt.Sprintf("edits of the IR: a step is named %q, %s", strings.Repeat("a", 101), named)},
		{patch(run.Patch{After: "A#12345"}), `edits of the IR: a step is named "A#12345", ` + named},
		{patch(run.Patch{After: ""}), `edits of the IR: a step is named "", ` + named},
		{patch(run.Patch{After: "9A"}), `edits of the IR: a step is named "9A", ` + named},
		{patch(run.Patch{After: "A#"}), `edits of the IR: a step is named "A#", ` + named},
		{patch(run.Patch{After: "edit.A"}), `edits of the IR: a step is named "edit.A", ` + named},
		{patch(run.Patch{After: "A", Text: strings.Repeat("x", 1<<20-1)}, run.Patch{After: "B", Text: "x"}), ""},
		{patch(run.Patch{After: "A", Text: strings.Repeat("x", 1<<20-1)}, run.Patch{After: "B", Text: "xx"}), "the edited IR exceeds 1024 KiB in total; edit single functions instead of the whole module"},
		{patch(run.Patch{After: "A", Text: "\xff"}), "the edit after A is not valid UTF-8"},
		{patch(run.Patch{After: "A", Removed: times(1000, "f"), Before: names(2000)}), ""},
		{patch(run.Patch{After: "A", Removed: times(1001, "f")}), "the edit after A affects too many functions; the limit is 1000"},
		{patch(run.Patch{After: "A", Before: names(2001)}), "the edit after A affects too many functions; the limit is 1000"},
		{patch(run.Patch{After: "A"}, run.Patch{After: "B"}, run.Patch{After: "A#0"}), "there are two edits after A; combine them"},
	} {
		_, err := c.s.Normalize()
		if got := fmt.Sprint(err); err == nil && c.want != "" || err != nil && got != c.want {
			t.Errorf("the error is %.200s, want %q", got, c.want)
		}
	}
}

// TestNormalForm checks what keys are made of: sets are sorted and without doubles, patches stand in the order of their steps, and
// the caller's lists stay as they are.
func TestNormalForm(t *testing.T) {
	given := run.Settings{
		Target: "c", OptLevel: 3, Pipeline: "tir", Disabled: []string{"b", "a", "b"}, Required: []string{"d", "c"}, Seed: 7,
		Patches: []run.Patch{{After: "B", Text: "1", Removed: []string{"g", "f", "g"}}, {After: "A#0", Text: "2", Removed: []string{}}},
	}
	want := given
	want.Disabled, want.Required = []string{"a", "b"}, []string{"c", "d"}
	want.Patches = []run.Patch{{After: "A", Text: "2"}, {After: "B", Text: "1", Removed: []string{"f", "g"}}}
	got, err := given.Normalize()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the normal form is %+v (%v), want %+v", got, err, want)
	}
	if fmt.Sprintf("%v %v %s %v", given.Disabled, given.Required, given.Patches[0].After, given.Patches[0].Removed) != "[b a b] [d c] B [g f g]" {
		t.Errorf("the settings that were given are now %+v", given)
	}
	empty := run.Settings{Disabled: []string{}, Required: []string{}, Patches: []run.Patch{}}
	if got, err := empty.Normalize(); err != nil || got.Disabled != nil || got.Required != nil || got.Patches != nil {
		t.Errorf("empty lists become %+v (%v), want nil", got, err)
	}
}

// TestDefaults are the numbers by which a server for the public admits and bounds runs.
func TestDefaults(t *testing.T) {
	const mib = 1 << 20
	if got, want := run.DefaultLimits(), (run.Limits{Time: 20_000_000_000, Memory: 512 * mib, LogBytes: 64 * mib, TextBytes: 256 * mib}); got != want {
		t.Errorf("the limits of a run are %+v, want %+v", got, want)
	}
	if got, want := run.DefaultAdmission(3), (run.Admission{Workers: 3, Memory: 3 * 512 * mib, PerVisitor: 2, PerMinute: 10, Queue: 100, QueuePerVisitor: 8}); got != want {
		t.Errorf("the numbers for three workers are %+v, want %+v", got, want)
	}
}

// TestSettingsThatAreRefused says why and starts nothing.
func TestSettingsThatAreRefused(t *testing.T) {
	m, st := manager(t, script(1), nil)
	req := request("a")
	req.Settings.OptLevel = 9
	if info, err := m.Start(t.Context(), "v", "s", req); err == nil || err.Error() != "opt_level is 9, want 0 to 4" || info.ID != "" {
		t.Errorf("it gives %+v, %v", info, err)
	}
	req = request("a")
	req.Settings.Config = map[string]any{"x": func() {}}
	if _, err := m.Start(t.Context(), "v", "s", req); err == nil || !strings.HasPrefix(err.Error(), "encode request: ") {
		t.Errorf("a request that cannot be encoded gives %v", err)
	}
	if runs, err := st.Unfinished(t.Context()); err != nil || len(runs) != 0 {
		t.Errorf("%d runs have begun (%v)", len(runs), err)
	}
}
