package differ

import (
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

func init() { register(tfIdf, "TfIdfVectorizer") }

// tfIdf counts n-grams of a few numbers, of up to three elements.
func tfIdf(d *draw) {
	var counts, pool, columns []int64
	most := d.between(1, 3)
	seen := map[[3]int64]bool{}
	for n := range most {
		counts = append(counts, int64(len(pool)))
		for range d.between(1, 4) {
			gram := [3]int64{-1, -1, -1}
			for k := range n + 1 {
				gram[k] = d.Int64N(4)
			}
			if !seen[gram] {
				seen[gram] = true
				pool = append(pool, gram[:n+1]...)
				columns = append(columns, 0)
			}
		}
	}
	for i, c := range d.Perm(len(columns)) {
		columns[i] = int64(c)
	}
	attrs := []onnxpb.Attribute{
		ob.Int("min_gram_length", d.between(1, most)), ob.Int("max_gram_length", most), ob.Int("max_skip_count", d.between(0, 3)), ob.Str("mode", pick(d, "TF", "IDF", "TFIDF")),
		ob.IntList("ngram_counts", counts...), ob.IntList("ngram_indexes", columns...), ob.IntList("pool_int64s", pool...),
	}
	weights := make([]float32, len(columns))
	for i := range weights {
		weights[i] = float32(d.between(1, 9)) / 2
	}
	attrs = append(attrs, maybe(d, 0.6, ob.FloatList("weights", weights...))...)
	dims := []int64{d.between(1, 12)}
	if d.chance(0.6) {
		dims = []int64{d.between(1, 3), dims[0]}
	}
	d.result("TfIdfVectorizer", onnxpb.Float, []val{d.input(d.below(pick(d, onnxpb.Int64, onnxpb.Int32), 0, 4, dims...))}, attrs...)
}
