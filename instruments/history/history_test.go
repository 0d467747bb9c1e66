package history_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/history"
)

// table builds a step: each row is "function line kind name op roots", with roots as digits.
func table(path, pass string, gone []string, rows ...string) *history.Step {
	s := &history.Step{Path: path, Pass: pass}
	name := func(n string) int { s.Names = append(s.Names, n); return len(s.Names) - 1 }
	for _, g := range gone {
		s.Functions = append(s.Functions, history.Function{Name: g, Gone: true})
	}
	for _, row := range rows {
		x := strings.Split(row, " ")
		var set []uint32
		for _, d := range x[5] {
			set = append(set, uint32(d-'0'))
		}
		s.Sets = append(s.Sets, set)
		n := len(s.Functions) - 1
		if n < 0 || s.Functions[n].Name != x[0] {
			s.Functions = append(s.Functions, history.Function{Name: x[0]})
			n++
		}
		s.Functions[n].Rows = append(s.Functions[n].Rows, history.Row{Line: int(x[1][0] - '0'), Kind: history.Kind(x[2][0]), Name: name(x[3]), Op: name(strings.Trim(x[4], "-")), Set: len(s.Sets) - 1})
	}
	return s
}

func example() *history.History {
	first := table("import", "import", nil, "main 2 b a relax.add 1", "main 3 b c relax.exp 2", "main 3 c c - 3")
	first.Roots = []history.Root{{ID: 1, Name: "A", Op: "Add"}, {ID: 2, Name: "C", Op: "Exp"}, {ID: 3, Name: "A", Op: "initializer"}, {ID: 4, Name: "Z", Op: "Identity"}}
	return history.New(first,
		table("1.1/Move", "Move", nil, "main 4 b a relax.add 1", "main 5 b c relax.exp 2", "main 5 c c - 3"),
		table("1.2/Lower", "Lower", nil, "add 1 k add - 1", "main 4 b a @add 1", "main 5 c c - 23"),
		table("1.3/Double", "Double", nil, "add 1 k add - 1", "add 2 l i - 1", "main 4 b a @add 1", "main 5 b a2 @add 1"),
		table("1.10/Drop", "Drop", []string{"add"}),
		table("1.11/Kill", "Kill", []string{"main"}),
	)
}

func verbs(h *history.History, f history.Focus) string {
	var out []string
	for _, e := range h.Of(f) {
		out = append(out, e.Pass+" "+string(e.Verb))
	}
	return strings.Join(out, ", ")
}

func TestOf(t *testing.T) {
	h := example()
	for name, want := range map[string]string{
		"A": "import born, Move same, Lower lowered, Double split, Drop dropped, Kill died",
		"C": "import born, Move same, Lower folded, Double died",
		"Z": "",
	} {
		f, err := h.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := verbs(h, f); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if _, err := h.Named("B"); err == nil || !strings.Contains(err.Error(), `"B"`) {
		t.Errorf("no node B: %v", err)
	}
}

func TestAt(t *testing.T) {
	h := example()
	for _, c := range []struct {
		path, fn string
		line     int
		name     string
		want     string // verbs, or a part of the error
	}{
		{"import", "main", 2, "", "import born, Move same, Lower lowered, Double split, Drop dropped, Kill died"},
		{"1.1/Move", "main", 9, "", "import born, Move same, Lower folded, Double died"},
		{"1.1/Move", "main", 0, "a", "import born, Move same, Lower lowered, Double split, Drop dropped, Kill died"},
		{"1.9/Nothing", "main", 5, "", "import born, Move same, Lower lowered, Double split, Drop dropped, Kill died"}, // as after 1.3
		{"1/All", "main", 4, "", "no step"}, // main is gone at the end of the sequence
		{"1.2r1/Needed", "main", 5, "", "import born, Move same, Lower folded, Double died"},
		{"1.3/Double", "add", 2, "", "import born, Move same, Lower lowered, Double split, Drop dropped, Kill died"},
		{"1.10/Drop", "add", 1, "", `no step up to "1.10/Drop" made a function "add"`},
		{"1.1/Move", "main", 1, "", "nothing with a known origin"},
		{"1.1/Move", "main", 0, "x", `is named "x"`},
	} {
		f, _, err := h.At(c.path, c.fn, c.line, c.name)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: %v", c, err)
			}
			continue
		}
		if got := verbs(h, f); got != c.want {
			t.Errorf("%v: %s", c, got)
		}
	}
}

func TestBefore(t *testing.T) {
	h := example()
	for path, want := range map[string]string{
		"1.1/Move": "import", "1.2/Lower": "1.1/Move", "1.2r1/Needed": "1.1/Move", "1.2e/edit.Lower": "1.2/Lower", "1.10/Drop": "1.3/Double",
		"1/All": "import", "import": "import", "code": "1.11/Kill", "2/After": "1.11/Kill",
	} {
		if got := h.Before(path); got != want {
			t.Errorf("before %s is %s, want %s", path, got, want)
		}
	}
}

