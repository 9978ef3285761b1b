package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
)

// check stores a small file, reads it and removes it.
func check(ctx context.Context, in Store) error {
	const text = "a file that checks the storage"
	name := "check/" + rand.Text()
	if _, err := in.Put(ctx, name, strings.NewReader(text)); err != nil {
		return err
	}
	file, err := in.Open(ctx, name)
	if err != nil {
		return err
	}
	got, err := io.ReadAll(io.LimitReader(file, int64(len(text)+1)))
	if err == nil && string(got) != text {
		err = fmt.Errorf("it is stored as %q", got)
	}
	return errors.Join(err, file.Close(), in.Remove(ctx, name))
}
