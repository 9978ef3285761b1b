package jira

import (
	"regexp"
	"strings"

	"chatserver.dev/services/webhook/hook"
)

var (
	// verbatim matches a block of code, unless it is {{code}}.
	verbatim = regexp.MustCompile(`(?s)(^|[^{])\{(?:code|noformat)(?::[^}\n]*)?\}(.*?)\{(?:code|noformat)\}`)
	quoted   = regexp.MustCompile(`(?s)\{quote\}(.*?)\{quote\}`)
	bold     = regexp.MustCompile(`(^|[\s(])\*([^*\s](?:[^*\n]*[^*\s])?)\*`)
	code     = regexp.MustCompile(`\{\{([^{}\n]+)\}\}`)
	// paragraph matches a paragraph that is a quote.
	paragraph = regexp.MustCompile(`(?m)^bq\. `)
	titled    = regexp.MustCompile(`\[([^\[\]|~\n]+)\|(https?://[^\[\]|\s]+)(?:\|[^\[\]\n]*)?\]`)
	bare      = regexp.MustCompile(`\[(https?://[^\[\]|\s]+)\]`)
	person    = regexp.MustCompile(`\[~([^\[\]:\n]+)\]`)
	// account matches a person in the cloud, whose name isn't there.
	account = regexp.MustCompile(`\[~accountid:[^\[\]\n]+\]`)
)

// markdown converts Jira's markup to Markdown, as far as it is common in comments.
func markdown(markup string) string {
	markup = strings.ReplaceAll(markup, "\r\n", "\n")
	converted, end := strings.Builder{}, 0
	for _, at := range verbatim.FindAllStringSubmatchIndex(markup, -1) {
		converted.WriteString(prose(markup[end:at[3]]))
		converted.WriteString("\n" + hook.CodeBlock("", markup[at[4]:at[5]]).String() + "\n")
		end = at[1]
	}
	converted.WriteString(prose(markup[end:]))
	return converted.String()
}

// prose converts markup without blocks of code.
func prose(markup string) string {
	markup = bold.ReplaceAllString(markup, "$1**$2**")
	markup = code.ReplaceAllString(markup, "`$1`")
	markup = paragraph.ReplaceAllString(markup, "> ")
	markup = titled.ReplaceAllString(markup, "[$1]($2)")
	markup = bare.ReplaceAllString(markup, "$1")
	markup = account.ReplaceAllString(markup, "**someone**")
	markup = person.ReplaceAllString(markup, "**$1**")
	return quoted.ReplaceAllStringFunc(markup, func(block string) string {
		return "\n" + hook.Quote(quoted.FindStringSubmatch(block)[1]).String() + "\n"
	})
}
