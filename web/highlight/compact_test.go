package highlight_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/irscope/irscope/instruments/linediff"
	"github.com/irscope/irscope/web/highlight"
)

// graph puts lines into the body of a Relax function.
func graph(lines ...string) string {
	return "@R.function\ndef main(x_Conv: R.Tensor((1, 16), dtype=\"float32\")) -> R.Object:\n    " + strings.Join(lines, "\n    ") + "\n"
}

// read returns the rows of a diff in the compact form.
func read(t interface{ Fatalf(string, ...any) }, before, after string, view highlight.View, context int) []highlight.WireRow {
	l := highlight.NewDiff(document(before), document(after)).Read(view, context, highlight.Compact)
	return decode[highlight.WireRow](t, l.AppendRows(nil, 0, l.Rows))
}

// brief writes spans with their classes, and marks in braces.
func brief(spans []highlight.Span) string {
	var b strings.Builder
	for _, s := range spans {
		text := s.Text
		if s.Class != "" {
			text = strings.TrimPrefix(s.Class, "c-") + "<" + text + ">"
		}
		if s.Mark {
			text = "{" + text + "}"
		}
		b.WriteString(text)
	}
	return b.String()
}

// TestCompactRows checks how a pair of graph bindings is shown: its words, inks, marks and types.
func TestCompactRows(t *testing.T) {
	const typ = `R.Tensor((1, 16), dtype="float32")`
	before := graph(`conv1_Conv_conv2d: ` + typ + ` = R.nn.conv2d(x_Conv, metadata["relax.expr.Constant"]["4e62e7a2f599"], groups=1, padding=[1, 1, 1, 1])`)
	after := graph(`conv1_Conv_conv2d = R.call_tir(cls.conv2d, (x_Conv, metadata["relax.expr.Constant"]["4e62e7a2f599"]), out_sinfo=` + typ + `)`)
	rows := read(t, before, after, highlight.Unified, 3)
	if len(rows) != 4 || rows[1].Kind != highlight.RowSame || rows[2].Kind != highlight.RowDel || rows[3].Kind != highlight.RowAdd {
		t.Fatalf("rows are %+v", rows)
	}
	for i, want := range map[int]string{
		1: "k<def> nf<main>(x: dim<f32[1,16]>) dim<->> dim<object>:",
		2: "  conv1_conv2d dim<=> nb<conv2d>(x, no<c4e6>, {dim<pad>}{ }{mi<1>})",
		3: "  conv1_conv2d dim<=> {dim<cls.>}nf<conv2d>(x, no<c4e6>)",
	} {
		if got := brief(rows[i].Text); got != want {
			t.Errorf("row %d is\n%s\nwant\n%s", i, got, want)
		}
	}
	for _, i := range []int{2, 3} {
		c := rows[i].Compact
		if c == nil || join(c.Type) != "f32[1,16]" || c.Type[0].Mark {
			t.Fatalf("row %d has the compact line %+v", i, c)
		}
	}
	if got, want := rows[2].Compact.Exact, strings.Split(before, "\n")[2]; got != want {
		t.Errorf("the printed line is\n%s\nwant\n%s", got, want)
	}
	if rows[0].Compact != nil || join(rows[0].Text) != "@R.function" {
		t.Errorf("a line that is the same in both forms is %+v", rows[0])
	}
}

// TestCompactTypesAreMarked checks that a type that differs is marked, in what differs or as a whole.
func TestCompactTypesAreMarked(t *testing.T) {
	for _, c := range []struct{ before, after, old, new string }{
		{`R.Tensor((1, 16), dtype="float32")`, `R.Tensor((1, 8), dtype="float32")`, "f32[1,{16}]", "f32[1,{8}]"},
		{`R.Tensor((1, 16), dtype="float32")`, `R.Object`, "{f32[1,16]}", "{object}"},
	} {
		rows := read(t, graph("a: "+c.before+" = x"), graph("a: "+c.after+" = x"), highlight.Split, 0)
		row := rows[len(rows)-1]
		if row.LeftCompact == nil || row.RightCompact == nil {
			t.Fatalf("rows are %+v", rows)
		}
		if l, r := brief(row.LeftCompact.Type), brief(row.RightCompact.Type); l != c.old || r != c.new {
			t.Errorf("types are %s and %s, want %s and %s", l, r, c.old, c.new)
		}
	}
}

