package org

import (
	"maps"
	"slices"
)

// Development is the name of the way to sign in as anybody, which only a local run has.
const Development = "Dev"

// Method is a way to sign in.
type Method struct {
	Name string // in [Settings.AuthenticationMethods]
	// Subdomains are those of the organizations that have it; nil: all.
	Subdomains []string
}

// Passwords is the name of the way to sign in by an address with a password, which each organization has.
const Passwords = "Email"

// methods returns which ways to sign in are open in the organization with a subdomain, and has those alone that there are: all of
// them are open, unless it has chosen some. Then one that it hasn't named is closed, for it may be newer than the choice. Where none
// is left of those that it has chosen, since the server has lost them, passwords are open: nobody could sign in any more.
func (c Config) methods(subdomain string, chosen map[string]bool) map[string]bool {
	open := map[string]bool{Passwords: chosen == nil || chosen[Passwords]}
	for _, m := range c.Methods {
		if m.Subdomains == nil || slices.Contains(m.Subdomains, subdomain) {
			open[m.Name] = chosen == nil || chosen[m.Name]
		}
	}
	if !anyOpen(open) {
		open[Passwords] = true
	}
	return open
}

func anyOpen(methods map[string]bool) bool {
	return slices.Contains(slices.Collect(maps.Values(methods)), true)
}
