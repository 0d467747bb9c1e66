package onnx

import (
	"fmt"
	"strings"
)

// ParseShape reads a shape as the command line gives it: name=1x3x224x224, where a part that
// is no number names a symbolic dimension. The name is what stands before the last "=".
func ParseShape(s string) (name string, dims []Dim, err error) {
	i := strings.LastIndexByte(s, '=')
	if i <= 0 {
		return "", nil, fmt.Errorf("shape %q: expected name=1x3x224x224", s)
	}
	name, text := s[:i], s[i+1:]
	dims = []Dim{}
	if text == "" {
		return name, dims, nil // a scalar
	}
	for _, part := range strings.Split(text, "x") {
		var d Dim
		if n, err := fmt.Sscanf(part, "%d", &d.Value); n != 1 || err != nil || fmt.Sprint(d.Value) != part {
			d = Dim{Name: part}
		}
		if d.Value < 0 || part == "" || d.Name != "" && identifier(d.Name) != d.Name {
			return "", nil, fmt.Errorf("shape %q: %q is neither a size nor a name", s, part)
		}
		dims = append(dims, d)
	}
	return name, dims, nil
}
