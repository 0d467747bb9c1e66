package pass

import (
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/irscope/irscope/compiler/ir"
)

// ConfigOption is a registered key of a context's config. The type is that of Default; a
// structured option has *ir.Attrs as its default, with a value for every field.
type ConfigOption struct {
	Key     string
	Default ir.Value
	Doc     string
}

// configOptions is the registry of options, those of TVM v0.23 that this compiler reads.
var configOptions = []ConfigOption{
	{"relax.FuseOps.max_depth", int64(256), "largest number of operators in one fused function"},
	{"relay.FuseOps.max_depth", int64(256), "largest number of operators in one function that relay.FuseOps makes"},
	{"relay.ToMixedPrecision.keep_orig_output_dtype", false, "whether results keep their element types in relay.ToMixedPrecision"},
	{"relay.FuseOps.link_params", false, "whether relay.FuseOps puts constants into the functions that it makes"},
	// TVM's default is false, as its pipeline for CUDA holds the pass; here it runs where it is listed.
	{"relax.backend.use_cuda_graph", true, "whether RewriteCUDAGraph moves what CUDA can record and replay into functions"},
	{"relax.lift_transform_params.consume_params", false, "functions that LiftTransformParams makes free each weight when it has been read"},
	{"relax.transform.apply_legalize_ops", true, "whether LegalizeOps lowers operators to kernels"},
	{"tir.UnrollLoop", ir.NewAttrs("auto_max_step", 0, "auto_max_depth", 8, "auto_max_extent", 0,
		"explicit_unroll", true, "unroll_local_access", false), "which loops UnrollLoop unrolls"},
	{"tir.Simplify", ir.NewAttrs("transitively_prove_inequalities", false, "convert_boolean_to_and_of_ors", false,
		"apply_constraints_to_boolean_branches", false, "propagate_knowns_to_prove_conditional", false,
		"propagate_knowns_to_simplify_expressions", false), "what Simplify may spend time on"},
	{"tir.RemoveNoOp", ir.NewAttrs("max_simplification_steps", 0, "use_dataflow_analysis", false), "what RemoveNoOp may spend time on"},
	{"tir.ReduceBranchingThroughOvercompute", ir.NewAttrs("use_dataflow_analysis", false), "whether ReduceBranchingThroughOvercompute follows what buffers hold"},
	{"tir.InjectDoubleBuffer", ir.NewAttrs("split_loop", 1), "of how many iterations the parts are into which InjectDoubleBuffer cuts loops: 1, an even number, or 0 for none"},
	{"tir.LoopPartition", ir.NewAttrs("partition_const_loop", false, "no_unroll_loop_with_extent_one", false,
		"unroll_loop_with_partition_hint_no_interval", false), "which loops LoopPartition splits"},
	{"tir.HoistIfThenElse", ir.NewAttrs("support_block_scope_hoisting", false), "whether HoistIfThenElse moves conditions that use threads"},
	{
		"tir.HoistExpression", ir.NewAttrs("hoisted_conditionals", 7, "hoisted_let_bindings", 7),
		"what HoistExpression moves, as sums: conditions of branches (1), of if_then_else (2), operands of and and or (4), those that use threads (8); lets that a condition needs (1), let statements (2), lets in expressions (4)",
	},
	{"tir.disable_vectorize", false, "vectorized loops run serially"},
	{"tir.enable_buffer_level_predication", false, "VectorizeLoop makes bounds of vectorized loops predicates of loads and stores; if it is not set, for targets with vectors of scalable length"},
	{"tir.disable_storage_rewrite", false, "StorageRewrite does nothing"},
	{"tir.disable_cse_tir", false, "CommonSubexprElimTIR does nothing"},
	{"tir.enable_equiv_terms_in_cse_tir", false, "CommonSubexprElimTIR also finds integer terms that are equal after simplification, and modulo distribution and the order of operands"},
	{"tir.disable_assert", false, "SkipAssert drops assertions"},
	{"tir.instrument_bound_checkers", false, "InstrumentBoundCheckers puts an assertion before accesses that may be out of bounds"},
	{"tir.merge_static_smem", false, "MergeSharedMemoryAllocations also merges static shared memory"},
	{"tir.instrument_lwp", false, "InstrumentProfileIntrinsics marks where functions and loops begin and end"},
	{"tir.lwp_disable_func_prof", false, "InstrumentProfileIntrinsics marks loops only"},
	{"tir.lwp_max_depth", int64(0), "how many loops may be around one that InstrumentProfileIntrinsics marks, if tir.instr_siblings is off"},
	{"tir.lwp_min_height", int64(1), "how many loops must be in one that InstrumentProfileIntrinsics marks"},
	{"tir.instr_siblings", true, "InstrumentProfileIntrinsics marks loops with loops beside them, and no others"},
	{"tir.reset_start_id", false, "the numbers of InstrumentProfileIntrinsics start at 0, not behind those in the module"},
	{"tir.experimental_dma_bypass_cache", false, "the transfers that LowerAsyncDMA makes go past the caches"},
	{"tir.vtcm_capacity", int64(0), "the bytes of memory beside the vector unit that VerifyVTCMLimit holds functions to whose target does not say how many there are; 0 for no limit"},
	{"tir.debug_keep_trivial_loop", false, "LowerOpaqueBlock keeps loops of extent 1"},
	{"testing.immutable_module", false, "every pass is checked not to change its input"},
}

