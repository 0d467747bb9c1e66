package dumps

// sameButNumbers tells whether two texts of LLVM differ in the numbers of attribute groups (#0) and metadata (!7) at most.
func sameButNumbers(a, b string) bool {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if a[i] != b[j] {
			return false
		}
		c := a[i]
		i, j = i+1, j+1
		if c != '#' && c != '!' {
			continue
		}
		for i < len(a) && digit(a[i]) {
			i++
		}
		for j < len(b) && digit(b[j]) {
			j++
		}
	}
	return i == len(a) && j == len(b)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
