package uploads

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/permit"
)

type uploadParams struct {
	// Media type of the file, whose usual extension is added to the name.
	MediaType string `param:"mimetype" default:"" max:"255 characters"`
}

type uploadReply struct {
	// Path of the file on this server. A link to it in a message allows the message's recipients to read the file.
	URI string `json:"uri"`
}

// Upload stores a file of at most 25 MiB. Metadata of JPEG and PNG images is removed, such as the place where a photo
// was taken. A file that has been in no message for five weeks is removed.
func Upload(uploads *attachment.Service) endpoint.Endpoint {
	return endpoint.Upload(endpoint.About{
		Route: "POST /user_uploads", Who: permit.Anyone, Faults: endpoint.Faults{attachment.ErrQuota, file.ErrNone},
	}, endpoint.OneFile{
		MaxBytes: attachment.MaxBytes, Missing: attachment.ErrMissing, Several: attachment.ErrSeveral, TooLarge: attachment.ErrTooLarge,
	}, func(ctx context.Context, who actor.Actor, in uploadParams, sent *endpoint.File) (uploadReply, error) {
		if err := sent.Given(); err != nil {
			return uploadReply{}, err
		}
		_, path, err := uploads.Add(ctx, who, attachment.Upload{Name: sent.Name(), MediaType: in.MediaType, Content: sent})
		return uploadReply{path}, err
	})
}
