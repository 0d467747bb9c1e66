package search_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/linediff"
	"github.com/irscope/irscope/web/search"
)

// naive searches by looking at every line of every step.
type naive struct {
	imported map[string]string
	passes   []pass
}

// naiveTerm is a term with what it says about a line.
type naiveTerm struct {
	text string
	on   func(line string) bool
}

// naiveQuery is a query in parts.
type naiveQuery struct {
	terms                 []naiveTerm
	gone, born, touches   *naiveTerm
	fn, pass, kind, query string
}

// moment is what a step did: the functions that differ, in the order of their names, and the module.
type moment struct {
	step, pass    string
	names         []string
	before, after map[string]string
}

func (n naive) moments() []moment {
	ms := []moment{{step: "import", pass: "import", names: slices.Sorted(maps.Keys(n.imported)), before: map[string]string{}, after: n.imported}}
	for _, p := range n.passes {
		m := moment{step: p.path, pass: p.name, before: ms[len(ms)-1].after}
		m.after = maps.Clone(m.before)
		for _, name := range slices.Sorted(maps.Keys(p.edits)) {
			if m.before[name] != p.edits[name] {
				m.names = append(m.names, name)
			}
			m.after[name] = p.edits[name]
			if p.edits[name] == "" {
				delete(m.after, name)
			}
		}
		ms = append(ms, m)
	}
	return ms
}

// find returns what world.find does.
func (n naive) find(q naiveQuery) []string {
	out, ms := []string{}, n.moments()
	inScope := func(name string) bool {
		return (q.fn == "" || q.fn == name) && (q.kind == "" || q.kind == kindOf(name, ""))
	}
	holds := func(module map[string]string, t *naiveTerm) bool {
		for name, text := range module {
			if inScope(name) && slices.ContainsFunc(linediff.Lines(text), t.on) {
				return true
			}
		}
		return false
	}
	first := func(yes func(m moment) bool) int { return slices.IndexFunc(ms, yes) }
	gone, born := -1, -1
	if q.gone != nil {
		gone = first(func(m moment) bool { return holds(m.before, q.gone) && !holds(m.after, q.gone) })
	}
	if q.born != nil {
		born = first(func(m moment) bool { return holds(m.after, q.born) })
	}
	for i, m := range ms {
		if q.gone != nil && i != gone || q.born != nil && i != born || q.pass != "" && q.pass != m.pass {
			continue
		}
		var lines []string
		touched := false
		for _, name := range m.names {
			if !inScope(name) {
				continue
			}
			blocks := linediff.Blocks(m.before[name], m.after[name])
			for side, text := range []string{m.before[name], m.after[name]} {
				for k, line := range linediff.Lines(text) {
					changed := slices.ContainsFunc(blocks, func(b linediff.Block) bool {
						return side == 0 && b.X0 <= k && k < b.X1 || side == 1 && b.Y0 <= k && k < b.Y1
					})
					isTouched := q.touches != nil && changed && q.touches.on(line)
					touched = touched || isTouched && i > 0
					asked := isTouched || q.gone != nil && side == 0 && q.gone.on(line) || q.born != nil && side == 1 && q.born.on(line)
					if q.gone == nil && q.born == nil && q.touches == nil {
						asked = side == 1
					}
					if asked && !slices.ContainsFunc(q.terms, func(t naiveTerm) bool { return !t.on(line) }) {
						lines = append(lines, fmt.Sprintf("%s %s %s %d", m.step, name, []string{"before", "after"}[side], k+1))
					}
				}
			}
		}
		if q.touches == nil || touched {
			out = append(out, lines...)
		}
	}
	return out
}

// The material of random runs: few names, so that much is found, and of many kinds.
var (
	pieces = []string{"lv", "lv1", "lv12", "Lv", "conv2d", "R.nn.conv2d", "R.conv2d", "T.conv2d", "x.conv2d", "cls.conv2d", "def conv2d", "def  lv", "1e5", "12", "1.5", "é", "k", "\u212a", "\xff", " ", "  ", "=", "(", ".", "\"", "#", "@T"}
	names  = []string{"lv", "lv1", "lv12", "Lv", "conv2d", "e5", "12", "é", "def"}
	ops    = []string{"conv2d", "nn.conv2d", "R.conv2d", "relax.nn.conv2d", "tir.conv2d", "x.conv2d", "cls.conv2d", "lv"}
	texts  = []string{"lv", "LV", "Lv1", "conv", "v2d", ".nn.", "e5", "= (", "=", ".", "lv12 ", " lv", "é", "1.5"}
	exprs  = []string{`lv\d+`, `(?i)LV1`, `^@T`, `(lv|Lv)12?$`, `[^a-z]+`, `(?i)k`, `K`, `nn\.conv`, `x*`, `lv1.*=`, `(conv2d)+`, `(?:lv ){1,3}`, `.\.nn`, "\u212a", `\x{fffd}`}
)

func word(s string) *naiveTerm {
	re := regexp.MustCompile(`(?:^|[^\pL\pN_` + "\u212a" + `])` + regexp.QuoteMeta(s) + `(?:$|[^\pL\pN_` + "\u212a" + `])`)
	return &naiveTerm{s, func(line string) bool {
		// A byte that is no UTF-8 counts as a letter.
		return re.MatchString(strings.ReplaceAll(line, "\xff", "ÿ"))
	}}
}

