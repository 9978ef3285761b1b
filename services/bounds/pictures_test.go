package bounds_test

import (
	"image/color"
	"testing"

	"chatserver.dev/services/servicetest"
)

// A picture is a row or two, however long making it takes, also beside as many emoji as there can be.
func TestPictures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	image := servicetest.PNG(t, 10, 10, color.Black)
	few := bound{events: 3, bytes: 3000, rows: 1}
	for _, path := range []string{"/users/me/avatar", "/realm/icon", "/realm/logo?night=false", "/realm/emoji/first"} {
		for range 2 {
			w.look()
			w.ada.PostFile(path, nil, "x.png", image)
			w.holds(path, few)
		}
		w.look()
		w.ada.Do("DELETE", path, nil).OK()
		w.holds("no "+path, few)
	}
	w.sql.Exec(`insert into emoji (org_id, name, author_id, path, animated, added_at, active)
		select $1, repeat('x', 95) || n, $2, (select min(path) from files), false, now() - interval '2 days', false from generate_series(1, 1997) n`, w.Org.ID, w.ada.ID)
	w.look()
	w.ada.PostFile("/realm/emoji/last", nil, "x.png", image).OK()
	w.holds("the last emoji", bound{events: 1, bytes: 600_000, rows: 1})
}
