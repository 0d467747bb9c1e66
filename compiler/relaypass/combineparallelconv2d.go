package relaypass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// CombineParallelConv2D makes one convolution of several that take the same data.
var CombineParallelConv2D = &pass.Pass{
	Name: "relay.CombineParallelConv2D", Level: 4, Kind: pass.Function, Required: []string{inferType}, Options: []pass.Option{minBranches},
	Doc: "Makes one convolution of several that take the same data and differ in the number of their filters alone, with the elementwise operators that follow all of them, and takes its result apart.",
	Run: combining("combine convolutions of one value", func(s *site) combinable {
		cv := convolutions{s}
		return combinable{
			operator: "relax.nn.conv2d", compatible: cv.compatible, follows: cv.follows, outputs: cv.outputs,
			together: func(g []branch) relax.Expr {
				c := g[0].call(0)
				return &relax.Call{Op: c.Op, Args: []relax.Expr{c.Args[0], op.Concat(int64(filterAxis(c)), operands(g, 0, 1)...)}, Attrs: c.Attrs}
			},
			joined: func(g []branch, depth, _, i int) relax.Expr {
				list := operands(g, depth, i)
				return op.Concat(int64(cv.channelAxis(g, list[0])), list...)
			},
		}
	}),
}

// convolutions are those that can be combined: of one group, with a layout whose channels are an axis.
type convolutions struct{ *site }

// compatible reports whether two convolutions differ in the number of their filters alone.
func (cv convolutions) compatible(a, b *relax.Call) bool {
	x, ok := cv.dims(a.Args[1])
	y, ok2 := cv.dims(b.Args[1])
	same := ir.StructuralEqual(&relax.Call{Op: a.Op, Attrs: a.Attrs}, &relax.Call{Op: b.Op, Attrs: b.Attrs}, ir.EqualOpts{})
	o := filterAxis(a)
	return ok && ok2 && same && a.Attrs.Int("groups", 1) == 1 && o >= 0 && at([]byte(outLayout(a)), 'C') >= 0 && sameBut(x, y, o) &&
		cv.sameType(a, b) && cv.sameType(a.Args[1], b.Args[1])
}

// filterAxis is the axis of the weights that counts filters.
func filterAxis(c *relax.Call) int { return at([]byte(c.Attrs.Str("kernel_layout", "")), 'O') }

// outLayout is the layout of the result.
func outLayout(c *relax.Call) string {
	if l := c.Attrs.Str("out_layout", ""); l != "" {
		return l
	}
	return c.Attrs.Str("data_layout", "")
}

// channelAxis is the axis of what broadcasts to the result that meets the channels, negative where none does.
func (cv convolutions) channelAxis(g []branch, arg relax.Expr) int {
	c := g[0].call(0)
	return at([]byte(outLayout(c)), 'C') - cv.tensor(c).NDim + cv.tensor(arg).NDim
}

// follows reports whether the operators at a depth have the extents of the convolutions, and take tensors with a value for each channel.
func (cv convolutions) follows(g []branch, depth, parent int) bool {
	channel := at([]byte(outLayout(g[0].call(0))), 'C')
	for _, br := range g {
		c := br.call(depth)
		out, _ := cv.dims(br[depth].Var)
		if !cv.sameDims(br[depth].Var, br[0].Var) {
			return false // an operator that moves axes
		}
		if !cv.anywhere(c) && !biasAlong(c, channel, len(out)) {
			return false
		}
		for i, a := range c.Args {
			if i == parent || cv.tensor(a) == nil {
				continue
			}
			d, ok := cv.dims(a)
			first, ok2 := cv.dims(g[0].call(depth).Args[i])
			p := cv.channelAxis(g, a)
			if !ok || !ok2 || p < 0 || d[p] != out[channel] || !sameBut(d, first, p) {
				return false
			}
		}
	}
	return true
}

func (cv convolutions) outputs(data relax.Expr, g []branch, _ int) []relax.Expr {
	channel := at([]byte(outLayout(g[0].call(0))), 'C')
	var out []relax.Expr
	begin := int64(0)
	for _, br := range g {
		d, _ := cv.dims(br.call(0).Args[1])
		n := d[filterAxis(br.call(0))]
		out = append(out, sizedSlice(data, channel, channel+1, begin, n))
		begin += n
	}
	return out
}
