// Package tcp makes connections that notice within seconds that nobody is at the other end any more: because the
// machine is gone, or the network drops what is sent. Without it the kernel tries for about 15 minutes.
package tcp
