package message

import (
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/markdown"
)

// Attributes are a message's properties that are the same for everyone, in messages.flags.
type Attributes int16

// The attributes. Their bits aren't part of the interface.
const (
	MentionsAll    Attributes = 1 << iota // has a wildcard mention
	ReadBySender                          // sent from a client in which its sender has read it
	HasLink                               // has a link other than to a stream
	HasImage                              // has a link to an image
	HasAttachment                         // has a link to an uploaded file
	IsMe                                  // begins with "/me "
	HasSubmessages                        // has a row in submessages
)

// interactive reports whether people read messages in a client, so that messages sent from it count as read
// by their senders (rest-api.md, section 1.8).
func interactive(client string) bool {
	name := strings.ToLower(client)
	switch name {
	case "website", "ios", "android", "snipe",
		"chatserverandroid", "chatserverios", "chatservermobile", "chatserverdesktop", "chatserverelectron", "chatserverterminal",
		"zulipandroid", "zulipios", "zulipmobile", "zulipdesktop", "zulipelectron", "zulipterminal":
		return true
	}
	return strings.Contains(name, "desktop app")
}

// ContentAttributes returns the attributes of a message with this content.
func ContentAttributes(content string, r markdown.Result) Attributes {
	all := Attributes(0)
	for _, attribute := range [...]struct {
		set bool
		bit Attributes
	}{
		{r.Wildcard, MentionsAll},
		{r.HasLink, HasLink},
		{r.HasImage, HasImage},
		{r.HasAttachment, HasAttachment},
		{isMe(content), IsMe},
	} {
		if attribute.set {
			all |= attribute.bit
		}
	}
	return all
}

// attributes returns all attributes of a message.
func attributes(who actor.Actor, r Rendered) Attributes {
	all := r.Attributes
	if interactive(who.Client) {
		all |= ReadBySender
	}
	if r.widget != "" {
		all |= HasSubmessages
	}
	return all
}

// isMe reports whether content is shown as a description of what its sender does.
func isMe(content string) bool { return len(content) > 4 && content[:4] == "/me " }
