package account

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/url"
	"regexp"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// Limits on the bots that people create (docs/decisions/0008-limits-and-caches.md).
const (
	// maxBots is the maximum number of active bots of an account.
	maxBots = 100
	// maxBotsPerDay is the maximum number of bots that an account creates in 24 hours, including deactivated ones.
	maxBotsPerDay = 50
	// maxOrgBots is the maximum number of active bots of an organization.
	maxOrgBots = 2000
	// maxBotURL is the maximum length of the URL of an outgoing webhook bot, in bytes.
	maxBotURL = 2048
)

// Faults of bots (rest-api.md, section 5.12).
var (
	ErrShortName   = fault.Bad("Bad name or username")
	ErrUsername    = fault.Plain("Username already in use")
	ErrBotType     = fault.Bad("Invalid bot type")
	ErrEmbedded    = fault.Plain("Embedded bots are not enabled.")
	ErrInterface   = fault.Bad("Invalid interface type")
	ErrIntegration = fault.Bad("Invalid integration '%s'.")
	ErrConfig      = fault.Bad("Invalid configuration data!")
	ErrConfigSize  = fault.Bad("The configuration has %d characters: the limit is %d.")
	ErrURL         = fault.Bad("%s is not a URL")
	ErrNoBot       = fault.Bad("No such bot")
	ErrNoOwner     = fault.Plain("Failed to change owner, no such user")
	ErrGoneOwner   = fault.Plain("Failed to change owner, user is deactivated")
	ErrBotOwner    = fault.Plain("Failed to change owner, bots can't own other bots")
	// ErrManyBots contains whose limit was reached, the number of bots, and the limit.
	ErrManyBots = fault.Bad("Too many bots: %s %d, the limit is %d.")
)

// Formats of an outgoing webhook bot's requests (its interface_type): the server's own, and that of Slack's outgoing webhooks.
const (
	Generic   = 1
	SlackLike = 2
)

// BotDraft is a bot to be created.
type BotDraft struct {
	FullName, ShortName string
	Kind                actor.BotType
	// PayloadURL and Interface are the URL and the format of requests of outgoing webhook bots.
	PayloadURL string
	Interface  int
	// Integration and Config are for incoming webhook bots.
	Integration string
	Config      map[string]string
	// Sending and Events name streams; empty: none.
	Sending, Events  string
	AllPublicStreams bool
	// Image becomes the bot's picture; nil: one is generated.
	Image io.Reader
}

// CreatedBot is a new bot.
type CreatedBot struct {
	// API key of the bot. It can't be shown again.
	APIKey string `json:"api_key"`
	BotFacts
}

// BotFacts are the properties of a bot that are in all answers about it.
type BotFacts struct {
	// Address of the picture.
	AvatarURL string `json:"avatar_url"`
	// Name of the stream that the bot sends to by default; null: none.
	Sending *string `json:"default_sending_stream"`
	// Name of the stream whose messages the bot's event queues receive by default; null: none.
	Events *string `json:"default_events_register_stream"`
	// Whether the bot's event queues receive the messages of all public streams by default.
	AllPublicStreams bool `json:"default_all_public_streams"`
}

func factsOf(o org.Org, views user.BotViews, bot user.User) BotFacts {
	return BotFacts{
		AvatarURL: user.AvatarURL(o, bot), Sending: views.Stream(bot.Register.SendingStream), Events: views.Stream(bot.Register.EventsStream),
		AllPublicStreams: bot.Register.AllPublicStreams,
	}
}

