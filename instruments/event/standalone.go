package event

// standaloner is a body that names texts, histories or modules.
type standaloner interface {
	standalone(name func(hash string) string) Body
}

// Standalone returns the event as a document has it that holds the texts itself: without hunks, histories and modules, and with the name
// that each text has there. The event stays as it is.
func (e Event) Standalone(name func(hash string) string) Event {
	if b, ok := e.Body.(standaloner); ok {
		e.Body = b.standalone(func(hash string) string {
			if hash == "" {
				return ""
			}
			return name(hash)
		})
	}
	return e
}
