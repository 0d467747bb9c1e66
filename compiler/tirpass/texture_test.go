package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// randomTexture is a kernel that writes a texture of any scope and shape and reads it in another order, by pixels or by channels.
func randomTexture(r *rand.Rand, alloc func(shape, dtype, scope string) string) string {
	scope := []string{"global.texture", "global.texture-weight", "global.texture-nhwc"}[r.IntN(3)]
	dt, channels := "float32", 4
	switch r.IntN(3) {
	case 0:
		dt, channels = "float16", []int{4, 8}[r.IntN(2)]
	case 1:
		dt, channels = "int32", 2
	}
	var extents, vars, back []string
	for i := range 2 + r.IntN(3) {
		n := 1 + r.IntN(4)
		v := fmt.Sprintf("i%d", i)
		extents, vars = append(extents, fmt.Sprint(n)), append(vars, v)
		back = append(back, []string{v, fmt.Sprintf("%d - %s", n-1, v)}[r.IntN(2)])
	}
	shape := strings.Join(extents, ", ") + fmt.Sprintf(", %d", channels)
	read := []string{"range", "T.vectorized"}[r.IntN(2)]
	return fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((%[1]s), %[2]q), B: T.Buffer((%[1]s), %[2]q)):
%[3]s
    for %[4]s in T.grid(%[5]s):
        for c in T.vectorized(%[6]d):
            X[%[4]s, c] = A[%[4]s, c]
    for %[4]s in T.grid(%[5]s):
        for c in %[7]s(%[6]d):
            B[%[4]s, c] = X[%[8]s, c] + A[%[4]s, %[9]s]
`, shape, dt, alloc(shape, dt, scope), strings.Join(vars, ", "), strings.Join(extents, ", "), channels, read, strings.Join(back, ", "),
		[]string{"c", "0", fmt.Sprintf("%d - c", channels-1)}[r.IntN(3)])
}

func allocatedTexture(shape, dt, scope string) string {
	return fmt.Sprintf("    X_data = T.allocate([%[1]s], %[2]q, %[3]q)\n    X = T.Buffer((%[1]s), %[2]q, data=X_data, scope=%[3]q)", shape, dt, scope)
}

func textureInBlock(shape, dt, scope string) string {
	return fmt.Sprintf("    X = T.alloc_buffer((%s), %q, scope=%q)", shape, dt, scope)
}

func realizedTexture(shape, dt, scope string) string {
	var whole []string
	for _, n := range strings.Split(shape, ", ") {
		whole = append(whole, "0:"+n)
	}
	return fmt.Sprintf("    X = T.Buffer((%[1]s), %[2]q, scope=%[3]q)\n    T.realize(X[%[4]s], %[3]q)", shape, dt, scope, strings.Join(whole, ", "))
}

// TestRandomTextureAlloc has the runtime allocate textures.
func TestRandomTextureAlloc(t *testing.T) {
	keepsMeaning(t, 30, tirpass.InjectTextureAlloc, nil, func(r *rand.Rand) string { return randomTexture(r, allocatedTexture) })
}

// TestRandomTextures makes accesses calls, and vectors of those, with and without the allocation.
func TestRandomTextures(t *testing.T) {
	seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
		list := []*pass.Pass{tirpass.TextureFlatten, tirpass.VectorizeLoop}
		alloc := []func(shape, dt, scope string) string{allocatedTexture, textureInBlock, realizedTexture}[r.IntN(3)]
		if r.IntN(2) == 0 {
			list = []*pass.Pass{tirpass.TextureFlatten, tirpass.InjectTextureAlloc, tirpass.VectorizeLoop}
		}
		f := parseFunc(t, randomTexture(r, alloc))
		args := tirtest.Arguments(f, r.Uint64()%1000)
		want, g := mustRun(t, f, args), f
		for _, p := range list {
			g = apply(t, passtest.NewContext(), p, g)
		}
		if text := print(g); !strings.Contains(text, "texture2d_store") || !strings.Contains(text, "texture2d_load") {
			t.Errorf("expected accesses to be calls:\n%s", text)
		}
		sameMeaning(t, tirpass.TextureFlatten, f, g, args, want)
	})
}

// TestTextureRefusals refuses what is no texture, and stores of parts of pixels.
func TestTextureRefusals(t *testing.T) {
	body := func(shape, scope, store string) string {
		return fmt.Sprintf("\n    X_data = T.allocate([%[1]s], \"float32\", %[2]q)\n    X = T.Buffer((%[1]s), data=X_data, scope=%[2]q)\n%[3]s", shape, scope, store)
	}
	header := "@T.prim_func\ndef kernel(A: T.Buffer((16,), \"float32\")):"
	part := "    for c in range(4):\n        X[0, 0, c] = A[c]"
	checkPairs(t, tirpass.TextureFlatten, header, []pair{
		{name: "a part of a pixel", before: body("2, 2, 4", "global.texture", part), fails: "a store to a texture writes a pixel whole"},
		{name: "vectors of half a pixel", before: body("2, 2, 4", "global.texture", "    for c in T.vectorized(2):\n        X[0, 0, c] = A[c]"), fails: "a store to a texture writes a pixel whole"},
		{name: "three channels", before: body("2, 2, 3", "global.texture", part), fails: "invalid channel size: 96 bits"},
		{name: "another convention", before: body("2, 2, 4", "global.texture-nchw", part), fails: "unknown texture lowering convention"},
		{name: "two dimensions", before: body("2, 4", "global.texture", "    X[0, 0] = A[0]"), fails: "a texture is a two-dimensional array"},
	})
	checkPairs(t, tirpass.InjectTextureAlloc, header, []pair{
		{name: "three channels", before: body("2, 2, 3", "global.texture", part), fails: "invalid channel size: 96 bits"},
		{name: "two dimensions", before: body("2, 4", "global.texture", "    X[0, 0] = A[0]"), fails: "a texture is a two-dimensional array"},
	})
}