// TestFused checks what a value was fused with, where the new function f has another caller,
// and that places are bounded.
func TestFused(t *testing.T) {
	first := table("import", "import", nil, "main 2 b a @add 1", "main 3 b c @exp 2")
	first.Roots = []history.Root{{ID: 1, Name: "A", Op: "Add"}, {ID: 2, Name: "C", Op: "Exp"}}
	var many []string
	for range history.MaxPlaces + 5 {
		many = append(many, "main 2 b x relax.add 1")
	}
	h := history.New(first, table("1/Fuse", "Fuse", nil, "f 2 b a @add 13", "main 2 b c @f 12"), table("2/Many", "Many", nil, many...))
	f, err := h.Named("A")
	if err != nil {
		t.Fatal(err)
	}
	es := h.Of(f)
	if len(es) != 3 || es[1].Verb != history.Fused || len(es[1].With) != 1 || es[1].With[0].Name != "C" {
		t.Fatalf("%+v", es[:2])
	}
	if es[2].More != 5 || len(es[2].To) != history.MaxPlaces {
		t.Errorf("%d places and %d more", len(es[2].To), es[2].More)
	}
}

// TestJoined asks about both of two nodes that become one value, and about a node that is lost
// where a value came that does not say where from.
func TestJoined(t *testing.T) {
	first := table("import", "import", nil, "main 2 b a @add 1", "main 3 b c @exp 2")
	first.Roots = []history.Root{{ID: 1, Name: "A", Op: "Add"}, {ID: 2, Name: "C", Op: "Exp"}}
	lost := table("2/Lose", "Lose", nil, "main 2 b d @f 2")
	lost.Functions[0].Unknown = 3
	h := history.New(first, table("1/Fuse", "Fuse", nil, "f 2 b a @add 1", "f 3 b c @exp 2", "main 2 b c @f 12"), lost)
	if got := verbs(h, history.Focus{Roots: []uint32{1, 2}}); got != "import born, Fuse fused, Lose rewritten" {
		t.Error(got)
	}
	one := h.Of(history.Focus{Roots: []uint32{1}})
	last := one[len(one)-1]
	if last.Verb != history.Dropped || last.Unknown != 3 || last.Left != (history.Count{Graph: 1}) {
		t.Errorf("%+v", last)
	}
}

func TestDecodeRefuses(t *testing.T) {
	row := func(s string) string {
		return `{"names":["a"],"sets":[[1]],"functions":[{"name":"f","rows":` + s + `}]}`
	}
	for line, want := range map[string]string{
		"{": "line 1", `{"sets":[[2,1]]}`: "not ascending", `{"roots":[{"id":2},{"id":1}]}`: "roots are not ascending",
		row(`{"lines":[1],"kinds":"","names":[0],"ops":[0],"sets":[0]}`):   "columns of 1 lines, 0 kinds",
		row(`{"lines":[0],"kinds":"b","names":[0],"ops":[0],"sets":[0]}`):  "no line 0",
		row(`{"lines":[1],"kinds":"?","names":[0],"ops":[0],"sets":[0]}`):  "unknown kind",
		row(`{"lines":[1],"kinds":"b","names":[1],"ops":[0],"sets":[0]}`):  "there are 1 names",
		row(`{"lines":[1],"kinds":"b","names":[0],"ops":[-1],"sets":[0]}`): "op -1",
		row(`{"lines":[1],"kinds":"b","names":[0],"ops":[0],"sets":[7]}`):  "set 7 of 1",
	} {
		if _, err := history.Decode([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	good := row(`{"lines":[1],"kinds":"b","names":[0],"ops":[0],"sets":[0]}`)
	if steps, err := history.Decode([]byte(good + "\n" + good + "\n")); err != nil || len(steps) != 2 {
		t.Errorf("%d steps, %v", len(steps), err)
	}
}

// TestLines checks what lines go back to.
func TestLines(t *testing.T) {
	h := example()
	lines := h.Lines("1.2/Lower", "main")
	if len(lines) != 2 || strings.Join(lines[4].Nodes, " ") != "A" || strings.Join(lines[5].Weights, " ") != "C A" || len(lines[5].Nodes) != 0 {
		t.Errorf("the lines are %+v, %+v", lines[4], lines[5])
	}
	if before := h.Lines(h.Before("1.2/Lower"), "main"); strings.Join(before[5].Nodes, " ") != "C" || strings.Join(before[5].Weights, " ") != "A" {
		t.Errorf("before, line 5 goes back to %+v", before[5])
	}
	if h.Lines("1.11/Kill", "main") != nil || h.Lines("1.2/Lower", "none") != nil {
		t.Error("a function that is not there has lines")
	}
}
