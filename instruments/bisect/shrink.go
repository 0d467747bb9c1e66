package bisect

// shrink removes items while test holds of the rest: runs of half of them first, and then ever shorter ones, until no single one can go.
func shrink[T any](items []T, test func([]T) (bool, error)) ([]T, error) {
	for again := true; again; {
		again = false
		for size := max(1, len(items)/2); size > 0; size /= 2 {
			for lo := 0; lo < len(items); {
				rest := append(append([]T{}, items[:lo]...), items[min(lo+size, len(items)):]...)
				ok, err := test(rest)
				if err != nil {
					return items, err
				}
				if ok {
					items, again = rest, true
				} else {
					lo += size
				}
			}
		}
	}
	return items, nil
}
