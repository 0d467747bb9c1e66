package syntax

// File is a text that has been read. Its statements are whole only where it has no errors.
type File struct {
	*Errors
	Stmts    []*Stmt
	Comments []Comment
	// Host are syntax errors outside of decorated functions and classes: in the program around
	// them, which need not be understood.
	Host []Error

	parser *parser // of Outline
	unread int     // bodies that were passed over and not read since
}

// Parse reads a text. name is the file's, for errors.
func Parse(name, text string) *File {
	f := &File{Errors: &Errors{Source: NewSource(name, text)}}
	p := &parser{src: text, diags: f.Errors, memory: &memory{}}
	p.toks, f.Comments = lex(text, f.Errors)
	defer p.release()
	f.Stmts = p.file()
	f.Host = p.host
	return f
}

// Outline reads a text as Parse does, but for the bodies of functions in modules: each is read by
// ReadBody when it is needed, and its tree is forgotten before the next one is read. So a large module
// is read in less memory, and faster. Relax functions that may declare symbolic variables have their bodies.
func Outline(name, text string) *File {
	f := &File{Errors: &Errors{Source: NewSource(name, text)}}
	p := &parser{src: text, diags: f.Errors, outline: true}
	f.parser = p
	p.toks, f.Comments = lex(text, f.Errors)
	p.memory = takeMemory()
	if f.Failed() {
		return f
	}
	f.Stmts = p.file()
	f.Host, f.unread = p.host, p.passed
	p.outlined, p.memory, p.kidBuf = p.memory, takeMemory(), nil
	return f
}

// ReadBody reads the body of a function that Outline passed over, and reports whether it has no syntax
// errors. What the body before it consists of is no longer valid then. Other functions have
// their bodies already.
func (f *File) ReadBody(s *Stmt) bool {
	if s.head.start == 0 {
		return true
	}
	p, n := f.parser, len(f.List)
	p.memory.reset()
	clear(p.kidBuf)
	p.kidBuf = p.kidBuf[:0]
	p.pos, p.depth, p.script, p.outline = s.head.start, s.head.depth, s.head.script, false
	s.head.start = 0
	f.unread--
	p.statements(s)
	return len(f.List) == n
}

// Unread reports whether there are bodies that ReadBody has not been asked for.
func (f *File) Unread() bool { return f.unread > 0 }

// Close ends the reading of a file of Outline: its memory is used for the next one, so neither its statements nor ReadBody must be used any more.
func (f *File) Close() {
	if p := f.parser; p != nil {
		f.parser = nil
		p.release()
		p.memory.giveBack()
		p.outlined.giveBack()
	}
}

// ParseExpr reads a text that is one expression; what follows it is not looked at. The tree is
// nil where there are errors.
func ParseExpr(name, text string) (tree *Node, errs *Errors) {
	errs = &Errors{Source: NewSource(name, text)}
	p := &parser{src: text, diags: errs, memory: &memory{}}
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
