//go:build !unix

package onnxpb

import "io/fs"

// links is 1: this system does not tell how many names a file has.
func links(fs.FileInfo) uint64 { return 1 }
