package syntax

// File is a text that has been read. Its statements are whole only where it has no errors.
type File struct {
	*Errors
	Stmts    []*Stmt
	Comments []Comment
	// Host are syntax errors outside of decorated functions and classes: in the program around
	// them, which need not be understood.
	Host []Error
}

// Parse reads a text. name is the file's, for errors.
func Parse(name, text string) *File {
	f := &File{Errors: &Errors{Source: NewSource(name, text)}}
	p := &parser{src: text, diags: f.Errors}
	p.toks, f.Comments = lex(text, f.Errors)
	f.Stmts = p.file()
	f.Host = p.host
	return f
}

// ParseExpr reads a text that is one expression; what follows it is not looked at. The tree is
// nil where there are errors.
func ParseExpr(name, text string) (tree *Node, errs *Errors) {
	errs = &Errors{Source: NewSource(name, text)}
	p := &parser{src: text, diags: errs}
	p.toks, _ = lex(text, errs)
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(syntaxError); !ok {
				panic(r)
			}
		}
		if errs.Failed() {
			tree = nil
		}
	}()
	return p.expr(), errs
}

// IsIdentifier reports whether a text could be a name.
func IsIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isNameStart(s[i]) && (i == 0 || !isDigit(s[i])) {
			return false
		}
	}
	return s != ""
}
