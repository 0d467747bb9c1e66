package memory

// manyBytes is how much one asks the system for at once rather than page by page.
const manyBytes = 64 << 10

// Copy copies src to dst, which has its size. Memory that nothing has touched comes at once: fault by fault its pages take up to three times as long.
func Copy(dst, src []byte) {
	if len(src) >= manyBytes {
		populate(dst)
	}
	copy(dst, src)
}
