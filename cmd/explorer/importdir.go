package main

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// packDir returns the regular files of a folder as a tar archive, which is made while it is read. Hidden files and folders are left out,
// except the one that the traces of TileLang are in.
func packDir(dir string) io.ReadCloser {
	out, in := io.Pipe()
	go func() { in.CloseWithError(writeTar(in, dir)) }()
	return out
}

func writeTar(w io.Writer, dir string) error {
	var files []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != dir && strings.HasPrefix(e.Name(), ".") && e.Name() != ".run_records":
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.Type().IsRegular():
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	sort.Strings(files)
	t := tar.NewWriter(w)
	for _, path := range files {
		if err := addFile(t, dir, path); err != nil {
			return err
		}
	}
	return t.Close()
}

// addFile adds one file. One that grows meanwhile is cut at the size that it had.
func addFile(t *tar.Writer, dir, path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, Size: info.Size(), Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err = io.CopyN(t, f, info.Size())
	return err
}
