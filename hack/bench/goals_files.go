//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

const (
	// fileSize is the size of an uploaded file, in bytes: a photo's.
	fileSize = 2 << 20
	// uploaders is the number of clients that upload or read files at a time.
	uploaders = 4
	// filesTime is how long they do. It is short, since space on the disk is limited.
	filesTime = 3 * time.Second
)

// measureFiles measures F1 and F2: uploading and reading files, compared with a server that does nothing else. Both use
// the same disk, and both respond when the file is synced to it.
func (b *bench) measureFiles(ctx context.Context) (err error) {
	dir := filepath.Join(b.dir, "floor-files")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	floor, err := b.startSelf(ctx, nil, filesCommand, dir)
	defer func() { err = errors.Join(err, floor.stop()) }()
	if err != nil {
		return err
	}
	up := b.row("F1", fmt.Sprintf("POST /user_uploads, %d at a time of %d MiB", uploaders, fileSize>>20), "MiB/s", reach{Min: 0.7})
	down := b.row("F2", "the same files read", "MiB/s", reach{Min: 0.7})
	form, kind := fileForm()
	for range b.turns("F1, F2") {
		theirs, err := b.moveFiles(ctx, floor.addr, "/files", dir, form, kind)
		if err != nil {
			return err
		}
		ours, err := b.moveFiles(ctx, b.api.addr, "/api/v1/user_uploads", b.files(), form, kind)
		if err != nil {
			return err
		}
		up.addPair(ours.up, theirs.up)
		down.addPair(ours.down, theirs.down)
	}
	return nil
}

// speeds are in MiB a second.
type speeds struct{ up, down float64 }

// moveFiles uploads files for a while, then reads one file of each uploader, and empties their folder.
func (b *bench) moveFiles(ctx context.Context, addr, path, dir, form, kind string) (s speeds, err error) {
	defer func() { err = errors.Join(err, emptyFolder(dir)) }()
	uploads, reads := make([][][]byte, uploaders), make([][][]byte, uploaders)
	for i := range uploaders {
		login := authorization(roomOwner(i))
		uploads[i] = [][]byte{encodeAs("POST", path, "localhost", login, kind, form)}
		reply := struct {
			URI string `json:"uri"`
		}{}
		conn, err := dial(ctx, addr)
		if err != nil {
			return s, err
		}
		body, err := conn.do(uploads[i][0])
		if err = errors.Join(err, conn.Close()); err != nil {
			return s, err
		}
		if err := json.Unmarshal(body, &reply); err != nil {
			return s, err
		}
		reads[i] = [][]byte{encode("GET", reply.URI, "localhost", login, "")}
	}
	for _, each := range []struct {
		requests [][][]byte
		speed    *float64
	}{{uploads, &s.up}, {reads, &s.down}} {
		if err := settle(ctx, b.servers()); err != nil {
			return s, err
		}
		moved, err := sendFor(ctx, addr, each.requests, filesTime)
		if err != nil {
			return s, err
		}
		*each.speed = float64(len(moved.latencies)) * fileSize / (1 << 20) / moved.elapsed.Seconds()
	}
	return s, nil
}

// fileForm returns a form with a file, as a browser sends it.
func fileForm() (form, kind string) {
	content := make([]byte, fileSize)
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(content) // which never fails
	const boundary = "bench-bench-bench"
	form = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"photo.raw\"\r\n\r\n" + string(content) + "\r\n--" + boundary + "--\r\n"
	return form, "multipart/form-data; boundary=" + boundary
}
