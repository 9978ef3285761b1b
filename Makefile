# What can be done with this repository: `make help`.

MODULES  := hack operator pkg services
PACKAGES := $(patsubst %,./%/...,$(MODULES))
TOOLS    ?= $(CURDIR)/.local/bin

# How long each fuzz target runs.
FUZZTIME ?= 5s
LONG_FUZZTIME ?= 1m
# Packages that start goroutines or guard something with a lock or an atomic: their tests run with the race
# detector. Elsewhere it would find nothing and take longer, and the operator's tests would compile k8s.io twice.
# The programs that services/systemtest runs are built without it. `make test/long` runs all tests with it.
RACE := $(addprefix ./pkg/,alert admin/... boot certificate coalesce emoji endpoint/... event fair keyring limit localserver longpoll/... message \
	presence queue/... steps store/... tcp testbed user) $(addprefix ./services/,admin api/images compat due events events/dispatch \
	events/waiting program static)

# More for `go test`: make test/short TESTFLAGS='-run Send'
TESTFLAGS ?=

# And for pytest: make test/clients CLIENTSFLAGS='-k reactions'
CLIENTSFLAGS ?=

GO_VERSION := $(shell go env GOVERSION)

# A tool's file name has its version, which its module pins, and Go's: a new one of either causes a new build.
# $(call tool,name,module)
tool = $(TOOLS)/$(1)-$(shell sed -n 's|^.*$(2) \(v[^ ]*\).*|\1|p' hack/tools/$(1)/go.mod | head -1)-$(GO_VERSION)
GOLANGCI_LINT := $(call tool,golangci-lint,github.com/golangci/golangci-lint/v2)
SQLC          := $(call tool,sqlc,github.com/sqlc-dev/sqlc)
GOTESTSUM     := $(call tool,gotestsum,gotest.tools/gotestsum)
CONTROLLER_GEN := $(call tool,controller-gen,sigs.k8s.io/controller-tools)
HELM          := $(call tool,helm,helm.sh/helm/v3)
# The charts' tests look for it here.
export HELM

# Images: which, with what version, and where to. PUSH=1 sends them to the REPOSITORY's registry.
COMPONENTS ?=
VERSION    ?= $(shell sed -n 's/^appVersion: //p' charts/chatserver/Chart.yaml)
REPOSITORY ?= ghcr.io/chatserver/chatserver
PUSH       ?=
REVISION   ?= $(if $(PUSH),$(shell git rev-parse HEAD))

# One set of flags, which images have, too: what a tool, a linter or a test has compiled isn't compiled again for the next. The
# race detector needs cgo, and hack/test sets it there.
export CGO_ENABLED := 0
export GOFLAGS := $(GOFLAGS) -trimpath

# $(call build-tool,name)
build-tool = @echo "Building $(1)." >&2 && GOWORK=off go build -C hack/tools/$(1) -o $@ \
	"$$(sed -n 's|^tool ||p' hack/tools/$(1)/go.mod)"

.DEFAULT_GOAL := help
.PHONY: help run dev test test/short test/long test/clients test/web bench/web check fmt lint charts generate verify e2e fuzz bench build images load publish publish/test alerts/test helm tools servers clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z0-9\/]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# A local run has the demo organization, on whichever servers, and people can sign up others.
run: export CHAT_DEMO ?= true
run: export ORGANIZATION_SIGNUP ?= true
run: $(if $(and $(DATABASE_URL),$(REDIS_URL)),,servers) build/services ## Start everything on one port with private servers under .local/.
	@exec ./bin/chatserver

dev: run ## The same as run.

# Tests of the operator start an API server.
ASSETS = KUBEBUILDER_ASSETS=$$(hack/cluster assets)

test: $(GOTESTSUM) $(HELM) servers/race ## Check generated files and run all tests, those of concurrent code with the race detector.
	@$(ASSETS) STEPS=verify FAULTS=$(if $(TESTFLAGS),,all) RACE="$(RACE)" hack/test $(GOTESTSUM) $(TESTFLAGS) $(PACKAGES)

