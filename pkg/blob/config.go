package blob

import (
	"errors"
	"fmt"
	"net/url"
)

// Config says where files are kept. With neither a folder nor an endpoint there is no storage, and nothing can be uploaded.
type Config struct {
	// Dir is a folder for them.
	Dir string `env:"FILES_DIR"`
	// Endpoint is the address of a server that speaks S3's protocol: https://s3.eu-west-1.amazonaws.com, or http.
	Endpoint string `env:"FILES_S3_ENDPOINT"`
	// Bucket is the bucket's name there. It has to exist.
	Bucket string `env:"FILES_S3_BUCKET"`
	// Region is the bucket's region; empty: what the endpoint's name or the server says.
	Region string `env:"FILES_S3_REGION"`
	// PathStyle has the bucket's name in the path of requests, rather than in the host where the server is known to
	// allow that.
	PathStyle bool `env:"FILES_S3_PATH_STYLE" envDefault:"false"`
	// AccessKey and SecretKey are for the bucket alone. Without them the variables AWS_ACCESS_KEY_ID and
	// AWS_SECRET_ACCESS_KEY count, or else the identity that a cloud assigns to the process.
	AccessKey string `env:"FILES_S3_ACCESS_KEY"`
	SecretKey string `env:"FILES_S3_SECRET_KEY,unset"`
	// CAFile has the certificates of who may sign the server's, in place of the system's.
	CAFile string `env:"FILES_S3_CA_FILE"`
}

// Given reports whether there is a storage.
func (c Config) Given() bool { return c.Dir != "" || c.Endpoint != "" }

// Check says what is wrong with the configuration.
func (c Config) Check() error {
	if c.Endpoint == "" {
		if c.Bucket != "" {
			return errors.New("FILES_S3_ENDPOINT is missing: it is https://host, or http://host:port")
		}
		return nil
	}
	u, err := url.Parse(c.Endpoint)
	switch {
	case c.Dir != "":
		return errors.New("FILES_DIR and FILES_S3_ENDPOINT are both set: files are in a folder or in a bucket")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Path != "" && u.Path != "/":
		return fmt.Errorf("FILES_S3_ENDPOINT: %q is not an address such as https://s3.eu-west-1.amazonaws.com", c.Endpoint)
	case c.Bucket == "":
		return errors.New("FILES_S3_BUCKET is missing: it is the name of the bucket at FILES_S3_ENDPOINT")
	case (c.AccessKey == "") != (c.SecretKey == ""):
		return errors.New("FILES_S3_ACCESS_KEY and FILES_S3_SECRET_KEY belong together: set both or neither")
	case c.CAFile != "" && u.Scheme != "https":
		return errors.New("FILES_S3_CA_FILE is for TLS only: begin FILES_S3_ENDPOINT with https://")
	}
	return nil
}

// Open opens the storage; nil: there is none.
func Open(c Config) (Store, error) {
	switch {
	case c.Endpoint != "":
		return opened(OpenBucket(c))
	case c.Dir != "":
		return opened(OpenFolder(c.Dir))
	default:
		return nil, nil
	}
}

// opened makes no store of a failure.
func opened[S Store](store S, err error) (Store, error) {
	if err != nil {
		return nil, err
	}
	return store, nil
}
