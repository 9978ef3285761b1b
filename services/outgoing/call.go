package outgoing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/feed"
	"chatserver.dev/pkg/outgoing"
	"chatserver.dev/pkg/product"
	"chatserver.dev/pkg/widget"
	"chatserver.dev/services/remote"
)

const (
	// maxAnswer is the maximum size of a response, in bytes.
	maxAnswer = 256 << 10
	// maxShown is the number of bytes of a response that a bot's owner is shown.
	maxShown = 500
	// agentName is the beginning of the User-Agent of requests to bots.
	agentName = "ChatserverOutgoingWebhook/"
)

// payload is the body of a request to a bot in the generic format.
type payload struct {
	Data     string           `json:"data"` // the content as it was written
	Message  feed.FullMessage `json:"message"`
	BotEmail string           `json:"bot_email"`
	Token    string           `json:"token"`
	Trigger  string           `json:"trigger"`
}

// ask calls a bot, and returns its response.
func (w *Worker) ask(ctx context.Context, call outgoing.Call) (reply outgoing.Reply, failure *outgoing.Failure) {
	if call.Interface == account.SlackLike && call.Message.StreamID == 0 {
		return reply, &outgoing.Failure{Text: "Slack outgoing webhooks don't support private messages."}
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	r, err := request(ctx, call)
	if err != nil {
		return reply, &outgoing.Failure{Text: "Bot is unavailable", Details: "Its address is invalid."}
	}
	answer, err := w.client.Do(r)
	if err != nil {
		return reply, failed(err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case answer.StatusCode/100 != 2:
		return reply, &outgoing.Failure{
			Text: fmt.Sprintf("Third party responded with %d", answer.StatusCode), Again: answer.StatusCode/100 == 5,
			Details: fmt.Sprintf("The webhook got a response with status code *%d*.\n", answer.StatusCode) + shown(body),
		}
	case err != nil:
		return reply, failed(err)
	case answer.StatusCode == http.StatusNoContent:
		return reply, nil
	}
	reply, ok := said(body, call.Interface)
	if !ok {
		return reply, &outgoing.Failure{Text: "Invalid JSON in response", Details: "The webhook got a response that isn't a JSON object of at most " +
			strconv.Itoa(maxAnswer) + " bytes with a text.\n" + shown(body)}
	}
	if reply.Widget != nil {
		if _, err := widget.FromParameter(*reply.Widget); err != nil {
			return outgoing.Reply{}, &outgoing.Failure{Text: "Invalid widget_content in response", Details: err.Error() + "\n" + shown(body)}
		}
	}
	return reply, nil
}

// request returns the request of a call.
func request(ctx context.Context, call outgoing.Call) (*http.Request, error) {
	body, err := json.Marshal(payload{call.Message.Content, call.Message, call.Bot.RealEmail, call.Token, call.Cause})
	if err != nil {
		return nil, err
	}
	kind := "application/json"
	if call.Interface == account.SlackLike {
		kind, body = "application/x-www-form-urlencoded", []byte(slackForm(call).Encode())
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, call.Address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("User-Agent", agentName+product.Version())
	return r, nil
}

// slackForm returns the body of a request to a bot in the format of Slack.
func slackForm(call outgoing.Call) url.Values {
	m := call.Message
	_, domain, _ := strings.Cut(m.SenderEmail, "@")
	channel, _ := m.DisplayRecipient.(string)
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return url.Values{
		"token": {call.Token}, "team_id": {m.SenderRealm}, "team_domain": {domain}, "channel_id": {number(int64(m.StreamID))}, "channel_name": {channel},
		"timestamp": {number(m.Timestamp)}, "user_id": {number(int64(m.SenderID))}, "user_name": {m.SenderFullName}, "text": {m.Content},
		"trigger_word": {call.Cause}, "service_id": {number(int64(call.Bot.ID))},
	}
}

// said parses a bot's response, which may begin with a byte order mark; ok is false if it isn't a JSON object, or if it has a list or an
// object in place of a text.
func said(body []byte, kind int) (reply outgoing.Reply, ok bool) {
	answer, ok := map[string]json.RawMessage{}, true
	if len(body) > maxAnswer || json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), &answer) != nil || answer == nil {
		return reply, false
	}
	names := []string{"response_string", "content"}
	if kind == account.SlackLike {
		names = []string{"text"}
	} else if string(answer["response_not_required"]) == "true" {
		return reply, true
	}
	for _, name := range names {
		if member := answer[name]; given(member) {
			reply.Content = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(textOf(member), "\x00", ""), ""))
			ok = member[0] != '[' && member[0] != '{'
			break
		}
	}
	if form := answer["widget_content"]; kind != account.SlackLike && given(form) {
		text := textOf(form)
		reply.Widget = &text
	}
	return reply, ok
}

// given reports whether a response has a member.
func given(member json.RawMessage) bool { return len(member) > 0 && string(member) != "null" }

// textOf returns a member of a response: a string, or what else it is, such as a number, as JSON.
func textOf(member json.RawMessage) (text string) {
	if json.Unmarshal(member, &text) != nil {
		return string(member)
	}
	return text
}

// failed returns the failure for an error of the HTTP client.
func failed(err error) *outgoing.Failure {
	timeout := net.Error(nil)
	switch {
	case errors.Is(err, remote.ErrForbidden):
		return &outgoing.Failure{Text: "Bot is unavailable", Details: "This server doesn't connect to the address of the webhook: " +
			"only to ports 80 and 443 of public addresses, and to networks that its operator names."}
	case errors.As(err, &timeout) && timeout.Timeout():
		return &outgoing.Failure{Again: true, Details: "A timeout occurred."}
	}
	return &outgoing.Failure{Again: true, Details: "A connection error occurred. Is my bot server down?"}
}

// shown returns the part of a response that the bot's owner is shown.
func shown(body []byte) string {
	text := strings.ToValidUTF8(string(body[:min(len(body), maxShown)]), "")
	text = strings.NewReplacer("`", "'", "\x00", "").Replace(text)
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return "The response contains the following payload:\n```\n" + text + "\n```"
}
