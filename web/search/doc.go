// Package search finds text, names and operators in all that a run printed: every function as it was imported and as each
// pass left it, and the generated code. It also answers in which step a name came up, went, or was touched.
//
// A query is parsed once (query.go). The history of a run is read from its log (history.go): which step gave which function
// which text. Each text has an index from words to lines (index.go), made when a search first needs it and shared by all
// steps and runs that have the text, so a function that did not change costs nothing. The index proposes lines, and the
// terms of the query look at those alone.
//
// The web package may import it. It must not know HTTP or passes; it reads logs of package run and blobs of package store.
package search

import "time"

// Limits of queries and answers.
const (
	// MaxQuery is the length of the longest query, in bytes.
	MaxQuery = 1000
	// MaxTerms is the number of terms of a query.
	MaxTerms = 16
	// MaxCount is the number of results of one answer, and DefaultCount that of who does not ask for a number.
	MaxCount     = 1000
	DefaultCount = 100
	// MaxLine is the number of bytes of a line that are searched; the page shows as many.
	MaxLine = 16 << 10
	// MaxExcerpt is the number of bytes of a line in a result, MaxMatches the number of places marked in it.
	MaxExcerpt = 200
	MaxMatches = 20
	// MaxProgram bounds a regular expression: the number of instructions that it compiles to.
	MaxProgram = 1000
	// MaxTime is how long a search may take. It ends with what it has then, and says where to go on.
	MaxTime = 2 * time.Second
)

// Sizes of the caches in bytes: of the indexes of texts, of what logs say, and of the places where texts differ.
const (
	indexCache   = 96 << 20
	historyCache = 16 << 20
	blockCache   = 16 << 20
)
