package history_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/irscope/irscope/instruments/history"
)

// TestEncode compares what is written by hand with what encoding/json writes.
func TestEncode(t *testing.T) {
	steps := []*history.Step{
		{},
		{Path: "import", Pass: `a "b" \ <c> & ü 漢` + "\u2028\n\x00\xff", Roots: []history.Root{{ID: 7, Name: "<x>", Op: "Conv", Line: 3}, {}}, Truncated: true},
		{Names: []string{"", "é", "a'b", "~ \x7f"}, Sets: [][]uint32{{}, nil, {0}, {1, 4294967295}}, Functions: []history.Function{
			{},
			{Name: "gone", Gone: true},
			{Name: "none", Rows: history.Rows{}, Unknown: 12},
			{Name: "rows", Unknown: -1, Rows: history.Rows{{}, {Line: 3, Kind: history.Binding, Name: 1, Op: 2, Set: 3}, {Line: 2, Kind: '"', Name: -1, Op: 1 << 40, Set: 0}}},
		}},
		table("3/Fuse", "Fuse", []string{"old"}, "main 1 b x add 12", "main 4 k y - 3", "k 2 l i serial 1"),
	}
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	for _, s := range steps {
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
	}
	got, err := history.Encode(steps...)
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("error %v, and\n%s\nwant\n%s", err, got, want.Bytes())
	}
	if columns := `{"lines":[0,3,-1],"kinds":"\u0000b\"","names":[0,1,-1],"ops":[0,2,1099511627776],"sets":[0,3,0]}`; !bytes.Contains(got, []byte(columns)) {
		t.Errorf("no columns %s in\n%s", columns, got)
	}
}
