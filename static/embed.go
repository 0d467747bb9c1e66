package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Prefix is the path under which the files are served. It ends in a slash.
const Prefix = "/static/"

//go:embed dist vendor/codemirror.js
var embedded embed.FS

// files is the set of embedded files. It is built when it is first asked for, since compressing them takes longer than all other
// work of a short command, and never written again.
var files = sync.OnceValue(func() set { return mustLoad(embedded, "dist", "vendor") })

// file is one embedded file, ready to be sent.
type file struct {
	hashed      string   // name with the digest of the content before the extension
	imports     []string // names of the files that a script imports before it runs
	contentType string
	data        []byte
	gzipped     []byte // nil where compression does not pay
}

// set finds files by logical name and by hashed name.
type set struct {
	byName map[string]*file
	byHash map[string]*file
}

// URL returns the address of the embedded file called name, such as "app.js". The address changes with the content, so it may be
// cached for ever. It panics on an unknown name: the names are fixed at compile time and a test asks for each of them.
func URL(name string) string {
	f, ok := files().byName[name]
	if !ok {
		panic(fmt.Sprintf("static: no embedded file %q", name))
	}
	return Prefix + f.hashed
}

// Preload returns the addresses of the scripts that app.js imports on a page whose own script, under src, is called page: that
// script, and what both import. A page that names them in its head fetches them together with app.js and not one after the other.
// It panics on an unknown page; "" is a page without a script of its own.
func Preload(page string) []string {
	names := files().preload(page)
	for i, name := range names {
		names[i] = URL(name)
	}
	return names
}

// Fonts returns the addresses of the fonts that the style sheet names, so that a page can have them fetched together with it.
func Fonts() []string {
	var out []string
	for name := range files().byName {
		if path.Ext(name) == ".woff2" {
			out = append(out, URL(name))
		}
	}
	slices.Sort(out)
	return out
}

// preload returns the names of what Preload returns the addresses of.
func (s set) preload(page string) []string {
	if page == "" {
		return s.imports("app.js")[1:]
	}
	for name := range s.byName {
		if base, ok := strings.CutPrefix(name, page); ok && named().FindString(base) == base {
			return s.imports("app.js", name)[1:]
		}
	}
	panic(fmt.Sprintf("static: no script of a page %q", page))
}

// imports returns the names of scripts and of what they import, directly or by what they import, nearest first.
func (s set) imports(names ...string) []string {
	seen := slices.Clone(names)
	for i := 0; i < len(seen); i++ {
		for _, other := range s.byName[seen[i]].imports {
			if !slices.Contains(seen, other) {
				seen = append(seen, other)
			}
		}
	}
	return seen
}

// Text returns the content of the embedded file called name. It panics on an unknown name, as URL does.
func Text(name string) string {
	f, ok := files().byName[name]
	if !ok {
		panic(fmt.Sprintf("static: no embedded file %q", name))
	}
	return string(f.data)
}

// Size returns the number of bytes of the embedded file called name as it is and as it travels with gzip, and whether there is one.
func Size(name string) (plain, wire int, ok bool) {
	f, ok := files().byName[name]
	if !ok {
		return 0, 0, false
	}
	if f.gzipped == nil {
		return len(f.data), len(f.data), true
	}
	return len(f.data), len(f.gzipped), true
}

// mustLoad reads every file directly under the folders. It panics on a failure, which can only come from a broken build.
func mustLoad(fsys fs.FS, dirs ...string) set {
	s, err := load(fsys, dirs...)
	if err != nil {
		panic(err)
	}
	return s
}

func load(fsys fs.FS, dirs ...string) (set, error) {
	s := set{byName: map[string]*file{}, byHash: map[string]*file{}}
	for _, dir := range dirs {
		entries, err := fs.ReadDir(fsys, dir)
		if err != nil {
			return s, fmt.Errorf("static: list embedded files: %w", err)
		}
		for _, e := range entries {
			data, err := fs.ReadFile(fsys, path.Join(dir, e.Name()))
			if err != nil {
				return s, fmt.Errorf("static: read embedded file: %w", err)
			}
			f := newFile(e.Name(), data)
			s.byName[e.Name()] = f
			s.byHash[f.hashed] = f
		}
	}
	for name, f := range s.byName {
		for _, other := range f.imports {
			if s.byName[other] == nil {
				return s, fmt.Errorf("static: %s imports %s, which is not embedded", name, other)
			}
		}
	}
	return s, nil
}

// named matches names that the bundler has given a hash of their content; such files are imported by these names.
var named = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-[A-Z0-9]{8}\.(js|woff2)$`) })

// imported matches the import of a script beside it in what the bundler wrote, but no dynamic one.
var imported = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:\bfrom|\bimport)\s*"\./([^"/]+\.js)"`) })

// newFile names data by its digest, unless its name has one already, and compresses it if that saves a tenth or more.
func newFile(name string, data []byte) *file {
	sum := sha256.Sum256(data)
	ext := path.Ext(name)
	f := &file{
		hashed:      strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext,
		contentType: contentType(ext),
		data:        data,
	}
	if named().MatchString(name) {
		f.hashed = name
	}
	if ext == ".js" {
		for _, m := range imported().FindAllSubmatch(data, -1) {
			if other := string(m[1]); !slices.Contains(f.imports, other) {
				f.imports = append(f.imports, other)
			}
		}
	}
	var buf bytes.Buffer
	zw, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression) // the level is a valid constant
	_, _ = zw.Write(data)                                    // a bytes.Buffer does not fail
	_ = zw.Close()
	if buf.Len() < len(data)*9/10 {
		f.gzipped = buf.Bytes()
	}
	return f
}

// contentType returns the media type for a file extension. It is a table of our own because the system's is not the same everywhere.
func contentType(ext string) string {
	switch ext {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	default:
		return "application/octet-stream"
	}
}
