package main

const pki = inside + "/pki/"

func etcdArgs() []string {
	return []string{
		"--name=" + nodeName, "--data-dir=" + inside + "/etcd",
		"--listen-client-urls=http://127.0.0.1:2379", "--advertise-client-urls=http://127.0.0.1:2379",
		"--listen-peer-urls=http://127.0.0.1:2380", "--initial-advertise-peer-urls=http://127.0.0.1:2380",
		"--initial-cluster=" + nodeName + "=http://127.0.0.1:2380",
		// No data here need to survive a crash of the machine.
		"--unsafe-no-fsync",
	}
}

func apiServerArgs() []string {
	return []string{
		"--etcd-servers=http://127.0.0.1:2379", "--bind-address=0.0.0.0", "--advertise-address=" + nodeAddress, "--secure-port=6443",
		"--tls-cert-file=" + pki + "apiserver.crt", "--tls-private-key-file=" + pki + "apiserver.key", "--client-ca-file=" + pki + "ca.crt",
		"--kubelet-client-certificate=" + pki + "kubelet-client.crt", "--kubelet-client-key=" + pki + "kubelet-client.key",
		"--kubelet-certificate-authority=" + pki + "ca.crt", "--kubelet-preferred-address-types=InternalIP",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-signing-key-file=" + pki + "tokens.key", "--service-account-key-file=" + pki + "tokens.key",
		"--service-cluster-ip-range=" + serviceNet,
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction", "--allow-privileged=true",
	}
}

func controllerManagerArgs() []string {
	return append(clientArgs("controller-manager"),
		"--bind-address=127.0.0.1", "--leader-elect=false", "--use-service-account-credentials=true",
		"--service-account-private-key-file="+pki+"tokens.key", "--root-ca-file="+pki+"ca.crt",
		"--cluster-signing-cert-file="+pki+"ca.crt", "--cluster-signing-key-file="+pki+"ca.key",
		"--allocate-node-cidrs=true", "--cluster-cidr="+podNet, "--node-cidr-mask-size=24", "--service-cluster-ip-range="+serviceNet,
	)
}

func schedulerArgs() []string {
	return append(clientArgs("scheduler"), "--bind-address=127.0.0.1", "--leader-elect=false")
}

// clientArgs returns the flags with a program's credentials for the API server, which also authenticates and authorizes
// the program's callers.
func clientArgs(name string) []string {
	file := pki + name + ".kubeconfig"
	return []string{"--kubeconfig=" + file, "--authentication-kubeconfig=" + file, "--authorization-kubeconfig=" + file}
}

func kubeletArgs() []string {
	return []string{
		"--config=" + inside + "/kubelet.yaml", "--kubeconfig=" + pki + "kubelet.kubeconfig",
		"--root-dir=" + inside + "/kubelet", "--cert-dir=" + inside + "/kubelet/pki",
		"--hostname-override=" + nodeName, "--node-ip=" + nodeAddress,
	}
}
