#!/usr/bin/env bash
# Creates a kind cluster for development, with a registry to which `make images` and Tilt push, and with the
# ports 80 and 443 of this machine for an ingress controller. It needs Docker, kind 0.27 or later and kubectl.
#
#   hack/kind.sh up      create missing parts; does nothing if all are running
#   hack/kind.sh down    remove the cluster and the registry with all their data
#
# The kubeconfig's context is kind-chatserver. Images go to localhost:5001, and are pulled by that name.
set -euo pipefail

cluster=chatserver
registry=chatserver-registry
port=5001

usage() {
	echo "usage: hack/kind.sh up|down" >&2
	exit 2
}

need() {
	local program
	for program in docker kind kubectl; do
		if ! command -v "$program" >/dev/null; then
			echo "hack/kind.sh: $program is missing: install it; without Docker, hack/cluster up makes a cluster, too." >&2
			exit 1
		fi
	done
	if ! docker info >/dev/null 2>&1; then
		echo "hack/kind.sh: Docker doesn't answer: start it, or get into its group; 'docker info' says more." >&2
		exit 1
	fi
}

start_registry() {
	if [ "$(docker inspect --format '{{.State.Running}}' "$registry" 2>/dev/null)" = true ]; then
		return
	fi
	docker rm --force "$registry" >/dev/null 2>&1 || true
	docker run --detach --restart=always --name "$registry" --publish "127.0.0.1:$port:5000" registry:2 >/dev/null
}

create_cluster() {
	if kind get clusters 2>/dev/null | grep -qx "$cluster"; then
		kind export kubeconfig --name "$cluster"
		return
	fi
	kind create cluster --name "$cluster" --wait 2m --config - <<-YAML
		kind: Cluster
		apiVersion: kind.x-k8s.io/v1alpha4
		nodes:
		- role: control-plane
		  labels: {ingress-ready: "true"}
		  extraPortMappings:
		  - {containerPort: 80, hostPort: 80, listenAddress: 127.0.0.1}
		  - {containerPort: 443, hostPort: 443, listenAddress: 127.0.0.1}
	YAML
}

# Nodes reach the registry by its container's name, since localhost is the node itself.
connect_registry() {
	local folder=/etc/containerd/certs.d/localhost:$port node
	for node in $(kind get nodes --name "$cluster"); do
		docker exec "$node" mkdir -p "$folder"
		docker exec --interactive "$node" tee "$folder/hosts.toml" <<<"[host.\"http://$registry:5000\"]" >/dev/null
	done
	if [ "$(docker inspect --format '{{json .NetworkSettings.Networks.kind}}' "$registry")" = null ]; then
		docker network connect kind "$registry"
	fi
	# Tools look for the cluster's registry in this ConfigMap.
	kubectl --context "kind-$cluster" apply -f - <<-YAML
		apiVersion: v1
		kind: ConfigMap
		metadata:
		  name: local-registry-hosting
		  namespace: kube-public
		data:
		  localRegistryHosting.v1: |
		    host: "localhost:$port"
	YAML
}

[ $# = 1 ] || usage
case $1 in
up)
	need
	start_registry
	create_cluster
	connect_registry
	;;
down)
	need
	kind delete cluster --name "$cluster"
	docker rm --force --volumes "$registry" >/dev/null 2>&1 || true
	;;
*) usage ;;
esac