// A path is words with dots between them; it does not begin with a digit, nor does a word behind a dot.
var (
	pathExpr = regexp.MustCompile(`[\pL\pN_]+(?:\.[\pL_][\pL\pN_]*)*`)
	defExpr  = regexp.MustCompile(`[\pL\pN_]+|[^\pL\pN_]+`)
)

// operator is the meaning of op: in other words than the searcher's: every spelling that a path may have is listed.
func operator(s string) *naiveTerm {
	long := strings.NewReplacer("relax.", "R.", "tir.", "T.").Replace(s)
	// With a dialect in front it is one path; without, the end of one.
	expr := `^(R|T|cls)\.(.*\.)?` + regexp.QuoteMeta(s) + `$`
	if regexp.MustCompile(`^(R|T|cls)\.`).MatchString(long) {
		expr = `^` + regexp.QuoteMeta(long) + `$`
	}
	end := regexp.MustCompile(expr)
	return &naiveTerm{s, func(line string) bool {
		line = strings.ReplaceAll(line, "\xff", "ÿ")
		for _, p := range pathExpr.FindAllString(line, -1) {
			for '0' <= p[0] && p[0] <= '9' && strings.Contains(p, ".") {
				_, p, _ = strings.Cut(p, ".") // a number ends before its dot
			}
			if strings.Contains(p, ".") && (p == long || end.MatchString(p)) {
				return true
			}
		}
		tokens := defExpr.FindAllString(line, -1)
		for i := 2; i < len(tokens); i++ {
			if tokens[i-2] == "def" && strings.Trim(tokens[i-1], " ") == "" && "cls."+tokens[i] == "cls."+strings.TrimPrefix(s, "cls.") {
				return true
			}
		}
		return false
	}}
}

// property draws a run and a query.
func property(t *rapid.T) {
	line := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 5), func(s []string) string { return strings.Join(s, "") })
	text := rapid.OneOf(rapid.Just(""), rapid.Map(rapid.SliceOfN(line, 1, 6), func(lines []string) string { return strings.Join(lines, "\n") + "\n" }))
	module := rapid.MapOf(rapid.SampledFrom([]string{"f", "g", "main"}), text)
	n := naive{imported: module.Draw(t, "module")}
	maps.DeleteFunc(n.imported, func(_, text string) bool { return text == "" })
	for i := range rapid.IntRange(0, 5).Draw(t, "passes") {
		n.passes = append(n.passes, pass{fmt.Sprintf("%d/P%d", i+1, i%2), fmt.Sprintf("P%d", i%2), module.Draw(t, "edits")})
	}

	var q naiveQuery
	var parts []string
	term := func(prefix string, on naiveTerm) {
		parts, q.terms = append(parts, prefix+on.text), append(q.terms, on)
	}
	asked := func() *naiveTerm {
		if rapid.Bool().Draw(t, "bare") {
			return word(rapid.SampledFrom(names).Draw(t, "name"))
		}
		dotted := rapid.SampledFrom(ops).Filter(func(s string) bool { return strings.Contains(s, ".") })
		return operator(dotted.Draw(t, "op"))
	}
	for range rapid.IntRange(1, 3).Draw(t, "terms") {
		switch rapid.IntRange(0, 8).Draw(t, "term") {
		case 0:
			term("name:", *word(rapid.SampledFrom(names).Draw(t, "name")))
		case 1:
			term("op:", *operator(rapid.SampledFrom(ops).Draw(t, "op")))
		case 2:
			s := rapid.SampledFrom(texts).Draw(t, "text")
			on := func(line string) bool { return strings.Contains(line, s) }
			if strings.ToLower(s) == s {
				on = func(line string) bool { return regexp.MustCompile(`(?i)` + regexp.QuoteMeta(s)).MatchString(line) }
			}
			term("", naiveTerm{fmt.Sprintf("%q", s), on})
		case 3:
			re := regexp.MustCompile(rapid.SampledFrom(exprs).Draw(t, "expr"))
			term("", naiveTerm{"/" + re.String() + "/", re.MatchString})
		case 4:
			q.fn = "main"
			parts = append(parts, "fn:main")
		case 5:
			q.pass = "P1"
			parts = append(parts, "pass:P1")
		case 6:
			if q.gone == nil {
				q.gone = asked()
				parts = append(parts, "gone:"+q.gone.text)
			}
		case 7:
			if q.born == nil {
				q.born = asked()
				parts = append(parts, "born:"+q.born.text)
			}
		case 8:
			if q.touches == nil {
				q.touches = asked()
				parts = append(parts, "touches:"+q.touches.text)
			}
		}
	}
	if len(q.terms) == 0 && q.gone == nil && q.born == nil && q.touches == nil {
		term("", naiveTerm{"lv", func(line string) bool { return strings.Contains(strings.ToLower(line), "lv") }})
	}
	q.query, q.kind = strings.Join(parts, " "), rapid.SampledFrom([]string{"", search.KindRelax, search.KindPrimFunc}).Draw(t, "kind")

	got := newWorld(t, n.imported, n.passes...).find(q.query, q.kind, rapid.IntRange(1, 5).Draw(t, "count"))
	if want := n.find(q); !slices.Equal(got, want) {
		t.Fatalf("%s (kind %q) finds\n%s\nwant\n%s", q.query, q.kind, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSearchFindsWhatANaiveOneDoes(t *testing.T) { seed.Check(t, property) }
