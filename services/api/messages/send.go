package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
	"chatserver.dev/pkg/widget"
)

type sendParams struct {
	// Whether the message goes to a stream (stream) or to people (private).
	Type string `param:"type"`
	// Recipients. For a stream message, the stream's name or ID; for a private message, a list of user IDs or of email
	// addresses. Optional for a bot with a default stream.
	To *string `param:"to" nul:"passed"`
	// Content, in Markdown; at most 10000 bytes.
	Content string `param:"content" nul:"passed"`
	// Topic of a stream message, at most 60 characters. Ignored for private messages.
	Topic *string `param:"topic" alias:"subject" nul:"passed"`
	// Event queue of the sending client, for local echo.
	QueueID string `param:"queue_id" default:"" max:"100 characters"`
	// Identifier chosen by the client, which the message's event in the queue queue_id contains. Required with
	// queue_id.
	LocalID string `param:"local_id" default:"" max:"100 characters"`
	// A text of the client's choice, such as a random number: a request that is repeated with the same key within a day, since no
	// response was received, sends no second message, and has the response of the first.
	Key string `header:"Idempotency-Key" default:"" max:"100 characters"`
	// When the message is delivered: send_later: at the time deliver_at; remind: at that time as a reminder of the
	// notification bot, in a stream or to the caller; otherwise at once.
	DeliveryType string `param:"delivery_type" default:"send_now"`
	// Time of a later delivery: a date and a time in one of many forms, such as 2020-08-01 18:00, with or without a
	// zone.
	DeliverAt *string `param:"deliver_at"`
	// Time zone of deliver_at if that names none, such as Europe/Berlin. Default: the time zone of the account.
	Zone string `param:"tz_guess" default:""`
	// A form with choices that clients show in the message, as JSON of at most 10000 bytes: {"widget_type": "zform", "extra_data":
	// {"type": "choices", "heading": "…", "choices": [{"short_name": "…", "long_name": "…", "reply": "…"}]}}.
	Widget *string `param:"widget_content"`
	// Not supported: messages can't be sent as somebody else.
	Sender *string `param:"sender"`
	// Not supported: messages can't be sent as somebody else.
	Forged string `param:"forged" default:""`
	// Only the subdomain of the sender's own organization is supported: messages can't be sent to other organizations.
	Realm *string `param:"realm_str"`
}

// foreign reports whether the message is for another organization than the sender's.
func (p sendParams) foreign(who actor.Actor) bool { return p.Realm != nil && *p.Realm != who.Subdomain }

type sendReply struct {
	// ID of the message; absent if it is sent later.
	ID id.Message `json:"id,omitzero"`
	// Time at which a scheduled message is sent, in its time zone: 2020-08-01 18:00:00+05:30.
	DeliverAt string `json:"deliver_at,omitzero"`
}

// atLayout is the layout of times in the reply.
const atLayout = "2006-01-02 15:04:05-07:00"

// Send sends a message to a stream or to people, at once or later.
func Send(messages *message.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:   "POST /messages",
		Who:     permit.AnyoneIncludingHooks,
		MaxBody: endpoint.LargeBody,
		Faults: endpoint.Faults{
			message.ErrType, message.ErrNoStream, message.ErrNoTopic, message.ErrEmptyTopic, message.ErrTopicLong, message.ErrTopicNul,
			message.ErrNoRecipients, message.ErrEmpty, message.ErrNul, message.ErrContentLong, message.ErrRendering,
			stream.ErrInvalidName, stream.ErrLongName, stream.ErrNullInName, message.ErrInvalidEmail, message.ErrInvalidUser,
			message.ErrPrivateOff, message.ErrGoneUser, message.ErrKeyUsed, message.ErrOneStream, message.ErrStreamType, message.ErrRecipientType,
			message.ErrMixed, message.ErrManyRecipients, message.ErrStreamUnknown, message.ErrStreamIDUnknown, message.ErrMirrored, message.ErrForged,
			message.ErrNoTime, message.ErrTimeFormat, message.ErrTimePast, user.ErrTimezone, message.ErrRemindOthers, message.ErrManyScheduled, widget.ErrJSON, widget.ErrInvalid, permit.ErrPost, permit.ErrPostAdmins, permit.ErrPostNewMembers,
		},
	}, func(ctx context.Context, who actor.Actor, in sendParams) (sendReply, error) {
		draft := message.Draft{
			Type: in.Type, To: in.To, Topic: in.Topic, Content: in.Content, QueueID: in.QueueID, LocalID: in.LocalID,
			Mirrored: in.Sender != nil, Forged: in.Forged == "yes" || in.Forged == "true" || in.foreign(who),
			Widget: in.Widget, Key: in.Key,
		}
		if reminder := in.DeliveryType == "remind"; reminder || in.DeliveryType == "send_later" {
			at, err := messages.Schedule(ctx, who, draft, message.Schedule{At: in.DeliverAt, Zone: in.Zone, Reminder: reminder})
			return sendReply{DeliverAt: at.Format(atLayout)}, err
		}
		message, err := messages.Send(ctx, who, draft)
		return sendReply{ID: message}, err
	})
}
