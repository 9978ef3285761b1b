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
	// person matches somebody's account, on an own server or in the cloud.
	person = regexp.MustCompile(`\[~(accountid:)?([^\[\]\n]+)\]`)
)

// markdown converts Jira's markup to Markdown, as far as it is common in comments. nameOf returns the name of an account;
// empty: it isn't known.
func markdown(markup string, nameOf func(account string) string) string {
	markup = strings.ReplaceAll(markup, "\r\n", "\n")
	converted, end := strings.Builder{}, 0
	for _, at := range verbatim.FindAllStringSubmatchIndex(markup, -1) {
		converted.WriteString(prose(markup[end:at[3]], nameOf))
		converted.WriteString("\n" + hook.CodeBlock("", markup[at[4]:at[5]]).String() + "\n")
		end = at[1]
	}
	converted.WriteString(prose(markup[end:], nameOf))
	return converted.String()
}

// prose converts markup without blocks of code.
func prose(markup string, nameOf func(account string) string) string {
	markup = bold.ReplaceAllString(markup, "$1**$2**")
	markup = code.ReplaceAllString(markup, "`$1`")
	markup = paragraph.ReplaceAllString(markup, "> ")
	markup = titled.ReplaceAllString(markup, "[$1]($2)")
	markup = bare.ReplaceAllString(markup, "$1")
	markup = person.ReplaceAllStringFunc(markup, func(called string) string {
		found := person.FindStringSubmatch(called)
		name, inCloud := nameOf(found[2]), found[1] != ""
		switch {
		case name != "":
			return hook.Format("**%s**", name).String()
		case inCloud: // the number of an account says nothing
			return "**someone**"
		default:
			return "**" + found[2] + "**"
		}
	})
	return quoted.ReplaceAllStringFunc(markup, func(block string) string {
		return "\n" + hook.Quote(quoted.FindStringSubmatch(block)[1]).String() + "\n"
	})
}
