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

// git log -p stands for a history of any texts: a commit is a step, and a file a function, as far as its differences show it. git
// prints the newest commit first, unless it is told otherwise (--reverse), so the commits are turned around when all of them have been
// read. Which of the two it is, the hashes of the files tell: what a commit leaves is what the next one finds.
type gitLog struct {
	t    *timeline
	list []*dump
	was  []byte
	is   []byte
	file string
	// patch tells that a line is within the hunks of a file, made and gone that the commit has made the file or removed it.
	patch, made, gone bool
	bytes             int
	// blobs are the hashes of a file before and after the last commit that was listed; forward counts those that say that the oldest
	// commit comes first, less those that say the opposite.
	blobs   map[string][2]string
	forward int
}

var (
	gitCommit = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^commit ([0-9a-f]{40}(?:[0-9a-f]{24})?)( |$)`)
	})
	gitIndex = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^index ([0-9a-f]+)\.\.([0-9a-f]+)`) })
)

func knowsGitLog(line []byte) bool {
	return bytes.HasPrefix(line, []byte("commit ")) && gitCommit().Match(line)
}

func newGitLog(t *timeline) reader {
	t.info = event.Dump{Compiler: "git", Format: "commits with their differences (git log -p)"}
	t.paired = true
	return &gitLog{t: t, blobs: map[string][2]string{}}
}

// line takes the next line.
func (g *gitLog) line(line []byte, number int) error {
	if g.bytes += len(line); g.bytes > MaxModule {
		return limit("dump", "line %d: the commits take more than %d MiB, the limit here", number, MaxModule>>20)
	}
	switch {
	case knowsGitLog(line):
		g.endFile()
		hash := gitCommit().FindSubmatch(line)[1]
		g.list = append(g.list, &dump{name: string(hash[:10]), title: string(hash), kind: event.PassModule, on: string(hash), line: number, own: []text{}})
	case len(g.list) == 0:
	case bytes.HasPrefix(line, []byte("diff --git ")):
		g.endFile()
		if _, name, ok := bytes.Cut(line, []byte(" b/")); ok {
			g.file = cleanName(name)
		}
	case !g.patch && g.file != "" && bytes.HasPrefix(line, []byte("index ")):
		g.index(line)
	case !g.patch && g.file != "" && bytes.HasPrefix(line, []byte("new file mode ")):
		g.made = true
	case !g.patch && g.file != "" && bytes.HasPrefix(line, []byte("deleted file mode ")):
		g.gone = true
	case bytes.HasPrefix(line, []byte("@@ ")) && g.file != "":
		g.patch = true
		if g.made || g.gone { // all of the file is known
			break
		}
		g.was, g.is = append(append(g.was, line...), '\n'), append(append(g.is, line...), '\n')
	case g.patch && len(line) > 0 && line[0] == ' ':
		g.was, g.is = append(append(g.was, line[1:]...), '\n'), append(append(g.is, line[1:]...), '\n')
	case g.patch && len(line) > 0 && line[0] == '-':
		g.was = append(append(g.was, line[1:]...), '\n')
	case g.patch && len(line) > 0 && line[0] == '+':
		g.is = append(append(g.is, line[1:]...), '\n')
	case g.file == "" && bytes.HasPrefix(line, []byte("    ")):
		if d := g.list[len(g.list)-1]; d.name == d.title[:10] {
			d.title += " " + cleanName(line)
			d.name = cleanName(line)
		}
	}
	return nil
}

// index notes which way the commits are listed.
func (g *gitLog) index(line []byte) {
	m := gitIndex().FindSubmatch(line)
	if m == nil {
		return
	}
	now := [2]string{string(m[1]), string(m[2])}
	if last, ok := g.blobs[g.file]; ok && now[0] != now[1] {
		if last[1] == now[0] {
			g.forward++
		}
		if last[0] == now[1] {
			g.forward--
		}
	}
	g.blobs[g.file] = now
}

// endFile adds the file that has been read to its commit. The places in a file that a commit does not touch are not known, so the text
// of a file is that of its differences, with the lines that say where they are; but all of a file that it makes or removes.
func (g *gitLog) endFile() {
	if g.file != "" && len(g.was)+len(g.is) > 0 {
		d := g.list[len(g.list)-1]
		x := text{name: g.file, kind: kindFile, lang: fileLang(g.file), body: g.was}
		y := x
		y.body = g.is
		if !g.made {
			d.own = append(d.own, x)
		}
		if !g.gone {
			d.texts = append(d.texts, y)
		}
	}
	g.file, g.was, g.is, g.patch, g.made, g.gone = "", nil, nil, false, false, false
}

func (g *gitLog) end() error {
	g.endFile()
	if g.forward <= 0 {
		slices.Reverse(g.list)
	}
	for _, d := range g.list {
		if len(d.texts)+len(d.own) == 0 {
			d.effect, d.reason = hidden, "The log shows no difference of this commit."
		}
		if err := g.t.add(d); err != nil {
			return err
		}
	}
	return nil
}

// fileLang is the language of a file by its name.
func fileLang(name string) string {
	if lang, ok := fileLangs[strings.ToLower(path.Ext(name))]; ok {
		return lang
	}
	return event.LangPlain
}

var fileLangs = map[string]string{
	".ll": event.LangLLVM, ".mir": event.LangMIR, ".mlir": event.LangMLIR, ".hlo": event.LangHLO, ".py": event.LangTVMScript, ".tir": event.LangTVMScript,
	".s": event.LangAsm, ".asm": event.LangAsm,
}
