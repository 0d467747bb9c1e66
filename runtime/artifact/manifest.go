package artifact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/irscope/irscope/runtime"
)

// Magic and Version stand in the manifest. A program reads the versions it knows and
// refuses others by number.
const (
	Magic   = "irscope-artifact"
	Version = 2
)

// Limits on what a manifest may list.
const (
	maxModules = 65536
	maxSymbols = 1 << 20
	maxWord    = 64
)

// Manifest is the header of an artifact.
type Manifest struct {
	Magic      string      `json:"magic"`
	Version    int         `json:"version"`
	Target     string      `json:"target"`
	Executable File        `json:"executable"`
	Constants  File        `json:"constants"`
	Modules    []Module    `json:"modules"`
	Functions  []Signature `json:"functions"`
}

// Module is a kernel module: its file, the kind of target that it was made for, the format that
// a loader must know, and the symbols of its kernels in alphabetical order.
type Module struct {
	Kind    string   `json:"kind"`
	Format  string   `json:"format"`
	File    File     `json:"file"`
	Symbols []string `json:"symbols"`
}

// File is a file of an artifact with what it must hold.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// moduleOf describes a binary that is written to f.
func moduleOf(b runtime.Binary, f File) Module {
	return Module{Kind: b.Kind, Format: b.Format, File: f, Symbols: slices.Clone(b.Symbols)}
}

// check reports what is wrong with the words of a module.
func (m Module) check() error {
	for _, w := range []struct{ what, word string }{{"kind", m.Kind}, {"format", m.Format}} {
		if len(w.word) > maxWord || !isName(w.word) {
			return fmt.Errorf("%q is not a %s of a kernel module", w.word, w.what)
		}
	}
	for i, s := range m.Symbols {
		if s == "" || i > 0 && s <= m.Symbols[i-1] {
			return fmt.Errorf("symbol %q of a kernel module is empty, repeated or out of order", s)
		}
	}
	return nil
}

// parseManifest reads a manifest of any version that the program knows.
func parseManifest(text []byte) (*Manifest, error) {
	var head struct {
		Magic   string `json:"magic"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil || head.Magic != Magic {
		return nil, fmt.Errorf("this is not an artifact: magic %q, expected %q", head.Magic, Magic)
	}
	var m Manifest
	switch head.Version {
	case 1:
		var old manifest1
		if err := decode(text, &old); err != nil {
			return nil, err
		}
		m = old.manifest()
	case Version:
		if err := decode(text, &m); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("format version %d, this program reads 1 to %d: compile the model again", head.Version, Version)
	}
	if len(m.Modules) > maxModules {
		return nil, fmt.Errorf("%d kernel modules, at most %d are allowed", len(m.Modules), maxModules)
	}
	symbols := 0
	for i, mod := range m.Modules {
		if err := mod.check(); err != nil {
			return nil, fmt.Errorf("module %d: %w", i, err)
		}
		if head.Version == Version && mod.Symbols == nil {
			return nil, fmt.Errorf("module %d: its symbols are missing", i)
		}
		symbols += len(mod.Symbols)
	}
	if symbols > maxSymbols {
		return nil, fmt.Errorf("%d symbols of kernels, at most %d are allowed", symbols, maxSymbols)
	}
	return &m, nil
}

// decode reads one JSON value into v and refuses what v has no field for.
func decode(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
