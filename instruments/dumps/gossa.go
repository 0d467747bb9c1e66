package dumps

import (
	"bytes"
	"html"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/irscope/irscope/instruments/event"
)

// The Go compiler writes a file for each phase of a function with -d=ssa/all/dump=Sum: Sum_01__build.dump to Sum_56__genssa.dump. With
// GOSSAFUNC=Sum it writes all phases of a function to one page, ssa.html, in which phases that left it alone share a column.

var goName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+)_(\d+)__(.+)\.dump$`) })

func isGoSSA(name string) bool { return goName().MatchString(path.Base(name)) }

func readGoSSA(t *timeline, files []File) error {
	t.info = event.Dump{Compiler: "Go", Format: "a file for each phase (-d=ssa/all/dump)"}
	for _, f := range files {
		m := goName().FindStringSubmatch(path.Base(f.Name))
		name := cleanName([]byte(m[1]))
		d := &dump{
			name: strings.ReplaceAll(m[3], "_", " "), on: name, group: name, kind: event.PassFunction,
			texts: []text{{name: name, kind: kindFunction, lang: event.LangGoSSA, body: f.Data}},
		}
		if err := t.add(d); err != nil {
			return err
		}
	}
	return nil
}

// ssaPage reads ssa.html, a line of which is a phase.
type ssaPage struct {
	t    *timeline
	name string
}

func knowsSSAPage(line []byte) bool {
	return bytes.HasPrefix(line, []byte("<title>SSA Display for ")) || bytes.HasPrefix(line, []byte("<td id=\"start-col\""))
}

func newSSAPage(t *timeline) reader {
	t.notes.before = 0 // the head of the page
	t.info = event.Dump{Compiler: "Go", Format: "ssa.html (GOSSAFUNC)"}
	return &ssaPage{t: t, name: "function"}
}

var (
	ssaColumn = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<td id="[^"]+-exp" class="[^"]*hash-[^"]*">(<h2>.*?</h2>)<code>(.*?)</code>`)
	})
	ssaBreaks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<button[^>]*>[^<]*</button>|<h2>.*?</h2>`) })
	ssaTags   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[^<>]*>`) })
	ssaPhase  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<h2>(.*?)(?:<span class="stats">\[(\d+) ns\].*?</span>)?</h2>`)
	})
	ssaHeading = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<h1>(?:<[^>]*>)*([^<]+)`) })
)

// line takes the next line.
func (p *ssaPage) line(line []byte, number int) error {
	if m := ssaHeading().FindSubmatch(line); m != nil {
		name, _, _ := strings.Cut(html.UnescapeString(string(m[1])), ",") // and the number of its ABI
		p.name = cleanName([]byte(name))
	}
	m := ssaColumn().FindSubmatch(line)
	if m == nil {
		return nil
	}
	body := []byte(ssaText(m[2]))
	// Phases that share a column left the function as it was, all but the last.
	phases := ssaPhase().FindAllSubmatch(m[1], -1)
	for i, phase := range phases {
		d := &dump{line: number, name: cleanName([]byte(strings.TrimSpace(plainText(phase[1])))), on: p.name, group: p.name, kind: event.PassFunction}
		d.took, _ = strconv.ParseInt(string(phase[2]), 10, 64) // 0 where the page does not tell
		if i < len(phases)-1 {
			d.effect = omitted
		} else {
			d.texts = []text{{name: p.name, kind: kindFunction, lang: event.LangGoSSA, body: body}}
		}
		if err := p.t.add(d); err != nil {
			return err
		}
	}
	return nil
}

func (p *ssaPage) end() error { return nil }

// ssaText turns the elements of a column into lines: a block, its values, and how it ends.
func ssaText(code []byte) string {
	code = ssaBreaks().ReplaceAll(code, nil)
	s := strings.NewReplacer(`<li class="ssa-start-block">`, "\n  ", `<li class="ssa-long-value`, "\n    <li class=\"ssa-long-value", `<li class="ssa-end-block">`, "\n    ").Replace(string(code))
	lines := strings.Split(plainText([]byte(s)), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })
	return strings.Join(lines, "\n") + "\n"
}

func plainText(s []byte) string { return html.UnescapeString(string(ssaTags().ReplaceAll(s, nil))) }