// TestEqualCompactLinesAreExact checks that a pair whose difference the compact form leaves out is shown as printed.
func TestEqualCompactLinesAreExact(t *testing.T) {
	before, after := graph(`a = R.nn.conv2d(x, y, groups=1)`), graph(`a = R.nn.conv2d(x, y)`)
	for _, view := range []highlight.View{highlight.Unified, highlight.Split} {
		for _, r := range read(t, before, after, view, 0) {
			if r.Kind != highlight.RowFold && (r.Compact != nil || r.LeftCompact != nil || r.RightCompact != nil) {
				t.Errorf("%s: the row %+v is compact", view, r)
			}
		}
	}
}

// printed gathers what the rows of an unfolded diff stand for, and checks the columns of each.
func printed(t *testing.T, rows []highlight.WireRow) (before, after []string) {
	t.Helper()
	line := func(spans []highlight.Span, c *highlight.CompactLine) string {
		text := join(spans)
		if c == nil {
			return text
		}
		at, from := 0, 0
		for i := 0; i < len(c.Columns); i += 3 {
			if c.Columns[i] <= at || c.Columns[i+1] < from || c.Columns[i+2] < c.Columns[i+1] {
				t.Fatalf("%q has columns %v", text, c.Columns)
			}
			at, from = c.Columns[i], c.Columns[i+1]
		}
		if n := len(c.Columns); at != len(utf16.Encode([]rune(text))) || c.Columns[n-1] > len(utf16.Encode([]rune(c.Exact))) {
			t.Fatalf("%q of %q has columns %v", text, c.Exact, c.Columns)
		}
		return c.Exact
	}
	for _, r := range rows {
		if r.Before > 0 && r.Kind != highlight.RowMod {
			before = append(before, line(r.Text, r.Compact))
		}
		if r.After > 0 && r.Kind != highlight.RowMod {
			after = append(after, line(r.Text, r.Compact))
		}
		if r.Kind == highlight.RowMod {
			before, after = append(before, line(r.Left, r.LeftCompact)), append(after, line(r.Right, r.RightCompact))
		}
	}
	return before, after
}

// TestCompactRowsKeepTheTexts checks on what graph passes do to models that the rows of a compact diff are the printed lines in
// another form, with the numbers that they have in the exact one.
func TestCompactRowsKeepTheTexts(t *testing.T) {
	for name, data := range models(t) {
		for _, s := range steps(t, name, data) {
			for _, view := range []highlight.View{highlight.Unified, highlight.Split} {
				rows := read(t, s.before, s.after, view, highlight.All)
				before, after := printed(t, rows)
				if strings.Join(before, "\n") != strings.TrimSuffix(s.before, "\n") {
					t.Errorf("%s, %s, %s: the rows do not give the text before", name, s.pass, view)
				}
				if strings.Join(after, "\n") != strings.TrimSuffix(s.after, "\n") {
					t.Errorf("%s, %s, %s: the rows do not give the text after", name, s.pass, view)
				}
				exact := highlight.NewDiff(document(s.before), document(s.after)).Layout(view, highlight.All)
				for i, r := range decode[highlight.WireRow](t, exact.AppendRows(nil, 0, exact.Rows)) {
					if rows[i].Kind != r.Kind || rows[i].Before != r.Before || rows[i].After != r.After {
						t.Fatalf("%s, %s, %s: row %d is of lines %d and %d, in the exact form of %d and %d", name, s.pass, view, i, rows[i].Before, rows[i].After, r.Before, r.After)
					}
				}
			}
		}
	}
}

