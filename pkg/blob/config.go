package blob

import (
	"errors"
	"fmt"
	"net/url"
)

// Config configures the storage of files. Without a folder and an endpoint there is no storage, and files can't be uploaded.
type Config struct {
	// Dir is a folder for the files.
	Dir string `env:"FILES_DIR"`
	// Endpoint is the HTTPS or HTTP address of a server with the S3 protocol, for example https://s3.eu-west-1.amazonaws.com.
	Endpoint string `env:"FILES_S3_ENDPOINT"`
	// Bucket is the name of the bucket. It has to exist.
	Bucket string `env:"FILES_S3_BUCKET"`
	// Region is the bucket's region. Empty: it is taken from the endpoint's name or from the server.
	Region string `env:"FILES_S3_REGION"`
	// PathStyle puts the bucket's name into the path of every request. By default it is in the host if the server is known to allow
	// that.
	PathStyle bool `env:"FILES_S3_PATH_STYLE" envDefault:"false"`
	// AccessKey and SecretKey are the credentials for the bucket. Without them, those in the variables AWS_ACCESS_KEY_ID and
	// AWS_SECRET_ACCESS_KEY are used, or else the identity that a cloud assigns to the process.
	AccessKey string `env:"FILES_S3_ACCESS_KEY"`
	SecretKey string `env:"FILES_S3_SECRET_KEY,unset"`
	// CAFile is a PEM file with the certificate authorities to trust instead of those of the system.
	CAFile string `env:"FILES_S3_CA_FILE"`
}

// Given reports whether a storage is configured.
func (c Config) Given() bool { return c.Dir != "" || c.Endpoint != "" }

// Check fails if the configuration is invalid.
func (c Config) Check() error {
	if c.Endpoint == "" {
		if c.Bucket != "" {
			return errors.New("FILES_S3_ENDPOINT is missing: set it to the address of the S3 server, https://host or http://host:port")
		}
		return nil
	}
	u, err := url.Parse(c.Endpoint)
	switch {
	case c.Dir != "":
		return errors.New("FILES_DIR and FILES_S3_ENDPOINT are both set: set only the first for a folder, or only the second for a bucket")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Path != "" && u.Path != "/":
		return fmt.Errorf("FILES_S3_ENDPOINT: %q is not an address such as https://s3.eu-west-1.amazonaws.com", c.Endpoint)
	case c.Bucket == "":
		return errors.New("FILES_S3_BUCKET is missing: set it to the name of the bucket at FILES_S3_ENDPOINT")
	case (c.AccessKey == "") != (c.SecretKey == ""):
		return errors.New("FILES_S3_ACCESS_KEY and FILES_S3_SECRET_KEY belong together: set both or neither")
	case c.CAFile != "" && u.Scheme != "https":
		return errors.New("FILES_S3_CA_FILE is for TLS only: begin FILES_S3_ENDPOINT with https://")
	}
	return nil
}

// Open opens the storage. It returns nil if none is configured.
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

// opened returns a nil interface, rather than one with a nil pointer, on failure.
func opened[S Store](store S, err error) (Store, error) {
	if err != nil {
		return nil, err
	}
	return store, nil
}
