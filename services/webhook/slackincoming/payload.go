// Package slackincoming implements the integration for programs that send to incoming webhooks of Slack (rest-api.md,
// section 6.5).
package slackincoming

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// The message for Slack, as JSON or in a form.
	Payload any `body:"json" form:"payload"`
}

// receiveReply is what Slack answers in JSON.
type receiveReply struct {
	// True. Programs that send to Slack take a JSON response without it for an error, and some send again.
	OK bool `json:"ok"`
}

// Receive sends a message that was written for Slack: its blocks or otherwise its text, and its attachments. Its topic is
// the channel that it names.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("slack_incoming", "SlackIncoming", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (receiveReply, error) {
		_, err := h.Send(ctx, who, in.Target, report(hook.NewDocument(in.Payload))...)
		return receiveReply{OK: true}, err
	})
}