# What test/short leaves out. With -short there is no test in the first ones. Linking the others, most of which contain the whole
# server or k8s.io, and running their quick tests takes longer than all the rest. contract, api/streams and api/subscriptions stay,
# so that some tests use HTTP.
LONG_PACKAGES := $(addprefix ./operator/,api/v1alpha1 cmd/operator internal/controller/... internal/plugin internal/schema internal/testcluster) \
	./services/systemtest ./hack/... $(addprefix ./operator/,internal/apply internal/chatapi internal/retry internal/status test/documents) \
	$(addprefix ./services/,admin/... bounds cmd/... compat demo events events/state isolation lmtp missed moving outgoing program property \
	push webhook) \
	$(addprefix ./services/api/,accountpages alertwords bots branding customemoji devices domains exports groups images invites \
	linkifiers messages openid organization picture presence profilefields scim server settings signin topics uploads users)

test/short: $(GOTESTSUM) servers ## Run the tests that are quick, without the race detector.
	@WITHOUT="$(LONG_PACKAGES)" hack/test $(GOTESTSUM) -short $(TESTFLAGS) $(PACKAGES)

# Tests take these for leave to take long.
LONG := CRASH_SECONDS=300 CHAT_ATTACK=full CONTRACT=all TEST_LONG=1

test/long: export FULL := 1
test/long: export SHUFFLE := 1
test/long: $(GOTESTSUM) $(HELM) servers/race verify ## Generate all files again, run all tests with the race detector, those that kill servers for minutes, each fuzz target for LONG_FUZZTIME (1m), and e2e.
	@$(ASSETS) $(LONG) hack/test $(GOTESTSUM) -race -timeout 40m $(TESTFLAGS) $(PACKAGES)
	@hack/fuzz $(LONG_FUZZTIME) $(MODULES)
	@TOOLS=$(TOOLS) GOTESTSUM=$(GOTESTSUM) $(LONG) CHAOS_SECONDS=300 hack/e2e -timeout 3h -parallel 4

test/clients: servers/clients build/services ## Run existing clients against a server: the Python and npm packages, bots, and the terminal client.
	@hack/clients/run $(CLIENTSFLAGS)

# node --test takes these: make test/web WEBFLAGS='--test-name-pattern Search'
WEBFLAGS ?=

test/web: servers/clients build/services ## Test the web client: its parts, and in a real Chromium against a server.
	@hack/web/run $(WEBFLAGS)

# What is measured alone, by a word of its name: make bench/web WEBFLAGS=scrolling
bench/web: servers/clients build/services ## Measure the web client in a slowed-down Chromium, and print a table.
	@go build -o bin/ ./hack/dataset/fill
	@hack/web/run bench $(WEBFLAGS)

check: fmt lint publish/test alerts/test test test/clients test/web ## Format, then everything that CI runs but e2e.

fmt: $(GOLANGCI_LINT) ## Format all Go files.
	$(GOLANGCI_LINT) fmt $(PACKAGES)

lint: $(GOLANGCI_LINT) ## Run the linters.
	$(GOLANGCI_LINT) run --allow-parallel-runners $(PACKAGES)

charts: $(HELM) ## Lint the Helm charts and run their tests.
	@go test -count=1 ./hack/charts

generate: ## Write the generated files again.
	@$(MAKE) --no-print-directory generate/tools
	@$(MAKE) --no-print-directory generate/own

.PHONY: generate/tools generate/own
generate/tools: $(SQLC) $(CONTROLLER_GEN)
	$(SQLC) generate -f pkg/store/sqlc.yaml
	cd operator && $(CONTROLLER_GEN) object crd paths=./api/... output:crd:dir=../charts/chatserver-operator/files/crds
	cd operator && $(CONTROLLER_GEN) rbac:roleName=chatserver-operator paths=./internal/controller/... output:rbac:dir=../charts/chatserver-operator/files/rbac
	@$(MAKE) --no-print-directory generate/web
	@hack/sums >hack/generated.sum

