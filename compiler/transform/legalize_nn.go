package transform

import (
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
)

// nnRule returns the rules of products, activations with attributes and normalisations.
func nnRule(name string) rule {
	switch name {
	case "matmul":
		return matmul
	case "einsum":
		return func(k *kernel) ([]*te.Tensor, error) {
			xs := k.tensors(0)
			if k.err != nil {
				return nil, k.err
			}
			return list(topi.Einsum(k.str("subscripts"), xs))
		}
	case "outer":
		return one(func(k *kernel) *te.Tensor { return topi.Outer(k.tensor(0), k.tensor(1)) })
	case "ewise_fma":
		return one(func(k *kernel) *te.Tensor { return topi.EwiseFMA(k.tensor(0), k.tensor(1), k.tensor(2)) })
	case "clip":
		return one(func(k *kernel) *te.Tensor { return topi.Clip(k.tensor(0), k.prim(1), k.prim(2)) })
	case "nn.leakyrelu":
		return one(func(k *kernel) *te.Tensor { return topi.LeakyReLU(k.tensor(0), k.float("alpha")) })
	case "nn.prelu":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			axis, _ := k.axis("axis", x.NDim())
			return topi.PReLU(x, k.tensor(1), axis)
		})
	case "nn.softplus":
		return one(func(k *kernel) *te.Tensor { return topi.Softplus(k.tensor(0), k.float("beta"), k.float("threshold")) })
	case "nn.softmax", "nn.log_softmax":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			axis, _ := k.axis("axis", x.NDim())
			if name == "nn.softmax" {
				return topi.Softmax(x, axis)
			}
			return topi.LogSoftmax(x, axis)
		})
	case "nn.dropout":
		return func(k *kernel) ([]*te.Tensor, error) { // inference: nothing is dropped
			x := k.tensor(0)
			one := topi.Operand{Scalar: tir.Const(x.DType, 1)}
			return []*te.Tensor{topi.Copy(x), topi.Full(one, x.DType, x.Shape)}, nil
		}
	case "nn.attention", "nn.attention_bias":
		return one(attention)
	case "nn.rnn", "nn.gru", "nn.lstm":
		return func(k *kernel) ([]*te.Tensor, error) { return recurrent(k, name) }
	}
	return normRule(name)
}

func normRule(name string) rule {
	switch name {
	case "nn.batch_norm":
		return func(k *kernel) ([]*te.Tensor, error) {
			x := k.tensor(0)
			axis, _ := k.axis("axis", x.NDim())
			gamma, beta := k.affine()
			return topi.BatchNorm(x, gamma, beta, k.tensor(3), k.tensor(4), topi.BatchNormOpts{
				Axis: axis, Epsilon: k.float("epsilon"), Momentum: k.float("momentum"), Training: k.bool("training"),
			}), nil
		}
	case "nn.layer_norm":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			gamma, beta := k.affine()
			return topi.LayerNorm(x, gamma, beta, k.axes("axes", x.NDim()), k.float("epsilon"))
		})
	case "nn.instance_norm":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			gamma, beta := k.affine()
			channel, _ := k.axis("channel_axis", x.NDim())
			return topi.InstanceNorm(x, gamma, beta, channel, k.axes("axes", x.NDim()), k.float("epsilon"))
		})
	case "nn.group_norm":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			gamma, beta := k.affine()
			channel, _ := k.axis("channel_axis", x.NDim())
			return topi.GroupNorm(x, gamma, beta, k.int("num_groups"), channel, k.axes("axes", x.NDim()), k.float("epsilon"))
		})
	case "nn.rms_norm":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			return topi.RMSNorm(x, k.tensor(1), k.axes("axes", x.NDim()), k.float("epsilon"))
		})
	}
	return nil
}

// affine returns gamma and beta of a normalisation, nil where it is told not to use them.
func (k *kernel) affine() (gamma, beta *te.Tensor) {
	if k.bool("scale") {
		gamma = k.tensor(1)
	}
	if k.bool("center") {
		beta = k.tensor(2)
	}
	return gamma, beta
}

// matmul reads factors that were transposed as they lie in memory.
func matmul(k *kernel) ([]*te.Tensor, error) {
	side := func(i int) (*te.Tensor, bool) {
		if v, ok := k.call.Args[i].(*relax.Var); ok {
			if w := k.l.transposed[v]; w != nil {
				if k.l.dead[v] {
					k.absorbed = append(k.absorbed, k.l.bound[v].Meta().Origin)
				}
				return k.param(w, i), true
			}
		}
		return k.tensor(i), false
	}
	var o topi.MatmulOpts
	var a, b *te.Tensor
	a, o.TransposeA = side(0)
	b, o.TransposeB = side(1)
	o.Out = k.out(0).DType
	if k.err != nil {
		return nil, k.err
	}
	return list(topi.Matmul(a, b, o))
}

func attention(k *kernel) *te.Tensor {
	var bias *te.Tensor
	q, key, v := k.tensor(0), k.tensor(1), k.tensor(2)
	if k.has(3) {
		bias = k.tensor(3)
	}
	if k.err != nil {
		return q
	}
	return topi.Attention(q, key, v, bias, topi.AttentionOpts{Scale: k.float("scale"), Causal: k.str("causal_mask"), Window: k.int("window_size")})
}

// recurrent reads the arguments of a recurrent network; those that may be left out are nil then.
func recurrent(k *kernel, name string) ([]*te.Tensor, error) {
	o := topi.RecurrentOpts{
		Reverse: k.bool("reverse"), Clip: k.float("clip"), InputForget: k.bool("input_forget"), LinearBeforeReset: k.bool("linear_before_reset"),
	}
	alpha, beta := k.floats("alpha"), k.floats("beta")
	for i, act := range strings.Split(k.str("activations"), ",") {
		g := topi.Gate{Name: act}
		if i < len(alpha) {
			g.Alpha = alpha[i]
		}
		if i < len(beta) {
			g.Beta = beta[i]
		}
		o.Gates = append(o.Gates, g)
	}
	var args [6]*te.Tensor
	for i := range k.call.Args {
		args[i] = k.tensor(i)
	}
	if k.err != nil {
		return nil, k.err
	}
	switch name {
	case "nn.rnn":
		return topi.RNN(args[0], args[1], args[2], args[3], o)
	case "nn.gru":
		return topi.GRU(args[0], args[1], args[3], args[2], args[4], o)
	}
	return topi.LSTM(args[0], args[1], args[2], args[3], args[4], args[5], o)
}
