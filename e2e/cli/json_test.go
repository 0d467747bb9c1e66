package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// checkJSON parses what was printed last and checks that the value at a path such as
// outputs.0.name is there and, with a second argument, matches that regular expression.
// The path element * is any element of a list, len its length.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: [!] json PATH [REGEXP]")
	}
	var root any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &root); err != nil {
		ts.Fatalf("standard output is not JSON: %v", err)
	}
	pattern := regexp.MustCompile("")
	if len(args) == 2 {
		var err error
		pattern, err = regexp.Compile("^(?:" + args[1] + ")$")
		ts.Check(err)
	}
	var found []string
	collect(root, strings.Split(args[0], "."), &found)
	for _, v := range found {
		if pattern.MatchString(v) || len(args) == 1 {
			if neg {
				ts.Fatalf("%s is %s", args[0], v)
			}
			return
		}
	}
	if !neg {
		ts.Fatalf("nothing at %s matches: found %q", args[0], found)
	}
}

// collect appends the texts of all values at path.
func collect(v any, path []string, out *[]string) {
	if len(path) == 0 {
		*out = append(*out, fmt.Sprint(v))
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if x, ok := v[path[0]]; ok {
			collect(x, path[1:], out)
		}
	case []any:
		if path[0] == "len" {
			*out = append(*out, strconv.Itoa(len(v)))
			return
		}
		for i, x := range v {
			if path[0] == "*" || path[0] == strconv.Itoa(i) {
				collect(x, path[1:], out)
			}
		}
	}
}

// sameJSON checks that the value at a path of what was printed last is that of a file.
func sameJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] same FILE PATH")
	}
	var texts [2]string
	for i, name := range []string{"stdout", args[0]} {
		var root any
		if err := json.Unmarshal([]byte(ts.ReadFile(name)), &root); err != nil {
			ts.Fatalf("%s is not JSON: %v", name, err)
		}
		var found []string
		collect(root, strings.Split(args[1], "."), &found)
		if len(found) == 0 {
			ts.Fatalf("%s has nothing at %s", name, args[1])
		}
		texts[i] = strings.Join(found, "\n")
	}
	if (texts[0] == texts[1]) == neg {
		ts.Fatalf("%s is %q, in %s %q", args[1], texts[0], args[0], texts[1])
	}
}
