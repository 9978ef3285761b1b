// Package images serves readers images of other servers, which it fetches for them: their browsers don't, so no other
// server learns who reads what, and when (docs/decisions/0015-images.md).
//
// It promises:
//
//   - Nothing is fetched but what this server signed when it rendered a text (package imagelink).
//   - Connections go to public addresses at ports 80 and 443 alone. The address is looked at when the connection is
//     made, for redirects, too, so it doesn't matter what a name meant before.
//   - A request to another server has no cookie, no password and nothing of the reader's.
//   - What is passed on is an image by its first bytes, whatever it is called, of at most picture.MostShown pixels: more take
//     browsers gigabytes. It runs nothing where it is opened.
//   - Bytes, time, redirects and what is under way at a time are bounded. Images pass through; none is kept.
package images
