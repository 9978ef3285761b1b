// What holds a pod's sandbox open in the test cluster.
module chatserver.dev/hack/testcluster/pause

go 1.26.0
