// Package tcp makes connections that fail within seconds after the peer has become unreachable, because the machine
// is down or the network drops packets. By default, the kernel retries for about 15 minutes.
package tcp
