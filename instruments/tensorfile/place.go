package tensorfile

import (
	"fmt"
	"slices"
	"strings"
)

// Named is a tensor that is to be placed.
type Named struct {
	// Name is that of the input or output that it belongs to, "" for the next in order.
	Name string
	// From says in messages where it is from.
	From string
}

// Place finds for each tensor the input or output that it belongs to: by name, else by order. What says which of both they are, and names
// are those that the model has.
func Place(list []Named, what string, names []string) ([]int, error) {
	taken := make([]string, len(names))
	at := make([]int, len(list))
	next := 0
	for i, x := range list {
		at[i] = next
		if x.Name == "" {
			next++
		} else if at[i] = slices.Index(names, x.Name); at[i] < 0 {
			return nil, fmt.Errorf("%s: there is no %s %q: the model has %s", x.From, what, x.Name, strings.Join(names, ", "))
		}
		if at[i] >= len(names) {
			return nil, fmt.Errorf("%s: the model has %d %ss: %s", x.From, len(names), what, strings.Join(names, ", "))
		}
		if other := taken[at[i]]; other != "" {
			return nil, fmt.Errorf("%s: %s %s is given already by %s", x.From, what, names[at[i]], other)
		}
		taken[at[i]] = x.From
	}
	return at, nil
}
