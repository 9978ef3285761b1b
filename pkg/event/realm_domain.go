package event

// Domain is a domain whose addresses may join the organization.
type Domain struct {
	// Name of the domain, in lower case.
	Name string `json:"domain"`
	// AllowSubdomains says that addresses of domains below it may, too.
	AllowSubdomains bool `json:"allow_subdomains"`
}

// DomainAdded is sent to everybody when addresses of a domain may join (events.md, section 3.16).
type DomainAdded struct {
	everyone

	Domain Domain `json:"realm_domain"`
}

// Kind implements [Event].
func (DomainAdded) Kind() Kind { return Kind{"realm_domains", "add"} }

// DomainChanged is sent to everybody when it changed whether a domain's subdomains count.
type DomainChanged struct {
	everyone

	Domain Domain `json:"realm_domain"`
}

// Kind implements [Event].
func (DomainChanged) Kind() Kind { return Kind{"realm_domains", "change"} }

// DomainRemoved is sent to everybody when a domain's addresses may no longer join.
type DomainRemoved struct {
	everyone

	Domain string `json:"domain"` // name, in lower case
}

// Kind implements [Event].
func (DomainRemoved) Kind() Kind { return Kind{"realm_domains", "remove"} }
