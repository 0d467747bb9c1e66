package reducer

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// deciders are the files that may tell one type of events from another: the rules in Go, those of the page, and its generated types.
var deciders = []string{"instruments/event/", "static/src/store/model.ts", "static/src/wire.gen.ts"}

// eventTypes maps the Go names of the types of events to their names on the wire.
func eventTypes(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(root + "/instruments/event/*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	constant := regexp.MustCompile(`(?m)^const Type(\w+) Type = "(\w+)"$`)
	for _, name := range files {
		for _, m := range constant.FindAllStringSubmatch(read(t, name), -1) {
			out[m[1]] = m[2]
		}
	}
	if len(out) < 9 {
		t.Fatalf("the package declares the types %v, want at least 9", out)
	}
	return out
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sources calls f for each file of Go and TypeScript that is part of the program: no test, nothing of e2e, nothing vendored.
func sources(t *testing.T, f func(name, text string)) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if d.IsDir() {
			if slices.Contains([]string{".git", "e2e", "static/dist", "static/vendor", "bin", "instruments/event/eventtest"}, name) {
				return fs.SkipDir
			}
			return nil
		}
		ext := filepath.Ext(name)
		if (ext != ".go" && ext != ".ts") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".test.ts") || name == "static/src/store/testing.ts" {
			return nil
		}
		n++
		f(name, read(t, path))
		return nil
	})
	if err != nil || n < 500 {
		t.Fatalf("walked over %d files: %v", n, err)
	}
}

// TestOneReducer looks for code that decides by the type of an event outside of the reducer: a constant of a type, a case or an
// assertion of a body, or its name on the wire in a script. Such code reads a Run instead.
func TestOneReducer(t *testing.T) {
	types := eventTypes(t)
	var bodies, wire []string
	for body, name := range types {
		bodies, wire = append(bodies, body), append(wire, name)
	}
	alternatives := strings.Join(bodies, "|")
	inGo := regexp.MustCompile(`\bevent\.Type(` + alternatives + `)\b|\.\(\*event\.(` + alternatives + `)\)|\bcase [^:\n]*\*event\.(` + alternatives + `)\b`)
	inScripts := regexp.MustCompile(`["'](` + strings.Join(wire, "|") + `)["']`)
	found := 0
	sources(t, func(name, text string) {
		pattern := inGo
		if strings.HasSuffix(name, ".ts") {
			pattern = inScripts
		}
		if slices.ContainsFunc(deciders, func(d string) bool { return strings.HasPrefix(name, d) }) {
			if inScripts.MatchString(text) {
				found++
			}
			return
		}
		for _, m := range pattern.FindAllString(text, -1) {
			if m == `"diagnostic"` { // a word of its own
				continue
			}
			t.Errorf("%s decides by %q: let event.Run say what it needs, or RunModel for the page", name, m)
		}
	})
	if found < len(types) {
		t.Errorf("the reducer itself names types in %d files only", found)
	}
}

// TestFilesOfAnEventType counts the files that a type of events touches, as CONTRIBUTING lists them, for one that is there.
func TestFilesOfAnEventType(t *testing.T) {
	named := regexp.MustCompile(`(event\.|\*|new\(|Type)PassSkipped\b|"pass_skipped"|interface PassSkipped\b`)
	var got []string
	sources(t, func(name, text string) {
		// Instruments of the compiler have a hook of the same name.
		if named.MatchString(text) && !strings.HasPrefix(name, "compiler/") {
			got = append(got, name)
		}
	})
	slices.Sort(got)
	want := []string{
		"instruments/dumps/steps.go", "instruments/event/event.go", "instruments/event/passskipped.go", "instruments/record.go", "static/src/store/model.ts", "static/src/wire.gen.ts",
	}
	if !slices.Equal(got, want) {
		t.Errorf("pass_skipped is named in %v, want %v", got, want)
	}
}
