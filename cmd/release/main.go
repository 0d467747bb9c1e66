// Command release builds irscope for each system that it supports and packs each program with its licenses into an archive, beside
// a file with the checksums of all. `make release` runs it in the root of the module.
//
// Archives are the same wherever they are made: nothing in them depends on the machine or the time, only on the commit and on Go.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// platforms are the systems and processors that releases are made for.
var platforms = []string{
	"linux/amd64", "linux/arm64",
	"darwin/amd64", "darwin/arm64",
	"windows/amd64", "windows/arm64",
}

// extras are the files of the repository that each archive has, with their names there.
var extras = map[string]string{
	"LICENSE":                            "LICENSE",
	"cmd/explorer/licenses/licenses.txt": "LICENSES.txt",
	"README.md":                          "README.md",
}

// sums is the file with the checksums, in the format of sha256sum.
const sums = "SHA256SUMS"

func main() {
	out := flag.String("o", "bin/release", "`folder` for the archives; what is in it is removed")
	only := flag.String("only", "", "build for one `platform`, such as linux/amd64")
	flag.Parse()
	list := platforms
	if *only != "" {
		if list = []string{*only}; !slices.Contains(platforms, *only) {
			fail(fmt.Errorf("-only is %s, expected one of %s", *only, strings.Join(platforms, ", ")))
		}
	}
	if err := release(*out, list); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "release:", err)
	os.Exit(1)
}

// release builds the archives for some platforms.
func release(out string, list []string) error {
	version, err := command("git", "describe", "--tags", "--always", "--dirty")
	if err != nil {
		return err
	}
	seconds, err := command("git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("time of the commit: %w", err)
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	var lines strings.Builder
	for _, p := range list {
		name, data, err := pack(p, version, time.Unix(unix, 0).UTC())
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if err := os.WriteFile(filepath.Join(out, name), data, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(data), name)
		fmt.Printf("%s  %.1f MB\n", filepath.Join(out, name), float64(len(data))/1e6)
	}
	return os.WriteFile(filepath.Join(out, sums), []byte(lines.String()), 0o666)
}

// pack builds the program for a platform and returns the archive with it and its name.
func pack(platform, version string, when time.Time) (name string, archive []byte, err error) {
	system, processor, _ := strings.Cut(platform, "/")
	name = strings.Join([]string{"irscope", version, system, processor}, "-")
	program := "irscope"
	if system == "windows" {
		program += ".exe"
	}
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, program)
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags", "-s -w -X main.release="+version, "-o", binary, "./cmd/explorer")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0", "GOFLAGS=")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("go build: %w\n%s", err, text)
	}
	files := []file{{path: binary, name: name + "/" + program, mode: 0o755}}
	for path, as := range extras {
		files = append(files, file{path: path, name: name + "/" + as, mode: 0o644})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	if system == "windows" {
		archive, err = zipped(files, when)
		return name + ".zip", archive, err
	}
	archive, err = tarred(files, when)
	return name + ".tar.gz", archive, err
}

// command returns what a command prints, without the newline.
func command(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
