package incomingmail

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/spelling"
)

// content returns the content of the message, and the files that it has stored, also if it fails.
func (s *Service) content(ctx context.Context, who actor.Actor, to Target, m Mail) (content string, stored []id.Attachment, err error) {
	text := strings.Map(func(r rune) rune {
		if r == 0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(m.Text(optionsFor(m, to)), "\uFFFD"))
	text = strings.TrimSpace(text)
	links, files, err := s.keep(ctx, who, m)
	if err != nil {
		return "", files, err
	}
	if text == "" && links == "" {
		text = "(No email body)"
	}
	if from := mail.OneLine(m.From); to.options.ShowSender && from != "" {
		text = "From: " + from + "\n" + text
	}
	if links != "" {
		links = "\n\n" + links
	}
	if room := message.MaxContent - len(links); len(text) > room { // links are never cut
		text = message.CutTo(text, max(0, room-len(message.Truncated))) + message.Truncated
	}
	return strings.TrimSpace(text + links), files, nil
}

// keep stores the attached files, and returns links to them and, also if it fails, their ids.
func (s *Service) keep(ctx context.Context, who actor.Actor, m Mail) (links string, files []id.Attachment, err error) {
	all := strings.Builder{}
	for i, file := range m.Files {
		if i == MaxFiles || all.Len() > maxLinks {
			fmt.Fprintf(&all, "(%d more files)\n", len(m.Files)-i)
			break
		}
		name := cmp.Or(strings.NewReplacer("[", "", "]", "", "\\", "", "`", "").Replace(mail.OneLine(file.Name)), "file")
		number, path, err := s.store(ctx, who, name, file)
		if letters := []rune(name); len(letters) > maxLabel {
			name = string(letters[:maxLabel-3]) + "..."
		}
		if f := fault.Of(err); f != nil && f.Kind == fault.Invalid {
			fmt.Fprintf(&all, "%s (not stored: %s)\n", name, f.Msg)
			continue
		} else if err != nil {
			return "", files, err
		}
		files = append(files, number)
		fmt.Fprintf(&all, "[%s](%s)\n", name, (&url.URL{Path: path}).EscapedPath())
	}
	return strings.TrimSpace(all.String()), files, nil
}

// store stores an attached file under a name.
func (s *Service) store(ctx context.Context, who actor.Actor, name string, file File) (number id.Attachment, path string, err error) {
	if file.TooLarge {
		return 0, "", attachment.ErrTooLarge
	}
	return s.Attachments.Add(ctx, who, attachment.Upload{
		Name: name, MediaType: mediaTypeWithout(name, file.MediaType), Content: bytes.NewReader(file.Content),
	})
}

// mediaTypeWithout returns the media type of a file whose name has no known extension.
func mediaTypeWithout(name, mediaType string) string {
	if strings.Contains(name, ".") {
		return ""
	}
	return mediaType
}

// forwarded matches the subject of a forwarded mail.
var forwarded = regexp.MustCompile(`(?i)^\s*(?:fwd?|wg)(?:\[\d+\])?\s*:`)

// optionsFor returns how a mail is shown. Only replies quote what their readers have already seen: in other mail to a
// stream, quotations and what looks like them are part of the text.
func optionsFor(m Mail, to Target) gateway.Options {
	options := to.options
	if to.stream != 0 && (!m.Reply || forwarded.MatchString(m.Subject)) {
		options.KeepQuotes = true
	}
	return options
}

// prefix matches the text that mail programs put before the subject of replies and forwarded mail.
var prefix = regexp.MustCompile(`(?i)^\s*(?:(?:re|aw|fwd?|wg)(?:\[\d+\])?\s*:\s*)+`)

// topicOf returns the topic for a subject.
func topicOf(subject string) string {
	topic := prefix.ReplaceAllString(mail.OneLine(subject), "")
	if spelling.IsBlank(topic) {
		topic = "(no topic)"
	}
	if letters := []rune(topic); len(letters) > message.MaxTopic {
		topic = string(letters[:message.MaxTopic-3]) + "..."
	}
	return topic
}
