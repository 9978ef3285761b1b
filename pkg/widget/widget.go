// Package widget implements polls, task lists, games and forms in messages: the first submessage of such a message
// (rest-api.md, section 2.2.5). Actions of users on a widget are further submessages, which only clients interpret.
package widget

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"chatserver.dev/pkg/fault"
)

// MaxContent is the maximum size of widget_content in bytes.
const MaxContent = 10_000

// ErrInvalid says why widget_content is invalid. [ErrJSON] says that it isn't JSON.
var (
	ErrInvalid = fault.Bad("Widgets: %s")
	ErrJSON    = fault.Bad("Widgets: API programmer sent invalid JSON content")
)

// widget is the content of the first submessage.
type widget struct {
	Type  string `json:"widget_type"`
	Extra any    `json:"extra_data"`
}

// poll is the initial state of a poll.
type poll struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
}

// FromText returns the first submessage of a message as JSON. It returns an empty text unless the message begins with
// the command of a widget.
func FromText(content string) (string, error) {
	command, rest, _ := strings.Cut(content, " ")
	switch command {
	case "/poll":
		return encode(widget{"poll", pollOf(rest)})
	case "/todo", "/tictactoe":
		return encode(widget{command[1:], nil})
	}
	return "", nil
}

// pollOf parses a poll: its question, and an option in each following line.
func pollOf(text string) poll {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	p := poll{Question: strings.TrimSpace(lines[0]), Options: []string{}}
	for _, line := range lines[1:] {
		option := strings.TrimSpace(line)
		if option != "" && (option[0] == '-' || option[0] == '*') { // as in a list
			option = strings.TrimSpace(option[1:])
		}
		if option != "" {
			p.Options = append(p.Options, option)
		}
	}
	return p
}

// FromParameter returns the first submessage for the parameter widget_content, as JSON. It fails with [ErrInvalid] or
// [ErrJSON].
func FromParameter(text string) (string, error) {
	if len(text) > MaxContent {
		return "", ErrInvalid.Format(fmt.Sprintf("widget_content is too long (limit: %d bytes)", MaxContent))
	}
	value := any(nil)
	if json.Unmarshal([]byte(text), &value) != nil {
		return "", ErrJSON
	}
	content, ok := value.(map[string]any)
	if !ok {
		return "", ErrInvalid.Format("widget_content is not a dict")
	}
	for _, member := range []string{"widget_type", "extra_data"} {
		if _, ok := content[member]; !ok {
			return "", ErrInvalid.Format(member + " is not in widget_content")
		}
	}
	extra, ok := content["extra_data"].(map[string]any)
	if !ok {
		return "", ErrInvalid.Format("extra_data is not a dict")
	}
	kind, ok := content["widget_type"].(string)
	switch {
	case !ok:
		return "", ErrInvalid.Format("widget_type is not a string")
	case kind != "zform":
		return "", ErrInvalid.Format("unknown widget type: " + kind)
	}
	if err := checkForm(extra); err != nil {
		return "", err
	}
	return encode(widget{kind, extra})
}

// checkForm checks a form, whose choices must have a reply each.
func checkForm(form map[string]any) error {
	kind, ok := form["type"]
	if !ok {
		return ErrInvalid.Format("zform is missing type field")
	}
	if kind != "choices" {
		return ErrInvalid.Format(fmt.Sprintf("unknown zform type: %v", kind))
	}
	if err := texts(form, "extra_data", "heading"); err != nil {
		return err
	}
	value, ok := form["choices"]
	if !ok {
		return ErrInvalid.Format("choices key is missing from extra_data")
	}
	choices, ok := value.([]any)
	if !ok {
		return ErrInvalid.Format(`extra_data["choices"] is not a list`)
	}
	for i, item := range choices {
		at := fmt.Sprintf(`extra_data["choices"][%d]`, i)
		choice, ok := item.(map[string]any)
		if !ok {
			return ErrInvalid.Format(at + " is not a dict")
		}
		if err := texts(choice, at, "short_name", "long_name", "reply"); err != nil {
			return err
		}
	}
	return nil
}

// texts fails unless the members of an object, which is at the path at, are texts.
func texts(object map[string]any, at string, members ...string) error {
	for _, member := range members {
		value, ok := object[member]
		if !ok {
			return ErrInvalid.Format(member + " key is missing from " + at)
		}
		if _, ok := value.(string); !ok {
			return ErrInvalid.Format(fmt.Sprintf(`%s["%s"] is not a string`, at, member))
		}
	}
	return nil
}

func encode(w widget) (string, error) {
	text := bytes.Buffer{}
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(w); err != nil {
		return "", fmt.Errorf("encode widget: %w", err)
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}
