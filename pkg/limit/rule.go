package limit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-redis/redis_rate/v10"
)

// Config is the rate limits.
type Config struct {
	// PerUser is the rule for each account: "200/60s" is 200 calls in 60 seconds.
	PerUser Rule `env:"RATE_LIMIT_PER_USER" envDefault:"200/60s"`
	// Refusals is the rule for the failed logins that a process refuses without delay. Beyond it, each is delayed by a second.
	Refusals Rule `env:"RATE_LIMIT_REFUSALS" envDefault:"50/1s"`
	// Images is the rule for the images of other servers that a process fetches for each client address.
	Images Rule `env:"RATE_LIMIT_IMAGES" envDefault:"1000/60s"`
	// Logins is the rule for logins and changes of passwords for each account, right or wrong.
	Logins Rule `env:"RATE_LIMIT_LOGINS" envDefault:"100/30m"`
	// Passwords is the rule for wrong passwords for each account.
	Passwords Rule `env:"RATE_LIMIT_PASSWORDS" envDefault:"5/30m"`
	// PasswordsFrom is the rule for wrong passwords from each network (an IPv4 address, or 64 bits of IPv6).
	PasswordsFrom Rule `env:"RATE_LIMIT_PASSWORDS_FROM" envDefault:"100/30m"`
	// MailRequests is the rule for requests for mail (to reset a password, to join, to change an address) for each address, and
	// MailRequestsADay a second one. MailRequestsFrom is the rule for each network.
	MailRequests     Rule `env:"RATE_LIMIT_MAIL_REQUESTS" envDefault:"2/1h"`
	MailRequestsADay Rule `env:"RATE_LIMIT_MAIL_REQUESTS_A_DAY" envDefault:"5/24h"`
	MailRequestsFrom Rule `env:"RATE_LIMIT_MAIL_REQUESTS_FROM" envDefault:"20/1h"`
	// MailTo is the rule for mails of one kind to each address, MailOf for all mails of each organization.
	MailTo Rule `env:"RATE_LIMIT_MAIL_TO" envDefault:"20/24h"`
	MailOf Rule `env:"RATE_LIMIT_MAIL_OF_ORGANIZATION" envDefault:"5000/24h"`
	// MailIn is the rule for incoming mails of each organization.
	MailIn Rule `env:"RATE_LIMIT_MAIL_IN" envDefault:"600/1h"`
}

// Rule is a number of calls in a window of time. Both are positive.
type Rule struct {
	Calls  int
	Window time.Duration
}

// UnmarshalText reads a rule such as "200/60s".
func (r *Rule) UnmarshalText(text []byte) error {
	calls, window, ok := strings.Cut(string(text), "/")
	n, err := strconv.Atoi(calls)
	if !ok || err != nil || n < 1 {
		return errors.New("a rate limit is a number of requests and a period, such as 200/60s")
	}
	d, err := time.ParseDuration(window)
	if err != nil || d < time.Millisecond {
		return fmt.Errorf("%q is not a period of a rate limit, such as 60s or 1h", window)
	}
	if d/time.Duration(n) < 1 {
		return fmt.Errorf("%d requests are too many for a rate limit's period of %s", n, window)
	}
	r.Calls, r.Window = n, d
	return nil
}

// String returns the rule in the form that UnmarshalText reads.
func (r Rule) String() string { return strconv.Itoa(r.Calls) + "/" + r.Window.String() }

// limit returns the rule in the form of package redis_rate.
func (r Rule) limit() redis_rate.Limit {
	return redis_rate.Limit{Rate: r.Calls, Burst: r.Calls, Period: r.Window}
}

// Decision is whether a call is allowed, with the data about the limit for its response.
type Decision struct {
	Limit      int           // calls in the rule's window
	Remaining  int           // calls left
	Reset      time.Time     // when all of Limit are left again
	RetryAfter time.Duration // how long to wait; zero for an allowed call
	Allowed    bool
}
