package property_test

import (
	"fmt"
	"net/http"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/services/servicetest"
)

// identityAct generates a link of an identity at an identity provider to an account, and perhaps its removal, possibly
// by two callers at once.
func (f *following) identityAct(p *person, ended bool) func() {
	f.texts++
	issuer := fmt.Sprintf("https://login%d.example", f.texts)
	return func() {
		f.note("%s is linked to somebody at %s", p.name, issuer)
		err := f.world.DB.Write(f.Context(), p.Org.ID, func(tx *store.Tx) error {
			return tx.LinkIdentity(f.Context(), issuer, p.name, id.User(p.id))
		})
		if err != nil {
			f.Errorf("link an identity: %v", err)
		}
		f.mu.Lock()
		f.linked[p.id] = append(f.linked[p.id], issuer)
		f.mu.Unlock()
		if ended {
			f.unlink(p, issuer)
		}
	}
}

// unlinkAct generates the removal of one of a person's links, which others may remove at the same time.
func (f *following) unlinkAct(p *person, which int) func() {
	return func() {
		if all := linkedOf(p); len(all) > 0 {
			f.unlink(p, all[which%len(all)])
		}
	}
}

// unlink removes a link. If several callers do so, one succeeds.
func (f *following) unlink(p *person, issuer string) {
	if f.try(p, http.MethodDelete, "/identities", servicetest.Params{"issuer": issuer}).Status == http.StatusOK {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.unlinked[p.id] = append(f.unlinked[p.id], issuer)
	}
}

// linkedOf returns the providers of the identities that are linked to a person's account.
func linkedOf(p *person) (issuers []string) {
	reply := struct {
		Identities []struct{ Issuer string }
	}{}
	p.Do(http.MethodGet, "/identities", nil).OK().Decode(&reply)
	for _, one := range reply.Identities {
		issuers = append(issuers, one.Issuer)
	}
	return issuers
}

// compareIdentities checks that each link is in exactly one list: that of the existing links, or that of the removed
// ones.
func (f *following) compareIdentities(p *person, got, want object) {
	there, came := map[string]int{}, map[string]int{}
	for _, issuer := range f.linked[p.id] {
		came[issuer]++
	}
	for _, issuer := range append(linkedOf(p), f.unlinked[p.id]...) {
		there[issuer]++
	}
	got["identities"], want["identities"] = there, came
}
