package onnx

import (
	"strings"

	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/compiler/topi/topitest"
)

func evalRecurrent(kind string) func(*evalCall) any {
	return func(c *evalCall) any {
		x, r, h := c.in[0], c.in[1], c.in[2]
		n := topitest.Recurrent{Kind: kind, X: x.Data, R: r.Data, H: h.Data, Steps: x.Dims[0], Batch: h.Dims[0], Hidden: h.Dims[1]}
		n.Reverse, n.Clip = c.attrs.Bool("reverse", false), c.attrs.Float("clip", 0)
		n.InputForget, n.LinearBeforeReset = c.attrs.Bool("input_forget", false), c.attrs.Bool("linear_before_reset", false)
		number := func(attr string, k int) float64 {
			v, _ := c.attrs.Get(attr)
			f, _ := v.([]any)[k].(float64)
			return f
		}
		for k, name := range strings.Split(c.attrs.Str("activations", ""), ",") {
			n.Gates = append(n.Gates, topi.Gate{Name: name, Alpha: number("alpha", k), Beta: number("beta", k)})
		}
		more := c.in[3:]
		switch kind {
		case "gru":
			n.Bias, more = more[0].Data, more[1:]
		case "lstm":
			n.C, more = more[0].Data, more[1:]
		}
		if len(more) > 0 {
			for _, v := range more[0].Data {
				n.Lengths = append(n.Lengths, int(v))
			}
		}
		if len(more) > 1 {
			n.Peephole = more[1].Data
		}
		y, last, cell := n.Run()
		out := []any{&tensor{Dims: []int{n.Steps, n.Batch, n.Hidden}, Data: y}, &tensor{Dims: h.Dims, Data: last}}
		if kind == "lstm" {
			out = append(out, &tensor{Dims: h.Dims, Data: cell})
		}
		return out
	}
}
