package remote_test

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"chatserver.dev/services/remote"
)

func TestPublic(t *testing.T) {
	t.Parallel()
	permit := remote.Public()
	control := func(addr string, port int) error {
		at := netip.MustParseAddr(addr)
		network := "tcp6"
		if at.Is4() {
			network = "tcp4"
		}
		return permit(network, net.JoinHostPort(addr, strconv.Itoa(port)), nil)
	}
	for _, addr := range []string{"93.184.215.14", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450::1"} {
		for _, port := range []int{80, 443} {
			if err := control(addr, port); err != nil {
				t.Errorf("%s: %v", addr, err)
			}
		}
		for _, port := range []int{0, 22, 79, 81, 444, 5432, 6379, 8080, 10250} {
			if control(addr, port) == nil {
				t.Errorf("port %d of %s is permitted", port, addr)
			}
		}
	}
	for what, addrs := range map[string]string{
		"this network":        "0.0.0.0 0.255.255.255",
		"private":             "10.0.0.1 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.1 192.168.255.255",
		"carrier-grade NAT":   "100.64.0.0 100.100.100.200 100.127.255.255",
		"loopback":            "127.0.0.1 127.255.255.255 ::1",
		"link-local":          "169.254.0.1 169.254.169.254 fe80::1 fe80::1%eth0 febf::1",
		"protocols":           "192.0.0.1 192.0.0.192 2001::1 2001:1ff:ffff::1",
		"documentation":       "192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1",
		"benchmarks":          "198.18.0.1 198.19.255.255 2001:2::1",
		"6to4 relays":         "192.88.99.1",
		"multicast":           "224.0.0.1 239.255.255.255 ff02::1 ff0e::1",
		"reserved":            "240.0.0.1 255.255.255.254 4000::1 5f00::1",
		"broadcast":           "255.255.255.255",
		"unspecified":         "0.0.0.0 ::",
		"IPv4 mapped":         "::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:93.184.215.14",
		"IPv4 compatible":     "::127.0.0.1 ::7f00:1 ::10.0.0.1",
		"IPv4 translated":     "::ffff:0:127.0.0.1",
		"6to4":                "2002:7f00:1::1 2002:a9fe:a9fe::1",
		"Teredo":              "2001:0:7f00:1::1 2001:0:4136:e378:8000:63bf:3fff:fdd2",
		"NAT64":               "64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b:1::1",
		"unique local":        "fc00::1 fd00::1 fd00:ec2::254",
		"site-local":          "fec0::1",
		"discard":             "100::1",
		"ORCHID":              "2001:10::1 2001:20::1",
		"the host of a cloud": "168.63.129.16",
	} {
		for addr := range strings.FieldsSeq(addrs) {
			for _, port := range []int{80, 443} {
				if control(addr, port) == nil {
					t.Errorf("%s: %s is permitted", what, addr)
				}
			}
		}
	}
	for _, network := range []string{"udp4", "udp6", "unix", "tcp", ""} {
		if permit(network, "93.184.215.14:80", nil) == nil {
			t.Errorf("network %q is permitted", network)
		}
	}
}

// An operator's own networks can be reached, whatever the port, and nothing beside them.
func TestNetworks(t *testing.T) {
	t.Parallel()
	permit := remote.Public(netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/32"))
	for _, address := range []string{"10.1.0.1:8080", "10.1.255.255:1", "[fd00:1::1]:22", "93.184.215.14:443"} {
		network := "tcp4"
		if address[0] == '[' {
			network = "tcp6"
		}
		if err := permit(network, address, nil); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{
		"10.2.0.1:80", "10.0.255.255:443", "127.0.0.1:80", "169.254.169.254:80", "93.184.215.14:8080", "[fd00:2::1]:80", "[::ffff:10.1.0.1]:80", "[fd00:1::1%eth0]:80",
	} {
		network := "tcp4"
		if address[0] == '[' {
			network = "tcp6"
		}
		if permit(network, address, nil) == nil {
			t.Errorf("%s is permitted", address)
		}
	}
	if permit("udp4", "10.1.0.1:53", nil) == nil || permit("unix", "10.1.0.1:53", nil) == nil {
		t.Error("another network than TCP is permitted")
	}
}
