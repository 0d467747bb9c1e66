package native

import "github.com/irscope/irscope/runtime/abi"

// Where a kernel finds words of its call in its frame, by offset. Code only reads them. All but the counts are addresses in the memory of the device, as
// package abi describes it, in the lower half of the word; the upper half is zero.
const (
	ArgsAt   = 8 * (1 + iota) // array of cells
	CountAt                   // number of these
	ResultAt                  // cell for the result
	DataAt                    // Object.Data, aligned to abi.DataAlign; 0 where there is none
	StackAt                   // the area for local arrays, abi.StackBytes long
	AnswerAt                  // what the host answered to a request
	FromAt                    // i32: the first turn of the chunk that is entered after StatusFork
	TillAt                    // i32: the turn before which it ends
	LocalAt                   // the area for its local arrays, as long as the request says
)

// LocalBytes is how long the areas for local arrays of chunks may be. What is outside of forked loops has abi.StackBytes less as many.
const LocalBytes = 64 << 10

// Where a kernel writes words for the host in its frame, by offset, and from where on it keeps its own values: what is there is undefined when a call begins,
// but for the budget. What is there when a kernel makes a request is still there when it goes on.
const (
	WordsAt  = frozen + 8*iota // operands of a status, up to three
	_                          //
	_                          //
	EntryAt                    // i32: the number of the entry at which the call goes on after a request
	BudgetAt                   // i32: how many simple operations are left until the kernel must poll; it is set when a call begins and after each poll
	RoomAt   = frozen + 64
)

// What a kernel leaves in EAX when it returns: the end of the call, or a request. After a request the host enters the code again, at the entry in EntryAt;
// registers hold nothing then that the kernel left there. A call that was stopped, or failed, may never be entered again: it holds nothing that
// the host does not know of.
const (
	StatusDone    = abi.ErrNone
	StatusRaised  = abi.ErrRaised  // words: number of the message in Object.Messages, two integers for its text
	StatusStopped = abi.ErrStopped // a poll was not answered by 0
	StatusFailed  = -3             // a request failed: tvm_throw_last_error

	// StatusPoll asks whether to go on: the answer is 0 if so, with another budget in BudgetAt. If the run was canceled, the host may give another answer, or
	// not enter the code again.
	StatusPoll = 1
	// StatusAlloc asks for a workspace of as many bytes as the first word says: the answer is its address, aligned to abi.DataAlign, or 0, after which
	// the kernel returns StatusFailed.
	StatusAlloc = 2
	// StatusFree gives back the workspace at the address in the first word: the answer is 0, or -1 if there is none.
	StatusFree = 3
	// StatusMath asks for a function of package hostmath: the words are its number and the bits of its operands, the answer the bits of the result.
	StatusMath = 4

	// StatusFork hands over the turns of a loop that may run in any order and side by side: words are the first turn and the one before which it ends, which lies behind
	// it, as i32, and two i32 in one, the cost of a turn in simple operations and the length of the area for local arrays that a chunk needs, up to LocalBytes. The host
	// enters the code once or more at the entry in EntryAt, each time for a chunk of turns, by several threads at a time: each with a copy of the frame as
	// it was, in which it finds its chunk (FromAt). A chunk may ask for all but another fork.
	StatusFork = 5
	// StatusJoin ends a chunk. When all have ended, the host goes on in the frame of the fork, at the entry that chunks left in EntryAt. What the chunks
	// left in their frames is gone then.
	StatusJoin = 6
)
