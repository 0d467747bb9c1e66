package highlight_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/highlight"
)

func join(spans []highlight.Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

func decode[T any](t interface{ Fatalf(string, ...any) }, data []byte) []T {
	var rows []T
	// A field that the type lacks is an error: the types of the page are made of it.
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&rows); err != nil {
		t.Fatalf("rows are not what the type says: %v\n%s", err, data)
	}
	return rows
}

func document(text string) *highlight.Document {
	return highlight.NewDocument(event.LangTVMScript, text)
}

// rebuild puts the two texts together from rows that fold nothing.
func rebuild(t interface{ Fatalf(string, ...any) }, rows []highlight.WireRow) (before, after []string) {
	left := func(n int, s []highlight.Span) {
		if before = append(before, join(s)); n != len(before) {
			t.Fatalf("row says line %d before, want %d", n, len(before))
		}
	}
	right := func(n int, s []highlight.Span) {
		if after = append(after, join(s)); n != len(after) {
			t.Fatalf("row says line %d after, want %d", n, len(after))
		}
	}
	for _, r := range rows {
		switch r.Kind {
		case "same":
			left(r.Before, r.Text)
			right(r.After, r.Text)
		case "del":
			left(r.Before, r.Text)
		case "add":
			right(r.After, r.Text)
		case "mod":
			left(r.Before, r.Left)
			right(r.After, r.Right)
		default:
			t.Fatalf("row of kind %q in a diff that folds nothing", r.Kind)
		}
	}
	return before, after
}

func texts(t *rapid.T) (string, string) {
	line := rapid.SampledFrom([]string{"a = T.add(b, c)", "a = T.add(b, d)", "e = T.add(f, c)", "    a = T.add(b, c)", "for i in T.grid(64):", "", "    pass", "x < \"</script>\"", "zzz\xff"})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(line, 0, 40).Draw(t, "lines"), "\n") })
	before, after := text.Draw(t, "before"), text.Draw(t, "after")
	if rapid.IntRange(0, 3).Draw(t, "into a loop") == 0 {
		after = "for i in T.grid(8):\n    " + strings.ReplaceAll(before, "\n", "\n    ")
	}
	return before, after
}

func TestLayoutsShowBothTexts(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		before, after := texts(t)
		d := highlight.NewDiff(document(before), document(after))
		view := rapid.SampledFrom([]highlight.View{highlight.Unified, highlight.Split}).Draw(t, "view")
		full := d.Layout(view, highlight.All)
		rows := decode[highlight.WireRow](t, full.AppendRows(nil, 0, full.Rows))
		if len(rows) != full.Rows {
			t.Fatalf("%d rows, layout says %d", len(rows), full.Rows)
		}
		gotBefore, gotAfter := rebuild(t, rows)
		clean := func(s string) string { return strings.ReplaceAll(s, "\xff", "\ufffd") }
		if got := strings.Join(gotBefore, "\n"); got != strings.TrimSuffix(clean(before), "\n") {
			t.Fatalf("rows give before %q, want %q", got, before)
		}
		if got := strings.Join(gotAfter, "\n"); got != strings.TrimSuffix(clean(after), "\n") {
			t.Fatalf("rows give after %q, want %q", got, after)
		}

		// Unfolding every fold of a folded layout gives the full one.
		folded := d.Read(view, rapid.IntRange(0, 5).Draw(t, "context"), highlight.Exact)
		var unfolded []highlight.WireRow
		hunkRows := 0
		for _, r := range decode[highlight.WireRow](t, folded.AppendRows(nil, 0, folded.Rows)) {
			if r.Fold == nil {
				unfolded = append(unfolded, r)
				hunkRows++
				continue
			}
			unfolded = append(unfolded, decode[highlight.WireRow](t, full.AppendRows(nil, r.Fold.From, r.Fold.Count))...)
		}
		if got, want := fmt.Sprint(unfolded), fmt.Sprint(rows); got != want {
			t.Fatalf("unfolded rows are\n%s\nwant\n%s", got, want)
		}
		for _, h := range folded.Hunks {
			hunkRows -= h.Rows
		}
		if hunkRows != 0 {
			t.Fatalf("hunks hold %d rows less than the layout shows", hunkRows)
		}

		// A window is a piece of the whole.
		from, count := rapid.IntRange(-1, full.Rows+1).Draw(t, "from"), rapid.IntRange(0, 20).Draw(t, "count")
		window := decode[highlight.WireRow](t, full.AppendRows(nil, from, count))
		lo := min(max(from, 0), len(rows))
		if got, want := fmt.Sprint(window), fmt.Sprint(rows[lo:min(lo+count, len(rows))]); got != want {
			t.Fatalf("window is\n%s\nwant\n%s", got, want)
		}
	})
}

