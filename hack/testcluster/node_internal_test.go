//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestConfig compares the files, which contain literal addresses and names, with the constants.
func TestConfig(t *testing.T) {
	t.Parallel()
	for name, wants := range map[string][]string{
		"addons.yaml":     {"provisioner: " + provisioner, "name: " + storageClass + "\n", "image: " + tagOf("coredns"), "clusterIP: 10.96.0.10"},
		"cni.conflist":    {podNet},
		"containerd.toml": {tagOf("pause"), runtimeAt, inside + "/containerd", "restrict_oom_score_adj = true"},
		"kubelet.yaml":    {"cgroupRoot: /" + clusterName + "\n", runtimeAt, inside + "/pki/ca.crt", "clusterDNS: [10.96.0.10]", "failCgroupV1: false"},
		"kube-proxy.yaml": {"hostnameOverride: " + nodeName, podNet, nodeAddress + "/32", inside + "/pki/proxy.kubeconfig"},
	} {
		content, err := config.ReadFile("config/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !bytes.Contains(content, []byte(want)) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
	}
	plugins, err := config.ReadFile("config/cni.conflist")
	if err != nil || !json.Valid(plugins) {
		t.Errorf("cni.conflist isn't JSON: %v", err)
	}
}

func tagOf(name string) string {
	list := images()
	return list[slices.IndexFunc(list, func(i image) bool { return i.Name == name })].Tag
}

// TestArguments checks that the files in arguments exist. A program that lacks one would end and be restarted
// forever.
func TestArguments(t *testing.T) {
	t.Parallel()
	written := []string{"ca.crt", "ca.key", "tokens.key"}
	for _, who := range identities() {
		written = append(written, who.file+".crt", who.file+".key", who.file+".kubeconfig")
	}
	found := 0
	for _, arg := range slices.Concat(etcdArgs(), apiServerArgs(), controllerManagerArgs(), schedulerArgs(), kubeletArgs()) {
		_, file, ok := strings.Cut(arg, pki)
		if !ok {
			continue
		}
		found++
		if !slices.Contains(written, file) {
			t.Errorf("%s: writeCertificates writes no such file", arg)
		}
	}
	if found < 10 {
		t.Errorf("only %d arguments name files of %s", found, pki)
	}
}

func TestImageFile(t *testing.T) {
	t.Parallel()
	at := layout{built: "/built"}
	one := images()[2]
	first := one.file(at)
	if again := images()[2].file(at); again != first {
		t.Errorf("the same recipe has files %s and %s", first, again)
	}
	one.Start += "# another script"
	if second := one.file(at); first == second {
		t.Errorf("two recipes share %s", first)
	}
}

func TestFirstOfNamespace(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]bool{
		"Name:\ttestcluster\nNSpid:\t4711\t1\nNSpgid:\t4711\t1\n": true,
		"Name:\tetcd\nNSpid:\t4712\t7\n":                          false,
		"Name:\tweb\nNSpid:\t4713\t19\t1\n":                       false,
		"Name:\tbash\nNSpid:\t1\n":                                false,
		"Name:\told\n":                                            false,
	} {
		if got := firstOfNamespace(status); got != want {
			t.Errorf("%q: %t", status, got)
		}
	}
}

func TestVolumes(t *testing.T) {
	t.Parallel()
	var claims corev1.PersistentVolumeClaimList
	if err := json.Unmarshal([]byte(`{"items": [
		{"metadata": {"name": "a", "namespace": "n", "uid": "1", "annotations": {"volume.kubernetes.io/selected-node": "node1"}},
		 "spec": {"storageClassName": "local", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}},
		{"metadata": {"name": "no pod"}, "spec": {"storageClassName": "local"}},
		{"metadata": {"name": "bound", "annotations": {"volume.kubernetes.io/selected-node": "node1"}},
		 "spec": {"storageClassName": "local", "volumeName": "v"}},
		{"metadata": {"name": "other", "annotations": {"volume.kubernetes.io/selected-node": "node1"}}, "spec": {"storageClassName": "fast"}},
		{"metadata": {"name": "none", "annotations": {"volume.kubernetes.io/selected-node": "node1"}}, "spec": {}}
	]}`), &claims); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false, false, false, false} {
		if got := waits(claims.Items[i]); got != want {
			t.Errorf("claim %q waits: %t", claims.Items[i].Name, got)
		}
	}
	v := volumeFor(claims.Items[0], "/folders")
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"storage":"1Gi"`, `"uid":"1"`, `"name":"pvc-1"`, `"path":"/folders/pvc-1"`, `"values":["node1"]`} {
		if !strings.Contains(string(encoded), want) {
			t.Errorf("volume lacks %s: %s", want, encoded)
		}
	}
	if v.Status.Phase = corev1.VolumeBound; left(*v) {
		t.Error("a bound volume is left")
	}
	if v.Status.Phase = corev1.VolumeReleased; !left(*v) {
		t.Error("a volume without its claim isn't left")
	}
	if v.Annotations = nil; left(*v) {
		t.Error("someone else's volume is ours")
	}
}
