package x86

import (
	"github.com/irscope/irscope/runtime/native/asm"
)

// transpose makes vectors of rows of lanes of 32 bits or of bytes, of as many as a vector has lanes: vector j has lane j of all rows. Blocks of four by four lanes, each in its own 128 bits, are
// transposed by shuffles. Rows of four lanes that are four apart are joined, as they are read, so that these are all blocks; of rows as wide as a vector the blocks change places behind that.
func (g *gen) transpose(rows []*node, n int) []*node {
	if n == 16 && rows[0].Type == tX {
		return g.transposeBytes(rows)
	}
	if n == 4 {
		return g.blocks([4]*node{g.joined(rows, 0), g.joined(rows, 1), g.joined(rows, 2), g.joined(rows, 3)})
	}
	w := widthOfNode(rows[0])
	var quads [][]*node
	for i := 0; i < n; i += 4 {
		quads = append(quads, g.blocks([4]*node(rows[i:i+4])))
	}
	out := make([]*node, n)
	for c := range 4 {
		if w == asm.Y {
			o, by := asm.VPERM2F128, [2]uint64{0x20, 0x31} // the lower halves of both, and the upper ones
			if g.mod.machine.Features.AVX512 {
				o, by = asm.VSHUFF32X4, [2]uint64{0, 3}
			}
			out[c], out[4+c] = g.imm(ins(o, w), by[0], quads[0][c], quads[1][c]), g.imm(ins(o, w), by[1], quads[0][c], quads[1][c])
			continue
		}
		shuffle := func(by uint64, a, b *node) *node { return g.imm(ins(asm.VSHUFF32X4, w), by, a, b) }
		for half, by := range []uint64{low, high} {
			a, b := shuffle(by, quads[0][c], quads[1][c]), shuffle(by, quads[2][c], quads[3][c])
			out[8*half+c], out[8*half+4+c] = shuffle(even, a, b), shuffle(odd, a, b)
		}
	}
	return out
}

// opposite brings lanes that are so many apart into the same place of two vectors.
func (g *gen) opposite(a, b *node, apart int) (x, y *node) {
	o, front, behind := asm.VSHUFF32X4, uint64(low), uint64(high)
	if apart < 4 {
		o = asm.VSHUFPS
	}
	if apart == 4 || apart == 1 {
		front, behind = even, odd
	}
	return g.imm(ins(o, asm.Z), front, a, b), g.imm(ins(o, asm.Z), behind, a, b)
}

// transposeBytes is transpose for sixteen rows of as many bytes: each step joins neighbors of two rows that are eight rows apart, and after four the rows are columns.
func (g *gen) transposeBytes(rows []*node) []*node {
	for range 4 {
		next := make([]*node, 0, len(rows))
		for i := range len(rows) / 2 {
			a, b := rows[i], rows[i+len(rows)/2]
			next = append(next, g.ins(asm.VPUNPCKLBW, a, b), g.ins(asm.VPUNPCKHBW, a, b))
		}
		rows = next
	}
	return rows
}

// joined are the rows of four lanes from number q on that are four apart.
func (g *gen) joined(rows []*node, q int) *node {
	var parts []*node
	for i := q; i < len(rows); i += 4 {
		parts = append(parts, rows[i])
	}
	for w := 2 * asm.X; len(parts) > 1; w *= 2 {
		for i := range len(parts) / 2 {
			parts[i] = g.op(vec(pJoin, w), parts[2*i], parts[2*i+1])
		}
		parts = parts[:len(parts)/2]
	}
	return parts[0]
}

// The pairs of lanes, or the lanes, that a shuffle takes of both of its operands.
const low, high, even, odd = 0x44, 0xee, 0x88, 0xdd

// blocks transposes each four by four lanes of four rows.
func (g *gen) blocks(rows [4]*node) []*node {
	w := widthOfNode(rows[0])
	shuffle := func(by uint64, a, b *node) *node { return g.imm(ins(asm.VSHUFPS, w), by, a, b) }
	a, b := shuffle(low, rows[0], rows[1]), shuffle(low, rows[2], rows[3])
	c, d := shuffle(high, rows[0], rows[1]), shuffle(high, rows[2], rows[3])
	return []*node{shuffle(even, a, b), shuffle(odd, a, b), shuffle(even, c, d), shuffle(odd, c, d)}
}
