package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestLowerMatchBufferChecksViews matches views to a part of A, 8 times 8 float32, at i, 4*j.
func TestLowerMatchBufferChecksViews(t *testing.T) {
	for _, c := range []struct{ name, view, want string }{
		{"variables", `sub = T.match_buffer(A[i, j * 4:j * 4 + 4], (1, 4), strides=[s0, s1], elem_offset=off, offset_factor=4)`, ""},
		{"strides that are right", `sub = T.match_buffer(A[i, j * 4:j * 4 + 4], (1, 4), strides=[8, 1], elem_offset=off, offset_factor=1)`, ""},
		{"offset that is right", `sub = T.match_buffer(A[i, j * 4:j * 4 + 4], (1, 4), elem_offset=j * 4 + i * 8)`, ""},
		{"one variable for two strides", `sub = T.match_buffer(A[i, j * 4:j * 4 + 4], (1, 4), strides=[s0, s0], elem_offset=off)`, "its stride 0 is 1, that of its source 8"},
		{"a parameter as a stride", `sub = T.match_buffer(A[i, j * 4:j * 4 + 4], (1, 4), strides=[n, s1], elem_offset=off)`, "its stride 0 is not known to be that of its source"},
		{"wrong stride", `sub = T.match_buffer(A[i, j * 4:j * 4 + 4], (1, 4), strides=[4, 1], elem_offset=off)`, "its stride 0 is 4, that of its source 8"},
		{"no offset", `sub = T.match_buffer(A[i, j], (), elem_offset=0)`, "its element offset is not known to be that of its source"},
		{"another offset", `sub = T.match_buffer(A[2, 3], (), elem_offset=18)`, "its element offset is 18, that of its source 19"},
		{"offset that is not a multiple", `sub = T.match_buffer(A[i, j:j + 4], (1, 4), elem_offset=off, offset_factor=4)`, "its element offset is not known to be a multiple of its offset_factor 4"},
		{"wrong shape", `sub = T.match_buffer(A[i, j * 4:j * 4 + 4], (1, 3), elem_offset=off)`, "its extent 1 is 3, that of its source 4"},
		{"other extent of the same view", `sub = T.match_buffer(A[0:2, j * 4:j * 4 + 4], (s0, s0), elem_offset=off)`, "its extent 1 is 2, that of its source 4"},
		{"wrong type", `sub = T.match_buffer(A[i, j * 4:j * 4 + 4], (1, 4), "int32", elem_offset=off)`, "it holds int32, its source float32"},
		{"wrong scope", `sub = T.match_buffer(A[i, j * 4:j * 4 + 4], (1, 4), elem_offset=off, scope="local")`, "it is in scope local, its source in scope global"},
		{"more dimensions", `sub = T.match_buffer(A[i, j * 4:j * 4 + 4], (1, 1, 4), elem_offset=off)`, "it has more dimensions than its source"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parseFunc(t, `@T.prim_func(check_well_formed=False)
def kernel(A: T.Buffer((8, 8), "float32"), n: T.int32):
    for i, j in T.grid(8, 2):
        with T.block("b"):
            T.reads()
            T.writes(A[0:8, 0:8])
            s0 = T.int32()
            s1 = T.int32()
            off = T.int32()
            `+c.view+`
            T.evaluate(T.call_extern("int32", "f", sub.data))`)
			_, err := passtest.NewContext().Run(tirpass.LowerMatchBuffer, moduleOf(f))
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `block "b": buffer sub cannot be matched to A`)):
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
