package lesson

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
	"go.yaml.in/yaml/v4"

	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/markdown"
)

type node = yaml.Node

// The headings below a step that are no part of its text.
const (
	hintHeading     = "Hint"
	solutionHeading = "Solution"
	wrongHeading    = "Wrong answer"
)

// part is what a run of blocks belongs to.
type part struct {
	kind string // "" for the text of the lead or of a step
	at   pos
	step *Step // nil before the first
	// answer is what blocks for the program say.
	answer *Answer
	// settings is the block of an answer, which readers see where a solution has no words.
	settings ast.Node
}

// body reads what is behind the front matter. The lead comes first, then the steps; below a step, its hints, solution and wrong answers.
func (p *parsing) body(skip int) {
	rest := p.source
	for range skip {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	// Lines keep their numbers: the front matter becomes empty ones.
	p.source = append(bytes.Repeat([]byte("\n"), skip), rest...)
	doc := markdown.Parse(p.source)
	now := part{at: pos{skip + 1, 1}}
	var blocks []ast.Node
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		blocks = append(blocks, n)
	}
	p.findLinks(doc)
	for _, n := range blocks {
		switch n := n.(type) {
		case *ast.Heading:
			p.heading(&now, n)
		case *ast.FencedCodeBlock:
			p.fenced(&now, n)
		default:
			p.pending = append(p.pending, n)
		}
	}
	p.end(&now)
}

// findLinks notes the links to places in the session.
func (p *parsing) findLinks(doc ast.Node) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function gives no error
		l, ok := n.(*ast.Link)
		if !ok || !entering || !bytes.HasPrefix(l.Destination, []byte("?")) {
			return ast.WalkContinue, nil
		}
		at := pos{1, 1}
		for c := l.FirstChild(); c != nil; c = c.FirstChild() {
			if t, ok := c.(*ast.Text); ok {
				at = p.at(t.Segment.Start)
				at.col-- // the bracket
			}
		}
		p.links = append(p.links, link{unescaped(l.Destination), unescaped(l.Title), at})
		return ast.WalkContinue, nil
	})
}

// unescaped is a text of Markdown as it is meant.
func unescaped(text []byte) string {
	return string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(text))))
}

// at is the place of a byte.
func (p *parsing) at(offset int) pos {
	before := p.source[:min(offset, len(p.source))]
	return pos{1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')}
}

// place is the place of a block.
func (p *parsing) place(n ast.Node) pos {
	at := 0
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		if n.Info != nil {
			at = n.Info.Segment.Start
		} else if n.Lines().Len() > 0 {
			at = n.Lines().At(0).Start - 1
		}
	default:
		if n.Lines() != nil && n.Lines().Len() > 0 {
			at = n.Lines().At(0).Start
		}
	}
	return p.at(at)
}

// heading begins a step, or a part of one.
func (p *parsing) heading(now *part, h *ast.Heading) {
	title, at := strings.TrimSpace(string(h.Lines().Value(p.source))), p.place(h)
	switch {
	case h.Level == 1:
		p.fail(at, "the title of a lesson is in its front matter; steps begin with ##")
	case h.Level == 2:
		p.end(now)
		if len(title) > maxTitle || title == "" {
			p.fail(at, "a step has a title of at most %d bytes", maxTitle)
		}
		if len(p.Steps) == maxSteps {
			p.fail(at, "the lesson has more than %d steps", maxSteps)
		}
		p.Steps = append(p.Steps, Step{Title: title})
		*now = part{step: &p.Steps[len(p.Steps)-1], at: at}
	case h.Level == 3 && (title == hintHeading || title == solutionHeading || title == wrongHeading):
		p.end(now)
		if now.step == nil {
			p.fail(at, "%q belongs below a step", title)
			return
		}
		*now = part{kind: title, step: now.step, at: at}
	default:
		h.Level = min(h.Level+1, 6) // below the title of the step
		p.pending = append(p.pending, h)
	}
}

// end renders the blocks of a part and puts it where it belongs.
func (p *parsing) end(now *part) {
	if now.kind == solutionHeading && len(p.pending) == 0 && now.settings != nil {
		p.pending = append(p.pending, now.settings)
	}
	html, err := markdown.HTML(p.source, p.pending)
	if err != nil {
		p.fail(now.at, "%v", err)
	}
	p.pending = nil
	// Code that is wider than the text scrolls, by keyboard too.
	html = strings.ReplaceAll(html, "<pre>", `<pre tabindex="0">`)
	switch now.kind {
	case hintHeading:
		if html == "" || len(now.step.Hints) == maxHints {
			p.fail(now.at, "a step has at most %d hints, and none is empty", maxHints)
		}
		now.step.Hints = append(now.step.Hints, html)
	case solutionHeading:
		if now.step.Solution != nil {
			p.fail(now.at, "the step has two solutions")
		}
		now.step.Solution = &Solution{HTML: html, Answer: now.given()}
	case wrongHeading:
		if len(now.step.Wrong) == maxWrong {
			p.fail(now.at, "a step has at most %d wrong answers", maxWrong)
		}
		now.step.Wrong = append(now.step.Wrong, now.given())
	default:
		if now.step == nil {
			p.Lead = html
		} else {
			now.step.HTML = html
		}
	}
}

func (a *part) given() Answer {
	if a.answer == nil {
		return Answer{at: a.at}
	}
	out := *a.answer
	out.at = a.at
	return out
}

