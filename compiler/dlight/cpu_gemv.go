package dlight

import "github.com/irscope/irscope/target"

// cpuGEMV tiles a product of a matrix and a vector whose reduction is innermost, with the rows as lanes and on the cores (TVM's cpu.GEMV).
func cpuGEMV(p *program, _ target.Target, _ *Rule) {
	block, _, _, inner := p.prepareGEMV()
	declineIf(!inner, "the reduction is not innermost in the matrix")
	l := p.nest(block, 4)
	lenB, b := p.extent(l[0])
	lenS, s := p.extent(l[1])
	lenR, r := p.extent(l[2])
	lenC, c := p.extent(l[3])
	tileS, tileR := int64(64), int64(64)
	if b && s && r && c {
		if lenB*lenS > lenR*lenC {
			tileS = 128
		} else {
			tileR = 128
		}
	}
	x := p.split(l[1], rest, tileS)
	y := p.split(l[2], rest, tileR)
	p.split(l[3], rest, min(8, lenC))
	p.vectorize(x[1])
	p.do("parallel", x[0])
	p.unrollInside(y[0], 256)
}
