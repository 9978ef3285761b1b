package attachment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/store"
)

const (
	// thumbnailWidth and thumbnailHeight are the maximum size of a thumbnail in pixels.
	thumbnailWidth, thumbnailHeight = 1200, 300
	// maxThumbnailed is the maximum size in bytes of a file that gets a thumbnail. It is enough for a photo.
	maxThumbnailed = 16 << 20
	// thumbnailTime is the timeout for making a thumbnail, including the time in the queue.
	thumbnailTime = 30 * time.Second
	// maxThumbnails is the maximum number of thumbnails that a process makes for an organization at the same time.
	maxThumbnails = 16
)

// ErrNotShown says that an image has too many pixels to be shown in place of a thumbnail: a small file can take gigabytes of memory
// in browsers.
var ErrNotShown = fault.New(fault.Invalid, "BAD_IMAGE", "This image has too many pixels to be shown here. Open the file itself.")

// Thumbnail returns the thumbnail of an image that an account may read, and makes it at the first request. It returns the file itself
// if the thumbnail isn't smaller, if the file can't be decoded or may be animated, or if too many thumbnails are being made. It fails
// with the errors of [Service.Find] and with file.ErrUnavailable. Opening the file fails with [ErrNotShown] if the image has too many
// pixels.
func (s *Service) Thumbnail(ctx context.Context, who actor.Actor, address string) (Readable, error) {
	found, err := s.Find(ctx, who, address)
	if err != nil || found.thumbnail != nil || !thumbnailed(found.MediaType) || found.size > maxThumbnailed {
		return found.shown(), err
	}
	// Concurrent requests share one thumbnail. It is completed even if the first reader leaves.
	made, err, _ := s.making.Do(strconv.FormatInt(int64(found.ID), 10), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), thumbnailTime)
		defer cancel()
		return s.makeThumbnail(ctx, who.Org(), found)
	})
	if errors.Is(err, picture.ErrBusy) {
		return found.shown(), nil
	}
	if made, ok := made.(Readable); ok && err == nil {
		made.Reader = who.User // not the first of those who share the result
		found = made
	}
	return found.shown(), err
}

// shown returns the thumbnail of a file, or the file if it has none.
func (r Readable) shown() Readable {
	if r.thumbnail != nil && r.thumbnail.path != "" {
		r.path, r.MediaType = r.thumbnail.path, r.thumbnail.mediaType
	} else {
		r.unasked = true
	}
	return r
}

// thumbnailed reports whether files of a media type have thumbnails. GIF files have none, because thumbnails aren't
// animated.
func thumbnailed(mediaType string) bool {
	return mediaType == "image/png" || mediaType == "image/jpeg" || mediaType == "image/webp"
}

// makeThumbnail makes a file's thumbnail and stores it, or records that the file has none. It returns the file with the result. It
// fails with [picture.ErrBusy].
func (s *Service) makeThumbnail(ctx context.Context, in id.Org, of Readable) (Readable, error) {
	if !s.underWay.Enter(in) {
		return of, picture.ErrBusy
	}
	defer s.underWay.Leave(in)
	if current, err := s.current(ctx, in, of); err != nil || current.thumbnail != nil { // another process has made it
		return current, err
	}
	made, mediaType, err := s.Pictures.Thumbnail(ctx, in, func(ctx context.Context) ([]byte, error) { return s.content(ctx, of) }, thumbnailWidth, thumbnailHeight)
	set := func(tx *store.Tx, path *string, mediaType string) error {
		rows, err := tx.SetThumbnail(ctx, path, mediaType, of.ID)
		if err == nil && rows == 0 {
			err = errThumbnail
		}
		return err
	}
	switch {
	case errors.Is(err, picture.ErrNoImage), errors.Is(err, picture.ErrLarge), err == nil && int64(len(made)) >= of.size:
		err = s.DB.Write(ctx, in, func(tx *store.Tx) error { return set(tx, nil, "") })
	case err == nil:
		err = s.Files.Save(ctx, in, bytes.NewReader(made), func(tx *store.Tx, kept file.Saved) error {
			if err := file.Add(ctx, tx, kept); err != nil {
				return err
			}
			return set(tx, &kept.Path, mediaType)
		})
	}
	if err != nil && !errors.Is(err, errThumbnail) {
		return of, err
	}
	return s.current(ctx, in, of)
}

// errThumbnail says that another process has made the thumbnail or that the file has been removed.
var errThumbnail = errors.New("the file has a thumbnail")

// current returns a file with its current thumbnail. It fails with [ErrUnknown].
func (s *Service) current(ctx context.Context, in id.Org, of Readable) (Readable, error) {
	err := s.DB.Read(ctx, in, func(tx *store.Tx) error {
		row, err := tx.Attachment(ctx, of.ID)
		if store.IsNotFound(err) {
			return ErrUnknown
		}
		of.thumbnail = thumbnailOf(row.ThumbnailPath, row.ThumbnailType)
		return err
	})
	return of, err
}

// showable fails with [ErrNotShown] for an image that takes too much memory in browsers. It reads the file from its beginning and
// seeks back to it.
func showable(image blob.File) error {
	head, err := io.ReadAll(io.LimitReader(image, picture.HeadBytes))
	if err == nil {
		_, err = image.Seek(0, io.SeekStart)
	}
	if err != nil {
		return file.ErrUnavailable.Wrap(fmt.Errorf("read the beginning of an image: %w", err))
	}
	if !picture.IsShowable(head) {
		return ErrNotShown
	}
	return nil
}

// content reads a file of at most [maxThumbnailed] bytes.
func (s *Service) content(ctx context.Context, of Readable) ([]byte, error) {
	opened, err := s.Open(ctx, of)
	if err != nil {
		return nil, err
	}
	defer opened.Close() //nolint:errcheck // it was only read
	content := make([]byte, of.size)
	if _, err := io.ReadFull(opened, content); err != nil {
		return nil, file.ErrUnavailable.Wrap(fmt.Errorf("read a file: %w", err))
	}
	return content, nil
}
