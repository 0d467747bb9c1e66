package runtime

// Binary is a kernel module as a code generator wrote it and an artifact keeps it.
type Binary struct {
	Kind    string // of target that it was made for
	Format  string // of Bytes: the name of its loader
	Bytes   []byte
	Symbols []string // of its kernels, sorted; nil where unknown, as in artifacts of version 1
}
