//go:build linux

package main

import (
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// filesCommand is the command by which this program runs the floor for uploaded files: net/http that only writes a file
// to the disk, and reads it. The arguments are the address and a folder.
const filesCommand = "serve-files"

// serveFiles serves until the process is killed.
func serveFiles(addr, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("GET /files/", http.StripPrefix("/files/", http.FileServerFS(root.FS())))
	mux.HandleFunc("POST /files", func(w http.ResponseWriter, r *http.Request) {
		name := rand.Text()
		if err := receive(r, root, name); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer(w, []byte(`{"uri":"/files/`+name+`"}`))
	})
	server := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: time.Minute}
	return server.ListenAndServe()
}

// receive writes the file in a form to the disk, and syncs it.
func receive(r *http.Request, root *os.Root, name string) error {
	parts, err := r.MultipartReader()
	if err != nil {
		return err
	}
	part, err := parts.NextPart()
	if err != nil {
		return err
	}
	file, err := root.Create(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is synced
	if _, err := io.Copy(file, part); err != nil {
		return err
	}
	return file.Sync()
}

// emptyFolder removes the contents of a folder, but not the folder itself.
func emptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}
