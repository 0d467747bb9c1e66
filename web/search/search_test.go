package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/search"
)

func TestQueriesFindLines(t *testing.T) {
	w := conv(t)
	main := func(lines ...string) []string { return lines }
	for query, want := range map[string][]string{
		"name:lv12": main(
			"import main after 4", "import main after 5",
			"1.2/LegalizeOps main after 4", "1.2/LegalizeOps main after 5",
			"1.3/FuseTIR main after 3", "1.3/FuseTIR main after 4"),
		"name:lv1":                       {},
		"name:conv2d":                    {"import main after 3", "1.2/LegalizeOps conv2d after 2", "1.2/LegalizeOps main after 3"},
		"op:conv2d":                      {"import main after 3", "1.2/LegalizeOps conv2d after 2", "1.2/LegalizeOps main after 3"},
		"op:nn.conv2d":                   {"import main after 3"},
		"op:relax.nn.conv2d":             {"import main after 3"},
		"op:cls.conv2d":                  {"1.2/LegalizeOps conv2d after 2", "1.2/LegalizeOps main after 3"},
		"op:tir.evaluate fn:conv*":       {"1.2/LegalizeOps conv2d after 3"},
		"r.ADD":                          {}, // a capital: the case counts
		"r.add":                          {"import main after 4"},
		"R.add":                          {"import main after 4"},
		`"(1, 3)"`:                       {"import main after 2", "1.2/LegalizeOps main after 2", "1.3/FuseTIR main after 2"},
		`"cls.conv2d, (x"`:               {"1.2/LegalizeOps main after 3"},
		`/lv\d+ = R\.\w+\(lv/`:           {"import main after 4"},
		"/LV12 = r.add/i":                {"import main after 4"},
		"/^@T/ pass:fuse*":               {"1.3/FuseTIR fused_conv2d_add after 1"},
		"lv12 add pass:Fuse*":            {"1.3/FuseTIR main after 3"},
		"pass:Normalize":                 {},
		"pass:1.3*":                      {"1.3/FuseTIR add before 1", "1.3/FuseTIR conv2d before 1", "1.3/FuseTIR fused_conv2d_add after 1", "1.3/FuseTIR main after 1"},
		"gone:conv2d":                    {"1.3/FuseTIR conv2d before 2", "1.3/FuseTIR main before 3"},
		"gone:nn.conv2d":                 {"1.2/LegalizeOps main before 3"},
		"gone:R.nn.conv2d fn:main":       {"1.2/LegalizeOps main before 3"},
		"gone:lv12":                      {},
		"born:fused_conv2d_add":          {"1.3/FuseTIR fused_conv2d_add after 2", "1.3/FuseTIR main after 3"},
		"born:float32":                   {"import main after 2"},
		"born:fused_conv2d_add fn:main":  {"1.3/FuseTIR main after 3"},
		"born:fused_conv2d_add pass:Leg": {},
		"touches:lv12": {
			"1.2/LegalizeOps main before 4", "1.2/LegalizeOps main after 4",
			"1.3/FuseTIR main before 4", "1.3/FuseTIR main after 3",
		},
		"touches:lv12 R.add": {"1.2/LegalizeOps main before 4"},
		"gone:conv2d born:fused_conv2d_add": {
			"1.3/FuseTIR conv2d before 2", "1.3/FuseTIR fused_conv2d_add after 2", "1.3/FuseTIR main before 3", "1.3/FuseTIR main after 3",
		},
		"gone:conv2d born:float32": {},
	} {
		for _, count := range []int{1, 1000} {
			if got := w.find(query, "", count); !slices.Equal(got, want) {
				t.Errorf("%s, %d at a time, finds\n%s\nwant\n%s", query, count, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
	if got := w.find("conv2d", search.KindPrimFunc, 10); !slices.Equal(got, []string{"1.2/LegalizeOps conv2d after 2", "1.3/FuseTIR fused_conv2d_add after 2"}) {
		t.Errorf("in PrimFuncs: %q", got)
	}
}

// The index must not hide lines that an expression matches in its own way.
func TestExpressionsBeyondASCII(t *testing.T) {
	w := newWorld(t, map[string]string{"main": "\u212aey\nke\u017f\nKES\n\xffey\n\ufffdey\n\u00c9t\n"})
	for query, want := range map[string][]int{
		"/^key$/i":      {1},
		"/kes/i":        {2, 3},
		`/^\x{fffd}ey/`: {4, 5},
		"/\ufffdey/":    {4, 5},
		"/\u00e9t/i":    {6},
		"kes":           {3}, // text folds A to Z only
	} {
		var lines []int
		for _, r := range w.answer(search.Request{}, query).Results {
			lines = append(lines, r.Line)
		}
		if !slices.Equal(lines, want) {
			t.Errorf("%s finds lines %v, want %v", query, lines, want)
		}
	}
}

func TestResultsSayWhere(t *testing.T) {
	w := conv(t)
	first := w.answer(search.Request{}, "name:lv12 R.add").Results[0]
	want := search.Result{
		Step: "import", Pass: "import", Function: "main", Kind: "relax", Side: "after", Text: event.HashText(w.texts[first.Text]), Line: 4,
		Excerpt: "    lv12 = R.add(lv, b)", From: 1, Matches: [][2]int{{5, 9}, {12, 17}},
		Link: "?run=r&pass=import&function=main&view=ir&line=4",
	}
	if fmt.Sprint(first) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", first, want)
	}
	for query, link := range map[string]string{
		"fused_conv2d_add fn:main": "?run=r&pass=1.3/FuseTIR&function=main&view=ir&line=3",
		"born:fused_conv2d_add":    "?run=r&pass=1.3/FuseTIR&function=fused_conv2d_add&view=unified&line=2",
		"gone:nn.conv2d":           "?run=r&pass=1.2/LegalizeOps&function=main&view=unified&line=3",
		"gone:conv2d":              "?run=r&pass=1.3/FuseTIR&function=conv2d&view=unified",
	} {
		if got := w.answer(search.Request{}, query).Results[0].Link; got != link {
			t.Errorf("%s links to %s, want %s", query, got, link)
		}
	}
}

func TestNotesSayWhyAQuestionHasNoAnswer(t *testing.T) {
	text := func(name string) string { return "def f():\n    " + name + "\n" }
	w := newWorld(t, map[string]string{"f": text("a")},
		pass{"1/P", "P", map[string]string{"f": text("b")}},
		pass{"2/P", "P", map[string]string{"f": text("a")}})
	for query, want := range map[string]string{
		"gone:a":        "gone:a: a reappears after 2/P",
		"born:a":        "born:a: a disappears and reappears after 2/P",
		"gone:c":        "gone:c: c occurs in no step so far",
		"gone:f":        "gone:f: f is still there after the last step so far",
		"touches:c":     "touches:c: no step changed lines with c so far",
		"born:b":        "",
		"born:f":        "", // it stays
		"gone:b gone:a": "gone:a: a reappears after 2/P",
	} {
		if got := strings.Join(w.answer(search.Request{}, query).Notes, "\n"); got != want {
			t.Errorf("%s notes %q, want %q", query, got, want)
		}
	}
}

func TestARunThatGoesOn(t *testing.T) {
	w := newWorld(t, map[string]string{"main": "def main():\n    lv0\n"})
	a := w.answer(search.Request{}, "/lv/")
	if len(a.Results) != 1 || a.More || a.Sealed || a.Next == "" {
		t.Fatalf("at first: %+v", a)
	}
	for i := range 3 {
		w.play(pass{fmt.Sprintf("%d/P", i+1), "P", map[string]string{"main": fmt.Sprintf("def main():\n    lv%d\n", i+1)}})
		if a = w.answer(search.Request{Cursor: a.Next}, "/lv/"); len(a.Results) != 1 || a.Results[0].Step != fmt.Sprintf("%d/P", i+1) {
			t.Fatalf("after step %d: %+v", i+1, a)
		}
	}
	w.emit("", "", &event.CodeGenerated{Kernels: []event.Kernel{{Name: "k", Text: w.keep("(func $lv)")}}, VM: w.keep("call lv")})
	w.log.Seal()
	a = w.answer(search.Request{Cursor: a.Next}, "lv")
	if len(a.Results) != 2 || !a.Sealed || a.Next != "" {
		t.Fatalf("at last: %+v", a)
	}
	if got, want := a.Results[0].Link+" "+a.Results[1].Link, "?run=r&function=k&view=code&line=1 ?run=r&function=%28vm%29&view=code&line=1"; got != want {
		t.Errorf("links of code are %s, want %s", got, want)
	}
	if got := w.find("gone:lv3", "", 10); len(got) != 0 {
		t.Errorf("code counts as a step: %q", got)
	}
}

func TestAStepThatEnclosesOthersAddsNothing(t *testing.T) {
	w := conv(t)
	before := w.find("/conv2d/", "", 100)
	w.emit("1/Sequential", "", &event.PassFinished{Name: "Sequential", Changed: true, Functions: []event.FunctionChange{
		{Name: "main", Change: event.FunctionChanged, Before: event.HashText("imported"), After: w.keep(w.module["main"])},
		{Name: "fused_conv2d_add", Change: event.FunctionAdded, After: w.keep(w.module["fused_conv2d_add"])},
	}})
	if after := w.find("/conv2d/", "", 100); !slices.Equal(after, before) {
		t.Errorf("found %q, before the enclosing step ended %q", after, before)
	}
}

func TestTextsAreReadOnce(t *testing.T) {
	same := "def g():\n    lv12\n"
	var passes []pass
	for i := range 20 {
		passes = append(passes, pass{fmt.Sprintf("%d/P", i+1), "P", map[string]string{"f": fmt.Sprintf("def f():\n    lv%d\n", i), "g": same}})
	}
	w := newWorld(t, map[string]string{"f": "def f():\n", "g": same}, passes...)
	w.find("name:lv12", "", 100)
	if got, want := w.read.Load(), int64(22); got != want {
		t.Errorf("%d texts were read, want %d", got, want)
	}
	w.find("gone:lv12", "", 100)
	if w.read.Load() != 22 {
		t.Error("texts were read again")
	}
}

func TestLongLines(t *testing.T) {
	line := strings.Repeat("é", 300) + " lv12 " + strings.Repeat("x", 500)
	huge := strings.Repeat("a", search.MaxLine) + " lv12"
	w := newWorld(t, map[string]string{"main": line + "\n" + huge + "\n" + strings.Repeat("lv12 ", 100) + "\n"})
	rs := w.answer(search.Request{}, "name:lv12").Results
	if len(rs) != 2 || rs[0].Line != 1 || rs[1].Line != 3 {
		t.Fatalf("results are %+v", rs)
	}
	r := rs[0]
	if len(r.Excerpt) > search.MaxExcerpt || r.From != 543 || !strings.Contains(r.Excerpt, "é lv12 x") || r.Matches[0] != [2]int{602, 606} || strings.ToValidUTF8(r.Excerpt, "") != r.Excerpt {
		t.Errorf("the long line gives %+v", r)
	}
	if n := len(rs[1].Matches); n != search.MaxMatches {
		t.Errorf("%d places are marked, want %d", n, search.MaxMatches)
	}
}

func TestTimeIsLimited(t *testing.T) {
	w := conv(t)
	w.searcher = search.New(search.Config{Blob: w.blob, Document: w.document, Time: time.Nanosecond})
	// What is found late still comes, in parts.
	if got := w.find("name:lv12", "", 100); len(got) != 6 {
		t.Errorf("in parts: %q", got)
	}
	q, err := search.Parse("gone:conv2d")
	if err != nil {
		t.Fatal(err)
	}
	w.searcher = search.New(search.Config{Blob: w.blob, Document: w.document, Time: time.Nanosecond})
	if _, err := w.searcher.Search(t.Context(), "r", w.log, search.Request{Query: q, Count: 1}); !errors.Is(err, search.ErrBusy) {
		t.Errorf("a question in no time gives %v", err)
	}
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	w.searcher = search.New(search.Config{Blob: w.blob, Document: w.document})
	if _, err := w.searcher.Search(ctx, "r", w.log, search.Request{Query: q, Count: 1}); !errors.Is(err, gone) {
		t.Errorf("a request that ended gives %v", err)
	}
}

func TestWrongCursors(t *testing.T) {
	w := conv(t)
	q, err := search.Parse("x")
	if err != nil {
		t.Fatal(err)
	}
	for _, cursor := range []string{"x", "1.2", "0.2.0", "-1.0.0", "99999.0.0", "1.0.0.0", "1..0", strings.Repeat("1", 1<<20)} {
		if _, err := w.searcher.Search(t.Context(), "r", w.log, search.Request{Query: q, Count: 1, Cursor: cursor}); !errors.Is(err, search.ErrCursor) {
			t.Errorf("cursor %.20q gives %v", cursor, err)
		}
	}
	if a := w.answer(search.Request{Cursor: "0.1.99999"}, "x"); len(a.Results) == 0 {
		t.Error("a cursor behind the end of a text ends the search")
	}
}
