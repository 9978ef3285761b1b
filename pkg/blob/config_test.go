package blob_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatserver.dev/pkg/blob"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	const endpoint = "https://s3.example"
	for want, c := range map[string]blob.Config{
		"FILES_S3_ENDPOINT is missing":        {Bucket: "b"},
		"FILES_DIR and FILES_S3_ENDPOINT":     {Dir: "/d", Endpoint: endpoint, Bucket: "b"},
		`FILES_S3_ENDPOINT: "s3.example"`:     {Endpoint: "s3.example", Bucket: "b"},
		`FILES_S3_ENDPOINT: "ftp://s3"`:       {Endpoint: "ftp://s3", Bucket: "b"},
		`FILES_S3_ENDPOINT: "https://s3/b"`:   {Endpoint: "https://s3/b", Bucket: "b"},
		`FILES_S3_ENDPOINT: "https://u:p@s3"`: {Endpoint: "https://u:p@s3", Bucket: "b"},
		"FILES_S3_BUCKET is missing":          {Endpoint: endpoint},
		"FILES_S3_ACCESS_KEY and":             {Endpoint: endpoint, Bucket: "b", AccessKey: "k"},
		"FILES_S3_CA_FILE is for TLS only":    {Endpoint: "http://s3.example", Bucket: "b", CAFile: "/nowhere"},
		"":                                    {},
	} {
		if err := c.Check(); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%+v: %v, want %s", c, err, want)
		}
	}
	if s, err := blob.Open(blob.Config{}); s != nil || err != nil {
		t.Errorf("%v, %v", s, err)
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"/nowhere.pem", empty} {
		if _, err := blob.Open(blob.Config{Endpoint: endpoint, Bucket: "b", CAFile: file}); err == nil || !strings.HasPrefix(err.Error(), "FILES_S3_CA_FILE: ") {
			t.Errorf("%s: %v", file, err)
		}
	}
	if _, err := blob.Open(blob.Config{Dir: filepath.Join(empty, "below")}); err == nil {
		t.Error("a folder inside a file was accepted")
	}
}
