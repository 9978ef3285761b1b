// Package zapier implements the integration for Zapier (rest-api.md, section 6.5).
package zapier

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// The message, composed in the Zap: an object or a form with topic (or subject) and content. An object whose type is
	// auth asks for the bot's account instead.
	Payload any `body:"json" form:"*"`
}

// receiveReply is the bot's account, if the request asks for it.
type receiveReply struct {
	// Name of the bot.
	FullName *string `json:"full_name,omitempty"`
	// Email address of the bot.
	Email *string `json:"email,omitempty"`
	// ID of the bot.
	ID *id.User `json:"id,omitempty"`
}

// Receive sends the message that a Zap composes. For the type auth, it returns the bot's account, which Zapier shows as
// the connection's name.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("zapier", "Zapier", messages)
	about := h.About()
	about.Faults = append(about.Faults, hook.ErrNoTopic, hook.ErrNoContent)
	about.Refused = nil // Zapier shows refusals itself, and tries payloads while a Zap is made
	return endpoint.Hook(about, func(ctx context.Context, who actor.Actor, in receiveParams) (receiveReply, error) {
		payload := hook.NewDocument(in.Payload)
		if payload.Text("type") == "auth" {
			return receiveReply{FullName: &who.FullName, Email: &who.Email, ID: &who.User}, nil
		}
		m, err := hook.Composed(payload, in.Target)
		if err != nil {
			return receiveReply{}, err
		}
		_, err = h.Send(ctx, who, in.Target, m)
		return receiveReply{}, err
	})
}
