package static

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// importing matches the modules that a script imports, also those that it imports only types of or imports when needed.
var importing = regexp.MustCompile(`(?:\bfrom|\bimport\(?)\s*"(\.[^"]*)"`)

// graph holds the names of what each script imports, both without their extension.
type graph map[string][]string

// sources reads which scripts under src import which.
func sources(t *testing.T, fsys fs.FS) graph {
	t.Helper()
	g := graph{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".ts" {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		name = strings.TrimSuffix(name, ".ts")
		g[name] = []string{}
		for _, m := range importing.FindAllSubmatch(text, -1) {
			if other := path.Join(path.Dir(name), string(m[1])); !strings.HasPrefix(other, "..") && !slices.Contains(g[name], other) {
				g[name] = append(g[name], other)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, others := range g {
		for _, other := range others {
			if g[other] == nil {
				t.Errorf("src/%s.ts imports %s, which is not there", name, other)
			}
		}
	}
	return g
}

// circle returns scripts that import each other in a circle, the first one twice; nothing where there is no circle.
func (g graph) circle() []string {
	const open, done = 1, 2
	state := map[string]int{}
	var trail []string
	var visit func(name string) []string
	visit = func(name string) []string {
		switch state[name] {
		case done:
			return nil
		case open:
			return append(slices.Clone(trail[slices.Index(trail, name):]), name)
		}
		state[name] = open
		trail = append(trail, name)
		for _, other := range g[name] {
			if found := visit(other); found != nil {
				return found
			}
		}
		trail = trail[:len(trail)-1]
		state[name] = done
		return nil
	}
	names := make([]string, 0, len(g))
	for name := range g {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if found := visit(name); found != nil {
			return found
		}
	}
	return nil
}

// layers says for each folder of src which others its scripts may import. The folders that are loaded later stand below the
// ones that load them.
var layers = map[string][]string{
	"store":    {},
	"widgets":  {"store"},
	"columns":  {"store", "widgets"},
	"graph":    {"store", "widgets"},
	"loops":    {"store", "widgets"},
	"metrics":  {"store", "widgets"},
	"profile":  {"store", "widgets"},
	"result":   {"store", "widgets"},
	"views":    {"store", "widgets", "columns", "graph", "loops", "metrics", "profile", "result"},
	"history":  {"store", "widgets", "views"},
	"search":   {"store", "widgets"},
	"rewrites": {"store", "widgets"},
	"timeline": {"store", "widgets"},
	"present":  {"store", "widgets"},
	"class":    {"store", "widgets", "present"},
	"palette":  {"store", "widgets"},
	"pipeline": {"store", "widgets"},
	"editing":  {"store", "widgets"},
	"lesson":   {"store", "widgets"},
	"session":  {"store", "widgets", "views", "history", "search", "pipeline", "editing", "rewrites", "timeline", "palette", "present", "class", "lesson"},
	"gallery":  {"store", "widgets", "editing", "palette", "lesson"},
	"compare":  {"store", "widgets"},
	"docs":     {},
	"exported": {"store"},
}

// faults lists the imports that break the layers. Each script may import the wire types, and shared.ts what it lists.
func (g graph) faults() []string {
	var out []string
	for name, others := range g {
		from, _, inside := strings.Cut(name, "/")
		if !inside {
			continue // app.ts, exported.ts and shared.ts put a page together
		}
		allowed, known := layers[from]
		if !known {
			out = append(out, fmt.Sprintf("src/%s is a folder without a layer: say in sources_test.go what it may import", from))
		}
		for _, other := range others {
			to, _, inside := strings.Cut(other, "/")
			switch {
			case to == from, !inside && slices.Contains([]string{"wire", "wire.gen", "shared"}, other):
			case !inside || !slices.Contains(allowed, to):
				out = append(out, fmt.Sprintf("src/%s.ts imports %s, which %s must not know", name, other, from))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestScriptsHaveNoCircle checks that no script imports itself by others, and that each knows only what lies below it: the store
// knows no element of the page, and no view the page around it.
func TestScriptsHaveNoCircle(t *testing.T) {
	g := sources(t, os.DirFS("src"))
	if len(g) < 80 {
		t.Fatalf("found %d scripts, want all of them", len(g))
	}
	if found := g.circle(); found != nil {
		t.Errorf("scripts import each other in a circle: %s", strings.Join(found, " -> "))
	}
	for _, fault := range g.faults() {
		t.Error(fault)
	}
}

// TestFindsCirclesAndFaults checks the check itself.
func TestFindsCirclesAndFaults(t *testing.T) {
	g := graph{"store/a": {"widgets/b"}, "widgets/b": {"views/c"}, "views/c": {"store/a", "wire"}, "wire": {}, "odd/d": {"wire"}}
	if got, want := strings.Join(g.circle(), " "), "store/a widgets/b views/c store/a"; got != want {
		t.Errorf("the circle is %q, want %q", got, want)
	}
	if got := g.faults(); len(got) != 3 {
		t.Errorf("found the faults %q, want those of store/a, widgets/b and odd", got)
	}
	if got := (graph{"store/a": {"store/b", "store/c"}, "store/b": {"store/c"}, "store/c": {}}).circle(); got != nil {
		t.Errorf("found the circle %q where two ways lead to one script", got)
	}
}

// viewNames are the names of the views, as views/ gives them.
var viewNames = regexp.MustCompile(`(?m)(?:^ +name: |=> diff\()"([a-z]+)"`)

// TestViewsAreNamedByTheRegistryAlone checks that a view is one file and one row: no script outside of views/, no style sheet and no
// template asks which view is shown by its name. A link to a view may name it.
func TestViewsAreNamedByTheRegistryAlone(t *testing.T) {
	views := map[string]bool{}
	entries, err := os.ReadDir("src/views")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		for _, m := range viewNames.FindAllSubmatch(read(t, "src/views/"+e.Name()), -1) {
			views[string(m[1])] = true
		}
	}
	if len(views) < 8 {
		t.Fatalf("found the views %v, want at least the eight of the page", views)
	}
	asks := regexp.MustCompile(`(?i)\bview\b[\w.]*\s*[=!]==?\s*"(\w+)"|"(\w+)"\s*[=!]==?\s*[\w.]*\bview\b|data-view[~|^$*]?="?(\w+)`)
	check := func(file string, text []byte) {
		for i, line := range strings.Split(string(text), "\n") {
			for _, m := range asks.FindAllStringSubmatch(line, -1) {
				if views[m[1]] || views[m[2]] || views[m[3]] {
					t.Errorf("%s:%d asks for a view by its name: give the views a trait instead: %s", file, i+1, strings.TrimSpace(line))
				}
			}
		}
	}
	for name := range sources(t, os.DirFS("src")) {
		// The server lays diffs out in one of two ways; these are their names in its API.
		if strings.HasPrefix(name, "views/") || name == "store/diffsource" {
			continue
		}
		check("src/"+name+".ts", read(t, "src/"+name+".ts"))
	}
	for _, dir := range []string{"css", "../ui/templates"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if ext := path.Ext(e.Name()); ext == ".css" || ext == ".templ" {
				check(dir+"/"+e.Name(), read(t, dir+"/"+e.Name()))
			}
		}
	}
}
