package native

// cpuid asks the processor about itself.
func cpuid(leaf, part uint32) (a, b, c, d uint32)

const (
	leafCaches    = 4           // of Intel's processors
	leafExtended  = 0x8000_0000 // the last leaf of those that AMD added
	leafCachesAMD = 0x8000_001d // as leafCaches, which is empty there
	mostCaches    = 16          // no processor describes so many
	leafFirstAMD  = 0x8000_0005 // AMD's older description of the first level
	leafSecondAMD = 0x8000_0006 // and of the others, which Intel has too
)

// cachesOf asks a processor for its caches; 0 where it does not say.
func cachesOf(cpuid func(leaf, part uint32) (a, b, c, d uint32)) (l1, l2 int64) {
	var leaves []uint32
	if last, _, _, _ := cpuid(0, 0); last >= leafCaches {
		leaves = append(leaves, leafCaches)
	}
	extended, _, _, _ := cpuid(leafExtended, 0)
	if extended >= leafCachesAMD {
		leaves = append(leaves, leafCachesAMD)
	}
	for _, leaf := range leaves {
		for part := range uint32(mostCaches) {
			a, b, c, _ := cpuid(leaf, part)
			const data, unified = 1, 3
			kind, level := a&31, a>>5&7
			if kind == 0 {
				break
			}
			if kind != data && kind != unified {
				continue
			}
			size := (int64(b>>22) + 1) * (int64(b>>12&1023) + 1) * (int64(b&4095) + 1) * (int64(c) + 1) // ways, parts of a line, bytes of one, sets
			switch level {
			case 1:
				l1 = size
			case 2:
				l2 = size
			}
		}
		if l1 > 0 || l2 > 0 {
			return l1, l2
		}
	}
	if extended >= leafSecondAMD {
		_, _, first, _ := cpuid(leafFirstAMD, 0)
		_, _, second, _ := cpuid(leafSecondAMD, 0)
		return int64(first>>24) << 10, int64(second>>16) << 10
	}
	return 0, 0
}