// TestCompactText checks a window of a text in its compact form.
func TestCompactText(t *testing.T) {
	doc := document(graph(`é𝄞_Conv: R.Object = R.add(x_Conv, é𝄞_Relu)`, `é𝄞_Relu = x_Conv`))
	page := decode[highlight.TextPage](t, append(doc.AppendRows([]byte(`[{"rows":`), highlight.Compact, 1, 2), "}]"...))[0]
	if len(page.Rows) != 2 || len(page.Compact) != 2 || join(page.Rows[1]) != "  é𝄞_Conv = add(x, é𝄞_Relu)" {
		t.Fatalf("the window is %+v", page)
	}
	c := page.Compact[1]
	// The name is 8 units and begins in column 4; the comma behind x stands behind x_Conv.
	if join(c.Type) != "object" || fmt.Sprint(c.Columns[:6]) != "[2 0 4 10 4 12]" {
		t.Errorf("the line is %+v", c)
	}
	exact := document(graph("a = R.add(x, x)"))
	if rows := decode[[]highlight.Span](t, exact.AppendRows(nil, highlight.Exact, 2, 1)); join(rows[0]) != "    a = R.add(x, x)" {
		t.Errorf("the exact line is %q", join(rows[0]))
	}
	kernel := document("@T.prim_func\ndef f():\n    pass\n")
	if got := string(kernel.AppendRows(nil, highlight.Compact, 0, 3)); strings.Contains(got, "compact") {
		t.Errorf("a kernel has the compact form %s", got)
	}
}

// TestFoldsSayWhatTheyHold checks the words of folds.
func TestFoldsSayWhatTheyHold(t *testing.T) {
	var lines []string
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("bn%d_Conv_var = R.sqrt(x)", i))
	}
	before := graph(append([]string{"a = R.nn.relu(x)"}, lines...)...)
	after := graph(append([]string{"a = R.exp(x)"}, lines...)...)
	rows := read(t, before, after, highlight.Unified, 1)
	fold := rows[len(rows)-1].Fold
	if fold == nil || !fold.Bindings || fold.Lines != 19 || fold.Count != 19 || fold.First != "bn1_var" || fold.Last != "bn19_var" {
		t.Errorf("the fold is %+v", fold)
	}
}

// TestIndentedRunsFold checks that the inner lines of a run that moved into a loop are folded for reading, and for nothing else.
func TestIndentedRunsFold(t *testing.T) {
	var lines []string
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("a%d = f(%d)", i, i))
	}
	before := strings.Join(lines, "\n")
	after := "for i in range(4):\n    " + strings.Join(lines, "\n    ")
	d := highlight.NewDiff(document(before), document(after))
	for view, want := range map[highlight.View]string{
		highlight.Unified: "add 0:1, del 1:0 indented, add 0:2 indented, fold 2:3 of 36 rows from 3, del 20:0 indented, add 0:21 indented",
		highlight.Split:   "add 0:1, mod 1:2 indented, fold 2:3 of 18 rows from 2, mod 20:21 indented",
	} {
		l := d.Read(view, 3, highlight.Exact)
		var got []string
		for _, r := range decode[highlight.WireRow](t, l.AppendRows(nil, 0, l.Rows)) {
			s := strings.TrimSpace(fmt.Sprintf("%s %d:%d %s", r.Kind, r.Before, r.After, r.Mark))
			if r.Fold != nil {
				s += fmt.Sprintf(" of %d rows from %d", r.Fold.Count, r.Fold.From)
				if r.Fold.Lines != 18 || !r.Fold.Indented || !r.Fold.Bindings {
					t.Errorf("%s: the fold is %+v", view, r.Fold)
				}
			}
			got = append(got, s)
		}
		if all := strings.Join(got, ", "); all != want {
			t.Errorf("%s rows are\n%s\nwant\n%s", view, all, want)
		}
	}
	if l := d.Layout(highlight.Unified, 3); l.Rows != 41 || linediff.CountLines(after) != 21 {
		t.Errorf("the layout for others has %d rows", l.Rows)
	}
}
