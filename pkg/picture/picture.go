package picture

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"time"

	"chatserver.dev/pkg/fair"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
)

// MaxFile is the maximum size of files in bytes (rest-api.md, section 9).
const MaxFile = 5 << 20

// Faults (rest-api.md, section 1.2).
var (
	ErrNoImage = fault.New(fault.Invalid, "BAD_IMAGE", "Could not decode image; did you upload an image file?")
	ErrLarge   = fault.New(fault.Invalid, "BAD_IMAGE", "Image size exceeds limit.")
	// ErrBusy says that too many pictures are being made at the moment, or that the processor is so busy that making this one takes too
	// long.
	ErrBusy = fault.Limit("SERVICE_UNAVAILABLE", "Too many images are being processed at the moment. Try again in a few seconds.")
)

// Maker makes pictures. It is safe for concurrent use.
type Maker struct {
	places  *places         // for decoding and waiting
	turns   *fair.Semaphore // for decoding
	timeout time.Duration   // for the pictures of one file
}

// NewMaker returns a maker that decodes atATime files at a time and lets waiting callers wait, half of all of them for the same
// organization at most. Both numbers are positive. The pictures of one file take at most timeout, not counting the wait.
func NewMaker(atATime, waiting int, timeout time.Duration) *Maker {
	return newMaker(fair.NewSemaphore(atATime, atATime), waiting, timeout)
}

// Beside returns a maker that shares this one's limit on decoding at a time, and lets waiting callers of its own
// wait.
func (m *Maker) Beside(waiting int) *Maker { return newMaker(m.turns, waiting, m.timeout) }

func newMaker(t *fair.Semaphore, waiting int, timeout time.Duration) *Maker {
	return &Maker{newPlaces(t.Max() + waiting), t, timeout}
}

// Squares returns the central square of an organization's image as PNG, once for each of sides, in pixels. It fails with
// [ErrNoImage], [ErrLarge] or [ErrBusy].
func (m *Maker) Squares(ctx context.Context, of id.Org, file []byte, sides ...int) (pictures [][]byte, err error) {
	err = m.inTurn(ctx, of, func(ctx context.Context) error {
		src, err := decode(ctx, file)
		if err != nil {
			return err
		}
		for _, side := range sides {
			square, err := src.scaled(ctx, middle(src.Bounds()), image.Pt(side, side))
			if err != nil {
				return err
			}
			encoded, err := encode(square)
			if err != nil {
				return err
			}
			pictures = append(pictures, encoded)
		}
		return nil
	})
	return pictures, err
}

// Fit returns a whole image as PNG, scaled down to at most the given size in pixels. It fails with the errors of
// [Maker.Squares].
func (m *Maker) Fit(ctx context.Context, of id.Org, file []byte, width, height int) (picture []byte, err error) {
	err = m.inTurn(ctx, of, func(ctx context.Context) error {
		src, err := decode(ctx, file)
		if err != nil {
			return err
		}
		whole, err := src.fitted(ctx, image.Pt(width, height))
		if err != nil {
			return err
		}
		picture, err = encode(whole)
		return err
	})
	return picture, err
}

// inTurn runs work when it is the caller's turn.
func (m *Maker) inTurn(ctx context.Context, of id.Org, work func(ctx context.Context) error) error {
	waiting, lose := context.WithCancel(ctx)
	defer lose()
	place := m.places.enter(of, lose)
	if place == nil {
		return ErrBusy
	}
	defer m.places.leave(place)
	end, ok := m.turns.Acquire(waiting, of)
	if !ok {
		return ErrBusy.Wrap(ctx.Err())
	}
	defer end()
	if !m.places.begin(place) {
		return ErrBusy
	}
	limited, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	err := work(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return ErrBusy.Wrap(limited.Err())
	}
	return err
}

// middle returns the largest square in the center of a rectangle.
func middle(r image.Rectangle) image.Rectangle {
	side := min(r.Dx(), r.Dy())
	corner := r.Min.Add(image.Pt((r.Dx()-side)/2, (r.Dy()-side)/2))
	return image.Rectangle{Min: corner, Max: corner.Add(image.Pt(side, side))}
}

// within returns the largest size that fits into most and has the proportions of size.
func within(size, bounds image.Point) image.Point {
	if size.X*bounds.Y > size.Y*bounds.X {
		return image.Pt(bounds.X, max(1, size.Y*bounds.X/size.X))
	}
	return image.Pt(max(1, size.X*bounds.Y/size.Y), bounds.Y)
}

func encode(picture image.Image) ([]byte, error) {
	out := bytes.Buffer{}
	err := png.Encode(&out, picture)
	return out.Bytes(), err
}
