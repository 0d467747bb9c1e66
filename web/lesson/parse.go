package lesson

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"github.com/irscope/irscope/instruments/request"
)

// Bounds on a lesson.
const (
	MaxFile  = 256 << 10 // bytes of its file
	maxSteps = 40
	maxHints = 12
	maxWrong = 12
	maxTitle = 120
	maxText  = 500 // bytes of a summary, a question or a choice
	maxLine  = 10_000
)

// fileName matches the name of the file of a lesson: a number that says its place in the list, and the name.
var fileName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[0-9]{1,4}-)?([a-z0-9]+(?:-[a-z0-9]+)*)\.md$`) })

// parsing is the state of reading a lesson.
type parsing struct {
	*Lesson
	source []byte
	errs   Errors
	passes []named
	config []named
	script []script
	module pos
	links  []link
	// pending are the blocks of the text that is being read.
	pending []ast.Node
}

func (p *parsing) fail(at pos, format string, args ...any) {
	p.errs = append(p.errs, &Error{p.File, at.line, at.col, fmt.Sprintf(format, args...)})
}

// Parse reads a lesson. The error is of type Errors and names all that is wrong with the form; see Verify for the rest.
func Parse(file string, source []byte) (*Lesson, error) {
	p := &parsing{Lesson: &Lesson{File: file, Level: 1, Part: "Lessons"}, source: source}
	p.Settings = request.Settings{OptLevel: 2, Pipeline: "default"}
	if m := fileName().FindStringSubmatch(path.Base(file)); m != nil {
		p.Name = m[1]
	} else {
		p.fail(pos{1, 1}, "want a file name of small letters, digits and hyphens, such as 10-fusion.md")
	}
	if p.readable() {
		if head, ok := p.frontMatter(); ok {
			p.body(head)
		}
	}
	p.complete()
	p.places = places{model: p.places.model, module: p.module, passes: p.passes, config: p.config, scripts: p.script, links: p.links}
	return p.Lesson, p.errs.sorted()
}

// readable reports what no text of a lesson may hold.
func (p *parsing) readable() bool {
	if len(p.source) > MaxFile {
		p.fail(pos{1, 1}, "the file has %d bytes; the limit is %d KiB", len(p.source), MaxFile>>10)
		return false
	}
	p.source = bytes.ReplaceAll(bytes.TrimPrefix(p.source, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	for i, line := range bytes.Split(p.source, []byte("\n")) {
		if len(line) > maxLine {
			p.fail(pos{i + 1, maxLine + 1}, "the line has %d bytes; the limit is %d", len(line), maxLine)
		}
		for col := 0; col < len(line); {
			r, n := utf8.DecodeRune(line[col:])
			switch {
			case r == utf8.RuneError && n == 1:
				p.fail(pos{i + 1, col + 1}, "this is not valid UTF-8")
				return false
			case r != '\t' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r):
				p.fail(pos{i + 1, col + 1}, "the character %U cannot be seen; take it out", r)
				return false
			}
			col += n
		}
	}
	if len(p.errs) == 0 {
		p.paragraphs()
	}
	return len(p.errs) == 0
}

// maxParagraph bounds the lines of text that follow each other without an empty one, in bytes: emphasis takes the square of their length.
const maxParagraph = 8000

// paragraphs reports paragraphs that are too long. Blocks of code, which begin at the left margin, are none; where this sees text and
// Markdown a block, it is merely strict.
func (p *parsing) paragraphs() {
	fence, size := "", 0
	for i, line := range strings.Split(string(p.source), "\n") {
		mark := line[:len(line)-len(strings.TrimLeft(line, line[:min(1, len(line))]))]
		isFence := len(mark) >= 3 && (mark[0] == '`' || mark[0] == '~')
		switch {
		case fence != "":
			if isFence && strings.HasPrefix(mark, fence) && strings.TrimSpace(line[len(mark):]) == "" {
				fence, size = "", 0
			}
		case isFence && !strings.Contains(line[len(mark):], "`"):
			fence = mark
		case strings.TrimSpace(line) == "":
			size = 0
		default:
			if size += len(line); size > maxParagraph {
				p.fail(pos{i + 1, 1}, "the paragraph has more than %d bytes; put an empty line into it", maxParagraph)
				return
			}
		}
	}
}

// frontMatter reads what stands between the two lines ---, and returns the number of lines that it takes.
func (p *parsing) frontMatter() (lines int, ok bool) {
	head, found := bytes.CutPrefix(p.source, []byte("---\n"))
	end := bytes.Index(head, []byte("\n---\n"))
	if !found || end < 0 {
		p.fail(pos{1, 1}, "a lesson begins with a line ---, keys such as title, and another line ---")
		return 0, false
	}
	text := string(head[:end])
	b := block{p, 1}
	fields := b.settings(&p.Settings)
	fields["title"], fields["summary"], fields["part"] = b.text(&p.Title, maxTitle), b.text(&p.Summary, maxText), b.text(&p.Part, maxTitle)
	fields["level"] = b.number(&p.Level, 1, 3)
	model := b.text(&p.Model, maxTitle)
	fields["model"] = func(n *node) {
		p.places.model = b.at(n)
		model(n)
	}
	fields["may_change"] = func(n *node) {
		p.MayChange = []Freedom{}
		b.list(func(s string, n *node) {
			if !slices.Contains(freedoms[:], Freedom(s)) {
				b.fail(n, "an answer cannot be free to change %.40q; it can be %s", s, strings.Join(texts(freedoms[:]), ", "))
				return
			}
			p.MayChange = append(p.MayChange, Freedom(s))
		})(n)
	}
	b.read(text, fields)
	return strings.Count(text, "\n") + 3, true
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = string(x)
	}
	return out
}

// complete reports what a lesson lacks.
func (p *parsing) complete() {
	if len(p.errs) > 0 {
		return
	}
	start := pos{1, 1}
	if p.Title == "" {
		p.fail(start, "the lesson has no title")
	}
	if p.Summary == "" {
		p.fail(start, "the lesson has no summary")
	}
	if (p.Model == "") == (p.Module == "") {
		p.fail(start, "a lesson has either a model, such as model: mlp, or a block ```python module")
	}
	if len(p.Steps) == 0 {
		p.fail(start, "the lesson has no steps: begin each with a heading, such as ## Read the module")
	}
}
