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

// However many organizations somebody fills the places with, another organization gets one, from those who wait and have the most.
func TestManyOrganizations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const first, second, third, other = id.Org(1), id.Org(2), id.Org(3), id.Org(4)
		maker := picture.NewMaker(1, 7, time.Minute)
		next, began, refused := make(chan struct{}), []id.Org(nil), []id.Org(nil)
		begin := func(of id.Org) {
			go func() {
				_, _, err := maker.Thumbnail(t.Context(), of, func(context.Context) ([]byte, error) {
					began = append(began, of)
					<-next
					return encodePNG(t, quarters(4, 4)), nil
				}, 100, 100)
				if errors.Is(err, picture.ErrBusy) {
					refused = append(refused, of)
				} else if err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
		}
		for _, of := range []id.Org{first, first, first, second, second, third, third, third} {
			begin(of)
		}
		begin(second) // it has fewer than the first and the third, but would have as many
		begin(other)
		begin(other)
		for range 8 {
			next <- struct{}{}
			synctest.Wait()
		}
		slices.Sort(refused)
		slices.Sort(began)
		if !slices.Equal(refused, []id.Org{first, second, third}) || !slices.Equal(began, []id.Org{first, first, second, second, third, third, other, other}) {
			t.Errorf("refused %v, decoded %v", refused, began)
		}
	})
}
