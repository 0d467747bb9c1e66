package onnx

import (
	"strings"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// TestRecurrent has one product of all inputs and one call for each direction, however many steps there are.
func TestRecurrent(t *testing.T) {
	b := one(14, "LSTM", []onnxpb.Attribute{ob.Int("hidden_size", 4), ob.Str("direction", "reverse")}, "x:f:t n 3", "w:f:1 16 3", "r:f:1 16 4")
	wantBindings(t, importFn(t, b, Options{}),
		`y_reshape = relax.reshape: Tensor((t * n, 3), "float32")`,
		`y_permute_dims = relax.permute_dims: Tensor((1, 3, 16), "float32")`,
		`y_permute_dims_1 = relax.permute_dims: Tensor((1, 4, 16), "float32")`,
		`y_reshape_1 = relax.reshape: Tensor((3, 16), "float32")`,
		`y_matmul = relax.matmul: Tensor((t * n, 16), "float32")`,
		`y_reshape_2 = relax.reshape: Tensor((t, n, 16), "float32")`,
		`y_reshape_3 = relax.reshape: Tensor((4, 16), "float32")`,
		`y_full = relax.full: Tensor((n, 4), "float32")`,
		`y_full_1 = relax.full: Tensor((n, 4), "float32")`,
		`y_lstm = relax.nn.lstm: Tuple(Tensor((t, n, 4), "float32"), Tensor((n, 4), "float32"), Tensor((n, 4), "float32"))`,
		`y_y = *relax.TupleGetItem: Tensor((t, n, 4), "float32")`,
		`y_reshape_4 = relax.reshape: Tensor((t, 1, n, 4), "float32")`,
		`y = *relax.Var: Tensor((t, 1, n, 4), "float32")`)
	strs := func(v ...string) onnxpb.Attribute {
		a := onnxpb.Attribute{Name: "activations", Type: onnxpb.AttrStrings}
		for _, s := range v {
			a.Strings = append(a.Strings, []byte(s))
		}
		return a
	}
	x, w, r := "x:f:5 2 3", "w:f:1 12 3", "r:f:1 12 4"
	for want, b := range map[string]*ob.Builder{
		`GRU "node" (operator set 14): R (input 2) has shape (1, 9, 4), expected (1, 12, 4)`: one(14, "GRU", nil, x, w, "r:f:1 9 4"),
		`W (input 1) has shape (1, 12, 3), expected (2, 12, 3)`:                              one(14, "GRU", []onnxpb.Attribute{ob.Str("direction", "bidirectional")}, x, w, r),
		`R (input 2) has n hidden units, expected a constant of 1 or more`:                   one(14, "GRU", nil, x, w, "r:f:1 12 n"),
		`B (input 3) has shape (1, 12), expected (1, 24)`:                                    one(14, "GRU", nil, x, w, r, "b:f:1 12"),
		`sequence_lens (input 4) has shape (5,), expected (2,)`:                              one(14, "GRU", nil, x, w, r, "", "l:i:5"),
		`input 4 ("l") has element type float32, expected an integer`:                        one(14, "GRU", nil, x, w, r, "", "l:f:2"),
		`initial_h (input 5) has shape (2, 1, 4), expected (1, 2, 4)`:                        one(14, "GRU", nil, x, w, r, "", "", "h:f:2 1 4"),
		`input 0 ("x") has element type int64, expected a floating-point type`:               one(14, "GRU", nil, "x:i:5 2 3", w, r),
		`input 1 ("w") has 2 dimensions, expected 3`:                                         one(14, "GRU", nil, x, "w:f:12 3", r),
		`attribute "clip" is -1, expected 0 or more`:                                         one(14, "GRU", []onnxpb.Attribute{ob.Float("clip", -1)}, x, w, r),
		`attribute "direction" is "both"`:                                                    one(14, "GRU", []onnxpb.Attribute{ob.Str("direction", "both")}, x, w, r),
		`attribute "activations" has 1 names, expected 2: 2 for each direction`:              one(14, "GRU", []onnxpb.Attribute{strs("Tanh")}, x, w, r),
		`activation "Swish" is not supported; "Affine", "Elu",`:                              one(14, "GRU", []onnxpb.Attribute{strs("Swish", "Tanh")}, x, w, r),
		`R (input 2) has shape (1, 12, 4), expected (1, 15, 5)`:                              one(14, "GRU", []onnxpb.Attribute{ob.Int("hidden_size", 5)}, x, "w:f:1 15 3", r),
	} {
		if _, err := tryImport(t, b, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
