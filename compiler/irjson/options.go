package irjson

// Version is the number of the format that Save writes, the newest that Load reads.
const Version = 1

// Encoding says where Save puts the bytes of constants.
type Encoding uint8

// The encodings of constants.
const (
	Base64 Encoding = iota // in the JSON
	Raw                    // before the JSON as they are, in a file that is not JSON as a whole
)

// Options are the options of Save.
type Options struct {
	Blobs Encoding
}

// Limits bound what Load accepts. An error names the limit that was exceeded.
type Limits struct {
	FileBytes int64 // of all that is read
	Nodes     int   // entries of the table of nodes; of the table of origins, too
	// Places are nodes once for each place at which they stand: sharing lets a short file stand for
	// a huge tree. Equality and hash are linear in Nodes, but the printer writes each place, and
	// ir.Walk and the mappers with a scope visit each.
	Places      int64
	Depth       int   // nodes above each other, and dictionaries or lists in an attribute
	StringBytes int   // one string: a name, an attribute, a source text
	BlobBytes   int64 // all constants together
}

// DefaultLimits are for files of the user who runs the program.
func DefaultLimits() Limits {
	return Limits{FileBytes: 4 << 30, Nodes: 4 << 20, Places: 1 << 26, Depth: 100_000, StringBytes: 64 << 20, BlobBytes: 2 << 30}
}
