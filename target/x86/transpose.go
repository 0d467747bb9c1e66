package x86

import "github.com/irscope/irscope/runtime/native/asm"

// transpose makes four vectors of rows of 128 bits, of as many as the vectors have lanes of 32 bits: vector j has lane j of all rows. Rows that are four apart are joined, as
// they are read, and what is left are blocks of four by four lanes, each in its own 128 bits, which two shuffles transpose.
func (g *gen) transpose(rows []*node) [4]*node {
	n := len(rows) / 4
	w := asm.Width(16 * n)
	var joined [4]*node
	for q := range joined {
		var parts []*node
		for i := range n {
			parts = append(parts, rows[4*i+q])
		}
		for half := asm.X; half < w; half *= 2 {
			for i := range len(parts) / 2 {
				parts[i] = g.op(vec(pJoin, 2*half), parts[2*i], parts[2*i+1])
			}
			parts = parts[:len(parts)/2]
		}
		joined[q] = parts[0]
	}
	shuffle := func(by uint64, a, b *node) *node { return g.imm(ins(asm.VSHUFPS, w), by, a, b) }
	const low, high, even, odd = 0x44, 0xee, 0x88, 0xdd // the pairs of lanes, or the lanes, that are taken of both
	a, b := shuffle(low, joined[0], joined[1]), shuffle(low, joined[2], joined[3])
	c, d := shuffle(high, joined[0], joined[1]), shuffle(high, joined[2], joined[3])
	return [4]*node{shuffle(even, a, b), shuffle(odd, a, b), shuffle(even, c, d), shuffle(odd, c, d)}
}
