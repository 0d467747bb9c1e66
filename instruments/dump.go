package instruments

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script"
)

var dumpName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{3,}_.*\.py$`) })

// DumpIR writes the module after each pass to dir/NNN_<pass>.py, NNN counting from 000, as
// TVM's DumpIR does. What cannot be written is reported on warn and fails nothing. With
// refresh a folder of earlier dumps is emptied first; one that holds other files is not.
func DumpIR(dir string, refresh bool, warn io.Writer) *pass.Instrument {
	n := 0
	return &pass.Instrument{
		Name: "DumpIR",
		EnterPassCtx: func() error {
			n = 0
			if refresh {
				clearDumps(dir, warn)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("cannot create the dump folder: %w", err)
			}
			return nil
		},
		RunAfterPass: func(m *ir.Module, s *pass.Step) error {
			name := fmt.Sprintf("%03d_%s.py", n, cleanName(s.Pass.Name))
			n++
			text := script.Module(m, script.Options{}).Source
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				fmt.Fprintf(warn, "warning: cannot dump the IR after %s: %v\n", s.Pass.Name, err)
			}
			return nil
		},
	}
}

func cleanName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, name)
}

func clearDumps(dir string, warn io.Writer) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // nothing there yet
	}
	for _, e := range entries {
		if e.IsDir() || !dumpName().MatchString(e.Name()) {
			fmt.Fprintf(warn, "warning: %s contains files other than dumps (%s), so it was not emptied\n", dir, e.Name())
			return
		}
	}
	for _, e := range entries {
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			fmt.Fprintf(warn, "warning: cannot remove an old dump: %v\n", err)
		}
	}
}
