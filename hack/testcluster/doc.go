// Command testcluster runs a real Kubernetes cluster of one node, for end-to-end tests and experiments, on a Linux
// machine that needs neither Docker nor access to an image registry:
//
//	hack/cluster up                 start it; nothing happens if it runs already
//	hack/cluster load app.tar ...   put images into it
//	hack/cluster status             say whether it runs
//	hack/cluster kubeconfig         print the path of its kubeconfig
//	hack/cluster exec -- ctr image ls
//	hack/cluster down               stop it and remove all of it
//	hack/cluster build [program...] build what it is made of, or only the programs that are named
//	hack/cluster assets             print the folder for KUBEBUILDER_ASSETS
//
// Only build (of kube-apiserver, etcd and kubectl) and assets work on other systems than Linux. The
// rest needs root, or sudo, and Debian's packages: `up` installs those that are missing.
//
// # What it is made of
//
// The programs of Kubernetes, etcd and CoreDNS are built from the Go modules that the modules kubernetes, etcd and
// coredns, below this folder, pin. They are separate modules so that their versions don't affect the product's. Without
// a cache the build takes six minutes on two idle cores, and twice that on busy ones. It is needed only once: programs
// and images stay in .local/cluster, in a folder named by the sum of their sources. containerd, runc, nft and the
// network plugins are Debian's, and so are PostgreSQL and Redis in the images chatserver.test/postgres:15 and
// chatserver.test/redis:7. These images are made without a container engine: packages are unpacked into a folder, and
// the folder is written as a tar.
//
// # The node
//
// The node is a set of namespaces, with its own mounts, network, processes and names. All programs and pods run in it,
// on files in .local/cluster/run, which the node sees as /run/node. Its first process only reaps ended processes. If it
// is killed, the kernel ends all others and removes the mounts, links and packet filters. `down` removes the rest: the
// cgroups, in which it also finds the node, and the files. It also restores three kernel settings that kubelet changes.
//
// The host is 172.30.250.1 and the node 172.30.250.2, on a link that only the two share. The host reaches pods
// (10.244.0.0/24) and services (10.96.0.0/16) directly, and pods reach the host, for webhooks of a program under test,
// but nothing beyond it. If the node isn't running, its addresses are unreachable until `down` has run; packets to them
// don't leave the host.
//
// Volumes are folders: the node provisions claims of the default storage class, local, and removes a folder with its
// claim. Images can't be pulled, so name them with a tag that isn't latest and load them first. NetworkPolicies are
// accepted but have no effect. A machine can have one cluster.
//
// # Control groups
//
// The command has been run with version 1, which has a hierarchy for each controller, and which a later Kubernetes will
// refuse. For version 2 the code follows the kernel's documentation and is tested only on artificial trees.
package main
