package blob_test

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/testbed"
)

// built contains the folder of the S3 server; empty: it hasn't been built.
var built struct{ dir string }

// program builds the S3 server, once for all tests.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "s3server-")
	if err != nil {
		return "", err
	}
	built.dir = dir
	path := filepath.Join(dir, "s3server")
	build := exec.Command("go", "build", "-C", filepath.Join("..", "..", "hack", "tools", "s3server"), "-o", path, ".")
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the S3 server: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// bucket starts an S3 server with an empty bucket until the test ends.
func bucket(t *testing.T) blob.Config {
	t.Helper()
	testbed.Slow(t)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	c := blob.Config{
		Endpoint: "http://" + address, Bucket: "files", Region: "us-east-1", PathStyle: true, AccessKey: "testkey", SecretKey: "testsecret",
	}
	server := exec.Command(path, address, t.TempDir(), c.AccessKey, c.SecretKey)
	server.Stdout, server.Stderr = t.Output(), t.Output()
	input, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		_ = server.Wait()
	})
	makeBucket(t, c)
	return c
}

func makeBucket(t *testing.T, c blob.Config) {
	t.Helper()
	at, err := url.Parse(c.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	client, err := minio.New(at.Host, &minio.Options{
		Creds: credentials.NewStaticV4(c.AccessKey, c.SecretKey, ""), Region: c.Region, BucketLookup: minio.BucketLookupPath,
	})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		err := client.MakeBucket(ctx, c.Bucket, minio.MakeBucketOptions{Region: c.Region})
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
