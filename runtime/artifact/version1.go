package artifact

// manifest1 is the manifest of version 1, which knew one kind of kernel module.
type manifest1 struct {
	Magic      string      `json:"magic"`
	Version    int         `json:"version"`
	Target     string      `json:"target"`
	Executable File        `json:"executable"`
	Constants  File        `json:"constants"`
	Kernels    []File      `json:"kernels"`
	Functions  []Signature `json:"functions"`
}

// kind1 is the kind and the format of the kernel modules of version 1.
const kind1 = "wasm"

// manifest turns m into a manifest of this version; the symbols of its modules are not known.
func (m *manifest1) manifest() Manifest {
	out := Manifest{
		Magic: m.Magic, Version: Version, Target: m.Target, Executable: m.Executable, Constants: m.Constants, Functions: m.Functions,
	}
	for _, f := range m.Kernels {
		out.Modules = append(out.Modules, Module{Kind: kind1, Format: kind1, File: f})
	}
	return out
}