func TestWordMarks(t *testing.T) {
	d := highlight.NewDiff(document("a\n    lv1 = R.add(lv0, p)\nb"), document("a\n    lv1 = R.multiply(lv0, p)\nb"))
	l := d.Layout(highlight.Split, 3)
	rows := decode[highlight.WireRow](t, l.AppendRows(nil, 0, l.Rows))
	if len(rows) != 3 || rows[1].Kind != "mod" {
		t.Fatalf("got rows %+v, want same, mod, same", rows)
	}
	marked := func(spans []highlight.Span) string {
		var s string
		for _, sp := range spans {
			if sp.Mark {
				s += sp.Text
			}
		}
		return s
	}
	if l, r := marked(rows[1].Left), marked(rows[1].Right); l != "add" || r != "multiply" {
		t.Errorf("marked %q and %q, want add and multiply", l, r)
	}
}

func TestUnevenBlockPairsSimilarLines(t *testing.T) {
	d := highlight.NewDiff(document("x\nlv = R.add(a, b)\ny"), document("x\nsomething quite different\nlv = R.add(a, c)\ny"))
	l := d.Layout(highlight.Split, 0)
	var kinds []string
	for _, r := range decode[highlight.WireRow](t, l.AppendRows(nil, 0, l.Rows)) {
		kinds = append(kinds, string(r.Kind))
	}
	if got := strings.Join(kinds, " "); got != "same add mod same" {
		t.Errorf("rows are %q, want an added line and a changed one", got)
	}
}

func TestLongLinesAreCut(t *testing.T) {
	long := strings.Repeat("é", highlight.MaxLine)
	d := highlight.NewDiff(document(""), document(long+"\n"))
	l := d.Layout(highlight.Unified, 3)
	rows := decode[highlight.WireRow](t, l.AppendRows(nil, 0, 10))
	if len(rows) != 1 || !rows[0].Cut || len(join(rows[0].Text)) > highlight.MaxLine || !strings.HasPrefix(long, join(rows[0].Text)) {
		t.Errorf("a line of %d bytes gives cut %t and %d bytes", len(long), rows[0].Cut, len(join(rows[0].Text)))
	}
}

func TestRowsOfDocument(t *testing.T) {
	doc := document(sample)
	rows := decode[[]highlight.Span](t, doc.AppendRows(nil, highlight.Exact, 0, 1<<30))
	if len(rows) != doc.Len() || doc.Len() != strings.Count(sample, "\n") {
		t.Fatalf("%d rows of %d lines", len(rows), doc.Len())
	}
	for i, line := range strings.Split(strings.TrimSuffix(sample, "\n"), "\n") {
		if join(rows[i]) != line {
			t.Errorf("row %d is %q, want %q", i, join(rows[i]), line)
		}
	}
}

// big returns a text of n lines of IR and a copy of which every seventh line differs.
func big(n int) (string, string) {
	var a, b strings.Builder
	for i := range n {
		fmt.Fprintf(&a, "        T_add_%d[v_ax0, v_ax1] = lv%d[v_ax0, v_ax1 - T.int64(64)] + p_%d[v_ax1]\n", i, i, i%977)
		op := "+"
		if i%7 == 0 {
			op = "*"
		}
		fmt.Fprintf(&b, "        T_add_%d[v_ax0, v_ax1] = lv%d[v_ax0, v_ax1 - T.int64(64)] %s p_%d[v_ax1]\n", i, i, op, i%977)
	}
	return a.String(), b.String()
}

func TestHundredThousandLinesStayFast(t *testing.T) {
	before, after := big(100_000)
	start := time.Now()
	d := highlight.NewDiff(document(before), document(after))
	l := d.Layout(highlight.Split, 3)
	l.AppendRows(nil, l.Rows/2, 400)
	// The goal is 100 ms; only a hang fails, such as that of an algorithm that is not linear.
	took := time.Since(start)
	t.Logf("opening a diff of 100,000 lines took %v", took)
	if took > time.Minute {
		t.Errorf("opening a diff of 100,000 lines took %v", took)
	}
}

// BenchmarkOpenDiff opens a diff of 100,000 lines of which every seventh differs: in an operator, or in names only.
func BenchmarkOpenDiff(b *testing.B) {
	before, changed := big(100_000)
	renamed := strings.NewReplacer("] * p", "] + q", "] + p", "] + p").Replace(changed)
	for name, after := range map[string]string{"changed": changed, "renamed": renamed} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l := highlight.NewDiff(document(before), document(after)).Layout(highlight.Unified, 3)
				l.AppendRows(nil, 0, 400)
			}
		})
	}
}

func BenchmarkWindow(b *testing.B) {
	before, after := big(100_000)
	l := highlight.NewDiff(document(before), document(after)).Layout(highlight.Unified, highlight.All)
	b.ReportAllocs()
	for b.Loop() {
		l.AppendRows(nil, l.Rows/2, 400)
	}
}
