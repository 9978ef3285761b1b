package markdown

import (
	"regexp"
	"strings"
)

// foreignImage matches previews with an image on another server, as renderers before version 2 wrote them.
var foreignImage = regexp.MustCompile(
	`(<div class="(?:youtube-video )?message_inline_image"><a (?:data-id="[^"]*" )?href="([^"]*)"[^>]*>)<img src="(?i:https?:)?//[^"]*">`)

// WithoutForeignImages replaces images of other servers in rendered text by links. Stored texts of
// older renderers have such images, which readers' browsers must not fetch.
func WithoutForeignImages(html string) string {
	if !strings.Contains(html, "message_inline_image") {
		return html
	}
	return foreignImage.ReplaceAllString(html, "$1$2")
}
