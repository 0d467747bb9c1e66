package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestPointerValueTypeRewritePairs makes buffers of scalars buffers of vectors.
func TestPointerValueTypeRewritePairs(t *testing.T) {
	header := `@T.prim_func
def kernel(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):`
	vectors := func(a, b int) string {
		shape := map[int]string{1: `(16,), "float32"`, 4: `(4,), "float32x4"`, 2: `(8,), "float32x2"`}
		return "@T.prim_func\ndef kernel(A: T.Buffer(" + shape[a] + "), B: T.Buffer(" + shape[b] + ")):"
	}
	for _, c := range []struct{ name, before, head, after string }{
		{"vectors of one length", `
    for i in range(4):
        B[i * 4:i * 4 + 4] = A[i * 4:i * 4 + 4] * T.Broadcast(T.float32(2), 4)`, vectors(4, 4), `
    for i in range(4):
        B[T.Div(i * 4, 4)] = A[T.Div(i * 4, 4)] * T.Broadcast(T.float32(2), 4)`},
		{"of two lengths", `
    B[0:4] = A[0:4]
    B[0:2] = A[4:6]`, header, ""},
		{"not aligned", `
    B[1:5] = A[3:7]`, header, ""},
		{"scalars written", `
    B[0:4] = A[0:4]
    B[5] = T.float32(1)`, vectors(4, 1), `
    B[0:4] = A[0]
    B[5] = T.float32(1)`},
		{"scalars read of a vector", `
    A[0:4] = T.Broadcast(T.float32(2), 4)
    B[0] = A[6]`, vectors(4, 1), `
    A[0] = T.Broadcast(T.float32(2), 4)
    B[0] = T.Shuffle([A[1]], [2])`},
		{"a scalar in between", `
    s = T.decl_buffer((), "float32")
    s[()] = A[0]
    B[0] = s[()]`, header, ""},
		{"scalars read anywhere", `
    A[0:4] = T.Broadcast(T.float32(2), 4)
    for i in range(16):
        B[i] = A[i]`, header, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parseFunc(t, header+c.before)
			got := scriptOf(apply(t, passtest.NewContext(), tirpass.PointerValueTypeRewrite, f))
			want := scriptOf(f)
			if c.after != "" {
				want = scriptOf(parseFunc(t, c.head+c.after))
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestPointerValueTypeRewriteCalled: a graph hands over tensors of the types of a kernel's buffers, so that these stay.
func TestPointerValueTypeRewriteCalled(t *testing.T) {
	m, found := parse.Module("called.py", `
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def kernel(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in range(4):
            B[i * 4:i * 4 + 4] = A[i * 4:i * 4 + 4] * T.Broadcast(T.float32(2), 4)

    @R.function
    def main(x: R.Tensor((16,), "float32")) -> R.Tensor((16,), "float32"):
        y = R.call_tir(Module.kernel, (x,), out_sinfo=R.Tensor((16,), "float32"))
        return y
`, parse.Options{})
	if m == nil {
		t.Fatal(found)
	}
	if out, _ := passtest.Check(t, passtest.NewContext(), tirpass.PointerValueTypeRewrite, m); out != m {
		t.Errorf("it changed to\n%s", passtest.Text(out))
	}
}
