package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestArchives checks that archives hold what was packed, executable where it was, and are the same each time.
func TestArchives(t *testing.T) {
	dir := t.TempDir()
	files := []file{{filepath.Join(dir, "a"), "irscope/LICENSE", 0o644}, {filepath.Join(dir, "b"), "irscope/irscope", 0o755}}
	for i, f := range files {
		if err := os.WriteFile(f.path, bytes.Repeat([]byte{byte('a' + i)}, 1000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	when := time.Date(2026, 11, 22, 10, 30, 2, 0, time.UTC)
	check := func(i int, name string, mode fs.FileMode, modified time.Time, r io.Reader) {
		t.Helper()
		data, err := io.ReadAll(r)
		if err != nil || len(data) != 1000 || data[0] != byte('a'+i) || name != files[i].name || mode.Perm() != files[i].mode || !modified.Equal(when) {
			t.Errorf("file %d is %s, %v, %v, %d bytes (%v)", i, name, mode, modified, len(data), err)
		}
	}
	data, err := tarred(files, when)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(z)
	for i := range files {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		check(i, h.Name, h.FileInfo().Mode(), h.ModTime, r)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("after the last file: %v", err)
	}
	again, _ := tarred(files, when)
	packed, err := zipped(files, when)
	if err != nil {
		t.Fatal(err)
	}
	rz, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(rz.File) != len(files) {
		t.Fatalf("%v, %d files", err, len(rz.File))
	}
	for i, f := range rz.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		check(i, f.Name, f.Mode(), f.Modified, r)
	}
	if packedAgain, _ := zipped(files, when); !bytes.Equal(data, again) || !bytes.Equal(packed, packedAgain) {
		t.Error("archives of the same files differ")
	}
	if _, err := tarred([]file{{path: filepath.Join(dir, "none")}}, when); err == nil {
		t.Error("a file that is missing is no error")
	}
}

// TestExtras checks that the files which every archive has are in the repository.
func TestExtras(t *testing.T) {
	for path := range extras {
		if _, err := os.Stat(filepath.Join("..", "..", path)); err != nil {
			t.Error(err)
		}
	}
}
