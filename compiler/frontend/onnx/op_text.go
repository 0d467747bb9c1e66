package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func textRows() []operator {
	return []operator{{
		name: "TfIdfVectorizer", minIn: 1, maxIn: 1, convert: tfIdf,
		attrs: []string{"max_gram_length", "max_skip_count", "min_gram_length", "mode", "ngram_counts", "ngram_indexes", "pool_int64s", "pool_strings", "weights"},
	}}
}

// grams are the n-grams of one length that are counted: places into the pool's order of n-grams, and the elements one after the other.
type grams struct {
	length   int
	first    int // place of the first one
	elements []int64
}

// tfIdf counts n-grams of integers in rows (C,) or (N, C): how often its elements stand behind each other with a step of 1, or for more than one element up to
// max_skip_count + 1. Result i is the count of the n-gram whose ngram_indexes is i, or by the mode its weight, or their product.
func tfIdf(n *node) {
	n.wantDType(0, "int32 or int64", func(d dtype.DType) bool { return d == dtype.Int32T || d == dtype.Int64T })
	dims := n.ranked(0, 1, 2)
	rows := dims
	if len(dims) == 1 {
		rows = []tir.Expr{tir.Int(1), dims[0]}
	}
	width, ok := tir.AsInt(rows[1])
	if !ok {
		n.fail("rows have %s elements, expected a fixed number", relax.FormatPrim(rows[1]))
	}
	x := n.reshape(n.as(n.expr(0), dtype.Int64T), rows)
	parts, total := n.pool()
	columns, count := n.columns(total)
	counts := []relax.Expr{n.filled(dtype.Float32T, []tir.Expr{rows[0], tir.Int(1)}, 0)} // what no n-gram stands for
	at := make([]int64, count)
	seen := int64(1)
	for _, g := range parts {
		counts = append(counts, n.occurrences(x, rows[0], width, g))
		for k := range len(g.elements) / g.length {
			at[columns[g.first+k]] = seen
			seen++
		}
	}
	all := n.emit("relax.concat", args(tuple(counts)), "axis", int64(1))
	out := n.emit("relax.take", args(all, n.int64s(at)), "axis", int64(1))
	weights := n.gramWeights(columns, count)
	switch n.str("mode", "", "TF", "IDF", "TFIDF") {
	case "IDF":
		there := n.emit("relax.greater", args(out, n.constant(dtype.Float32T, 0)))
		out = n.emit("relax.where", args(there, weights, n.constant(dtype.Float32T, 0)))
	case "TFIDF":
		out = n.emit("relax.multiply", args(out, weights))
	}
	if len(dims) == 1 {
		n.reshapeResult(out, []tir.Expr{tir.Int(count)})
		return
	}
	n.set(0, out)
}

// pool returns the n-grams that count, by length, and how many there are in all.
func (n *node) pool() (parts []grams, total int) {
	if n.pb.Attribute("pool_strings") != nil {
		n.fail("n-grams of strings are not supported")
	}
	least, most := n.int("min_gram_length", 1), n.int("max_gram_length", 1)
	if least < 1 || most < least {
		n.fail("n-grams of %d to %d elements are counted, expected lengths of 1 or more", least, most)
	}
	pool, starts := n.ints("pool_int64s"), n.ints("ngram_counts")
	for i, from := range starts {
		to := int64(len(pool))
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		length := int64(i + 1)
		if from < 0 || to < from || to > int64(len(pool)) || (to-from)%length != 0 {
			n.fail("n-grams of %d elements are at %d to %d of a pool of %d (attribute \"ngram_counts\")", length, from, to, len(pool))
		}
		if length >= least && length <= most && to > from {
			parts = append(parts, grams{int(length), total, pool[from:to]})
		}
		total += int((to - from) / length)
	}
	return parts, total
}

// columns returns the place in the result of each of so many n-grams, no two of them alike, and the number of places.
func (n *node) columns(total int) (columns []int64, count int64) {
	columns = n.ints("ngram_indexes")
	if len(columns) != total {
		n.fail("attribute \"ngram_indexes\" has %d elements for %d n-grams", len(columns), total)
	}
	seen := map[int64]bool{}
	for _, c := range columns {
		if c < 0 || c >= math.MaxInt32 || seen[c] {
			n.fail("attribute \"ngram_indexes\" has the element %d, expected different ones of 0 or more", c)
		}
		seen[c] = true
		count = max(count, c+1)
	}
	n.check(checkElements([]tir.Expr{tir.Int(count)}))
	return columns, count
}

// gramWeights returns the weight of each place of the result, 1 where none are given.
func (n *node) gramWeights(columns []int64, count int64) relax.Expr {
	out := slices.Repeat([]float32{1}, int(count))
	if a := n.attr("weights", onnxpb.AttrFloats); a != nil {
		if len(a.Floats) != len(columns) {
			n.fail("attribute \"weights\" has %d elements for %d n-grams", len(a.Floats), len(columns))
		}
		for i, c := range columns {
			out[c] = a.Floats[i]
		}
	}
	return n.float32s([]int64{count}, out)
}

// occurrences returns how often each n-gram is in each row of x (rows, width), as float32.
func (n *node) occurrences(x relax.Expr, rows tir.Expr, width int64, g grams) relax.Expr {
	size, length := int64(len(g.elements)/g.length), int64(g.length)
	steps := int64(1)
	if length > 1 {
		steps += max(n.int("max_skip_count", 0), 0)
	}
	var sum relax.Expr
	for step := int64(1); step <= steps && (length-1)*step < width; step++ {
		places := width - (length-1)*step
		var same relax.Expr
		for k := range length {
			e := make([]int64, size)
			for i := range e {
				e[i] = g.elements[int64(i)*length+k]
			}
			here := n.reshape(n.part(x, 1, tir.Int(k*step), tir.Int(k*step+places)), []tir.Expr{rows, tir.Int(places), tir.Int(1)})
			eq := n.emit("relax.equal", args(here, n.integers([]int64{1, 1, size}, e)))
			if same != nil {
				eq = n.emit("relax.logical_and", args(same, eq))
			}
			same = eq
		}
		times := n.emit("relax.sum", args(n.as(same, dtype.Float32T)), "axis", []int64{1}, "keepdims", false)
		if sum != nil {
			times = n.emit("relax.add", args(sum, times))
		}
		sum = times
	}
	if sum == nil { // rows are too short
		return n.filled(dtype.Float32T, []tir.Expr{rows, tir.Int(size)}, 0)
	}
	return sum
}