// shortName matches the part of a bot's address before "-bot".
var shortName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,49}$`)

// CreateBot creates a bot that the caller, a member, owns. It fails with [ErrShortName], [ErrEmbedded], [ErrEmail], [ErrUsername],
// [permit.ErrNotAdmin], [ErrBotType], [ErrInterface], [stream.ErrInvalidName], [ErrIntegration], [ErrConfigSize], [ErrManyBots],
// the faults of names, and those of storing a picture.
func (s *Service) CreateBot(ctx context.Context, who actor.Actor, draft BotDraft) (made CreatedBot, err error) {
	short := strings.TrimSpace(draft.ShortName)
	if short == "" {
		return CreatedBot{}, ErrShortName
	}
	if _, err := user.CheckName(draft.FullName); err != nil {
		return CreatedBot{}, err
	}
	switch {
	case draft.Kind == actor.EmbeddedBot:
		return CreatedBot{}, ErrEmbedded
	case !shortName.MatchString(short):
		return CreatedBot{}, ErrEmail
	}
	if draft.Image == nil {
		return store.Write(ctx, s.DB, who.Org(), func(tx *store.Tx) (CreatedBot, error) {
			return s.createBot(ctx, tx, who, draft, short, nil)
		})
	}
	picture, err := s.Avatars.Make(ctx, who.Org(), draft.Image)
	if err != nil {
		return CreatedBot{}, err
	}
	err = s.Avatars.Keep(ctx, who.Org(), picture, func(tx *store.Tx, kept file.Saved) (err error) {
		made, err = s.createBot(ctx, tx, who, draft, short, &kept)
		return err
	})
	return made, err
}

// createBot checks the rest of a draft, and stores the bot. picture is nil if the draft has no image.
func (s *Service) createBot(ctx context.Context, tx *store.Tx, who actor.Actor, draft BotDraft, short string, picture *file.Saved) (CreatedBot, error) {
	if err := tx.LockAccounts(ctx); err != nil {
		return CreatedBot{}, err
	}
	who, err := user.Current(ctx, tx, who)
	if err != nil {
		return CreatedBot{}, err
	}
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return CreatedBot{}, err
	}
	account := user.Draft{
		RealEmail: short + "-bot@" + o.Domain, FullName: draft.FullName, Role: actor.Member, Bot: draft.Kind, Owner: who.User,
	}
	if err := s.checkBot(ctx, tx, o, who, draft, account.RealEmail); err != nil {
		return CreatedBot{}, err
	}
	if account.Register, err = registers(ctx, tx, who, draft); err != nil {
		return CreatedBot{}, err
	}
	switch draft.Kind { //nolint:exhaustive // generic bots have nothing more
	case actor.IncomingWebhook:
		if err := checkConfig(draft); err != nil {
			return CreatedBot{}, err
		}
		account.Config = draft.Config
	case actor.OutgoingWebhook:
		account.Service = &event.BotService{BaseURL: draft.PayloadURL, Interface: draft.Interface, Token: rand.Text()}
	}
	if err := s.checkNumber(ctx, tx, who.User, true); err != nil {
		return CreatedBot{}, err
	}
	if picture != nil {
		account.AvatarPath = picture.Path
		if err := file.Add(ctx, tx, *picture); err != nil {
			return CreatedBot{}, err
		}
	}
	return s.makeBot(ctx, tx, o, account)
}

// checkBot checks a bot to be created. The specification defines the order of the checks.
func (*Service) checkBot(ctx context.Context, tx *store.Tx, o org.Org, who actor.Actor, draft BotDraft, email string) error {
	_, err := user.ByRealEmail(ctx, tx, email)
	switch {
	case err == nil:
		return ErrUsername
	case !errors.Is(err, user.ErrNoSuchUser):
		return err
	}
	if err := user.CheckFree(ctx, tx, draft.FullName); err != nil {
		return err
	}
	if err := permit.MakeBot(who.Role, permit.BotPolicy(o.Settings.BotCreationPolicy), draft.Kind); err != nil {
		return err
	}
	if draft.Kind != actor.GenericBot && draft.Kind != actor.IncomingWebhook && draft.Kind != actor.OutgoingWebhook {
		return ErrBotType
	}
	return checkInterface(draft.Interface)
}

func checkInterface(number int) error {
	if number != Generic && number != SlackLike {
		return ErrInterface
	}
	return nil
}

// registers finds the streams of a new bot's defaults.
func registers(ctx context.Context, tx *store.Tx, who actor.Actor, draft BotDraft) (user.RegisterDefaults, error) {
	d := user.RegisterDefaults{AllPublicStreams: draft.AllPublicStreams}
	sending, err := streamNamed(ctx, tx, who, draft.Sending)
	if err != nil {
		return user.RegisterDefaults{}, err
	}
	d.SendingStream = sending
	d.EventsStream, err = streamNamed(ctx, tx, who, draft.Events)
	return d, err
}

// streamNamed returns the stream with a name that the caller may access; zero for the empty name.
func streamNamed(ctx context.Context, tx *store.Tx, who actor.Actor, name string) (id.Stream, error) {
	if name == "" {
		return 0, nil
	}
	found, err := stream.ByName(ctx, tx, who, name)
	return found.StreamID, err
}

// checkConfig validates an incoming webhook bot's configuration.
func checkConfig(draft BotDraft) error {
	if draft.Integration != "" {
		return ErrIntegration.Format(draft.Integration)
	}
	return checkConfigSize(draft.Config)
}

// checkNumber returns [ErrManyBots] if an account can't own another bot. isNew says that the bot is being created.
func (s *Service) checkNumber(ctx context.Context, tx *store.Tx, owner id.User, isNew bool) error {
	n, err := tx.CountBots(ctx, int64(owner), s.Now().Add(-24*time.Hour))
	switch {
	case err != nil:
		return err
	case n.Owned >= maxBots:
		return ErrManyBots.Format("the owner has", n.Owned, maxBots)
	case isNew && n.Recent >= maxBotsPerDay:
		return ErrManyBots.Format("in the last 24 hours the owner has made", n.Recent, maxBotsPerDay)
	case n.Everybodys >= maxOrgBots:
		return ErrManyBots.Format("the organization has", n.Everybodys, maxOrgBots)
	}
	return nil
}

func (s *Service) makeBot(ctx context.Context, tx *store.Tx, o org.Org, draft user.Draft) (CreatedBot, error) {
	views, err := user.ViewBots(ctx, tx, o, nil, draft.Register)
	if err != nil {
		return CreatedBot{}, err
	}
	bot, key, err := s.Users.Create(ctx, tx, o, draft)
	return CreatedBot{APIKey: key, BotFacts: factsOf(o, views, bot)}, err
}

// CheckBotURL returns [ErrURL] unless an outgoing webhook bot can send to the URL. name is the name of the parameter.
func CheckBotURL(name, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || len(address) > maxBotURL {
		return ErrURL.Format(name)
	}
	return nil
}
