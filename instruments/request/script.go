package request

import (
	"fmt"
	"regexp"
	"sync"
	"unicode/utf8"
)

// Script is a text that a visitor wrote, which defines passes and instruments.
type Script struct {
	// Name is that of the file, as messages give places in it.
	Name   string `json:"name"`
	Source string `json:"source"`
}

// UserPrefix stands before the names of passes that scripts define, wherever a name of a
// pass stands, so that none of them can be taken for one of the compiler.
const UserPrefix = "user."

// Bounds on the scripts of a run.
const (
	MaxScripts      = 8
	MaxScriptSource = 64 << 10
)

// scriptName matches the names that scripts may have.
var scriptName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`) })

// validScripts checks the number, names and sizes of scripts.
func validScripts(list []Script) error {
	if len(list) > MaxScripts {
		return fmt.Errorf("there are %d scripts; the limit is %d", len(list), MaxScripts)
	}
	seen := map[string]bool{}
	for _, s := range list {
		if err := s.Valid(); err != nil {
			return err
		}
		if seen[s.Name] {
			return fmt.Errorf("two scripts are named %s; rename one", s.Name)
		}
		seen[s.Name] = true
	}
	return nil
}

// Valid tells whether a script may be one at all; what it says is for package driver.
func (s Script) Valid() error {
	switch {
	case !scriptName().MatchString(s.Name):
		return fmt.Errorf("a script is named %.80q, want at most 64 letters, digits, dots, hyphens, and underscores, such as mine.star", s.Name)
	case len(s.Source) > MaxScriptSource:
		return fmt.Errorf("script %s has %d bytes; the limit is %d KiB", s.Name, len(s.Source), MaxScriptSource>>10)
	case !utf8.ValidString(s.Source):
		return fmt.Errorf("script %s is not valid UTF-8", s.Name)
	}
	return nil
}
