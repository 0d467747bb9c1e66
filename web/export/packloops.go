package export

import (
	"context"
	"encoding/json"

	"github.com/irscope/irscope/instruments/looptree"
)

// maxLoops is what the loops of all kernels may take before they are compressed, in bytes. Those of later steps are left out where it is not enough, and
// the page says so: they must not make a page much larger that few people open for its loops.
const maxLoops = 160 << 10

// packedLoops are the loops of the kernels of a run. Most rows stand in many trees, since a pass leaves most loops alone: each is stored once, without
// its line.
type packedLoops struct {
	Rows []looptree.Row `json:"rows"`
	// Trees are by the name of the text.
	Trees map[string]*packedTree `json:"trees"`
}

// packedTree is a tree: numbers of rows, and their lines, each less the one before it.
type packedTree struct {
	Name    string `json:"name"`
	Rows    []int  `json:"rows"`
	Lines   []int  `json:"lines"`
	Omitted int    `json:"omitted,omitempty"`
}

// loops packs the loops of the PrimFuncs of a run, as long as there is room.
func (p *packer) loops(ctx context.Context, o *outline, of func(context.Context, string) (*looptree.Tree, error)) error {
	size, known := 0, map[string]int{}
	out := &packedLoops{Trees: map[string]*packedTree{}}
	add := func(kind, hash string) error {
		if kind != "prim_func" || p.texts[hash] == nil || out.Trees[p.name(hash)] != nil || size > maxLoops {
			return nil
		}
		b, err := p.bundle.text(ctx, hash)
		if err != nil {
			return err
		}
		tree, err := of(ctx, string(b.Data))
		if err != nil {
			return ctx.Err() // the page says that it has none of this one
		}
		packed := &packedTree{Name: tree.Name, Omitted: tree.Omitted}
		last := 0
		for _, r := range tree.Rows {
			packed.Lines = append(packed.Lines, r.Line-last)
			last, r.Line = r.Line, 0
			line, err := json.Marshal(r)
			if err != nil {
				return err
			}
			n, ok := known[string(line)]
			if !ok {
				n = len(out.Rows)
				known[string(line)], out.Rows = n, append(out.Rows, r)
				size += len(line)
			}
			packed.Rows = append(packed.Rows, n)
		}
		size += 6 * len(packed.Rows)
		out.Trees[p.name(hash)] = packed
		p.out.Loops = out
		return nil
	}
	for _, f := range o.Start.Functions {
		if err := add(f.Kind, f.Text); err != nil {
			return err
		}
	}
	for _, s := range o.Steps {
		if s.Done == nil {
			continue
		}
		for _, f := range s.Done.Functions {
			if f.Change == "removed" {
				continue
			}
			if err := add(f.Kind, f.After); err != nil {
				return err
			}
		}
	}
	return nil
}
