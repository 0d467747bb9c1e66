package export

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// What an archive may hold. An archive that Zip writes keeps to it, so it can be read back.
const (
	// MaxArchive is the size of an archive, MaxBytes that of all its files, and MaxLogs that
	// of the events of all runs.
	MaxArchive = 64 << 20
	MaxBytes   = 192 << 20
	MaxLogs    = 64 << 20
	// MaxEntries is the number of files.
	MaxEntries = 20_000
	// MaxRatio is how many times smaller a file of more than smallFile bytes may be in the
	// archive.
	MaxRatio  = 200
	smallFile = 64 << 10
)

// The form of archives.
const (
	Format  = "irscope-session"
	Version = 1

	manifestName = "manifest.json"
	// sumComment begins the comment of an archive; the digest of the manifest follows, which lists those of all others.
	sumComment  = "manifest.json sha256:"
	sessionName = "session.json"
	// The source has one of two names, whatever the visitor called it.
	modelName  = "source/model.onnx"
	scriptName = "source/module.py"
)

// manifest lists the files of an archive. It stands in it as the last file.
type manifest struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Program is the version of the program that wrote the archive.
	Program string         `json:"program"`
	Files   []manifestFile `json:"files"`
}

// manifestFile describes one file.
type manifestFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// About says what the text is, for people: "run 1: kernel fused_add".
	About []string `json:"about,omitempty"`
}

// sessionFile is session.json. The runs of notes are numbers of runs, from 1.
type sessionFile struct {
	Title    string          `json:"title"`
	Source   store.Source    `json:"source"`
	Lesson   string          `json:"lesson,omitempty"`
	Created  time.Time       `json:"created"`
	Settings json.RawMessage `json:"settings,omitempty"`
	Runs     int             `json:"runs"`
	Notes    []store.Note    `json:"notes"`
}

// runFile is runs/N/run.json.
type runFile struct {
	Request run.Request  `json:"request"`
	Created time.Time    `json:"created"`
	Status  event.Status `json:"status"`
	// Hash is that of the log, Events the number of its events.
	Hash   string `json:"hash"`
	Events int    `json:"events"`
}

// runName returns the name of a file of the run with a number.
func runName(n int, file string) string { return "runs/" + strconv.Itoa(n) + "/" + file }

// sourceName returns the name of the file of a source.
func sourceName(src store.Source) string {
	if src.Kind == store.SourceScript {
		return scriptName
	}
	return modelName
}

// extensions are the ends of the names of texts, by language.
var extensions = map[string]string{
	event.LangTVMScript: "py", event.LangWAT: "wat", event.LangVM: "vm", event.LangPlain: "txt", event.LangHistory: "json", event.LangRewrites: "json",
	event.LangLLVM: "ll", event.LangMIR: "mir", event.LangMLIR: "mlir", event.LangHLO: "hlo", event.LangGIMPLE: "gimple", event.LangRTL: "rtl", event.LangGoSSA: "ssa", event.LangAsm: "s", store.LangBinary: "bin",
}

// textName returns the name of the file of a text.
func textName(hash, language string) string {
	ext, ok := extensions[language]
	if !ok {
		ext = extensions[event.LangPlain]
	}
	return "texts/" + hash + "." + ext
}
