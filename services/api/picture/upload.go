package picture

import (
	"context"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/picture"
)

// errTooLarge has the wording of rest-api.md, sections 4.4, 5.6 and 5.8.
var errTooLarge = fault.Plain("Uploaded file is larger than the allowed limit of 5 MiB")

// OneImage accepts one image of at most [picture.MaxFile] bytes. exactly is the error message for no image or several.
func OneImage(exactly string) endpoint.OneFile {
	one := fault.Plain(exactly)
	return endpoint.OneFile{MaxBytes: picture.MaxFile, Missing: one, Several: one, TooLarge: errTooLarge}
}

// Reserve reserves the memory for reading an image and storing its pictures.
func Reserve(ctx context.Context) error { return endpoint.ReserveNow(ctx, 2*picture.MaxFile) }
