package blob

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	// putTime is the timeout for storing a file in the bucket, callTime that for other calls, and for each part that is read of a
	// file.
	putTime  = 2 * time.Minute
	callTime = 15 * time.Second
	// tries is the maximum number of attempts of a call that fails because of the server.
	tries = 3
)

// errSilent says that the server accepts connections and doesn't answer.
var errSilent = errors.New("the server of the storage doesn't answer")

// Bucket is a [Store] in a bucket of a server with the S3 protocol.
type Bucket struct {
	client   *minio.Client
	name     string
	callTime time.Duration // [callTime], except in tests
}

// OpenBucket returns a store in a bucket, which has to exist. It connects at the first use.
func OpenBucket(c Config) (*Bucket, error) {
	endpoint, err := url.Parse(c.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("FILES_S3_ENDPOINT: %w", err)
	}
	secure := endpoint.Scheme == "https"
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, fmt.Errorf("connect to the storage: %w", err)
	}
	if c.CAFile != "" {
		if transport.TLSClientConfig, err = trusting(c.CAFile); err != nil {
			return nil, err
		}
	}
	lookup := minio.BucketLookupAuto
	if c.PathStyle {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: c.credentials(), Secure: secure, Transport: transport, Region: c.Region, BucketLookup: lookup, MaxRetries: tries,
	})
	if err != nil {
		return nil, fmt.Errorf("connect to the storage: %w", err)
	}
	return &Bucket{client, c.Bucket, callTime}, nil
}

// trusting returns a TLS configuration that trusts the certificate authorities in a file.
func trusting(file string) (*tls.Config, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the operator names it
	if err != nil {
		return nil, fmt.Errorf("FILES_S3_CA_FILE: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("FILES_S3_CA_FILE: %s has no certificate in PEM form", file)
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, nil
}

// credentials returns the configured key, or else the credentials that the platform provides.
func (c Config) credentials() *credentials.Credentials {
	if c.AccessKey != "" {
		return credentials.NewStaticV4(c.AccessKey, c.SecretKey, "")
	}
	return credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.IAM{}})
}

// Put implements [Store]. It first writes the file to a temporary file on the disk: S3 needs the size at the beginning of a request,
// and a slow client must not keep a request to the bucket open.
func (b *Bucket) Put(ctx context.Context, name string, from io.Reader) (size int64, err error) {
	if err := checkName(name); err != nil {
		return 0, err
	}
	spool, err := os.CreateTemp("", "chatserver-upload-")
	if err != nil {
		return 0, fmt.Errorf("store a file: %w", err)
	}
	defer spool.Close()                             //nolint:errcheck // it isn't used afterwards
	if err := os.Remove(spool.Name()); err != nil { // so that it is deleted even after a crash
		return 0, fmt.Errorf("store a file: %w", err)
	}
	if size, err = drain(spool, from); err != nil {
		return 0, fmt.Errorf("store a file: %w", err)
	}
	if _, err := spool.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("store a file: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, putTime)
	defer cancel()
	_, err = b.client.PutObject(ctx, b.name, name, spool, size, minio.PutObjectOptions{
		ContentType: "application/octet-stream", DisableMultipart: true,
	})
	if err != nil {
		return 0, fmt.Errorf("store a file: %w", err)
	}
	return size, nil
}

// Open implements [Store].
func (b *Bucket) Open(ctx context.Context, name string) (File, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(b.callTime, func() { cancel(errSilent) })
	defer late.Stop()
	object, err := b.client.GetObject(ctx, b.name, name, minio.GetObjectOptions{})
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("open a file: %w", err)
	}
	info, err := object.Stat()
	if err != nil {
		err = because(ctx, err)
		cancel(nil)
		_ = object.Close() // there is nothing in it
		if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
			return nil, ErrNotFound
		}
		return nil, fmt.Errorf("open a file: %w", err)
	}
	return bucketFile{object, info.Size, ctx, cancel, late, b.callTime}, nil
}

// bucketFile is a [File] of a bucket.
type bucketFile struct {
	*minio.Object
	size     int64
	ctx      context.Context //nolint:containedctx // that of the object
	cancel   context.CancelCauseFunc
	late     *time.Timer // cancels ctx with errSilent
	callTime time.Duration
}

// Size implements [File].
func (f bucketFile) Size() int64 { return f.size }

// Read implements io.Reader. Only the server has to be quick: a client may take its time between two calls.
func (f bucketFile) Read(p []byte) (int, error) {
	f.late.Reset(f.callTime)
	n, err := f.Object.Read(p[:min(len(p), pieceBytes)]) // it waits until p is full
	f.late.Stop()
	return n, because(f.ctx, err)
}

// Close implements io.Closer.
func (f bucketFile) Close() error {
	f.cancel(nil)
	return f.Object.Close()
}

// because returns the error of a call, or errSilent if the call was canceled because of that.
func because(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return errSilent
	}
	return err
}

// Remove implements [Store].
func (b *Bucket) Remove(ctx context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, b.callTime)
	defer cancel()
	err := b.client.RemoveObject(ctx, b.name, name, minio.RemoveObjectOptions{})
	if err != nil && minio.ToErrorResponse(err).Code != minio.NoSuchKey {
		return fmt.Errorf("remove a file: %w", err)
	}
	return nil
}
