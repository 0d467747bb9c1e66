package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/ascii85"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/looptree"
	"github.com/irscope/irscope/static"
)

// Report says what stands on a report beside what the bundle holds.
type Report struct {
	// Command is the command line that does the same, Program the version of this program.
	Command, Program string
	// Link opens the session that the report is about; empty where it may not be told.
	Link string
	// Check is what a check of every pass found; nil where none was made.
	Check *check.Report
}

// PageRun is the name of the run in an exported page, and PageSession that of its session: their ids let read.
const (
	PageRun     = "1"
	PageSession = "exported"
)

// Page is what an exported page has from its server.
type Page struct {
	// Body is the page of the session as HTML.
	Body string
	// Answers are those to the requests of its script that do not depend on the texts of the run, by address.
	Answers map[string]any
	// Loops returns the loops of the PrimFunc whose text this is; nil where there is no compiler, which leaves the view of loops out.
	Loops func(ctx context.Context, text string) (*looptree.Tree, error)
}

// pageFile is what lies packed in a page, beside its cells. static/src/exported/answers.ts and unpackfile.ts read it.
type pageFile struct {
	Theme   string            `json:"theme"`
	Style   string            `json:"style"`
	Script  string            `json:"script"`
	Run     string            `json:"run"`
	Events  []json.RawMessage `json:"events"`
	Answers map[string]any    `json:"answers"`
	Packed  packed            `json:"packed"`
}

// HTML returns one run of a bundle as the page of the program in one file, which needs nothing else: script, style and data lie in it
// compressed. It makes no request, and its policy allows its own script and style alone.
func HTML(ctx context.Context, b *Bundle, r *Run, page Page) ([]byte, error) {
	p := newPacker(b)
	o := newOutline(b, r)
	if err := p.run(ctx, o); err != nil {
		return nil, err
	}
	if page.Loops != nil {
		if err := p.loops(ctx, o, page.Loops); err != nil {
			return nil, fmt.Errorf("page: %w", err)
		}
	}
	file := pageFile{
		Theme: static.Text("theme.js"), Style: static.Text("exported.css"), Script: static.Text("exported.js"),
		Run: PageRun, Answers: page.Answers, Packed: p.out,
	}
	for _, e := range r.Events {
		line, err := event.Encode(e.Standalone(p.name))
		if err != nil {
			return nil, fmt.Errorf("page: %w", err)
		}
		file.Events = append(file.Events, line.Line)
	}
	head, err := json.Marshal(file)
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	var packed bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is a valid constant
	_, _ = zip.Write(head)                                       // a bytes.Buffer does not fail
	for _, cell := range p.cells.list {
		_, _ = zip.Write([]byte("\n" + cell))
	}
	_ = zip.Close()
	unpack := static.Text("unpackfile.js")
	var out bytes.Buffer
	fmt.Fprintf(&out, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>%s · irscope</title>
</head>
<body data-page="exported">
<p id="wait">This page shows a run of a compiler. It needs JavaScript, and no network.</p>
<template id="page">%s</template>
<script type="text/plain" id="file">%s</script>
<script>%s</script>
</body>
</html>
`, html.EscapeString(policy(file, unpack)), html.EscapeString(clean(b.Session.Title)), page.Body, ascii(packed.Bytes()), unpack)
	return out.Bytes(), nil
}

// ascii returns bytes as Ascii85, a sixteenth shorter than base64, with v for the character that begins a tag and without the letter z for zeros:
// neither v nor what ends a script is in it.
func ascii(data []byte) []byte {
	out := make([]byte, ascii85.MaxEncodedLen(len(data)))
	out = bytes.ReplaceAll(out[:ascii85.Encode(out, data)], []byte("z"), []byte("!!!!!"))
	return bytes.ReplaceAll(out, []byte("<"), []byte("v"))
}

// policy returns the content security policy of a page: its own script and style, by their hashes, and nothing else.
func policy(file pageFile, unpack string) string {
	hash := func(texts ...string) string {
		var out []string
		for _, text := range texts {
			sum := sha256.Sum256([]byte(text))
			out = append(out, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
		}
		return strings.Join(out, " ")
	}
	return "default-src 'none'; script-src " + hash(unpack, file.Theme, file.Script) + "; style-src " + hash(file.Style) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

// fact is a number at the head of a report.
type fact struct{ Name, Value string }

// facts returns the numbers at the head of a report.
func facts(o *outline) []fact {
	out := []fact{{"Model", o.Start.Model}, {"Target", o.Start.Target}, {"Pipeline", o.Start.Pipeline}, {"Opt level", fmt.Sprint(o.Start.OptLevel)}}
	out = append(out,
		fact{"Passes", fmt.Sprintf("%d changed, %d same", o.Finish.Changed, o.Finish.Same)},
		fact{"Skipped", fmt.Sprint(o.Finish.Skipped)})
	if o.Finish.Failed > 0 {
		out = append(out, fact{"Failed", fmt.Sprint(o.Finish.Failed)})
	}
	if o.Code != nil {
		out = append(out, fact{"Kernels", fmt.Sprint(len(o.Code.Kernels))})
	}
	if o.End.Total > 0 {
		out = append(out, fact{"Time", duration(o.End.Total)})
	}
	kept := out[:0]
	for _, f := range out {
		if f.Value = clean(f.Value); f.Value != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

// clean returns a text without control characters but tabs and newlines.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 {
			return -1 // also those that turn the direction of text around
		}
		return r
	}, s)
}
