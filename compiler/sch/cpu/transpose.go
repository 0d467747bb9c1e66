package cpu

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// leastTile is the least extent of a tile of elements of 32 bits that is transposed in registers; one of bytes has byteTile in both directions.
const (
	leastTile = 4
	byteTile  = 16
)

// transposes schedules a block that copies bytes or elements of 32 bits that lie together along one axis to where they lie together along another: in tiles of as many rows as a vector has
// lanes, which the code generator transposes in registers, and smaller ones at the edges. It reports whether it has.
func (r *rules) transposes(b *sch.Block) (bool, error) {
	loops, err := r.loops(b)
	if err != nil || !r.machine.transposes() || !r.bound(b, loops) {
		return false, err
	}
	at := r.at(b).Body
	st, ok := at.(*tir.BufferStore)
	if !ok || st.Predicate != nil {
		return false, nil
	}
	if x, ok := st.Value.(*tir.BufferLoad); !ok || x.Predicate != nil || r.tiles(x.Buffer.DType) == nil {
		return false, nil
	}
	tiles := r.tiles(st.Buffer.DType)
	if err := r.normalize(b); err != nil {
		return false, err
	}
	from, to := r.contiguous(b, tiles[len(tiles)-1])
	if from < 0 || to < 0 || from == to {
		return false, nil
	}
	if loops, err = r.loops(b); err != nil {
		return false, err
	}
	rows, vectors := loops[from], loops[to]
	order := slices.DeleteFunc(slices.Clone(loops), func(l *sch.Loop) bool { return l == rows || l == vectors })
	if err := r.act("Reorder", append(order, rows, vectors)); err != nil {
		return false, err
	}
	bits := int64(st.Buffer.DType.Bits)
	group := r.linesTogether(b, rows, tiles, bits)
	r.explainTranspose(r.at(b).IterVars, from, to, tiles, group, at)
	list := r.withRest(tiles, rows)
	if group > 0 {
		list = append([]int64{group}, list...)
	}
	return true, r.eachTile(b, rows, list, func(b *sch.Block, rows *sch.Loop, high int64) error {
		loops, err := r.loops(b)
		if err != nil {
			return err
		}
		vectors := loops[len(loops)-1]
		if err := r.act("Reorder", []*sch.Loop{vectors, rows}); err != nil {
			return err
		}
		return r.eachTile(b, vectors, r.withRest(tiles, vectors), func(b *sch.Block, vectors *sch.Loop, wide int64) error {
			loops, err := r.loops(b)
			if err != nil {
				return err
			}
			rows, line := loops[len(loops)-1], lineBits/bits
			if high == group {
				return r.transposeGroup(rows, vectors, group, tiles[0], wide, line)
			}
			return r.transposeTile(rows, vectors, high, wide, line)
		})
	})
}

// tiles are the extents of tiles of elements of a type, larger ones first, nil for types that are not transposed in registers.
func (r *rules) tiles(d dtype.DType) []int64 {
	switch {
	case d.Lanes != 1:
		return nil
	case d.Bits == 32:
		return []int64{r.machine.Lanes, leastTile}
	case d.Bits == 8 && !d.IsBool():
		return []int64{byteTile}
	}
	return nil
}

// leastRest is how many rows, or columns, that are left over of tiles of four are a tile of their own: rows are transposed as four of which some are left out, and the elements of columns are copied in the
// turns of a loop over several rows. One is copied element by element.
const leastRest = 2

// withRest are tiles of elements of 32 bits, and what they leave over of a loop, if that is few enough to be one more.
func (r *rules) withRest(tiles []int64, l *sch.Loop) []int64 {
	n, known := tir.AsInt(r.extent(l))
	if rest := n % leastTile; known && tiles[len(tiles)-1] == leastTile && n > leastTile && rest >= leastRest {
		return append(tiles[:len(tiles):len(tiles)], rest)
	}
	return tiles
}

// contiguous returns the variables of a copy along which it reads and writes elements that lie together and does not write or read such, -1 for none of at least the extent of a tile.
func (r *rules) contiguous(b *sch.Block, least int64) (from, to int) {
	from, to = -1, -1
	iters := r.at(b).IterVars
	acc := accesses(r.at(b).Body, iters)
	if len(acc) != 2 {
		return from, to
	}
	for k, iv := range iters {
		if n, ok := tir.AsInt(iv.Dom.Extent); ok && n < least {
			continue
		}
		written, read := acc[0].stride(iv.Var), acc[1].stride(iv.Var)
		switch {
		case read == 1 && written > 1:
			from = k
		case written == 1 && read > 1:
			to = k
		}
	}
	return from, to
}

