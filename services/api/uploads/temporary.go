package uploads

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type temporaryParams struct {
	// ID of the organization.
	RealmID string `path:"realm_id"`
	// Rest of the file's path.
	Filename string `path:"filename"`
}

type temporaryReply struct {
	// Path under which the file can be read for 60 seconds without logging in.
	URL string `json:"url"`
}

// Temporary returns an address for a program that can't log in when it reads a file, such as a browser. The caller may
// read the files that they uploaded, and those in messages that they may read.
func Temporary(uploads *attachment.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /user_uploads/{realm_id}/{filename...}", Who: permit.Anyone,
		Faults: endpoint.Faults{attachment.ErrUnknown, attachment.ErrForbidden},
	}, func(ctx context.Context, who actor.Actor, in temporaryParams) (temporaryReply, error) {
		url, err := uploads.Temporary(ctx, who, in.RealmID+"/"+in.Filename)
		return temporaryReply{url}, err
	})
}
