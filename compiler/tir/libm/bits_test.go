package libm_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir/libm/libmtest"
	"github.com/irscope/irscope/runtime/dtype"
)

var update = flag.Bool("update", false, "write the golden file")

// TestBits holds the results on fixed samples to the bit, by a hash for each function. A bound of the error
// lets pass what changes a coefficient in its last digits; here it must be on purpose: -update
// writes the file, and TestAccuracy then tells whether the stated bound still holds.
func TestBits(t *testing.T) {
	const file = "testdata/bits.txt"
	var got strings.Builder
	for _, c := range libmtest.Cases() {
		x := libmtest.Samples(c, 1<<13)
		f := expand(t, c, libmtest.Function(c, dtype.Float32T, int64(len(x[0])), 1))
		h := fnv.New64a()
		for _, v := range evaluate(t, f, x) {
			bits := math.Float32bits(v)
			if v != v {
				bits = math.Float32bits(float32(math.NaN()))
			}
			_ = binary.Write(h, binary.LittleEndian, bits) // a hash does not fail
		}
		fmt.Fprintf(&got, "%s %016x\n", c.Name, h.Sum64())
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("results changed; if that is meant, run with -update\n--- got\n%s--- want\n%s", got.String(), want)
	}
}
