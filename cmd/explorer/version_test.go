package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	platform := runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")"
	stamped := []debug.BuildSetting{{Key: "vcs.revision", Value: "4397573ea99bd9e7f0aa"}, {Key: "vcs.time", Value: "2026-11-22T22:01:54Z"}, {Key: "vcs.modified", Value: "true"}}
	for _, c := range []struct {
		module, release string
		settings        []debug.BuildSetting
		want            string
	}{
		{"v1.2.3", "", nil, "v1.2.3 (" + platform},
		{"(devel)", "", nil, "devel (" + platform},
		{"", "", nil, "unknown (" + platform},
		{"v0.0.0-1-4397573ea99b", "v1.3.0-4-g4397573", stamped, "v1.3.0-4-g4397573 (revision 4397573ea99b of 2026-11-22, modified; " + platform},
		{"v1.2.3", "", stamped[:1], "v1.2.3 (revision 4397573ea99b; " + platform},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.settings}
		if got := buildOf(info, c.release).String(); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.module, c.release, got, c.want)
		}
	}
}
