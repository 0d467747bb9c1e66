package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir/nearest"
)

// mostMeant is how many names a hint lists.
const mostMeant = 8

// meant returns a hint for a name that is not known, to follow the error: the known name that it is but for case or what stands before its
// last dot, the nearest one, or those that have it as a part. It is empty where there are none.
func meant(name string, known []string) string {
	low := strings.ToLower(name)
	near := nearest.Name(name, slices.Values(known))
	var ends, has []string
	for _, k := range known {
		switch l := strings.ToLower(k); {
		case l == low:
			return fmt.Sprintf("; did you mean %q?", k)
		case strings.HasSuffix(l, "."+low):
			ends = append(ends, k)
		case strings.Contains(l, low):
			has = append(has, k)
		}
	}
	if len(ends) > 0 {
		near = ends[0]
	}
	switch {
	case near != "" && (len(has) == 0 || strings.Contains(strings.ToLower(near), low)):
		return fmt.Sprintf("; did you mean %q?", near)
	case len(has) > mostMeant:
		return fmt.Sprintf("; names with it are %s and %d more", strings.Join(has[:mostMeant], ", "), len(has)-mostMeant)
	case len(has) > 0:
		return "; names with it are " + strings.Join(has, ", ")
	}
	return ""
}
