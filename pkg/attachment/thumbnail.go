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
	// thumbnailWidth and thumbnailHeight are the largest size of a thumbnail, in pixels.
	thumbnailWidth, thumbnailHeight = 1200, 300
	// largestThumbnailed is the size of the largest file that a thumbnail is made of, in bytes: a photo's.
	largestThumbnailed = 16 << 20
	// thumbnailTime is how long a thumbnail may take, and waiting for its turn.
	thumbnailTime = 30 * time.Second
	// mostThumbnails is how many thumbnails an organization has under way in a process.
	mostThumbnails = 16
)

// ErrNotShown says that an image isn't shown unless somebody opens its file: a small file can have pixels for gigabytes.
var ErrNotShown = fault.New(fault.Invalid, "BAD_IMAGE", "This image has too many pixels to be shown here. Open the file itself.")

// Thumbnail returns what is shown in place of an image that an account may read, where there is little room: a thumbnail, which
// is made when it is first asked for; the file itself if that is no larger, moves, or can't be decoded, or while too much is
// being made. It fails as [Service.Find] does, and with file.ErrUnavailable. If it is an image of too many pixels for that, opening it
// fails with [ErrNotShown].
func (s *Service) Thumbnail(ctx context.Context, who actor.Actor, address string) (Readable, error) {
	found, err := s.Find(ctx, who, address)
	if err != nil || found.thumbnail != nil || !thumbnailed(found.MediaType) || found.size > largestThumbnailed {
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
		found = made
	}
	return found.shown(), err
}

// shown is the thumbnail of a file, or the file if it has none.
func (r Readable) shown() Readable {
	if r.thumbnail != nil && r.thumbnail.path != "" {
		r.path, r.MediaType = r.thumbnail.path, r.thumbnail.mediaType
	} else {
		r.unasked = true
	}
	return r
}

// thumbnailed reports whether thumbnails are made of files of a media type. Those of GIF wouldn't move.
func thumbnailed(mediaType string) bool {
	return mediaType == "image/png" || mediaType == "image/jpeg" || mediaType == "image/webp"
}

// makeThumbnail makes a file's thumbnail and keeps it, or notes that there is none. It returns the file with what there is
// then, and fails with [picture.ErrBusy].
func (s *Service) makeThumbnail(ctx context.Context, in id.Org, of Readable) (Readable, error) {
	if !s.begin(in) {
		return of, picture.ErrBusy
	}
	defer s.end(in)
	if current, err := s.current(ctx, in, of); err != nil || current.thumbnail != nil { // somebody was faster
		return current, err
	}
	made, mediaType, err := s.Pictures.Thumbnail(ctx, func(ctx context.Context) ([]byte, error) { return s.content(ctx, of) }, thumbnailWidth, thumbnailHeight)
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
		err = s.Files.Keep(ctx, in, bytes.NewReader(made), func(tx *store.Tx, kept file.Kept) error {
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

// errThumbnail says that another process has made the thumbnail, or that the file is gone.
var errThumbnail = errors.New("the file has a thumbnail")

// current returns a file with the thumbnail that it has now. It fails with [ErrUnknown].
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

// showable fails with [ErrNotShown] for an image that takes browsers too much memory. The file is at its beginning before and after.
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

// content reads a file, which isn't larger than [largestThumbnailed].
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

// begin reports whether an organization may have one more thumbnail under way, which end ends.
func (s *Service) begin(in id.Org) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.underWay[in] >= mostThumbnails {
		return false
	}
	s.underWay[in]++
	return true
}

func (s *Service) end(in id.Org) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.underWay[in]--; s.underWay[in] == 0 {
		delete(s.underWay, in)
	}
}
