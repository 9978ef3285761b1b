package org

import "slices"

// Development is the name of the way to sign in as anybody, which only a local run has.
const Development = "Dev"

// Method is a way to sign in.
type Method struct {
	Name string // in [Settings.AuthenticationMethods]
	// Subdomains are those of the organizations that have it; nil: all.
	Subdomains []string
}

// methods returns which ways to sign in are open in the organization with a subdomain, complete: all of them, unless it has
// chosen some. Then one that it hasn't named is closed, for it may be newer than the choice.
func (c Config) methods(subdomain string, chosen map[string]bool) map[string]bool {
	open, all := chosen, chosen == nil
	if all {
		open = Defaults().AuthenticationMethods
	}
	for _, m := range c.Methods {
		if m.Subdomains != nil && !slices.Contains(m.Subdomains, subdomain) {
			delete(open, m.Name)
		} else if _, named := open[m.Name]; !named {
			open[m.Name] = all
		}
	}
	return open
}
