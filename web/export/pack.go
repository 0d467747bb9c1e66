package export

import (
	"context"
	"errors"
	"slices"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/highlight"
	"github.com/irscope/irscope/web/store"
)

// An exported page holds the rows of all texts and differences that a run can show, as the server would have sent them. Most lines
// stand in many texts, since a pass leaves most of a function alone. So each line, colored and shortened, is stored once as a cell
// (packcell.go), and texts and differences are lists of numbers of cells (packrows.go). static/src/exported/unpack.ts reads them.

// maxPacked is what cells and numbers may take before they are compressed, in bytes about.
const maxPacked = 32 << 20

// contextRows is the number of lines around a change that the page asks for.
const contextRows = 3

// packed is what a page can show of a run. Cells are beside it.
type packed struct {
	// Classes are those that cells name by their number.
	Classes []string `json:"classes"`
	// Texts are by the name of the text, Diffs by the names of both with a slash between, and Raw are texts that no person reads.
	Texts map[string]*packedText `json:"texts"`
	Diffs map[string]*packedDiff `json:"diffs"`
	Raw   map[string]string      `json:"raw"`
	// Loops is absent where there are none: no compiler was there to list them, or no kernel.
	Loops *packedLoops `json:"loops,omitempty"`
}

// packedText is a text as the cells of its lines, each less the one before it and 1.
type packedText struct {
	Language string `json:"language"`
	Exact    []int  `json:"exact"`
	// Compact is absent where no line has a compact form.
	Compact []int `json:"compact,omitempty"`
}

// packer packs a run.
type packer struct {
	bundle *Bundle
	cells  *cells
	out    packed
	names  map[string]string // short names of texts by hash
	texts  map[string]*openText
	size   int // bytes of all but the cells
}

// openText is a text that is packed.
type openText struct {
	doc *highlight.Document
	// exact and compact are the cells of its lines.
	exact, compact []int
}

func newPacker(b *Bundle) *packer {
	return &packer{
		bundle: b, cells: newCells(), names: map[string]string{}, texts: map[string]*openText{},
		out: packed{Texts: map[string]*packedText{}, Diffs: map[string]*packedDiff{}, Raw: map[string]string{}},
	}
}

// run packs what a page can show of a run, as long as there is room; what is left out the page cannot show, and says so.
func (p *packer) run(ctx context.Context, o *outline) error {
	for _, f := range o.Start.Functions {
		if _, err := p.text(ctx, f.Text); err != nil {
			return err
		}
	}
	for _, s := range o.Steps {
		if s.Done == nil {
			continue
		}
		for _, f := range s.Done.Functions {
			if err := p.change(ctx, f); err != nil {
				return err
			}
		}
		if s.Done.Rewrites != nil {
			if err := p.raw(ctx, s.Done.Rewrites.Text); err != nil {
				return err
			}
		}
	}
	if o.Code != nil {
		for _, k := range o.Code.Kernels {
			if _, err := p.text(ctx, k.Text); err != nil {
				return err
			}
		}
		if _, err := p.text(ctx, o.Code.VM); err != nil {
			return err
		}
	}
	p.out.Classes = p.cells.classes
	return nil
}

// full reports whether there is no room for more.
func (p *packer) full() bool { return p.size+p.cells.bytes > maxPacked }

// blob reads a text; ok is false where it is not there, or where there is no room for it.
func (p *packer) blob(ctx context.Context, hash string) (b store.Blob, ok bool, err error) {
	if p.full() {
		return b, false, nil
	}
	b, err = p.bundle.text(ctx, hash)
	if errors.Is(err, store.ErrNotFound) {
		return b, false, nil
	}
	return b, err == nil && len(b.Data) <= maxDiffText, err
}

// raw keeps a text as it is.
func (p *packer) raw(ctx context.Context, hash string) error {
	b, ok, err := p.blob(ctx, hash)
	if ok {
		p.out.Raw[p.name(hash)] = string(b.Data)
		p.size += len(b.Data)
	}
	return err
}

// text packs a text, once; nil is one that is not there.
func (p *packer) text(ctx context.Context, hash string) (*openText, error) {
	if t := p.texts[hash]; t != nil || hash == "" {
		return t, nil
	}
	b, ok, err := p.blob(ctx, hash)
	if !ok {
		return nil, err
	}
	doc := highlight.NewDocument(b.Language, string(b.Data))
	t := &openText{doc: doc}
	rows, _ := doc.WireLines(highlight.Exact)
	for i, spans := range rows {
		n := p.cells.add(b.Language, spans, nil)
		p.cells.lines[b.Language+"\n"+doc.Line(i)] = n
		t.exact = append(t.exact, n)
	}
	rows, short := doc.WireLines(highlight.Compact)
	for i, spans := range rows {
		t.compact = append(t.compact, p.cells.add(b.Language, spans, short[i]))
	}
	out := &packedText{Language: b.Language, Exact: differences(t.exact)}
	if !slices.Equal(t.exact, t.compact) {
		out.Compact = differences(t.compact)
	}
	p.size += 3 * (len(out.Exact) + len(out.Compact))
	p.texts[hash] = t
	p.out.Texts[p.name(hash)] = out
	return t, nil
}

// name returns the name that the page has for a text: "-" for none.
func (p *packer) name(hash string) string {
	if hash == "" {
		return "-"
	}
	name, ok := p.names[hash]
	if !ok {
		name = "t" + itoa36(len(p.names))
		p.names[hash] = name
	}
	return name
}

// differences returns each number less the one before it and 1, so that 0 is the next one.
func differences(list []int) []int {
	out := make([]int, len(list))
	last := -1
	for i, n := range list {
		out[i] = n - last - 1
		last = n
	}
	return out
}

// change packs the texts of a changed function and their difference.
func (p *packer) change(ctx context.Context, f event.FunctionChange) error {
	before, err := p.text(ctx, f.Before)
	if err != nil {
		return err
	}
	after, err := p.text(ctx, f.After)
	if err != nil || f.Before != "" && before == nil || f.After != "" && after == nil || before == nil && after == nil {
		return err
	}
	key := p.name(f.Before) + "/" + p.name(f.After)
	if p.out.Diffs[key] != nil || p.full() {
		return nil
	}
	none := func(other *openText) *openText {
		return &openText{doc: highlight.NewDocument(other.doc.Language(), "")}
	}
	if before == nil {
		before = none(after)
	}
	if after == nil {
		after = none(before)
	}
	p.out.Diffs[key] = p.diff(before, after)
	return nil
}
