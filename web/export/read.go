package export

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// IsArchive tells whether data looks like a zip archive at all.
func IsArchive(data []byte) bool { return bytes.HasPrefix(data, []byte("PK\x03\x04")) }

// fileName matches the names that files of an archive may have.
var fileName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(manifest\.json|session\.json|source/(model\.onnx|module\.py)|runs/[1-9][0-9]{0,2}/(run\.json|events\.ndjson|check\.ndjson)|texts/[0-9a-f]{40}\.(py|wat|vm|txt|json|ll|mir|mlir|hlo|gimple|rtl|ssa|s|bin))$`)
})

// archive is an open archive; nothing of it is trusted that was not checked.
type archive struct {
	files   map[string]*zip.File
	comment string
	sums    map[string]manifestFile
	texts   map[string]string // from the hash of a text to the name of its file
	src     store.Source
}

// Read reads an archive and checks all of it: names, sizes, hashes, the form of every file,
// and that no text is missing. Its error says which file is wrong and why.
func Read(data []byte) (*Bundle, error) {
	b, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("this is not a readable session: %w", err)
	}
	return b, nil
}

func read(data []byte) (*Bundle, error) {
	a, err := openArchive(data)
	if err != nil {
		return nil, err
	}
	m, err := a.manifest()
	if err != nil {
		return nil, err
	}
	if err := a.checkFiles(); err != nil {
		return nil, err
	}
	b := &Bundle{Blobs: a, Program: m.Program}
	if err := a.readSession(b); err != nil {
		return nil, err
	}
	return b, nil
}

// openArchive reads the directory of an archive and keeps its limits, before anything is
// decompressed.
func openArchive(data []byte) (*archive, error) {
	if len(data) > MaxArchive {
		return nil, fmt.Errorf("it exceeds %d MiB", MaxArchive>>20)
	}
	// Each entry of the directory begins so: a directory of millions is not even read.
	if n := bytes.Count(data, []byte("PK\x01\x02")); n > 2*MaxEntries {
		return nil, tooManyFiles()
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are checked below
		return nil, fmt.Errorf("it is not a zip archive, or it is damaged: %w", err)
	}
	if len(z.File) > MaxEntries {
		return nil, tooManyFiles()
	}
	a := &archive{comment: z.Comment, files: map[string]*zip.File{}, texts: map[string]string{}}
	var whole, packed uint64
	for _, f := range z.File {
		size, small := f.UncompressedSize64, f.CompressedSize64
		switch {
		case !fileName().MatchString(f.Name):
			return nil, fmt.Errorf("it contains a file %.80q, which does not belong in an exported session", f.Name)
		case a.files[f.Name] != nil:
			return nil, fmt.Errorf("it contains %s twice", f.Name)
		case size > MaxBytes || small > uint64(len(data)):
			return nil, fmt.Errorf("%s says that it has %d bytes, packed %d", f.Name, size, small)
		case size > smallFile && size/MaxRatio > small:
			return nil, fmt.Errorf("%s is compressed more than %d times, which no session text is", f.Name, MaxRatio)
		}
		whole, packed = whole+size, packed+small
		a.files[f.Name] = f
	}
	if whole > MaxBytes {
		return nil, fmt.Errorf("its files exceed %d MiB", MaxBytes>>20)
	}
	if packed > uint64(len(data)) {
		return nil, errors.New("its files overlap")
	}
	return a, nil
}

func tooManyFiles() error { return fmt.Errorf("it contains more than %d files", MaxEntries) }

// manifest reads the manifest and compares it with the directory.
func (a *archive) manifest() (*manifest, error) {
	data, err := a.read(manifestName)
	if err != nil {
		return nil, err
	}
	// Archives of earlier programs have no comment.
	if want, ok := strings.CutPrefix(a.comment, sumComment); ok {
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
			return nil, fmt.Errorf("%s is not as it was written: the archive is damaged or was modified", manifestName)
		}
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	switch {
	case m.Format != Format:
		return nil, fmt.Errorf("%s: the format is %.60q, want %q", manifestName, m.Format, Format)
	case m.Version != Version:
		return nil, fmt.Errorf("%s: the version is %d, this program reads %d; use a version at least as new as the one that wrote it", manifestName, m.Version, Version)
	case len(m.Files) != len(a.files)-1:
		return nil, fmt.Errorf("%s lists %d files, but the archive has %d others", manifestName, len(m.Files), len(a.files)-1)
	}
	a.sums = map[string]manifestFile{}
	for _, f := range m.Files {
		if a.files[f.Name] == nil || f.Name == manifestName {
			return nil, fmt.Errorf("%s lists %.80q, which the archive does not have", manifestName, f.Name)
		}
		a.sums[f.Name] = f
	}
	if len(a.sums) != len(m.Files) {
		return nil, fmt.Errorf("%s lists a file twice", manifestName)
	}
	return &m, nil
}

// checkFiles reads all files once: their sums, and the hashes of texts.
func (a *archive) checkFiles() error {
	for name := range a.sums {
		data, err := a.read(name)
		if err != nil {
			return err
		}
		base, ok := strings.CutPrefix(name, "texts/")
		if !ok {
			continue
		}
		hash := base[:event.HashLen]
		if event.HashBytes(data) != hash {
			return fmt.Errorf("%s holds a text with another hash", name)
		}
		if other := a.texts[hash]; other != "" {
			return fmt.Errorf("%s and %s are the same text", other, name)
		}
		a.texts[hash] = name
	}
	return nil
}

// read returns a file and checks it against the manifest.
func (a *archive) read(name string) ([]byte, error) {
	f := a.files[name]
	if f == nil {
		return nil, fmt.Errorf("%s is missing", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer func() { _ = r.Close() }() // reads from memory
	// The directory says how long it is; more than that is not read.
	data, err := io.ReadAll(io.LimitReader(r, int64(f.UncompressedSize64)+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if uint64(len(data)) != f.UncompressedSize64 {
		return nil, fmt.Errorf("%s has another length than the directory says", name)
	}
	if name == manifestName {
		return data, nil
	}
	want := a.sums[name]
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want.SHA256 || int64(len(data)) != want.Bytes {
		return nil, fmt.Errorf("%s differs from what %s says: it was modified or damaged", name, manifestName)
	}
	return data, nil
}

// Blob implements Blobs.
func (a *archive) Blob(_ context.Context, hash string) (store.Blob, error) {
	name, language := a.texts[hash], store.LangBinary
	if name == "" && hash != "" && hash == a.src.Blob {
		if name = sourceName(a.src); name == scriptName {
			language = event.LangTVMScript
		}
	}
	if name == "" {
		return store.Blob{}, fmt.Errorf("text %s: %w", hash, store.ErrNotFound)
	}
	data, err := a.read(name)
	for l, ext := range extensions {
		if strings.HasPrefix(name, "texts/") && strings.HasSuffix(name, "."+ext) {
			language = l
		}
	}
	return store.Blob{Language: language, Data: data}, err
}
