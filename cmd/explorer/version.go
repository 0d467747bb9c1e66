package main

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// release is the version that `make release` gives its programs: what git describe says. The linker sets it.
var release string

// build says what the program was built from. What is not known is empty.
type build struct {
	Version  string // v1.2.3, or one that go derived from the commit
	Revision string // of the version control, the first digits
	Time     string // of that revision, in UTC, as 2006-01-02T15:04:05Z
	Modified bool   // the files were not those of the revision
}

// readBuild returns what the linker and the go command wrote into the program.
func readBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info, release)
}

// revisionDigits is the length to which revisions are cut, as in the versions that go derives from them.
const revisionDigits = 12

// buildOf returns what info says; version, if there is one, replaces that of the module.
func buildOf(info *debug.BuildInfo, version string) build {
	b := build{Version: version}
	if b.Version == "" {
		b.Version = strings.Trim(info.Main.Version, "()") // go calls what it has no version for (devel)
	}
	if b.Version == "" {
		b.Version = "unknown"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value[:min(len(s.Value), revisionDigits)]
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// String writes a version for people: v1.2.3 (revision 4397573ea99b of 2026-11-22, modified; go1.26.8, linux/amd64).
func (b build) String() string {
	var from string
	if b.Revision != "" {
		from = "revision " + b.Revision
		if day, _, ok := strings.Cut(b.Time, "T"); ok {
			from += " of " + day
		}
		if b.Modified {
			from += ", modified"
		}
		from += "; "
	}
	return b.Version + " (" + from + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")"
}
