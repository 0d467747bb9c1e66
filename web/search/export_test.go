package search

// IndexSize returns the bytes of memory that the indexes take that are at hand.
func (s *Searcher) IndexSize() int64 { return s.indexes.Used() }