// fenced reads a block of code: one for readers, or one whose second word says what it is for.
func (p *parsing) fenced(now *part, n *ast.FencedCodeBlock) {
	info := ""
	if n.Info != nil {
		info = string(n.Info.Segment.Value(p.source))
	}
	words, at := strings.Fields(info), p.place(n)
	if len(words) < 2 {
		p.pending = append(p.pending, n)
		return
	}
	text, line := string(n.Lines().Value(p.source)), at.line+1
	inText := now.kind == ""
	switch role := strings.Join(words[:2], " "); {
	case role == "python module" && inText && now.step == nil && p.Module == "":
		p.Module, p.module = text, pos{line, 1}
	case role == "starlark script" && len(words) == 3 && (inText && now.step == nil || !inText && now.kind != hintHeading):
		p.addScript(now, words[2], text, line)
		if now.kind == solutionHeading {
			p.pending = append(p.pending, n)
		}
	case role == "python edit" && len(words) == 3 && !inText && now.kind != hintHeading:
		p.addEdit(now, words[2], text, line)
		if now.kind == solutionHeading {
			p.pending = append(p.pending, n)
		}
	case role == "starlark schedule" && len(words) == 3 && !inText && now.kind != hintHeading:
		p.addSchedule(now, words[2], text, line)
		if now.kind == solutionHeading {
			p.pending = append(p.pending, n)
		}
	case role == "starlark check" && inText && now.step != nil && now.step.Check == nil:
		now.step.Check = &request.Script{Name: p.File, Source: strings.Repeat("\n", line-1) + text}
	case role == "yaml question" && inText && now.step != nil && now.step.Question == nil:
		now.step.Question = p.question(text, line)
	case role == "yaml answer" && !inText && now.kind != hintHeading && now.settings == nil:
		p.readAnswer(now, text, line)
		now.settings = n
	case slices.Contains([]string{"python module", "python edit", "starlark script", "starlark schedule", "starlark check", "yaml question", "yaml answer"}, role):
		p.fail(at, "the block %q cannot stand here, or not twice: module and script (with a file name) come before the first step, check and question in the text of a step, answer, script and edit (with the name of a pass) below Solution and Wrong answer", role)
	default:
		p.fail(at, "a block cannot be %q: say one word for what readers see, or python module, python edit PASS, starlark script NAME.star, starlark schedule KERNEL, starlark check, yaml question, yaml answer", info)
	}
}

// question reads what a step asks for.
func (p *parsing) question(text string, line int) *Question {
	b, q := block{p, line - 1}, &Question{}
	b.read(text, map[string]field{"ask": b.text(&q.Ask, maxText), "choices": b.list(func(s string, n *node) {
		if b.text(&s, maxText)(n); len(q.Choices) == maxHints {
			b.fail(n, "there are more than %d choices", maxHints)
		}
		q.Choices = append(q.Choices, s)
	})})
	if q.Ask == "" {
		p.fail(pos{line, 1}, "the question has no text: ask: Which kernel ends the group?")
	}
	return q
}

// changed returns the answer of a part with settings of its own.
func (p *parsing) changed(now *part) *Answer {
	if now.answer == nil {
		now.answer = &Answer{}
	}
	if now.answer.Settings == nil {
		s := p.Settings
		s.Scripts = slices.Clone(s.Scripts)
		now.answer.Settings = &s
	}
	return now.answer
}

// readAnswer reads settings that differ from those of the lesson, and the answer to the question.
func (p *parsing) readAnswer(now *part, text string, line int) {
	a, b := p.changed(now), block{p, line - 1}
	fields := b.settings(a.Settings)
	fields["answer"] = b.text(&a.Text, maxText)
	b.read(text, fields)
}

// addEdit adds an edit of the IR to the settings of an answer.
func (p *parsing) addEdit(now *part, after, text string, line int) {
	if err := request.ValidAfter(after); err != nil {
		p.fail(pos{line - 1, 1}, "%v", err)
		return
	}
	s := p.changed(now).Settings
	if slices.ContainsFunc(s.Patches, func(x request.Patch) bool { return x.After == after }) {
		p.fail(pos{line - 1, 1}, "there is another edit after %s", after)
		return
	}
	s.Patches = append(s.Patches, request.Patch{After: after, Text: text})
}

// addSchedule adds the schedule of a kernel to the settings of an answer.
func (p *parsing) addSchedule(now *part, kernel, text string, line int) {
	s := p.changed(now).Settings
	list := append(slices.Clip(s.Schedules), request.Schedule{Kernel: kernel, Source: text})
	if _, err := (request.Settings{Schedules: list}).Normalize(); err != nil {
		p.fail(pos{line - 1, 1}, "%v", err)
		return
	}
	s.Schedules = list
}

// addScript adds a script to the settings of the lesson, or to those of an answer, where it takes the place of one of its name.
func (p *parsing) addScript(now *part, name, text string, line int) {
	s := request.Script{Name: name, Source: text}
	if err := s.Valid(); err != nil {
		p.fail(pos{line, 1}, "%v", err)
		return
	}
	p.script = append(p.script, script{s, line})
	to := &p.Settings.Scripts
	if now.kind != "" {
		to = &p.changed(now).Settings.Scripts
	}
	if i := slices.IndexFunc(*to, func(x request.Script) bool { return x.Name == name }); i >= 0 {
		(*to)[i] = s
		return
	}
	*to = append(*to, s)
}
