package picture_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/picture"
)

// The images of an organization delay those of another one by one image at most, and leave places for them, whichever of the makers
// that share a limit they are for.
func TestOrganizationsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const busy, other = id.Org(1), id.Org(2)
		maker := picture.NewMaker(1, 5, time.Minute)
		beside := maker.Beside(5)
		next, began := make(chan struct{}), []id.Org(nil)
		begin := func(m *picture.Maker, of id.Org) {
			go func() {
				_, _, err := m.Thumbnail(t.Context(), of, func(context.Context) ([]byte, error) {
					began = append(began, of)
					<-next
					return encodePNG(t, quarters(4, 4)), nil
				}, 100, 100)
				if err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
		}
		for _, m := range []*picture.Maker{maker, maker, maker, beside, beside, beside} {
			begin(m, busy)
		}
		for _, m := range []*picture.Maker{maker, beside} {
			if _, err := m.Squares(t.Context(), busy, encodePNG(t, quarters(4, 4)), 100); !errors.Is(err, picture.ErrBusy) {
				t.Errorf("an organization has more than half of the places: %v", err)
			}
		}
		begin(maker, other)
		begin(beside, other)
		for range 8 {
			next <- struct{}{}
			synctest.Wait()
		}
		if want := []id.Org{busy, other, busy, other, busy, busy, busy, busy}; !slices.Equal(began, want) {
			t.Errorf("decoded %v, want %v", began, want)
		}
	})
}
