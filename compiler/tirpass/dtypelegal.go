package tirpass

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// The passes for element types that few machines compute with: bfloat16 and floats of eight bits.
// First the computation moves to a wider type and only buffers keep the narrow one; later, when the calling convention is
// lowered, the buffers hold unsigned integers of as many bits.
//
// After TVM's src/tir/transforms/unsupported_dtype_legalize.cc. What differs: values of lets are legalized too; the
// conversions of eight-bit floats are right for zeros, subnormal and too large numbers and NaN; and
// the storage passes refuse computations that are left.

// BF16ComputeLegalize computes with float32 in place of bfloat16.
var BF16ComputeLegalize = computeLegalize("tir.BF16ComputeLegalize", "bfloat16", isBF16, 80, 80, nil)

// BF16StorageLegalize stores bfloat16 as uint16.
var BF16StorageLegalize = storageLegalize("tir.BF16StorageLegalize", "bfloat16", isBF16, 80, 80)

// FP8ComputeLegalize computes with a wider type in place of floats of eight bits.
var FP8ComputeLegalize = computeLegalize("tir.FP8ComputeLegalize", "floats of eight bits", isFP8, 89, 90,
	[]pass.Option{{Name: "promote_dtype_str", Newer: "promote_dtype", Default: "float32", Doc: "the element type to compute with: float32 or float16"}})

// FP8StorageLegalize stores floats of eight bits as uint8.
var FP8StorageLegalize = storageLegalize("tir.FP8StorageLegalize", "floats of eight bits", isFP8, 89, 90)

func isBF16(d dtype.DType) bool { return d.Code == dtype.BFloat && d.Bits == 16 }

func isFP8(d dtype.DType) bool { return d.Code >= dtype.Float8E3M4 && d.Code <= dtype.Float8E8M0FNU }

// computeLegalize makes a pass; cuda computes with the types itself if its compute capability, times ten, is
// exact or at least from.
func computeLegalize(name, what string, match func(dtype.DType) bool, exact, from int, opts []pass.Option) *pass.Pass {
	return &pass.Pass{
		Name: name, Kind: pass.PrimFunc, Lowering: true, Options: opts,
		Doc: "Computes in a wider type in place of " + what + ", which memory still holds. Memory that only the function sees holds the wider type. Functions for a GPU that computes with the type are left alone.",
		Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			wide := dtype.Float32T
			if len(opts) > 0 {
				text := c.Arg(opts[0].Name).(string)
				if text != "float32" && text != "float16" {
					return nil, fmt.Errorf("option %s: expected float32 or float16, got %q", opts[0].Name, text)
				}
				wide = dtype.MustParse(text)
			}
			if native, err := computesNatively(c, f, what, exact, from); err != nil || native {
				return f, err
			}
			l := newComputeLegalizer(c, match, wide)
			out := f.WithBody(l.stmt(f.Body))
			return out, l.err
		}),
	}
}

// storageLegalize makes the pass for what is stored.
func storageLegalize(name, what string, match func(dtype.DType) bool, exact, from int) *pass.Pass {
	return &pass.Pass{
		Name: name, Kind: pass.PrimFunc, Lowering: true,
		Doc: "Makes memory of " + what + " one of unsigned integers of as many bits. It runs after the pass that computes in a wider type, and after tir.MakePackedAPI. Functions for a GPU that computes with the type are left alone.",
		Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			if native, err := computesNatively(c, f, what, exact, from); err != nil || native {
				return f, err
			}
			for _, b := range f.Buffers {
				if b != nil {
					return nil, fmt.Errorf("parameter buffer %s: the pass must be called after tir.MakePackedAPI", b.Name)
				}
			}
			l := &storageLegalizer{c: c, match: match, what: what, vars: map[*tir.Var]*tir.Var{}, buffers: map[*tir.Buffer]*tir.Buffer{}}
			return l.function(f)
		}),
	}
}

// computesNatively reports whether the target of f computes with a type, and tells c why f is left alone.
func computesNatively(c *pass.Context, f *tir.PrimFunc, what string, exact, from int) (bool, error) {
	v, ok := f.Attrs.Get(ir.AttrTarget)
	if !ok {
		return false, errors.New("the function has no target, which says whether the type must be legalized: run tir.BindTarget first")
	}
	text, _ := v.(string)
	cc := computeCapability(text)
	if cc != exact && cc < from {
		return false, nil
	}
	c.Declined("legalize a type", f, fmt.Sprintf("the target, of compute capability %d.%d, computes with %s itself", cc/10, cc%10, what))
	return true, nil
}

// computeCapability returns ten times the compute capability of a cuda target ("sm_86" is 86), 0 for
// other targets and if it is not known.
func computeCapability(text string) int {
	kind, arch := targetKind(text), ""
	if t, err := target.Parse(text); err == nil {
		kind = t.Kind().Name
		arch, _ = t.Attr("arch").(string)
	} else if fields := targetFields(text); fields != nil {
		arch, _ = fields["arch"].(string)
	} else {
		rest, _ := splitHost(text)
		for _, word := range strings.Fields(rest) {
			if value, ok := strings.CutPrefix(word, "-arch="); ok {
				arch = strings.Trim(value, `"`)
			}
		}
	}
	if kind != "cuda" {
		return 0
	}
	number := strings.TrimRight(strings.TrimPrefix(arch, "sm_"), "abcdefghijklmnopqrstuvwxyz")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
