package uploads

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/permit"
)

// listMemory is the memory of the longest list, in bytes: its rows, its values and its JSON.
const listMemory = 32 << 20

type listParams struct{}

type listReply struct {
	// The caller's files, the oldest first; only the newest 10,000.
	Attachments []event.AttachmentObject `json:"attachments"`
	// Total size of the organization's files, in bytes.
	UploadSpaceUsed int64 `json:"upload_space_used"`
}

// List lists the files that the caller has uploaded.
func List(uploads *attachment.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /attachments", Who: permit.Anyone, Memory: listMemory,
	}, func(ctx context.Context, who actor.Actor, _ listParams) (listReply, error) {
		list, used, err := uploads.List(ctx, who)
		return listReply{list, used}, err
	})
}
