// Package accountpages has the pages that links in mail lead to, and the pages for requesting such mail: to reset a
// password, to confirm an address, and to join an organization. They need neither a client nor scripts.
//
// Opening a link changes nothing, since programs that check mail open links, too. The form on the page does.
package accountpages
