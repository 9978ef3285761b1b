package org

import (
	"maps"
	"slices"
)

// Development is the name of the way to sign in as any account, which only local runs offer.
const Development = "Dev"

// Method is a way to sign in.
type Method struct {
	Name string // in [Settings.AuthenticationMethods]
	// Subdomains are the subdomains of the organizations that may use it; nil: all.
	Subdomains []string
}

// Passwords is the name of the way to sign in by an address and a password, which is available to every organization.
const Passwords = "Email"

// methods returns the ways to sign in that are available to the organization with a subdomain, and whether each is open.
// If chosen is nil, all are open. Otherwise those that weren't chosen are closed, since they may be newer than the choice.
// If the server no longer offers any of the chosen ones, passwords are open, so that people can still sign in.
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
