package stream

import (
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store/sqlc"
)

// Object returns a stream as clients see it (rest-api.md, section 3.1).
func Object(row sqlc.Stream) event.Stream {
	return event.Stream{
		ID: row.StreamID, Name: row.Name, Description: row.Description, RenderedDescription: row.RenderedDescription,
		InviteOnly: row.InviteOnly, IsWebPublic: row.IsWebPublic, PostPolicy: row.PostPolicy, HistoryPublic: row.HistoryPublic,
		FirstMessageID: row.FirstMessageID, RetentionDays: row.RetentionDays,
		IsAnnouncementOnly: permit.PostPolicy(row.PostPolicy) == permit.PostAdmins,
	}
}