// ConfigKey returns the key under which an option is registered, which key names as it is or as newer versions of TVM do,
// "" if there is none.
func ConfigKey(key string) string {
	if o := configOption(key); o != nil {
		return o.Key
	}
	return ""
}

// ListConfigs returns the registered options by key, each with its type under "type".
func ListConfigs() map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, o := range configOptions {
		out[o.Key] = map[string]string{"type": typeName(o.Default), "default": fmt.Sprint(showValue(o.Default)), "doc": o.Doc}
	}
	return out
}

func configKeys() []string {
	keys := make([]string, len(configOptions))
	for i, o := range configOptions {
		keys[i] = o.Key
	}
	sort.Strings(keys)
	return keys
}

// configOption returns the option of a key, which may be that of a newer version of TVM, nil if there is none.
func configOption(key string) *ConfigOption {
	key = ir.OlderName(key)
	i := slices.IndexFunc(configOptions, func(o ConfigOption) bool { return o.Key == key })
	if i < 0 {
		return nil
	}
	return &configOptions[i]
}

// Config is a checked set of config values. The zero value holds the defaults.
type Config struct{ set *ir.Attrs }

// NewConfig checks values against the registry: an unknown key, a nil value or a value of
// the wrong type, or a key given in both spellings, is a *ConfigError, an unknown field of a structured option a *FieldError.
// A dictionary for a structured option is completed with defaults.
func NewConfig(values map[string]any) (Config, error) {
	var c Config
	for _, key := range slices.Sorted(maps.Keys(values)) {
		v := values[key]
		o := configOption(key)
		if o == nil {
			return c, &ConfigError{Key: key, Known: configKeys()}
		}
		if v == nil {
			return c, &ConfigError{Key: key, Want: typeName(o.Default)}
		}
		if _, twice := c.set.Get(o.Key); twice {
			return c, &ConfigError{Key: key, Other: o.Key}
		}
		if fields, ok := o.Default.(*ir.Attrs); ok {
			full, err := completeFields(key, fields, v)
			if err != nil {
				return c, err
			}
			c.set = c.set.With(o.Key, full)
			continue
		}
		x, ok := coerce(o.Default, v)
		if !ok {
			return c, &ConfigError{Key: key, Want: typeName(o.Default), Got: v}
		}
		c.set = c.set.With(o.Key, x)
	}
	return c, nil
}

func completeFields(key string, fields *ir.Attrs, v any) (*ir.Attrs, error) {
	var given *ir.Attrs
	switch v := v.(type) {
	case *ir.Attrs:
		given = v
	case map[string]any:
		for k, x := range v {
			given = given.With(k, x)
		}
	default:
		return nil, &ConfigError{Key: key, Want: "dict", Got: v}
	}
	out := fields
	for i := range given.Len() {
		name, x := given.At(i)
		def, ok := fields.Get(name)
		if !ok {
			var known []string
			for j := range fields.Len() {
				k, _ := fields.At(j)
				known = append(known, k)
			}
			return nil, &FieldError{Key: key, Field: name, Known: known}
		}
		y, ok := coerce(def, x)
		if !ok {
			return nil, &ConfigError{Key: key + "." + name, Want: typeName(def), Got: x}
		}
		out = out.With(name, y)
	}
	return out, nil
}

// Get returns the value of a registered key; it panics on an unregistered one.
func (c Config) Get(key string) ir.Value {
	if v, ok := c.set.Get(key); ok {
		return v
	}
	o := configOption(key)
	if o == nil {
		panic(fmt.Sprintf("config option %q is not registered", key))
	}
	if v, ok := c.set.Get(o.Key); ok && o.Key != key {
		return v
	}
	return o.Default
}

// Values returns what was set, by key.
func (c Config) Values() *ir.Attrs { return c.set }
