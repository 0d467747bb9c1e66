package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/vm"
)

// Limits on what Load reads.
const (
	maxManifest   = 16 << 20
	maxExecutable = 1 << 30
	maxConstants  = 4 << 30
	maxKernel     = 256 << 20
)

// Names of the files.
const (
	manifestFile   = "manifest.json"
	executableFile = "executable.bin"
	constantsFile  = "constants.bin"
)

// Save writes a to the folder dir, which is made if it is missing. The manifest comes
// last, so that an interrupted Save leaves nothing that Load takes for whole. Files of an
// earlier artifact in the same folder are replaced; others stay.
func Save(dir string, a *Artifact) error {
	if err := os.MkdirAll(filepath.Join(dir, "kernels"), 0o755); err != nil {
		return fmt.Errorf("saving an artifact: %w", err)
	}
	if err := os.Remove(filepath.Join(dir, manifestFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("saving an artifact: %w", err)
	}
	m := Manifest{Magic: Magic, Version: Version, Target: a.Target, Functions: a.Functions}
	code, blob := a.Exec.Encode()
	var err error
	if m.Executable, err = writeFile(dir, executableFile, [][]byte{code}); err != nil {
		return err
	}
	if m.Constants, err = writeFile(dir, constantsFile, blob); err != nil {
		return err
	}
	for i, b := range a.Modules {
		mod := moduleOf(b, File{})
		if err := mod.check(); err != nil {
			return fmt.Errorf("saving an artifact: module %d: %w", i, err)
		}
		if mod.File, err = writeFile(dir, fmt.Sprintf("kernels/%d.%s", i, b.Format), [][]byte{b.Bytes}); err != nil {
			return err
		}
		m.Modules = append(m.Modules, mod)
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("saving an artifact: %w", err)
	}
	_, err = writeFile(dir, manifestFile, [][]byte{append(text, '\n')})
	return err
}

func writeFile(dir, name string, chunks [][]byte) (File, error) {
	w, err := os.Create(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return File{}, fmt.Errorf("saving an artifact: %w", err)
	}
	f := File{Name: name}
	h := sha256.New()
	for _, c := range chunks {
		h.Write(c)
		if _, err := w.Write(c); err != nil {
			return File{}, errors.Join(fmt.Errorf("saving an artifact: %w", err), w.Close())
		}
		f.Size += int64(len(c))
	}
	f.SHA256 = hex.EncodeToString(h.Sum(nil))
	if err := w.Close(); err != nil {
		return File{}, fmt.Errorf("saving an artifact: %w", err)
	}
	return f, nil
}

// Load reads the artifact in the folder dir. No file outside of dir is read, whatever the
// manifest or links in the folder say.
func Load(dir string) (*Artifact, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("loading an artifact: %w", err)
	}
	defer root.Close()
	a, err := LoadFS(root.FS())
	if err != nil {
		return nil, fmt.Errorf("loading the artifact %s: %w", dir, err)
	}
	return a, nil
}

// LoadFS reads the artifact in fsys.
func LoadFS(fsys fs.FS) (*Artifact, error) {
	text, err := readAll(fsys, manifestFile, maxManifest)
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", manifestFile, err)
	}
	code, err := readFile(fsys, m.Executable, maxExecutable)
	if err != nil {
		return nil, err
	}
	blob, err := readFile(fsys, m.Constants, maxConstants)
	if err != nil {
		return nil, err
	}
	a := &Artifact{Target: m.Target, Functions: m.Functions}
	if a.Exec, err = vm.Decode(code, blob); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Executable.Name, err)
	}
	for _, mod := range m.Modules {
		code, err := readFile(fsys, mod.File, maxKernel)
		if err != nil {
			return nil, err
		}
		a.Modules = append(a.Modules, runtime.Binary{Kind: mod.Kind, Format: mod.Format, Bytes: code, Symbols: mod.Symbols})
	}
	symbols := map[string]bool{}
	for _, mod := range a.Modules {
		for _, n := range mod.Symbols {
			symbols[n] = true
		}
	}
	for _, s := range a.Functions {
		if s.Kernel {
			if !symbols[s.Name] {
				return nil, fmt.Errorf("%s: kernel %s is in no module", manifestFile, s.Name)
			}
			continue
		}
		f := a.Exec.Func(s.Name)
		if f == nil || f.Kind != vm.VMFunc || f.NumArgs != int64(len(s.Params)) {
			return nil, fmt.Errorf("%s: function %s with %d parameters is not in the executable", manifestFile, s.Name, len(s.Params))
		}
	}
	return a, nil
}

// readFile reads f, which must have the size and hash that the manifest states.
func readFile(fsys fs.FS, f File, limit int64) ([]byte, error) {
	if !fs.ValidPath(f.Name) || path.Clean(f.Name) != f.Name {
		return nil, fmt.Errorf("%s: %q is not the name of a file in the folder", manifestFile, f.Name)
	}
	if f.Size < 0 || f.Size > limit {
		return nil, fmt.Errorf("%s: %s has %d bytes, at most %d are allowed", manifestFile, f.Name, f.Size, limit)
	}
	b, err := readAll(fsys, f.Name, f.Size)
	if err != nil {
		return nil, err
	}
	if int64(len(b)) != f.Size {
		return nil, fmt.Errorf("%s has %d bytes, but the manifest says %d", f.Name, len(b), f.Size)
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, fmt.Errorf("%s is damaged: its SHA-256 differs from that in the manifest", f.Name)
	}
	return b, nil
}

// readAll reads a file of at most limit bytes.
func readAll(fsys fs.FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	if st.Size() > min(limit, math.MaxInt-4096) {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are expected", name, st.Size(), limit)
	}
	b := slices.Grow([]byte{}, int(st.Size())+1)
	for int64(len(b)) <= limit {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(b) == cap(b) {
			b = slices.Grow(b, 4096)
		}
	}
	return nil, fmt.Errorf("%s grew while it was read", name)
}