# The web client wants Node.js 20.19 or later.
.PHONY: generate/web
generate/web:
	cd services/web && npm ci --silent --ignore-scripts && npm run --silent types && npm run --silent build

# Programs of this repository write the rest, some of it from what controller-gen wrote.
generate/own: ## Write what programs of this repository generate: OpenAPI, values and references.
	@for module in $(MODULES); do (cd $$module && go generate ./...) || exit 1; done

verify: ## Check that generated files are up to date, modules tidy and each module builds without the workspace. FULL=1 generates all files again.
	@TOOLS=$(TOOLS) hack/verify $(MODULES)

e2e: $(HELM) $(GOTESTSUM) servers/clients ## Run the end-to-end tests that are quick, in a real cluster. KEEP=1 keeps it, TEST_LONG=1 runs all.
	@TOOLS=$(TOOLS) GOTESTSUM=$(GOTESTSUM) hack/e2e $(TESTFLAGS)

fuzz: ## Run each fuzz target for FUZZTIME (5s).
	@hack/fuzz $(FUZZTIME) $(MODULES)

bench: servers build/services ## Measure against floors of the same run, and print a table.
	go run ./hack/bench $(BENCHFLAGS)

build: build/services ## Build the programs into bin/.
	go build -o bin/ ./operator/cmd/...

# The operator takes a minute to build, and who runs the server needs none.
.PHONY: build/services
build/services:
	@mkdir -p bin
	go build -o bin/ ./services/cmd/...

images: ## Build the images into .local/images/, or PUSH=1 them to a REPOSITORY; with a VERSION.
	@go run ./hack/images -version $(VERSION) -repository $(REPOSITORY) \
		$(if $(PUSH),-push) $(if $(REVISION),-revision $(REVISION)) $(IMAGEFLAGS) $(COMPONENTS)

# The archives of the components, or those that are named, and of none that was built for another purpose.
load: images ## Build the images and load them into the cluster of hack/cluster or hack/kind.sh.
	@hack/load $(patsubst %,.local/images/%.tar,$(or $(COMPONENTS),api events operator webhook))

# Go builds cosign's packages for it, in its own module: a minute, the first time.
publish: $(HELM) ## Push images and charts to REPOSITORY, signed with KEY (COSIGN_PASSWORD), with a VERSION.
	@test -n "$(KEY)" || { echo "make publish needs KEY=cosign.key, and REPOSITORY=registry.example/chatserver" >&2; exit 1; }
	@$(MAKE) --no-print-directory images PUSH=1
	@GOWORK=off go run -C hack/publish . -repository $(REPOSITORY) -version $(VERSION) -helm $(HELM) -key $(abspath $(KEY))

publish/test: $(HELM)
	@GOWORK=off go test -C hack/publish .

# Go doesn't notice changes of the rules, which are outside of the module.
alerts/test: ## Have Prometheus evaluate the alerts of servers: each fires when it should, and ends.
	@GOWORK=off go test -C hack/alerts -count=1 .

helm: $(HELM) ## Build the pinned Helm, and print its path.
	@echo $(HELM)

tools: $(GOLANGCI_LINT) $(SQLC) $(GOTESTSUM) $(CONTROLLER_GEN) $(HELM) ## Build the pinned tools into .local/bin.

$(GOLANGCI_LINT):
	$(call build-tool,golangci-lint)
$(SQLC):
	$(call build-tool,sqlc)
$(GOTESTSUM):
	$(call build-tool,gotestsum)
$(CONTROLLER_GEN):
	$(call build-tool,controller-gen)
$(HELM):
	$(call build-tool,helm)

servers: ## Install PostgreSQL and Redis if they are missing.
	@go run ./hack/install

# And what the race detector needs.
.PHONY: servers/race
servers/race:
	@go run ./hack/install -race

# And what clients and an identity provider run on.
.PHONY: servers/clients
servers/clients:
	@go run ./hack/install -clients

clean: ## Remove what was built; data and tools under .local stay.
	rm -rf bin
