package target

import (
	"fmt"
	"strings"
)

// gpuScopes are the scopes of memory of a GPU.
var gpuScopes = []Scope{
	{"global", 0, "memory of the device"},
	{"shared", 0, "memory of a block of threads"},
	{"shared.dyn", 0, "memory of a block of threads, its size given at the launch"},
	{"warp", 0, "registers that the threads of a warp share"},
	{"local", 0, "registers of a thread"},
}

// Attributes that kinds of GPUs have in common; value is the default, nil for none.
func maxThreads(value any) AttrDef {
	return AttrDef{"max_threads_per_block", Int, value, "most threads of a block"}
}

func maxNumThreads(value int64) AttrDef {
	return AttrDef{"max_num_threads", Int, value, "threads of a block that schedules take for the most"}
}

func warpSize(value int64) AttrDef {
	return AttrDef{"thread_warp_size", Int, value, "threads of a warp: those that run in step"}
}

func maxShared(value any) AttrDef {
	return AttrDef{"max_shared_memory_per_block", Int, value, "most bytes of shared memory of a block"}
}

func maxArgs(value int64) AttrDef {
	return AttrDef{"max_function_args", Int, value, "most arguments of a kernel"}
}

var cudaKind = &Kind{
	Name:       "cuda",
	Doc:        "CUDA, for GPUs of NVIDIA",
	DeviceType: 2,
	Keys:       []string{"cuda", "gpu"},
	PtrBits:    64,
	Math:       allMath,
	Scopes: append(gpuScopes[:len(gpuScopes):len(gpuScopes)],
		Scope{"wmma.matrix_a", 0, "left fragment of a product of tensor cores"},
		Scope{"wmma.matrix_b", 0, "right fragment of a product of tensor cores"},
		Scope{"wmma.accumulator", 0, "fragment of sums of tensor cores"},
	),
	Attrs: []AttrDef{
		{"mcpu", String, nil, "processor"},
		{"arch", String, "sm_50", "architecture: sm_ and its number"},
		maxShared(nil),
		maxThreads(nil),
		warpSize(32),
		{"registers_per_block", Int, nil, "registers of a block"},
		{"l2_cache_size_bytes", Int, nil, "bytes of the second cache"},
		maxNumThreads(1024),
	},
	check: func(t Target) error {
		if arch, _ := t.Attr("arch").(string); !strings.HasPrefix(arch, "sm_") {
			return fmt.Errorf("target cuda: attribute arch: expected sm_ and a number, as in sm_80, got %q", arch)
		}
		return nil
	},
}

var rocmKind = &Kind{
	Name:       "rocm",
	Doc:        "ROCm, for GPUs of AMD",
	DeviceType: 10,
	Keys:       []string{"rocm", "gpu"},
	PtrBits:    64,
	Math:       allMath,
	AnyFeature: true,
	Scopes:     gpuScopes,
	Attrs: []AttrDef{
		{"mcpu", String, "gfx900", "architecture: gfx and its number"},
		{"mtriple", String, "amdgcn-amd-amdhsa-hcc", "triple of the machine"},
		maxNumThreads(256),
		maxThreads(int64(256)),
		maxShared(int64(65536)),
		warpSize(64),
	},
	check: func(t Target) error {
		if mcpu, _ := t.Attr("mcpu").(string); !strings.HasPrefix(mcpu, "gfx") {
			return fmt.Errorf("target rocm: attribute mcpu: expected gfx and a number, as in gfx900, got %q", mcpu)
		}
		return nil
	},
}

var openclKind = &Kind{
	Name:       "opencl",
	Doc:        "OpenCL, for GPUs",
	DeviceType: 4,
	Keys:       []string{"opencl", "gpu"},
	PtrBits:    64,
	Math:       allMath,
	Scopes:     append(gpuScopes[:len(gpuScopes):len(gpuScopes)], Scope{"global.texture", 0, "images of the device"}),
	Attrs: []AttrDef{
		maxThreads(int64(256)),
		maxShared(int64(16384)),
		maxNumThreads(256),
		warpSize(1),
		{"texture_spatial_limit", Int, int64(16384), "most columns and rows of an image"},
		{"texture_depth_limit", Int, int64(2048), "most layers of an image"},
		maxArgs(128),
		{"image_base_address_alignment", Int, int64(64), "alignment of the memory of an image in elements"},
	},
}

