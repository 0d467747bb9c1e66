package op

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/tensorlayout"
)

// DesiredLayouts reads the layouts that a user asks for the operator of that full name: of data, weights and, if it is not that of the data,
// result for convolutions, of the images for resize2d.
func DesiredLayouts(name string, list []string) ([]tensorlayout.Layout, error) {
	o := Lookup(name)
	switch {
	case o == nil:
		return nil, unknownOp(name)
	case o.desired == 0:
		return nil, fmt.Errorf("%s takes no layouts, it follows those of its arguments; layouts can be given for %s", name, strings.Join(takingLayouts(), ", "))
	}
	attrs := []string{"layout"}
	if o.Attr("data_layout") != nil {
		attrs = []string{"data_layout", "kernel_layout", "out_layout"}
	}
	if len(list) < o.desired || len(list) > len(attrs) {
		return nil, fmt.Errorf("%s takes %s, got %d", name, numberOfLayouts(o.desired), len(list))
	}
	out := make([]tensorlayout.Layout, len(list))
	for i, s := range list {
		l, err := tensorlayout.Parse(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		axes := o.Attr(attrs[i]).Default.(string)
		ok := l.Rank() == len(axes)
		for k := range len(axes) {
			ok = ok && l.Pos(axes[k]) >= 0
		}
		if !ok {
			return nil, fmt.Errorf("%s: the layout %q for %s is not one of the axes %s in some order", name, s, attrs[i], strings.Join(strings.Split(axes, ""), ", "))
		}
		if l.Blocked() && !o.parts {
			return nil, fmt.Errorf("%s: the layout %q for %s splits an axis, which is possible for relax.nn.conv2d and relax.nn.conv2d_transpose; expected an order of %s", name, s, attrs[i], axes)
		}
		out[i] = l
	}
	return out, nil
}

// takingLayouts are the names of the operators that a user can ask layouts for.
func takingLayouts() []string {
	var out []string
	for _, o := range all() {
		if o.TakesLayouts() {
			out = append(out, o.Name)
		}
	}
	return out
}

func numberOfLayouts(least int) string {
	if least == 1 {
		return "one layout"
	}
	return "two layouts, of data and weights, or three, the last of the result"
}
