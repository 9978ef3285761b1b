package inputs

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"chatserver.dev/operator/api/v1alpha1"
)

// MissingError reports that a Secret doesn't exist, or lacks a key.
type MissingError struct {
	Secret string
	Key    string // empty: the Secret as a whole
}

// Error includes what to do about it.
func (e *MissingError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("Secret %s not found: create it", e.Secret)
	}
	return fmt.Sprintf("Secret %s has no key %s, or it is empty: add the key, or name another one in the spec", e.Secret, e.Key)
}

// InvalidError reports that a value of a Secret is invalid. It doesn't include the value.
type InvalidError struct {
	Secret, Key, Problem string
}

// Error includes what to do about it.
func (e *InvalidError) Error() string {
	return fmt.Sprintf("Secret %s, key %s: %s", e.Secret, e.Key, e.Problem)
}

// Of returns the inputs that follow from a server's spec. [Read] completes them.
func Of(server *v1alpha1.ChatServer, defaults Defaults, served Served) Inputs {
	return Inputs{
		Defaults: defaults, Served: served,
		Database: database(server), Services: services(server), Replica: replica(server), Cache: cache(server),
	}
}

// migrationSum returns a hash of the version, of the image that migrates the schema to it, of the database with the logins
// that are created there, and of those that are locked. Another value of the annotation for retries is another migration,
// since the database may have been restored.
func migrationSum(server *v1alpha1.ChatServer, in Inputs, made string) string {
	image := server.Spec.Image
	sum := sha256.Sum256([]byte(strings.Join([]string{
		server.Spec.Version, cmp.Or(image.Repository, in.Defaults.Repository), image.Digests["api"],
		made, strings.Join(in.FormerUsers, ","), server.Annotations[v1alpha1.AnnotationRetry],
	}, "\n")))
	return hex.EncodeToString(sum[:])
}

// Read completes inputs from Secrets and ConfigMaps: it adds hashes of the values that pods read when they start, and
// the ports of external servers. The error is a [*MissingError], an [*InvalidError], a [*TooManyError] or an error of
// the API server.
func Read(ctx context.Context, secrets *Secrets, server *v1alpha1.ChatServer, in Inputs) (Inputs, error) {
	in, err := secrets.hashes(ctx, server, in)
	if err != nil {
		return in, err
	}
	if err := secrets.checkMailCertificate(ctx, server); err != nil {
		return in, err
	}
	if _, err := secrets.authorities(ctx, server); err != nil { // pods don't start without them
		return in, err
	}
	if in.Templates, err = secrets.templateHashes(ctx, server); err != nil {
		return in, err
	}
	if in.Pull, err = secrets.pullHash(ctx, server); err != nil {
		return in, err
	}
	if server.Spec.Database.Mode == v1alpha1.DatabaseExternal {
		if in.Database.Ports, err = secrets.databasePorts(ctx, in.Database); err != nil {
			return in, err
		}
	}
	if in.Replica.URL != nil {
		if in.Replica.Ports, err = secrets.ports(ctx, *in.Replica.URL, defaultPostgresPort); err != nil {
			return in, err
		}
	}
	if external := server.Spec.Cache.External; external != nil && external.Topology == v1alpha1.RedisSingle {
		if in.Cache.Ports, err = secrets.ports(ctx, *in.Cache.URL, defaultRedisPort); err != nil {
			return in, err
		}
	}
	return in, nil
}

// checkMailCertificate checks the certificate for incoming mail. Pods read it again when it changes, but don't start without a valid one.
func (s *Secrets) checkMailCertificate(ctx context.Context, server *v1alpha1.ChatServer) error {
	keys := MailCertificate(server)
	if keys == nil {
		return nil
	}
	secret, err := s.existing(ctx, keys[0].Secret)
	if err == nil {
		_, err = CertificateOf(secret)
	}
	return err
}

// Default ports.
const (
	defaultPostgresPort = 5432
	defaultRedisPort    = 6379
)