var metalKind = &Kind{
	Name:       "metal",
	Doc:        "Metal, for GPUs of Apple",
	DeviceType: 8,
	Keys:       []string{"metal", "gpu"},
	PtrBits:    64,
	Math:       allMath,
	Scopes: append(gpuScopes[:len(gpuScopes):len(gpuScopes)],
		Scope{"metal.simdgroup", 0, "matrices that the threads of a warp share"}),
	Attrs: []AttrDef{maxNumThreads(256), maxThreads(int64(256)), maxShared(int64(32768)), warpSize(16), maxArgs(31)},
}

var webgpuKind = &Kind{
	Name:       "webgpu",
	Doc:        "WebGPU, for GPUs, from a browser",
	DeviceType: 15,
	Keys:       []string{"webgpu", "gpu"},
	PtrBits:    64,
	Math:       allMath,
	Scopes:     gpuScopes,
	Attrs:      []AttrDef{maxNumThreads(256)},
}

var vulkanKind = &Kind{
	Name:       "vulkan",
	Doc:        "Vulkan, for GPUs",
	DeviceType: 7,
	Keys:       []string{"vulkan", "gpu"},
	PtrBits:    64,
	Math:       allMath,
	AnyFeature: true,
	Scopes:     gpuScopes,
	Attrs: []AttrDef{
		{"supports_float16", Bool, nil, "float16 in kernels"},
		{"supports_float32", Bool, true, "float32 in kernels"},
		{"supports_float64", Bool, nil, "float64 in kernels"},
		{"supports_int8", Bool, nil, "int8 in kernels"},
		{"supports_int16", Bool, nil, "int16 in kernels"},
		{"supports_int32", Bool, true, "int32 in kernels"},
		{"supports_int64", Bool, nil, "int64 in kernels"},
		{"supports_8bit_buffer", Bool, nil, "buffers of elements of 8 bits"},
		{"supports_16bit_buffer", Bool, nil, "buffers of elements of 16 bits"},
		{"supports_storage_buffer_storage_class", Bool, nil, "the storage class of buffers"},
		{"supports_push_descriptor", Bool, nil, "descriptors that a launch pushes"},
		{"supports_dedicated_allocation", Bool, nil, "allocations of their own"},
		{"supports_integer_dot_product", Bool, nil, "dot products of integers"},
		{"supports_cooperative_matrix", Bool, nil, "matrices that the threads of a warp share"},
		{"supported_subgroup_operations", Int, nil, "bits of the operations of subgroups"},
		maxNumThreads(256),
		maxThreads(int64(256)),
		warpSize(1),
		{"max_block_size_x", Int, nil, "most threads of a block along x"},
		{"max_block_size_y", Int, nil, "most threads of a block along y"},
		{"max_block_size_z", Int, nil, "most threads of a block along z"},
		{"max_push_constants_size", Int, nil, "most bytes of constants that a launch pushes"},
		{"max_uniform_buffer_range", Int, nil, "most bytes of a uniform buffer"},
		{"max_storage_buffer_range", Int, nil, "most bytes of a storage buffer"},
		{"max_per_stage_descriptor_storage_buffer", Int, nil, "most storage buffers of a kernel"},
		maxShared(nil),
		{"device_type", String, nil, "integrated, discrete, virtual or cpu"},
		{"device_name", String, nil, "name of the device"},
		{"driver_name", String, nil, "name of the driver"},
		{"driver_version", Int, nil, "version of the driver"},
		{"vulkan_api_version", Int, nil, "version of Vulkan"},
		{"max_spirv_version", Int, nil, "newest version of SPIR-V"},
	},
}