// linesTogether returns how many elements of each row, several lines of them, the tiles of a copy read one after the other before they go on to the next rows, 0 for those of one line. That pays for
// a copy of more than the second cache holds: what fetches lines ahead from beyond it follows what is read in order, and a row that is read line by line, each time after many others, is in no order.
func (r *rules) linesTogether(b *sch.Block, rows *sch.Loop, tiles []int64, bits int64) int64 {
	elements, _ := volumes(r.at(b))
	n, known := tir.AsInt(r.extent(rows))
	if !known || n < 2*tiles[0] || soMany(elements, 2*bits/8) <= r.machine.L2 {
		return 0
	}
	return min(linesInOrder*lineBits/bits, n/tiles[0]*tiles[0])
}

// explainTranspose tells the watcher along what a copy reads and writes, and how large its tiles are, and how many elements of a row it reads one after the other, 0 where it goes on from tile to tile.
func (r *rules) explainTranspose(iters []*tir.IterVar, from, to int, tiles []int64, group int64, at tir.Stmt) {
	if r.watch == nil {
		return
	}
	tile := func(k int) int64 {
		if n, known := tir.AsInt(iters[k].Dom.Extent); known && n < tiles[0] {
			return tiles[len(tiles)-1]
		}
		return tiles[0]
	}
	r.applied(ruleTurn, at)
	text := fmt.Sprintf("what is read is contiguous along %s, and what is written along %s: %d rows of %d elements at a time", iters[from].Var.Name, iters[to].Var.Name, tile(from), tile(to))
	if group > 0 {
		text += fmt.Sprintf("; %d elements of each row one after the other, as all of it is more than the %s of the second cache", group, bytes(float64(r.machine.L2)))
	}
	r.watch.Took(ruleTurn, at, text)
}

// eachTile cuts the loop l around a block into a part of whole tiles, one of smaller ones, and what is left over, and has do continue with the first two: with the block there, the loop,
// and the extent of a tile.
func (r *rules) eachTile(b *sch.Block, l *sch.Loop, tiles []int64, do func(b *sch.Block, l *sch.Loop, tile int64) error) error {
	for _, tile := range tiles {
		n, known := tir.AsInt(r.extent(l))
		if known && n < tile {
			continue
		}
		if known && n%tile == 0 {
			return do(b, l, tile)
		}
		parts, err := r.loopsBy("CutLoop", l, tile, int64(0))
		if err != nil {
			return err
		}
		left, err := r.blocksBy("GetChildBlocks", parts[1])
		if err != nil {
			return err
		}
		if err := do(b, parts[0], tile); err != nil {
			return err
		}
		b, l = left[0], parts[1]
	}
	return nil
}

// lineBits is how much a line of the caches holds, and linesInOrder how many of a row are read one after the other where they come from beyond the second cache: of 2 to 12 about as many were the fastest.
const lineBits, linesInOrder = 512, 4

// transposeTile makes a tile of two loops of whole ones; line is how many elements a line of the caches holds. Tiles that read less than a line of each row are done one after the other, so that the line is read once: those of rows that are a
// power of two apart lie in one set of a cache, which does not keep them until the next tiles come by.
func (r *rules) transposeTile(rows, vectors *sch.Loop, high, wide, line int64) error {
	a, err := r.split(rows, high)
	if err != nil {
		return err
	}
	b, err := r.split(vectors, wide)
	if err != nil {
		return err
	}
	order := []*sch.Loop{a[0], b[0], a[1], b[1]}
	if n, known := tir.AsInt(r.extent(a[0])); known && high < line && n > line/high && n%(line/high) == 0 && !tir.IsConst(r.extent(b[0]), 1) {
		lines, err := r.split(a[0], line/high)
		if err != nil {
			return err
		}
		order = []*sch.Loop{lines[0], b[0], lines[1], a[1], b[1]}
	}
	if err := r.act("Reorder", order); err != nil {
		return err
	}
	if err := r.act("Unroll", a[1]); err != nil {
		return err
	}
	return r.act("Vectorize", b[1])
}

// transposeGroup makes tiles of two loops of whole groups, each of several tiles that read what lies together in rows. Tiles that write less than a line of each row of the result are done one after the
// other, too.
func (r *rules) transposeGroup(rows, vectors *sch.Loop, group, high, wide, line int64) error {
	a, err := r.split(rows, group)
	if err != nil {
		return err
	}
	tiles, err := r.split(a[1], high)
	if err != nil {
		return err
	}
	b, err := r.split(vectors, wide)
	if err != nil {
		return err
	}
	order := []*sch.Loop{a[0], b[0], tiles[0], tiles[1], b[1]}
	if n, known := tir.AsInt(r.extent(b[0])); known && wide < line && n > line/wide && n%(line/wide) == 0 {
		lines, err := r.split(b[0], line/wide)
		if err != nil {
			return err
		}
		order = []*sch.Loop{a[0], lines[0], tiles[0], lines[1], tiles[1], b[1]}
	}
	if err := r.act("Reorder", order); err != nil {
		return err
	}
	if err := r.act("Unroll", tiles[1]); err != nil {
		return err
	}
	return r.act("Vectorize", b[1])
}
