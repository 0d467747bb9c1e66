package web

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/irscope/irscope/web/share"
)

// TestSharesAreDocumented compares the table of docs/protocol.md with the numbers.
func TestSharesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	v := reflect.ValueOf(DefaultShares())
	for i := range v.NumField() {
		c := v.Field(i).Interface().(share.Class)
		turns, time, bytes := "", "", ""
		if c.Turns > 0 {
			turns, time = fmt.Sprintf("%d of %d", c.TurnsPerVisitor, c.Turns), fmt.Sprintf("%.0f s", c.Time.Seconds())
			bytes = fmt.Sprintf("%d of %d", c.BytesPerVisitor>>20, c.Bytes>>20)
		}
		fmt.Fprintf(&want, "| %s | %d | %d of %d | %s | %s | %s |\n", c.Name, c.PerMinute, c.PerVisitor, c.Total, turns, time, bytes)
	}
	if !strings.Contains(string(doc), want.String()) {
		t.Errorf("docs/protocol.md lacks the table\n%s", want.String())
	}
}
