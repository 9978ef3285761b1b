package markdown

import (
	"regexp"
	"strings"
)

// foreignImage is a preview whose image is on another server, as renderers before version 2 wrote them.
var foreignImage = regexp.MustCompile(
	`(<div class="(?:youtube-video )?message_inline_image"><a (?:data-id="[^"]*" )?href="([^"]*)"[^>]*>)<img src="(?i:https?:)?//[^"]*">`)

// WithoutForeignImages returns rendered text in which images of other servers are links. Texts that an
// older renderer made are stored with such images, and readers must not fetch them.
func WithoutForeignImages(html string) string {
	if !strings.Contains(html, "message_inline_image") {
		return html
	}
	return foreignImage.ReplaceAllString(html, "$1$2")
}
