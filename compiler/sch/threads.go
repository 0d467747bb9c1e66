package sch

import "strings"

// storageRanks are the memory scopes in the order of how many threads share them (TVM's StorageRank).
var storageRanks = map[string]int{
	"global": 0, "shared": 1, "warp": 2, "local": 3, "wmma.matrix_a": 4, "wmma.matrix_b": 5, "wmma.accumulator": 6, "texture": 7,
	"m16n8k8.matrixA": 9, "m16n8k8.matrixB": 10, "m16n8k8.matrixC": 11,
}

// storageRank returns the rank of a memory scope, whose name may have a tag, as "shared.dyn" has; ok is false for one that does not exist.
func storageRank(scope string) (rank int, ok bool) {
	if scope == "" {
		return 0, true
	}
	if r, ok := storageRanks[scope]; ok {
		return r, true
	}
	for _, base := range []string{"global", "shared", "warp", "local", "texture"} {
		if strings.HasPrefix(scope, base+".") || base == "texture" && strings.HasPrefix(scope, "texture-") {
			return storageRanks[base], true
		}
	}
	return 0, false
}

// threadRank returns the rank of a thread, 0 for blocks and 1 for what is inside of them, and its dimension, -1 for virtual threads.
func threadRank(tag string) (rank, dim int) {
	if strings.HasPrefix(tag, "vthread") {
		return 1, -1
	}
	dim = -1
	if n := len(tag); n > 0 && tag[n-1] >= 'x' && tag[n-1] <= 'z' {
		dim = int(tag[n-1] - 'x')
	}
	if strings.HasPrefix(tag, "blockIdx.") {
		return 0, dim
	}
	if strings.HasPrefix(tag, "threadIdx.") {
		return 1, dim
	}
	return -1, -1
}

// sharedAmong reports whether all iterations of a loop over a thread see the same memory of a scope.
func sharedAmong(scope, tag string) bool {
	storage, ok := storageRank(scope)
	thread, dim := threadRank(tag)
	if !ok {
		return false
	}
	if storage == storageRanks["warp"] {
		return thread == 1 && dim == 0
	}
	return storage <= thread
}
