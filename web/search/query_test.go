package search_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/web/search"
)

func TestWrongQueriesAreExplained(t *testing.T) {
	for query, want := range map[string]string{
		"":                         `column 1: the query is empty, want text, "quoted text", /regexp/, or one of name:lv12`,
		"  \t":                     "column 1: the query is empty",
		"a\nb":                     "column 2: a query is one line",
		"a \xff":                   "column 1: the query is not valid UTF-8",
		"lv foo:bar":               `column 4: "foo" is not a key, want one of name:lv12, op:conv2d`,
		"name:":                    "column 6: name: needs a value",
		"gone:":                    "column 6: gone: needs a value",
		"name:R.add":               "column 7: name: want one word; for the operator, write op:R.add",
		"name:a-b":                 "column 7: name: want a name of letters",
		"op:.add":                  "column 4: op:.add: the words around each dot",
		"touches:a..b":             "column 9: touches:a..b: the words",
		`x "open`:                  "column 3: the quoted text is not terminated",
		`""`:                       "column 1: the quoted text is empty",
		`"a"b`:                     `column 4: want a space between two terms, not "b"`,
		"/a/x":                     `column 4: want a space between two terms, not "x"`,
		"a /open":                  "column 3: the regular expression is not terminated",
		"//":                       "column 1: the regular expression is empty",
		`/a\/`:                     "column 1: the regular expression is not terminated",
		"/(a/":                     "column 2: missing closing )",
		"/a{2000}/":                "column 2: invalid repeat count",
		"/(a{500}){500}/":          "column 2: ",
		"/(.{90}x){9}[a-z]{500}/":  "instructions; the limit is 1000",
		strings.Repeat("x ", 17):   "column 33: a query is limited to 16 terms",
		strings.Repeat("x", 1<<20): "limited to 1000 bytes; this one has 1048576",
	} {
		_, err := search.Parse(query)
		var wrong *search.SyntaxError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q gives %v, want %q", query, err, want)
		}
	}
	for _, query := range []string{"x: R.Tensor", "::", "a:", "lv.x:y", "Foo:bar", `"foo:bar"`, `"a \" \\ b"`, `/a\/b/i`, "pass:[x", "fn:*", "born:é"} {
		if _, err := search.Parse(query); err != nil {
			t.Errorf("%q gives %v", query, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, q := range []string{"conv2d", `"a \" b"`, `/a|b{2,3}\/(?i)x/i`, "name:lv12 op:nn.conv2d pass:Fuse* fn:ma?n gone:conv2d born:a.b touches:x", "x:y", "/(((", "\"", "gone:"} {
		f.Add(q)
	}
	w := newWorld(f, map[string]string{"main": "def main(x):\n    lv12 = R.nn.conv2d(x, x) # \xff\n\n    return lv12"},
		pass{"1/FuseOps", "FuseOps", map[string]string{"main": "def main(x):\n    lv12 = R.add(x, x)\n"}})
	f.Fuzz(func(t *testing.T, query string) {
		q, err := search.Parse(query)
		if err != nil {
			var wrong *search.SyntaxError
			if !errors.As(err, &wrong) || wrong.Pos < 0 || wrong.Pos > len(query) || wrong.Message == "" {
				t.Fatalf("error %#v", err)
			}
			return
		}
		if len(query) > search.MaxQuery {
			t.Fatalf("%d bytes were taken", len(query))
		}
		a, err := w.searcher.Search(t.Context(), "r", w.log, search.Request{Query: q, Count: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range a.Results {
			for _, m := range r.Matches {
				if m[0] < 1 || m[1] <= m[0] {
					t.Fatalf("place %v of %+v", m, r)
				}
			}
		}
	})
}
