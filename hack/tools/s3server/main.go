// Command s3server is an S3 server for tests, with its data in a folder: s3server ADDRESS FOLDER KEY SECRET. It ends
// when its standard input is closed.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "s3server:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return errors.New("usage: s3server ADDRESS FOLDER KEY SECRET")
	}
	address, folder := args[0], args[1]
	objects, about := filepath.Join(folder, "objects"), filepath.Join(folder, "about")
	for _, dir := range []string{objects, about} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	// A sidecar folder works also on file systems without extended attributes.
	side, err := meta.NewSideCar(about)
	if err != nil {
		return err
	}
	backend, err := posix.New(objects, side, posix.PosixOpts{SideCarDir: about})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	err = embedgw.RunVersityGW(ctx, backend, &embedgw.Config{
		Ports: []string{address}, RootUserAccess: args[2], RootUserSecret: args[3], Quiet: true, MaxConnections: 100, MaxRequests: 100, MultipartMaxParts: 10_000,
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}
