package compat

import (
	"context"
	"encoding/json"
	"strings"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/product"
)

// Version is the version that the reference server's clients compare with the oldest version that they support.
type Version struct {
	// The release of the reference server that has this level of the interface.
	Release string `json:"zulip_version"`
	// The level of the interface, as service_feature_level.
	FeatureLevel int `json:"zulip_feature_level"`
}

// VersionFor returns the version for the answer to the request of ctx; nil: CHAT_COMPAT is off.
func VersionFor(ctx context.Context) *Version {
	if _, on := endpoint.Compat(ctx); !on {
		return nil
	}
	return &Version{"3.1", product.FeatureLevel}
}

// Names reports whether the client of the request of ctx expects names of streams in muted topics, and addresses of
// subscribers, instead of ids.
func Names(ctx context.Context) bool {
	userAgent, _ := endpoint.Compat(ctx)
	return strings.HasPrefix(userAgent, "Zulip")
}

// Accounts is a list of accounts in an answer: their ids, or their addresses unless those are nil.
type Accounts struct {
	IDs       []id.User
	Addresses []string
}

// MarshalJSON implements json.Marshaler.
func (a Accounts) MarshalJSON() ([]byte, error) {
	if a.Addresses != nil {
		return json.Marshal(a.Addresses)
	}
	return json.Marshal(a.IDs)
}
