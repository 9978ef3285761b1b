// Package e2e has the tests of everything together: charts, operator, images and services in a real cluster, as
// somebody sees them who has kubectl and helm and who talks to the server by HTTP.
//
//	make e2e
//	make e2e TESTFLAGS='-run Traffic' KEEP=1
//	make e2e TEST_LONG=1
//
// Without TEST_LONG, as CI runs them: install, upgrade and rollback under traffic, refusals, rights, what is in a server, and
// people who found organizations, join, sign in and are shut out. With it all: rotation, drift, deletion, a full disk, kills, and the numbers of an
// operator with 500 bots.
//
// hack/e2e makes the cluster, builds and loads the images, and runs the tests, which have the build tag e2e.
// They share one operator (namespace chat-system) and one server (chat/main), which the first that needs them
// installs, and they run one at a time. Each puts up with what others have left: any one can be run alone,
// and again.
package e2e
