package dumps

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/irscope/irscope/instruments/event"
)

// A folder of numbered files is the IR after each of them: 000_LegalizeOps.py as DumpIR of TVM writes it, or of any compiler. The name
// behind the number is that of the pass, and the extension tells how the text is cut into functions.

var numberedName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+)([._ -]+(.+))?$`) })

func isNumbered(name string) bool { return numberedName().MatchString(stem(name)) }

func readNumbered(t *timeline, files []File) error {
	t.info = event.Dump{Compiler: "files", Format: "a numbered file after each pass"}
	t.strict = true
	scripts := 0
	for _, f := range files {
		if path.Ext(f.Name) == ".py" {
			scripts++
		}
	}
	if scripts == len(files) {
		t.info = event.Dump{Compiler: "TVM", Format: "a file after each pass (DumpIR)"}
	}
	inFolders := inSeveral(files)
	for _, f := range files {
		m := numberedName().FindStringSubmatch(stem(f.Name))
		name := strings.TrimPrefix(m[3], "after_")
		if name == "" {
			name = m[1]
		}
		d := &dump{name: cleanName([]byte(name)), title: cleanName([]byte(f.Name)), kind: event.PassModule}
		if dir := path.Base(path.Dir(f.Name)); dir != "." && inFolders {
			d.group = cleanName([]byte(dir))
		}
		cutByName(d, f)
		if err := t.add(d); err != nil {
			return err
		}
	}
	return nil
}

// inSeveral tells whether the files lie in more than one folder.
func inSeveral(files []File) bool {
	return slices.ContainsFunc(files, func(f File) bool { return path.Dir(f.Name) != path.Dir(files[0].Name) })
}

// cutByName cuts the text of a file as its extension tells; without one that is known it is one text.
func cutByName(d *dump, f File) {
	switch strings.ToLower(path.Ext(f.Name)) {
	case ".py", ".tir", ".tvmscript":
		cutScript(d, f.Data)
	case ".ll":
		l := &llvm{t: &timeline{}, body: f.Data}
		l.split(d)
	case ".mlir":
		cutMLIR(d, f.Data)
	case ".hlo":
		cutHLO(d, f.Data)
	default:
		d.whole = true
		d.texts = []text{{name: "text", kind: kindFile, lang: fileLang(f.Name), body: withNewline(f.Data)}}
	}
	if d.broken == "" && len(d.texts) == 0 {
		d.effect, d.reason = hidden, "The file of the pass is empty."
	}
}

func withNewline(data []byte) []byte {
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if len(data) == 0 || data[len(data)-1] == '\n' {
		return data
	}
	return append(bytes.Clone(data), '\n')
}

// The tree of --mlir-print-ir-tree-dir has a folder for each operation and a file for each pass that printed, 1_0_cse.mlir: the numbers
// count the passes from the outer operation to the inner one, and order all files.

var treeName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+(?:_\d+)*)_(.+)\.mlir$`) })

func isMLIRTree(name string) bool {
	return treeName().MatchString(path.Base(name)) && strings.Contains(name, "_") && path.Dir(name) != "."
}

func readMLIRTree(t *timeline, files []File) error {
	slices.SortStableFunc(files, func(a, b File) int {
		return natural(treeName().FindStringSubmatch(path.Base(a.Name))[1], treeName().FindStringSubmatch(path.Base(b.Name))[1])
	})
	r := newMLIR(t)
	t.info.Format = "a file after each pass (--mlir-print-ir-tree-dir)"
	for _, f := range files {
		l := newLines(bytes.NewReader(f.Data))
		for {
			line, err := l.next()
			if err != nil {
				break
			}
			if err := r.line(line, l.number); err != nil {
				return err
			}
		}
	}
	return r.end()
}
