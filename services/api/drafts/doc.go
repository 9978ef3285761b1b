// Package drafts has the endpoints of drafts: what the caller has written and not sent (rest-api.md, section 2.17).
package drafts

import (
	"chatserver.dev/pkg/draft"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/stream"
)

// faults returns those of a draft in a request.
func faults() endpoint.Faults {
	return endpoint.Faults{
		draft.ErrOneStream, draft.ErrTimestamp, draft.ErrLateTimestamp, draft.ErrContentNul, stream.ErrInvalidID,
		message.ErrContentLong, message.ErrTopicNul, message.ErrTopicLong, message.ErrManyRecipients, message.ErrInvalidUser,
	}
}
