package lesson

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// maxLessons is how many lessons a folder may hold.
const maxLessons = 200

// readme is a file of a folder of lessons that is none.
const readme = "README.md"

// Load reads the lessons of a folder in the order of the names of the files: all that end in .md but README.md. The error is of type
// Errors, or one of the folder.
func Load(fsys fs.FS) ([]*Lesson, error) {
	if _, err := fs.Stat(fsys, "."); errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("there is no such folder")
	} else if err != nil {
		return nil, fmt.Errorf("read the folder: %w", err)
	}
	names, err := fs.Glob(fsys, "*.md")
	if err != nil {
		return nil, fmt.Errorf("list lessons: %w", err)
	}
	var out []*Lesson
	var errs Errors
	for _, name := range names {
		if name == readme {
			continue
		}
		if len(out) == maxLessons {
			return nil, fmt.Errorf("the folder has more than %d lessons", maxLessons)
		}
		data, err := read(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read lesson: %w", err)
		}
		l, err := Parse(path.Base(name), data)
		var list Errors
		if errors.As(err, &list) {
			errs = append(errs, list...)
		}
		out = append(out, l)
	}
	if err := errs.sorted(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, errors.New("the folder has no lessons: files such as 10-fusion.md")
	}
	return out, nil
}

// read reads a file, no more of it than tells that it is too long.
func read(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b strings.Builder
	if _, err := io.Copy(&b, io.LimitReader(f, MaxFile+1)); err != nil {
		return nil, err
	}
	return []byte(b.String()), nil
}
