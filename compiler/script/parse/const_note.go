package parse

import (
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// noted returns the type and shape that the comment at the end of the line of a constant
// gives, as in "# float32[64], float32[3, 3]": one entry for each constant on the line.
func (b *builder) noted(r constantRef) (*relax.TensorStructInfo, bool) {
	text := b.d.Text
	if int(r.at.End) > len(text) {
		return nil, false
	}
	end := len(text)
	if i := strings.IndexByte(text[r.at.End:], '\n'); i >= 0 {
		end = int(r.at.End) + i
	}
	start := strings.LastIndexByte(text[:r.at.At], '\n') + 1
	at := strings.LastIndex(text[r.at.End:end], "# ")
	if at < 0 {
		return nil, false
	}
	note := text[int(r.at.End)+at+2 : end]
	for range strings.Count(text[start:r.at.At], `metadata["relax.expr.Constant"]`) {
		i := strings.IndexByte(note, ']')
		if i < 0 {
			return nil, false
		}
		note = strings.TrimPrefix(note[i+1:], ", ")
	}
	name, rest, ok := strings.Cut(note, "[")
	dims, _, ok2 := strings.Cut(rest, "]")
	d, err := dtype.Parse(name)
	if !ok || !ok2 || err != nil || d.IsVoid() {
		return nil, false
	}
	var shape []int64
	for _, s := range strings.Split(dims, ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, false
		}
		shape = append(shape, v)
	}
	return relax.StaticTensor(d, shape...), true
}
