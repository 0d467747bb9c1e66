package op

import (
	"strings"
	"testing"
)

func TestLayoutRowsNameOperators(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range layoutRows {
		for _, name := range strings.Fields(r.ops) {
			if o := Lookup("relax." + name); o == nil || o.Layout == nil {
				t.Errorf("%s has a layout rule, but is no operator that has it", name)
			}
			if seen[name] {
				t.Errorf("%s has two layout rules", name)
			}
			seen[name] = true
		}
	}
}

func TestDesiredLayouts(t *testing.T) {
	for _, c := range []struct {
		op   string
		list []string
		err  string
	}{
		{"relax.nn.conv2d", []string{"NHWC", "OHWI"}, ""},
		{"relax.nn.conv2d", []string{"NCHW16c", "OIHW4i4o", "NHWC"}, ""},
		{"relax.image.resize2d", []string{"NHWC"}, ""},
		{"relax.nn.conv2e", nil, `unknown operator "relax.nn.conv2e"; did you mean "relax.nn.conv2d"?`},
		{"relax.add", []string{"NHWC"}, "relax.add takes no layouts, it follows those of its arguments; layouts can be given for relax.nn.conv1d, relax.nn.conv1d_transpose, relax.nn.conv2d, relax.nn.conv2d_transpose, relax.nn.conv3d, relax.image.resize2d, relax.image.resize3d"},
		{"relax.nn.conv2d", []string{"NHWC"}, "relax.nn.conv2d takes two layouts, of data and weights, or three, the last of the result, got 1"},
		{"relax.image.resize2d", nil, "relax.image.resize2d takes one layout, got 0"},
		{"relax.nn.conv2d", []string{"NHWC", "HWIOO"}, `relax.nn.conv2d: invalid layout "HWIOO": axis O stands in it twice`},
		{"relax.nn.conv2d", []string{"OHWI", "NHWC"}, `relax.nn.conv2d: the layout "OHWI" for data_layout is not one of the axes N, C, H, W in some order`},
		{"relax.nn.conv1d", []string{"NCW4c", "OIW4o"}, `relax.nn.conv1d: the layout "NCW4c" for data_layout splits an axis, which is possible for relax.nn.conv2d and relax.nn.conv2d_transpose; expected an order of NCW`},
	} {
		_, err := DesiredLayouts(c.op, c.list)
		if got := errText(err); got != c.err {
			t.Errorf("%s %q: %s, want %s", c.op, c.list, got, c.err)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestPrecisionRowsNameOperators(t *testing.T) {
	for p, names := range precisionRows {
		for _, name := range strings.Fields(names) {
			if o := Lookup("relax." + name); o == nil || o.Precision != p {
				t.Errorf("%s has a policy for float16, but is no operator that has it, or has two", name)
			}
		}
	}
}
