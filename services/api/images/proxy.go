package images

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/imagelink"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/services/remote"
)

// Route is the pattern that [Proxy] serves, at the root of the host rather than below the interface's prefix.
const Route = "GET /external_content/{digest}/{address}"

// Errors of requests for images. errNoImage is the same for all reasons, so that it reveals nothing about the server's
// own network.
var (
	errNoImage = fault.New(fault.BadGateway, fault.CodeNone, "The image can't be fetched from its server, or isn't of a supported type")
	errBusy    = fault.Limit(fault.CodeNone, "Too many images of other servers are being fetched: try again in a few seconds")
	errRate    = fault.New(fault.TooMany, fault.CodeRateLimitHit, "Too many images of other servers: wait for as long as the header Retry-After says")
	errLoop    = fault.New(fault.Forbidden, fault.CodeNone, "The server doesn't fetch images from itself")
)

const (
	// beginTime is the timeout until an image begins to arrive.
	beginTime = 10 * time.Second
	// pace is the minimum rate at which the rest of the image must arrive, in bytes per second: each pace bytes extend
	// the timeout by a second.
	pace = 64 << 10
	// keepTime is how long browsers and proxies may cache an image.
	keepTime = 24 * time.Hour
	// policy makes an image that is opened as a page unable to load or run anything.
	policy = "default-src 'none'; sandbox"
)

// Deps are the dependencies of a [Proxy].
type Deps struct {
	Signer *imagelink.Signer
	Rate   limit.Rule // images for each client address
	// MaxBytes is the size of the largest image, in bytes.
	MaxBytes int64
	// Permit allows or refuses connections; nil: [remote.Public].
	Permit remote.Permit
	// Resolver resolves host names; nil: the system's resolver.
	Resolver *net.Resolver
	// BeginTime is the timeout until an image begins to arrive; 0: 10 seconds.
	BeginTime time.Duration
	Meter     metric.Meter // counts fetches, by outcome
	Now       func() time.Time
	Logger    *slog.Logger
}

// Outcomes of a fetch, as values of an attribute of the metric.
const (
	sent   = "sent"   // all of the image
	cut    = "cut"    // the reader disconnected, or the image was too large or came too slowly
	failed = "failed" // there is no image
	busy   = "busy"   // there were too many other fetches
)

// Proxy serves images of other servers. It is safe for concurrent use.
type Proxy struct {
	deps     Deps
	client   *http.Client
	turns    *turns
	rate     *limit.Local[netip.Prefix]
	failures *failures
	fetched  metric.Int64Counter
}

// New returns a proxy.
func New(d Deps) (*Proxy, error) {
	if d.Permit == nil {
		d.Permit = remote.Public()
	}
	if d.BeginTime == 0 {
		d.BeginTime = beginTime
	}
	fetched, err := d.Meter.Int64Counter("chatserver.images.fetched",
		metric.WithDescription("Images of other servers that readers requested, by result."))
	if err != nil {
		return nil, fmt.Errorf("count images of other servers: %w", err)
	}
	return &Proxy{
		deps: d, client: newClient(d.Permit, d.Resolver), turns: newTurns(), rate: limit.NewLocalByAddress(d.Rate),
		failures: newFailures(d.Now), fetched: fetched,
	}, nil
}

// count counts a fetch.
func (p *Proxy) count(ctx context.Context, outcome string) {
	p.fetched.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", outcome)))
}

// ServeHTTP serves the image whose address is in the path.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.UserAgent(), agentName) {
		endpoint.Refuse(w, errLoop)
		return
	}
	address, signed := p.deps.Signer.Address(r.Context(), r.PathValue("digest"), r.PathValue("address"))
	if !signed {
		endpoint.NotFound(w)
		return
	}
	peer := endpoint.Network(r)
	if d := p.rate.Allow(peer, p.deps.Now()); !d.Allowed {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(d.RetryAfter.Seconds()))))
		endpoint.Refuse(w, errRate)
		return
	}
	end, err := p.turn(r.Context(), address, peer.String())
	if err != nil {
		p.refuse(w, r, address, err)
		return
	}
	defer end()
	p.pass(w, r, address)
}

// turn waits until the image may be fetched. Unless it fails, the caller must call end when the image has been passed
// on.
func (p *Proxy) turn(ctx context.Context, address, peer string) (end func(), err error) {
	u, err := url.Parse(address)
	if err != nil || p.failures.has(address) {
		return nil, errNoImage
	}
	ctx, cancel := context.WithTimeout(ctx, p.deps.BeginTime)
	defer cancel()
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")) // the same server, however it is written
	if end, err = p.turns.take(ctx, host, peer); err != nil {
		return nil, err
	}
	if p.failures.has(address) { // since it began to wait
		end()
		return nil, errNoImage
	}
	return end, nil
}

// pass fetches the image and passes it on.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, address string) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	start, clock := p.deps.Now(), time.AfterFunc(p.deps.BeginTime, cancel)
	defer clock.Stop()
	found, err := fetch(ctx, p.client, address, p.deps.MaxBytes)
	if err != nil {
		p.refuse(w, r, address, errNoImage.Wrap(err))
		return
	}
	defer found.body.Close() //nolint:errcheck // the rest isn't used
	head(w, found)
	outcome := sent
	if r.Method != http.MethodHead {
		err = relay(w, found.body, p.deps.MaxBytes, func(bytes int64) {
			clock.Reset(start.Add(p.deps.BeginTime + time.Duration(bytes)*time.Second/pace).Sub(p.deps.Now()))
		})
	}
	if err != nil {
		outcome = cut
	}
	p.count(r.Context(), outcome)
	if err != nil {
		p.log(r, address, err)
		panic(http.ErrAbortHandler) // the response has started: aborting it is all that can be done
	}
}

// refuse answers with an error.
func (p *Proxy) refuse(w http.ResponseWriter, r *http.Request, address string, err error) {
	if r.Context().Err() != nil {
		return // the reader left
	}
	outcome := busy
	if errors.Is(err, errNoImage) {
		outcome = failed
		p.failures.note(address)
		w.Header().Set("Cache-Control", "public, max-age="+strconv.Itoa(int(failureTime.Seconds())))
	}
	p.count(r.Context(), outcome)
	p.log(r, address, err)
	endpoint.Refuse(w, fault.Of(err))
}

// log logs at level Debug, because any user can post addresses that fail.
func (p *Proxy) log(r *http.Request, address string, err error) {
	p.deps.Logger.DebugContext(r.Context(), "failed to proxy an image", slog.String("address", address), slog.Any("error", err))
}

func head(w http.ResponseWriter, found image) {
	h := w.Header()
	h.Set("Content-Type", found.kind.name)
	if found.size >= 0 {
		h.Set("Content-Length", strconv.FormatInt(found.size, 10))
	}
	h.Set("Content-Disposition", `inline; filename="image`+found.kind.suffix+`"`)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age="+strconv.Itoa(int(keepTime.Seconds()))+", immutable")
}

// relay copies bytes as they arrive, and calls passed with the number of bytes so far. It fails if there are more than
// most.
func relay(to io.Writer, from io.Reader, maxBytes int64, passed func(bytes int64)) error {
	buffer, total := make([]byte, 32<<10), int64(0)
	for {
		n, err := from.Read(buffer)
		if total += int64(n); total > maxBytes {
			return fmt.Errorf("more than %d bytes", maxBytes)
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return fmt.Errorf("send: %w", err)
		}
		passed(total)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("receive: %w", err)
		}
	}
}
