package store_test

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/storetest"
)

// A server without a key doesn't start. The error is all that its operator sees.
func TestNoImageKey(t *testing.T) {
	t.Parallel()
	db, url := storetest.OpenURL(t)
	super := storetest.Connect(t, url)
	super.Exec("delete from image_keys")
	if keys, err := db.ImageKeys(t.Context()); err == nil || !strings.Contains(err.Error(), "insert into image_keys default values") {
		t.Errorf("%d keys, %v", len(keys), err)
	}
	super.Exec("insert into image_keys default values")
	if keys, err := db.ImageKeys(t.Context()); err != nil || len(keys) != 1 || len(keys[0]) < 32 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
}