// hashes sets the hashes of the connections' Secrets.
func (s *Secrets) hashes(ctx context.Context, server *v1alpha1.ChatServer, in Inputs) (Inputs, error) {
	var err error
	owner := in.Database
	if in.MigrationHash, err = s.hash(ctx, owner.keys(), in.Cache.keys(), loginKeys(in.MigrationLogins)); err != nil {
		return in, err
	}
	owner.CA = nil
	made, err := s.hash(ctx, owner.keys(), loginKeys(in.MigrationLogins))
	if err != nil {
		return in, err
	}
	in.MigrationSum = migrationSum(server, in, made)
	in.Own = map[string]string{}
	own := ownKeys(server)
	for _, component := range slices.Sorted(maps.Keys(own)) { // in order, so that of several errors it is always the same
		if len(own[component]) == 0 {
			continue
		}
		if in.Own[component], err = s.hash(ctx, own[component]); err != nil {
			return in, err
		}
	}
	in.Hash, err = s.hash(ctx, in.Services.keys(), loginKeys(in.PodLogins), in.Cache.keys(), sharedKeys(server))
	missing := (*MissingError)(nil)
	if errors.As(err, &missing) && missing.Secret == in.PodLogins && in.PodLogins != in.MigrationLogins {
		return in, nil // new logins are being created
	}
	return in, err
}

// hash returns a hash of the values of keys.
func (s *Secrets) hash(ctx context.Context, keys ...[]Key) (string, error) {
	sum := sha256.New()
	for _, key := range slices.Concat(keys...) {
		value, err := s.value(ctx, key)
		if err != nil {
			return "", err
		}
		// The lengths make the input unambiguous.
		fmt.Fprintf(sum, "%s/%s %d\n%s", key.Secret, key.Key, len(value), value)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func (s *Secrets) databasePorts(ctx context.Context, c Connection) ([]int32, error) {
	if c.URL != nil {
		return s.ports(ctx, *c.URL, defaultPostgresPort)
	}
	value, err := s.value(ctx, c.Parts["port"])
	if err != nil {
		return nil, err
	}
	port, err := parsePort(string(value))
	if err != nil {
		return nil, &InvalidError{c.Parts["port"].Secret, c.Parts["port"].Key, err.Error()}
	}
	return []int32{port}, nil
}

// ports returns the ports of all hosts of an address. If they can't be determined, as for a connection string of keywords,
// it returns none.
func (s *Secrets) ports(ctx context.Context, key Key, otherwise int32) ([]int32, error) {
	value, err := s.value(ctx, key)
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(string(value))
	if err != nil || address.Scheme == "" || address.Host == "" {
		if !bytes.ContainsAny(value, "=:") { // the error of the services would include the value, which may be a password
			return nil, &InvalidError{key.Secret, key.Key, "it contains no address such as postgres://user:password@host:5432/name or redis://:password@host:6379"}
		}
		return nil, nil // the services support more forms of addresses, and report invalid ones
	}
	ports := []int32(nil)
	for _, host := range hosts(address) {
		port := otherwise
		if _, text, err := net.SplitHostPort(host); err == nil && text != "" {
			if port, err = parsePort(text); err != nil {
				return nil, &InvalidError{key.Secret, key.Key, err.Error()}
			}
		}
		ports = append(ports, port)
	}
	slices.Sort(ports)
	return slices.Compact(ports), nil
}

// hosts returns the hosts of an address. An address of PostgreSQL separates them by commas; one of Redis has further
// ones as parameters.
func hosts(address *url.URL) []string {
	return slices.Concat(strings.Split(address.Host, ","), address.Query()["addr"])
}

// errPort doesn't include the value: the spec may name another key than that of the port.
var errPort = errors.New("the port is not a number from 1 to 65535")

func parsePort(text string) (int32, error) {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, errPort
	}
	return int32(port), nil
}
