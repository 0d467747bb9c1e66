//go:build race

package hostile

// slowdown is the factor by which the race detector slows the program.
const slowdown = 15
