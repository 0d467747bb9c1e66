//go:build unix

package onnxpb

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPathTricks asks for external data at places that lie outside of the folder of the model,
// or are no plain file. None is read: every file outside holds a secret, and no tensor has it.
func TestPathTricks(t *testing.T) {
	base := t.TempDir()
	dir, out := filepath.Join(base, "model"), filepath.Join(base, "outside")
	secret := []byte("head" + "secrets!" + "tail")
	plain := []byte("head" + "weights!" + "tail")
	for _, d := range []string{dir, out, filepath.Join(dir, "sub"), filepath.Join(dir, "sub", "deep")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(data []byte, parts ...string) string {
		t.Helper()
		p := filepath.Join(parts...)
		if err := os.WriteFile(p, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	outside := write(secret, out, "w.bin")
	write(secret, base, "model.bin")
	write(plain, dir, "w.bin")
	write(plain, dir, "sub", "w.bin")
	linked := write(secret, out, "linked.bin")
	for _, err := range []error{
		os.Symlink(outside, filepath.Join(dir, "absolute.bin")),
		os.Symlink("../outside/w.bin", filepath.Join(dir, "relative.bin")),
		os.Symlink("absolute.bin", filepath.Join(dir, "twice.bin")),
		os.Symlink(out, filepath.Join(dir, "folder")),
		os.Symlink("../../outside", filepath.Join(dir, "sub", "folder")),
		os.Symlink("..", filepath.Join(dir, "up")),
		os.Symlink("/proc/self/environ", filepath.Join(dir, "environ")),
		os.Symlink("/dev/zero", filepath.Join(dir, "zero")),
		os.Symlink("loop", filepath.Join(dir, "loop")),
		os.Symlink(".", filepath.Join(dir, "here")),
		os.Link(linked, filepath.Join(dir, "hard.bin")),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644),
	} {
		if err != nil {
			t.Skipf("the file system lacks links or pipes: %v", err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tricks := []string{
		"../outside/w.bin", "../model.bin", "../model/w.bin", "sub/../../outside/w.bin", "sub/deep/../../../outside/w.bin", "./../outside/w.bin", "..", "../", ".", "./", "/",
		outside, "/" + outside, "//" + strings.TrimPrefix(outside, "/"), "file://" + outside, filepath.Join(dir, "w.bin"),
		"absolute.bin", "relative.bin", "twice.bin", "folder/w.bin", "sub/folder/w.bin", "up/outside/w.bin", "here/w.bin", "loop", "hard.bin",
		"environ", "zero", "pipe", "sub", "/proc/self/environ", "/dev/zero", "/etc/passwd", "~/w.bin",
		"w.bin\x00", "\x00", "../outside/w.bin\x00w.bin", "w.bin\x00../../outside/w.bin",
		`..\outside\w.bin`, `C:\w.bin`, `\\server\share\w.bin`, `sub\w.bin`,
		// Signs that look like . or /, in Unicode, as bytes that are no UTF-8, and percent-encoded.
		"\u2024\u2024/outside/w.bin", "\uff0e\uff0e/outside/w.bin", "..\u2215outside\u2215w.bin", "..\uff0foutside\uff0fw.bin", "..\u2044outside/w.bin",
		"\xc0\xae\xc0\xae/outside/w.bin", "..\xc0\xafoutside/w.bin", "\xff\xfe", "%2e%2e/outside/w.bin", "..%2foutside%2fw.bin",
		"w.bin/", "w.bin/.", "w.bin/..", "w.bin/../../outside/w.bin", " ../outside/w.bin", "../outside/w.bin ", "..../outside/w.bin", ".../outside/w.bin",
		strings.Repeat("../", 200) + strings.TrimPrefix(outside, "/"), strings.Repeat("sub/../", 5000) + "../outside/w.bin", strings.Repeat("a", 100_000), "",
	}
	for _, location := range tricks {
		type result struct {
			data []byte
			err  error
		}
		read := make(chan result, 1)
		go func() { // a pipe would wait for its writer
			x, err := ReadTensor(externalTensor(location, 8), Options{External: root})
			if err != nil {
				read <- result{err: err}
				return
			}
			read <- result{data: x.Data}
		}()
		select {
		case got := <-read:
			switch {
			case strings.Contains(string(got.data), "secret"):
				t.Errorf("%.80q reads a file outside of the folder", location)
			case got.err == nil && string(got.data) != "weights!":
				t.Errorf("%.80q reads %q", location, got.data)
			case got.err == nil && location != "w.bin/" && location != "w.bin/.":
				t.Errorf("%.80q is taken for a file of the folder", location)
			case got.err != nil && len(got.err.Error()) > 2<<10+len(location)*4:
				t.Errorf("the error on %.80q has %d bytes", location, len(got.err.Error()))
			}
		case <-time.After(time.Minute):
			t.Fatalf("%.80q is never answered", location)
		}
	}
	if x, err := ReadTensor(externalTensor("sub/../w.bin", 8), Options{External: root}); err != nil || string(x.Data) != "weights!" {
		t.Errorf("a path that stays inside gives %v", err)
	}
	for _, location := range tricks { // without a folder, as on the server, nothing is read at all
		if _, err := ReadTensor(externalTensor(location, 8), Options{}); err == nil || !strings.Contains(err.Error(), "not accepted here") && !strings.Contains(err.Error(), "not UTF-8") {
			t.Errorf("without a folder %.80q gives %v", location, err)
		}
	}
}
