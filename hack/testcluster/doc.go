// Command testcluster makes a real Kubernetes cluster of one node, for end-to-end tests and for trying
// things out, on a Linux machine that has neither Docker nor a way to an image registry:
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
// The programs of Kubernetes, etcd and CoreDNS are built from the Go modules that kubernetes, etcd and
// coredns, below this folder, pin: modules of their own, so that no version in them bears on what
// ships. With nothing cached that takes six minutes on two idle cores, and twice that on busy ones. It happens once: programs and images
// stay in .local/cluster, in a folder whose name is a sum of what went into them. containerd, runc, nft
// and the network plugins are Debian's, and so are PostgreSQL and Redis in the images
// chatserver.test/postgres:15 and chatserver.test/redis:7, which are made without a container engine:
// packages unpacked into a folder, and the folder written as a tar.
//
// # The node
//
// The node is a set of namespaces: mounts, network, processes and names of its own. All programs and
// pods live in it, on files in .local/cluster/run, which the node sees as /run/node. Its first process
// does nothing but collect the ended ones. Killing that one makes the kernel end everything else, and
// mounts, links and packet filters go with it; what is left are cgroups, which is also where `down` finds
// the node, three settings of the kernel that kubelet changes and `down` puts back, and the files.
//
// The host is 172.30.250.1 and the node 172.30.250.2, on a link that only the two share. The host reaches
// pods (10.244.0.0/24) and services (10.96.0.0/16) directly, and pods reach the host, for webhooks of
// a program under test. Pods reach nothing beyond it. While the node isn't there its addresses
// are unreachable, and never looked for in the outside world, as long as `down` has not run.
//
// Volumes are folders: the node provisions claims of the default storage class, local, and removes a
// folder with its claim. Images can't be pulled, so name them with a tag that isn't latest and load
// them first. NetworkPolicies are accepted and do nothing. There can be one cluster on a machine.
//
// # Control groups
//
// Version 1, with a hierarchy for each controller, is what this has been run on, and what a later
// Kubernetes will refuse. For version 2 the code follows the kernel's documentation and is tested on
// made-up trees alone.
package main
