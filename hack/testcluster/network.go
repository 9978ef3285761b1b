package main

// The addresses of the only cluster that a machine can have.
const (
	clusterName = "chatserver-test" // of the kubeconfig's context and of the control groups
	nodeName    = "node1"

	hostLink     = "ve-chatserver"
	linkNet      = "172.30.250.0/30"
	hostAddress  = "172.30.250.1"
	nodeAddress  = "172.30.250.2"
	podNet       = "10.244.0.0/24" // also in cni.conflist and kube-proxy.yaml
	serviceNet   = "10.96.0.0/16"
	firstService = "10.96.0.1" // the API server's address for pods
	apiServer    = "https://" + nodeAddress + ":6443"
)
