package uploads

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
)

type removeParams struct {
	// ID of the file.
	AttachmentID id.Attachment `path:"attachment_id"`
}

// Remove removes one of the caller's files. Links to it in messages stay, but no longer work.
func Remove(uploads *attachment.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /attachments/{attachment_id}", Who: permit.Anyone, Faults: endpoint.Faults{attachment.ErrInvalid},
	}, func(ctx context.Context, who actor.Actor, in removeParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, uploads.Remove(ctx, who, in.AttachmentID)
	})
}
