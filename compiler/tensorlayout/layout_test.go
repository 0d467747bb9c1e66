package tensorlayout_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

func layout(t *testing.T, name string) tensorlayout.Layout {
	t.Helper()
	l, err := tensorlayout.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestParse(t *testing.T) {
	for _, name := range []string{"", "N", "NCHW", "NCHW16c", "O4o16IHW", "N2nCHW4c", "NCHW4c2c"} {
		l, err := tensorlayout.Parse(strings.Replace(name, "16I", "I", 1))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := l.String(); got != strings.Replace(name, "16I", "I", 1) {
			t.Errorf("%s is printed as %s", name, got)
		}
	}
	for name, want := range map[string]string{
		"NCHW4":          "a number stands at the end, expected the letter of a part after it",
		"N4CHW":          "a number stands before C, expected the letter of a part, in lower case",
		"NCHWc":          "expected a number above zero before c, which is a part of an axis",
		"NCHW0c":         "expected a number above zero before c, which is a part of an axis",
		"NHW4c":          "it has a part of axis C, but not the axis",
		"NCHWN":          "axis N stands in it twice",
		"NC-HW":          "expected letters and numbers, as in NCHW16c",
		"NC99999999999c": "a factor is larger than 1048576",
	} {
		if _, err := tensorlayout.Parse(name); err == nil || err.Error() != fmt.Sprintf("invalid layout %q: %s", name, want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestRename(t *testing.T) {
	got, err := layout(t, "NHWC4c").Rename(layout(t, "NCHW"), tensorlayout.Initial(4))
	if err != nil || got.String() != "ACDB4b" {
		t.Errorf("NHWC4c is %s (%v), want ACDB4b", got, err)
	}
	if _, err := layout(t, "NHWC").Rename(layout(t, "OIHW"), tensorlayout.Initial(4)); err == nil {
		t.Error("NHWC was renamed by the letters of OIHW")
	}
}

// TestIndexMap compares with counting: the element at index i of a tensor in one layout is that at the mapped index of the other.
func TestIndexMap(t *testing.T) {
	letters := "NCHW"
	extents := []int64{2, 8, 1, 3}
	names := []string{"NCHW", "NHWC", "NCHW4c", "NHWC2c", "N2nC4cHW", "NCHW4c2c", "C8cNHW", "NCHW2c4c"}
	at := func(l tensorlayout.Layout, logical []int64) []int64 {
		var index []tir.Expr
		for _, x := range logical {
			index = append(index, tir.Int(x))
		}
		return ints(t, l.Physical(letters, index))
	}
	for _, a := range names {
		for _, b := range names {
			from, to := layout(t, a), layout(t, b)
			m, err := tensorlayout.IndexMap(from, to)
			if err != nil {
				t.Fatal(err)
			}
			for n := range int64(2 * 8 * 3) {
				logical := []int64{n / 24, n / 3 % 8, 0, n % 3}
				var source []tir.Expr
				for i, x := range at(from, logical) {
					source = append(source, tir.Const(m.Initial[i].DType(), x))
				}
				if got, want := fmt.Sprint(ints(t, m.Apply(source))), fmt.Sprint(at(to, logical)); got != want {
					t.Fatalf("from %s to %s: the element at %v goes to %s, want %s", a, b, logical, got, want)
				}
				var phys []tir.Expr
				for _, x := range at(from, logical) {
					phys = append(phys, tir.Int(x))
				}
				if got := fmt.Sprint(ints(t, from.Logical(letters, phys))); got != fmt.Sprint(logical) {
					t.Fatalf("%s: %v comes back as %s", a, logical, got)
				}
			}
			if shape := from.Shape(letters, relax.Ints(extents)); !tensorlayout.Fits(from, to, shape) {
				t.Errorf("%v in %s does not fit into %s", extents, a, b)
			}
		}
	}
	if _, err := tensorlayout.IndexMap(layout(t, "NCHW"), layout(t, "NCW")); err == nil {
		t.Error("a layout with fewer axes was accepted")
	}
}

func ints(t *testing.T, list []tir.Expr) []int64 {
	t.Helper()
	an := arith.NewAnalyzer()
	for i, e := range list {
		list[i] = an.Simplify(e)
	}
	out, ok := relax.StaticInts(list)
	if !ok {
		t.Fatalf("%v are no numbers", list)
	}
	return out
}

func TestShapeAndFits(t *testing.T) {
	l := layout(t, "NHWC4c")
	if got := fmt.Sprint(ints(t, l.Shape("NCHW", relax.Ints([]int64{2, 5, 0, 1})))); got != "[2 0 1 2 4]" {
		t.Errorf("shape %s, want [2 0 1 2 4]", got)
	}
	initial := layout(t, "NCHW")
	for c, want := range map[int64]bool{0: true, 3: false, 4: true, 5: false, 8: true} {
		if got := tensorlayout.Fits(initial, l, relax.Ints([]int64{2, c, 1, 1})); got != want {
			t.Errorf("%d channels fit into parts of 4: %v", c, got)
		}
	}
	unknown := relax.Ints([]int64{2, 4, 1, 1})
	unknown[1] = tir.NewVar("c", unknown[0].DType())
	if tensorlayout.Fits(initial, l, unknown) {
		t.Error("an unknown number of channels fits into parts of 4")
	}
	unknown[1], unknown[0] = tir.Int(4), unknown[1]
	if !tensorlayout.Fits(initial, l, unknown) {
		t.Error("an unknown batch is in the way of parts of the channels")
	}
}
