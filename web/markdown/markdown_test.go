package markdown_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/web/markdown"
)

// TestNotesAreMarkdown: emphasis, code, lists, quotes, links; headings and pictures become what a note may have.
func TestNotesAreMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"**bold** and *not so* `a < b`": "<p><strong>bold</strong> and <em>not so</em> <code>a &lt; b</code></p>",
		"one\ntwo":                      "<p>one<br>\ntwo</p>",
		"- a\n- b":                      "<ul>\n<li>a</li>\n<li>b</li>\n</ul>",
		"```\nx = 1\n```":               "<pre><code>x = 1\n</code></pre>",
		"# Title":                       "<p><strong>Title</strong></p>",
		"[here](?pass=1.8/FuseOps)":     `<p><a href="?pass=1.8/FuseOps">here</a></p>`,
		"[tvm](https://tvm.apache.org)": `<p><a href="https://tvm.apache.org" target="_blank" rel="nofollow noopener noreferrer">tvm</a></p>`,
		"https://tvm.apache.org":        `<p><a href="https://tvm.apache.org" target="_blank" rel="nofollow noopener noreferrer">https://tvm.apache.org</a></p>`,
		"(see https://tvm.apache.org/docs, or http://)": `<p>(see <a href="https://tvm.apache.org/docs" target="_blank" rel="nofollow noopener noreferrer">https://tvm.apache.org/docs</a>, or http://)</p>`,
		"xhttps://a.b and `https://a.b`":                `<p>xhttps://a.b and <code>https://a.b</code></p>`,
		"the hash":                                      "<p>the hash</p>",
		"![a plan](https://x.org/p.png)":                `<p><a href="https://x.org/p.png" target="_blank" rel="nofollow noopener noreferrer">a plan</a></p>`,
		"> said":                                        "<blockquote>\n<p>said</p>\n</blockquote>",
	} {
		if got := markdown.Note(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// element matches what a note may consist of.
var element = regexp.MustCompile(`^(</?(p|strong|em|code|pre|ul|ol|li|blockquote)>|<(br|hr)>|<ol start="\d+">|<code class="language-[^"<>]*">|</a>|<a href="([^"<>]*)"( title="[^"<>]*")?( target="_blank" rel="nofollow noopener noreferrer")?>)$`)

// TestNotesHoldNoMarkupOfTheirOwn feeds notes that try to be a page: every tag of the result is one that Markdown makes, and no link is a script.
func TestNotesHoldNoMarkupOfTheirOwn(t *testing.T) {
	evil := []string{
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a <b onclick=x>b</b>", "<div>\n\n*x*\n\n</div>", "<!-- a --> <?php ?> <![CDATA[x]]>",
		"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](data:text/html,<script>alert(1)</script>)", "[x](vbscript:x)", "<javascript:alert(1)>", "![x](javascript:alert(1))",
		"[x](\"onmouseover=alert(1))", "[x](/a \"t\\\" onmouseover=alert(1)\")", "[x]: javascript:alert(1)\n[x]", "```\" onclick=x\ny\n```", "&lt;script&gt;alert(1)&lt;/script&gt;",
		"[a](java\tscript:alert(1))", "[a](&#106;avascript:alert(1))", "<style>*{}</style>", "<svg/onload=alert(1)>", "https://a\"onclick=alert(1)", "http://a'b<script>", "# <i>x</i>", "1000. a",
	}
	tags := regexp.MustCompile(`<[^>]*>?`)
	scheme := regexp.MustCompile(`(?i)^\s*(javascript|vbscript|data)\s*:`)
	for _, in := range evil {
		out := markdown.Note(in)
		for _, tag := range tags.FindAllString(out, -1) {
			m := element.FindStringSubmatch(tag)
			if m == nil {
				t.Errorf("%q becomes %q, with the tag %q", in, out, tag)
			} else if scheme.MatchString(m[4]) {
				t.Errorf("%q becomes %q, with a link to %q", in, out, m[4])
			}
		}
	}
}

// TestNotesAreRenderedSoon: what nests as deeply as a note can takes no time.
func TestNotesAreRenderedSoon(t *testing.T) {
	for _, part := range []string{">", "[", "![", "*a_", "- ", "`", "<", "](", "# "} {
		start := time.Now()
		markdown.Note(strings.Repeat(part, 16000/len(part)))
		if took := time.Since(start); took > 30*time.Second { // milliseconds, but for what is quadratic
			t.Errorf("a note of %q takes %v", part, took)
		}
	}
}
