package topi

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// ConvBlocked is the convolution of a tensor whose channels are split into an outer and an inner axis, as in NCHW16c, with weights that are split alike, as
// in OIHW16i16o: the sums go over the parts as they lie in memory, and nothing is rearranged (TVM's topi.nn.conv2d_NCHWc, for any order of the axes). ok is
// false where the parts do not match, or where a part belongs to two groups: the convolution needs other layouts then.
func ConvBlocked(x, w *te.Tensor, o ConvOpts) (out *te.Tensor, ok bool, err error) {
	b := blockedConv{ConvOpts: o, x: x, w: w}
	if b.Result == "" {
		b.Result = b.Data
	}
	for _, l := range []struct {
		name string
		to   *tensorlayout.Layout
		of   string
	}{{b.Data, &b.data, "NC"}, {b.Kernel, &b.kernel, "OI"}, {b.Result, &b.result, "NC"}} {
		if *l.to, err = tensorlayout.Parse(l.name); err != nil {
			return nil, false, err
		}
		if l.to.Rank() < 3 || l.to.Rank() > 5 || l.to.Rank() != b.data.Rank() {
			return nil, false, fmt.Errorf("convolution with the layout %q: expected 3 to 5 axes, as many as data has", l.name)
		}
		for _, r := range l.of + spatialLetters[l.to.Rank()-2] {
			if l.to.Pos(byte(r)) < 0 {
				return nil, false, fmt.Errorf("convolution with the layout %q: it lacks the axis %c", l.name, r)
			}
		}
	}
	if !b.matches() {
		return nil, false, nil
	}
	return b.compute(), true, nil
}

// blockedConv is a convolution by parts under way.
type blockedConv struct {
	ConvOpts
	x, w                 *te.Tensor
	data, kernel, result tensorlayout.Layout
	depthwise            bool
	// Parts of the channels of a group's input and of those of its results, where there are several groups.
	in, out int64
}

// matches reports whether the layouts split channels alike and nothing else.
func (b *blockedConv) matches() bool {
	if !b.data.Blocked() && !b.kernel.Blocked() && !b.result.Blocked() {
		return false
	}
	for _, l := range []tensorlayout.Layout{b.data, b.kernel, b.result} {
		seen := map[byte]bool{}
		for _, a := range l {
			if a.Factor > 0 && (seen[a.Letter] || !strings.ContainsRune("COI", rune(a.Letter))) {
				return false
			}
			seen[a.Letter] = seen[a.Letter] || a.Factor > 0
		}
	}
	in, out := b.data.Factor('C'), b.result.Factor('C')
	if b.kernel.Factor('O') != out {
		return false
	}
	if b.Groups <= 1 {
		return b.kernel.Factor('I') == in
	}
	of := func(shape []tir.Expr, l tensorlayout.Layout, letter byte) int64 {
		n, _ := tir.AsInt(simplified(l.Extents(string(rune(letter)), shape))[0])
		return n
	}
	channels, each, features := of(b.x.Shape, b.data, 'C'), of(b.w.Shape, b.kernel, 'I'), of(b.w.Shape, b.kernel, 'O')
	if b.depthwise = each == 1 && channels == b.Groups && features == channels && in == out; b.depthwise {
		return true
	}
	in, out = max(in, 1), max(out, 1)
	per := features / b.Groups
	b.in, b.out = each/in, per/out
	return b.kernel.Factor('I') == b.data.Factor('C') && channels == each*b.Groups && each > 0 && per > 0 && each%in == 0 && per%out == 0
}

// place puts values where the axes of a layout stand: that of an axis by its letter, that of a part by the letter in lower case.
func place(l tensorlayout.Layout, values map[byte]tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(l))
	for k, a := range l {
		letter := a.Letter
		if a.Factor > 0 {
			letter += 'a' - 'A'
		}
		out[k] = values[letter]
	}
	return out
}

// extentsOf is the reverse of place.
func extentsOf(l tensorlayout.Layout, shape []tir.Expr) map[byte]tir.Expr {
	out := map[byte]tir.Expr{}
	for k, a := range l {
		letter := a.Letter
		if a.Factor > 0 {
			letter += 'a' - 'A'
		}
		out[letter] = shape[k]
	}
	return out
}

func (b *blockedConv) compute() *te.Tensor {
	letters := spatialLetters[b.data.Rank()-2]
	before, after := make([]int64, len(b.data)), make([]int64, len(b.data))
	for d := range letters {
		at := b.data.Pos(letters[d])
		before[at], after[at] = b.Before[d], b.After[d]
	}
	around := b.Pad
	if around == nil {
		around = tir.Const(b.x.DType, 0)
	}
	x := padConstant(b.x, before, after, around, "pad_temp")
	in, k := extentsOf(b.data, x.Shape), extentsOf(b.kernel, b.w.Shape)
	out := b.Out
	if out.IsVoid() {
		out = x.DType
	}
	extents := map[byte]tir.Expr{'N': in['N'], 'C': k['O'], 'c': k['o']}
	sum := map[byte]*tir.IterVar{'C': te.ReduceAxis("rc", k['I'])}
	if k['i'] != nil {
		sum['c'] = te.ReduceAxis("rci", k['i'])
	}
	for d := range letters {
		l := letters[d]
		extents[l] = windows(in[l], k[l], b.Strides[d], b.Dilation[d])
		sum[l] = te.ReduceAxis(windowNames[d], k[l])
	}
	var axes []*tir.IterVar // in the order in which the data lies
	for _, a := range b.data {
		letter := a.Letter
		if a.Factor > 0 {
			letter += 'a' - 'A'
		}
		if sum[letter] != nil {
			axes = append(axes, sum[letter])
			delete(sum, letter)
		}
	}
	if sum['c'] != nil { // the weights have a part of one channel, which the data need not have
		axes = append(axes, sum['c'])
	}
	at := func(name string) tir.Expr {
		for _, a := range axes {
			if a.Var.Name == name {
				return a.Var
			}
		}
		return nil
	}
	return te.Compute(fmt.Sprintf("conv%dd_%s", len(letters), strings.ToLower(b.Result)), place(b.result, extents), func(i []tir.Expr) tir.Expr {
		r := extentsOf(b.result, i)
		from := map[byte]tir.Expr{'N': r['N'], 'C': at("rc"), 'c': at("rci")}
		switch {
		case b.depthwise:
			from['C'], from['c'] = r['C'], r['c']
		case b.Groups > 1:
			from['C'] = tir.Add(tir.Mul(tir.FloorDiv(r['C'], tir.Int(b.out)), tir.Int(b.in)), at("rc"))
		}
		weight := map[byte]tir.Expr{'O': r['C'], 'o': r['c'], 'I': at("rc"), 'i': at("rci")}
		for d := range letters {
			l, v := letters[d], at(windowNames[d])
			from[l] = tir.Add(tir.Mul(r[l], tir.Int(b.Strides[d])), tir.Mul(v, tir.Int(b.Dilation[d])))
			weight[l] = v
		}
		data, factor := x.At(place(b.data, from)...), b.w.At(place(b.kernel, weight)...)
		if b.Words {
			return te.Sum(wordProduct(data, factor), axes...)
		}
		return te.Sum(tir.Mul(tir.CastTo(out, data), tir.CastTo(out, factor)), axes...)
	})
}
