package relaypass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// alterTo are rules that give the operators of a list the layouts of their data and weights.
func alterTo(data, weights string, names ...string) *pass.Pass {
	rules := map[string]relaypass.AlterRule{}
	for _, n := range names {
		rules[n] = func(call *relax.Call, _ []*relax.TensorStructInfo) (*relaypass.Alteration, error) {
			return &relaypass.Alteration{Attrs: call.Attrs.With("data_layout", data).With("kernel_layout", weights).With("out_layout", data)}, nil
		}
	}
	return relaypass.CustomAlterOpLayout(rules)
}

func TestAlterOpLayoutPairs(t *testing.T) {
	const (
		params = "%x: Tensor[(1, 32, 6, 6), float32], %w: Tensor[(32, 32, 3, 3), float32], %b: Tensor[(32), float32]"
		conv   = "%0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=32, kernel_size=[3, 3]);\n"
		to     = `%1 = layout_transform(%x, src_layout="NCHW", dst_layout="NCHW16c"); %0 = nn.conv2d(%1, %w, padding=[1, 1, 1, 1], channels=32, kernel_size=[3, 3], data_layout="NCHW16c");` + "\n"
	)
	blocks := alterTo("NCHW16c", "OIHW", "nn.conv2d")
	runPairs(t, blocks, []pair{
		{name: "what follows", params: params, before: conv + "nn.relu(%0)", after: to + `layout_transform(nn.relu(%0), src_layout="NCHW16c", dst_layout="NCHW")`},
		{name: "a second one", params: params, before: conv + "nn.conv2d(nn.relu(%0), %w, padding=[1, 1, 1, 1])", after: to + `%3 = nn.conv2d(nn.relu(%0), %w, padding=[1, 1, 1, 1], data_layout="NCHW16c"); layout_transform(%3, src_layout="NCHW16c", dst_layout="NCHW")`},
		{name: "a bias", params: params, before: conv + "add(%0, expand_dims(%b, axis=1, num_newaxis=2))", after: to + `%4 = expand_dims(%b, axis=1, num_newaxis=2); %5 = expand_dims(%4, axis=0); %6 = layout_transform(%5, src_layout="NCHW", dst_layout="NCHW16c"); layout_transform(add(%0, %6), src_layout="NCHW16c", dst_layout="NCHW")`},
		{name: "no rule", params: params, before: "nn.max_pool2d(%x, pool_size=[2, 2])"},
	})
	runPairs(t, relaypass.AlterOpLayout, []pair{{name: "no rules", params: params, before: conv + "nn.relu(%0)"}})
	runPairs(t, cpuLayouts(t), []pair{
		{
			name: "lanes", params: "%x: Tensor[(1, 3, 6, 6), float32], %w: Tensor[(6, 3, 3, 3), float32]", before: "nn.conv2d(%x, %w)",
			after: `%0 = layout_transform(%x, src_layout="NCHW", dst_layout="NCHW3c"); %1 = layout_transform(%w, src_layout="OIHW", dst_layout="OIHW3i3o"); %2 = nn.contrib_conv2d_NCHWc(%0, %1, padding=[0, 0, 0, 0], channels=6, kernel_size=[3, 3], data_layout="NCHW3c", kernel_layout="OIHW3i3o", out_layout="NCHW3c"); layout_transform(%2, src_layout="NCHW3c", dst_layout="NCHW")`,
		},
		{
			name: "depthwise", params: "%x: Tensor[(1, 8, 6, 6), float32], %w: Tensor[(8, 1, 3, 3), float32]", before: "nn.conv2d(%x, %w, groups=8)",
			after: `%0 = layout_transform(%x, src_layout="NCHW", dst_layout="NCHW4c"); %1 = layout_transform(%w, src_layout="OIHW", dst_layout="OIHW1i4o"); %2 = nn.contrib_depthwise_conv2d_NCHWc(%0, %1, padding=[0, 0, 0, 0], groups=8, channels=8, kernel_size=[3, 3], data_layout="NCHW4c", kernel_layout="OIHW1i4o", out_layout="NCHW4c"); layout_transform(%2, src_layout="NCHW4c", dst_layout="NCHW")`,
		},
		{name: "groups", params: "%x: Tensor[(1, 8, 6, 6), float32], %w: Tensor[(8, 4, 3, 3), float32]", before: "nn.conv2d(%x, %w, groups=2)"},
		{name: "channels that are not known", params: "%x: Tensor[(1, ?, 6, 6), float32], %w: Tensor[(8, 4, 3, 3), float32]", before: "nn.conv2d(%x, %w)"},
		{name: "another layout", params: "%x: Tensor[(1, 6, 6, 4), float32], %w: Tensor[(3, 3, 4, 8), float32]", before: `nn.conv2d(%x, %w, data_layout="NHWC", kernel_layout="HWIO")`},
	})
}

func cpuLayouts(t passtest.Failer) *pass.Pass {
	t.Helper()
	p, err := relaypass.AlterOpLayout.With(ir.NewAttrs("rules", "cpu"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAlterOpLayoutErrors: a rule that fails, or asks for what has no layouts, is named.
func TestAlterOpLayoutErrors(t *testing.T) {
	m := read(t, "def @main(%x: Tensor[(1, 4, 4, 4), float32], %w: Tensor[(4, 4, 3, 3), float32]) { nn.conv2d(%x, %w) }")
	for _, c := range []struct {
		to   *relaypass.Alteration
		err  error
		want string
	}{
		{&relaypass.Alteration{Op: "relay.nn.batch_flatten"}, nil, "the rule for nn.conv2d returned relay.nn.batch_flatten"},
		{nil, fmt.Errorf("no such thing"), "no such thing"},
	} {
		p := relaypass.CustomAlterOpLayout(map[string]relaypass.AlterRule{"nn.conv2d": func(*relax.Call, []*relax.TensorStructInfo) (*relaypass.Alteration, error) {
			return c.to, c.err
		}})
		if _, err := passtest.NewContext().Run(p, m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestAlterOpLayoutKeepsMeaning runs random programs around convolutions before and after.
func TestAlterOpLayoutKeepsMeaning(t *testing.T) {
	changed := 0
	seed.Each(t, 100, func(t *testing.T, r *rand.Rand) {
		text := imageProgram(r)
		m := read(t, text)
		out, _ := passtest.Check(t, passtest.NewContext(), cpuLayouts(t), m)
		if out == m {
			return
		}
		changed++
		if d := passtest.Differ(outputs(t, plainLayouts(t, out)), outputs(t, plainLayouts(t, m))); d != "" {
			t.Fatalf("%s\nit made\n%s\nof\n%s", d, passtest.Text(out), text)
		}
	})
	t.Log(changed)
}
