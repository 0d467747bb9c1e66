package dumps

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/irscope/irscope/instruments/event"
)

// folder is a format that is many files. count tells how many of the files have its names; the format with most of them is taken.
type folder struct {
	name  func(file string) bool
	read  func(t *timeline, files []File) error
	least int
}

// folders are in the order in which they are taken where as many files have their names.
var folders = []folder{
	{isGCC, readGCC, 1},
	{isGoSSA, readGoSSA, 1},
	{isXLA, readXLA, 1},
	{isMLIRTree, readMLIRTree, 1},
	{isTileLang, readTileLang, 2},
	{isNumbered, readNumbered, 2},
}

// readFolder reads the files of a folder in whatever format most of them have.
func readFolder(ctx context.Context, t *timeline, files []File) error {
	files = slices.DeleteFunc(files, func(f File) bool {
		return strings.HasPrefix(path.Base(f.Name), ".") || strings.HasPrefix(f.Name, "__MACOSX/") || bytes.IndexByte(f.Data[:min(len(f.Data), 4096)], 0) >= 0
	})
	sortFiles(files)
	if len(files) == 0 {
		return unreadable()
	}
	best, most := folderOf(files)
	// A file may be a whole dump.
	if found := slices.IndexFunc(files, func(f File) bool { return Knows(f.Data) }); found >= 0 && 2*most <= len(files) {
		if len(files) > 1 {
			if err := t.notes.say(event.SeverityNote, "only "+cleanName([]byte(files[found].Name))+" of the folder was read, which holds the passes"); err != nil {
				return err
			}
		}
		return readStream(ctx, t, bytes.NewReader(files[found].Data))
	}
	if most == 0 {
		if slices.ContainsFunc(files, func(f File) bool { return bytes.Contains(f.Data[:min(len(f.Data), 4096)], pictured) }) {
			return pictures()
		}
		return unreadable()
	}
	t.notes.files = len(files) - most
	mine := slices.DeleteFunc(files, func(f File) bool { return !best.name(f.Name) })
	if err := best.read(t, mine); err != nil {
		return err
	}
	return ctx.Err()
}

// folderOf returns the format that most files have the names of, and how many have.
func folderOf(files []File) (best folder, most int) {
	for _, f := range folders {
		n := 0
		for _, x := range files {
			if f.name(x.Name) {
				n++
			}
		}
		if n >= f.least && n > most {
			best, most = f, n
		}
	}
	return best, most
}

func unreadable() error { return &event.Error{Kind: event.KindInput, Message: Unreadable} }

// stem returns the name of a file without folders and its extension.
func stem(name string) string {
	base := path.Base(name)
	return strings.TrimSuffix(base, path.Ext(base))
}
