package frontend_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/script"
)

const symbolicText = `
@R.function
def main(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n * 2", "m"), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
    n = T.int64()
    m = T.int64()
    gv: R.Tensor((n, 4), dtype="float32") = R.exp(x)
    return gv
`

// TestShapesOfTexts binds what --shape gives in a text, or says why it cannot.
func TestShapesOfTexts(t *testing.T) {
	for _, tt := range []struct {
		shapes string // name=AxB, separated by blanks
		want   string // in the text, or in the error
	}{
		{"n=3", `y: R.Tensor((6, "m"), dtype="float32"),`},
		{"x=3x4", `gv: R.Tensor((3, 4), dtype="float32") = R.exp(x)`},
		{"x=nx4 m=5", `y: R.Tensor(("n * 2", 5), dtype="float32")`},
		{"x=3x4 y=6x7", `y: R.Tensor((6, 7), dtype="float32")`},
		{"n=0", `x: R.Tensor((0, 4)`},
		{"x=3x4 y=7x7", `the shape given for "y": dimension 0: it is given as 7, but it is 6`},
		{"n=2 x=3x4", `the shape given for "x": dimension 0: it is given as 3, but it is 2`},
		{"x=3x5", `the shape given for "x": dimension 1: it is given as 5, but it is 4`},
		{"x=3", `it has 1 dimensions, but the parameter is Tensor((n, 4), "float32")`},
		{"x=kx4", `dimension 0: it is given as "k", expected a number`},
		{"y=6x7", `dimension 0: it is given as 6, but it is `},
		{"n=3x4", "it is one dimension, but 2 are given"},
		{"z=3", `a shape is given for "z", which is neither a parameter of main nor a symbolic dimension; these are: x, y, m, n`},
	} {
		o := frontend.Options{Shapes: map[string][]onnx.Dim{}}
		for _, s := range strings.Fields(tt.shapes) {
			name, dims, err := onnx.ParseShape(s)
			if err != nil {
				t.Fatal(err)
			}
			o.Shapes[name] = dims
		}
		list, _, err := frontend.Load(t.Context(), "f.py", []byte(symbolicText), o)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = script.Module(list[0].Module, script.Options{}).Source
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.shapes, got, tt.want)
		}
	}
	loop := "@T.prim_func\ndef main(A: T.Buffer((4,), \"float32\")):\n    A[0] = T.float32(1.0)\n"
	_, _, err := frontend.Load(t.Context(), "f.py", []byte(loop), frontend.Options{Shapes: map[string][]onnx.Dim{"A": {{Value: 4}}}})
	if err == nil || !strings.Contains(err.Error(), "the module has no Relax function main") {
		t.Errorf("a PrimFunc: %v", err)
	}
}
