// Package web is the web client, a page at / for people. It uses the public interface alone (register, the stream of events,
// sessions) and knows nothing of the server's packages.
//
// Its sources are in src, and DESIGN.md says how they fit together. What Vite makes of them, `npm run build`, is in dist, is
// committed, and is part of the program, so that whoever builds the server needs no Node.js. hack/sums notices sources that were not built.
package web
