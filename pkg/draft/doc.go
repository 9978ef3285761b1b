// Package draft stores what people have written and not sent, so that they can go on with it at another device (rest-api.md,
// section 2.17). Changes emit no events: a client lists the drafts when its reader comes back to it.
//
// It promises that an account never has more than [Max] drafts, even with concurrent requests.
package draft
