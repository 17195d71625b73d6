# `make help` lists the targets. `make run` and `make test` need no other set-up.
.DEFAULT_GOAL := help
.PHONY: help run signup devstack test quick flaky traittest contract generators pgmatrix field page report programs build static man install uninstall deb packagecheck bench benchcheck fuzz lint docs format \
    citus tsan clean deps

# The Debian packages needed besides a Swift toolchain. libpq-dev depends on libssl-dev; FoundationNetworking, which
# delivers webhooks, loads libcurl4.
packages := libpq-dev libicu-dev zlib1g-dev libcurl4 postgresql

# The traits to build in: TRAITS=TLS, TRAITS=IdentityTokens or TRAITS=all. They need BoringSSL, which about doubles the
# time of a first build.
TRAITS ?=
traits = $(if $(filter all,$(TRAITS)),--enable-all-traits,$(if $(TRAITS),--traits default$(comma)$(TRAITS)))
comma := ,
# A module may import only the dependencies that the manifest declares for it.
build := swift build --explicit-target-dependency-import-check error
# Debug information is two thirds of the program, so it is compressed.
small := -Xlinker --compress-debug-sections=zlib

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

run: build ## build and start the service on 127.0.0.1:8080, with a private PostgreSQL; with TLS: TRAITS=TLS
	@exec .build/release/handles serve

# The example, its registry and its issuer have a build folder of their own: there the registry is built with another
# trait than in `make test`.
example ?= .build-signup
# The programs to build for the example. The others are in its build folder already.
PROGRAMS ?= handles test-issuer sign-up
programs:
	for program in $(PROGRAMS); do \
	    swift build --package-path Examples/SignUp --scratch-path "$(CURDIR)/$(example)" --product $$program || exit; \
	done

signup: deps programs ## start the sign-up page of Examples/SignUp, with its own registry and issuer
	@SIGN_UP_PROGRAMS=$(example)/debug exec Examples/SignUp/start

devstack: deps ## start a registry that accepts tokens, and an issuer of tokens, for app developers
	$(build) --traits default,IdentityTokens --product handles
	$(build) --traits default,IdentityTokens --product test-issuer
	@exec Examples/DevStack/start

test: deps ## run all tests, against a real PostgreSQL
	$(build) $(traits) --build-tests
	Tests/run $(traits)

# The tests without a database or a server, and those of their suites that go through all words or letters.
reading = ByteSearch|ChunkSize|Error|Fault|Gzip|JSONTests|Layout|LongRecord|Separated
pure = ^(HandleRules|HandleWords|Debouncing)Tests\.|^NameFilesTests\.($(reading))|^HandleRegistryTests\.(SHA256|JSON|Moment|Coalescer|SingleFlight)
long := DisguiseTests|OffensiveWordsTests|InsideWordsTests|AuthorityTests|KeyFormTests|ReadingFoldingTests
quick: deps ## run the tests that need no database, for the inner loop
	$(build) $(traits) --build-tests
	Tests/run $(traits) --filter '$(pure)' --skip '$(long)'

# Which tests to repeat, how often, and under which load: make flaky FILTER=StopTests TIMES=50 LOAD=none
TIMES ?= 10
FILTER ?=
LOAD ?= every-core
flaky: deps ## repeat the tests under load to find flaky ones: FILTER=regex TIMES=10 LOAD=none
	$(build) $(traits) --build-tests
	Tests/run $(traits) --times $(TIMES) $(if $(FILTER),--filter '$(FILTER)') $(if $(filter none,$(LOAD)),,--loaded)

# The suites in files that are compiled with a trait only. The recipe adds the suites about traits.
trait_suites = $(shell grep -rlE '^\#if (AsyncHTTPClient|TLS|IdentityTokens)' Tests --include='*.swift' \
    | xargs sed -n 's/.*@Suite.* struct \([A-Za-z]*\).*/\1/p' | paste -sd'|')
traittest: TRAITS = all
traittest: deps ## run the tests of TLS, identity tokens and AsyncHTTPClient
	$(build) $(traits) --build-tests
	Tests/run $(traits) --filter '$(trait_suites)|PackageTraitTests|SettingsTests|VersionRouteTests'

contract: TRAITS = all
contract: deps ## compare the answers to docs/cookbook.md and to generated requests with the contract, and run docs/feed.md
	$(build) $(traits) --product handles
	Tests/Contract/cookbook
	Tests/Contract/feed
	Tests/Contract/run

# SHORT=yes leaves out all but one version of PostgreSQL and one user.
SHORT ?=
pgmatrix: packages += python3 python3-venv pgbouncer
pgmatrix: deps ## run every command against PostgreSQL 15 to 18, with users of different rights, and through PgBouncer
	$(build) $(traits) --product handles
	Tests/Matrix/run .build/debug/handles $(if $(SHORT),--short)

generators: TRAITS = all
generators: deps ## make clients from the contract in Python, TypeScript and Kotlin, and read a refusal with each
	$(build) $(traits) --product handles
	Tests/Contract/generators

page: deps programs ## test the sign-up page in Chromium; its pictures go to .build/pictures
	Examples/SignUp/Tests/run $(example)/debug

field: TRAITS = all
field: deps ## test the handle field for web pages, handle-field.js, in Chromium
	$(build) $(traits) --product handles
	Tests/HandleField/run .build/debug

report: deps ## test the page of handles validate --html in Chromium; its pictures go to .build/pictures
	$(build) $(traits) --product handles
	Tests/ReportPage/run .build/debug

build: deps ## build the program: .build/release/handles; with traits: TRAITS=TLS, IdentityTokens or all
	$(build) $(traits) -c release --product handles $(small)

# The program for machines without a Swift toolchain; its man page and completions, in the layout of /usr/share.
static := .build-static/release/handles
share := .build-static/share
static_options = --configuration release --static-swift-stdlib --scratch-path .build-static $(traits)

# Shipped programs have all traits.
static man install deb packagecheck: TRAITS = all
# FoundationNetworking, which delivers webhooks, needs libcurl.
static man install deb packagecheck: packages += libcurl4-openssl-dev

static: deps
	$(build) $(static_options) --product handles

man: packages += python3
man: static ## build the man page and the shell completions: .build-static/share
	@mkdir -p $(share)/man/man1 $(share)/bash-completion/completions $(share)/zsh/site-functions \
	    $(share)/fish/vendor_completions.d
	Packaging/man $(static) "$$(git log -1 --format=%cs 2>/dev/null || date +%F)" > $(share)/man/man1/handles.1
	$(static) --generate-completion-script bash > $(share)/bash-completion/completions/handles
	$(static) --generate-completion-script zsh > $(share)/zsh/site-functions/_handles
	$(static) --generate-completion-script fish > $(share)/fish/vendor_completions.d/handles.fish

# The folders to install in. All are below DESTDIR, if it is set.
prefix ?= /usr/local
unitdir ?= $(prefix)/lib/systemd/system
version := $(shell sed -n 's/.*current = "\(.*\)".*/\1/p' Sources/HandleServer/Version.swift)
installed := bin/handles sbin/handles-admin sbin/handles-drill share/man/man1/handles.1 \
    share/bash-completion/completions/handles share/zsh/site-functions/_handles \
    share/fish/vendor_completions.d/handles.fish

# Without a toolchain in the path, as under sudo, this installs the files that were built before.
install: $(if $(shell command -v swift),man) ## install the program, its man page, completions and systemd unit below /usr/local
	install -D -m 0755 $(static) "$(DESTDIR)$(prefix)/bin/handles"
	install -D -m 0755 Packaging/handles-admin "$(DESTDIR)$(prefix)/sbin/handles-admin"
	install -D -m 0755 Packaging/drill "$(DESTDIR)$(prefix)/sbin/handles-drill"
	to=$$(realpath -m "$(DESTDIR)$(prefix)/share") && cd $(share) && find . -type f -printf '%P\0' \
	    | xargs -0 -I{} install -D -m 0644 {} "$$to/{}"
	install -d "$(DESTDIR)$(unitdir)"
	sed 's|@bindir@|$(prefix)/bin|' Packaging/handles.service > "$(DESTDIR)$(unitdir)/handles.service"

uninstall: ## remove the files that make install installed; settings and data stay
	cd "$(DESTDIR)$(prefix)" && rm -f $(installed)
	rm -f "$(DESTDIR)$(unitdir)/handles.service"

deb: packages += dpkg-dev
deb: man ## build the Debian package: .build/handle-registry_VERSION_ARCHITECTURE.deb
	rm -rf .build-static/deb
	mkdir -p .build
	umask 022 && $(MAKE) -o man install DESTDIR=.build-static/deb prefix=/usr unitdir=/lib/systemd/system
	umask 022 && Packaging/deb .build-static/deb $(version)

packagecheck: packages += debootstrap systemd-container
packagecheck: deb ## test the package in a minimal Debian: install, use, upgrade, purge; needs root
	timeout --kill-after=10 1200 Packaging/check .build/handle-registry_$(version)_$$(dpkg --print-architecture).deb

bench: deps ## measure validation, files of names, claims, and the service over HTTP (docs/benchmarks.md)
	HANDLES_BENCH=1 $(build) $(traits) -c release --scratch-path .build-bench --product handles
	HANDLES_BENCH=1 $(build) $(traits) -c release --scratch-path .build-bench --product bench
	.build-bench/release/bench --output docs/benchmarks.md

# A debug build in the folder of the tests, where nearly everything is compiled already. The run with little memory is left
# out: it makes the whole machine forget its cached files.
benchcheck: deps ## run the benchmarks briefly, only to see that they work
	HANDLES_BENCH=1 $(build) $(traits) --product handles
	HANDLES_BENCH=1 $(build) $(traits) --product bench
	HANDLES_DATABASE_TIME=60s timeout --foreground --kill-after=10 1200 \
	    .build/debug/bench validation batch reserve claims service --short

# The tests compare the CSV reader with Python's; lint compares imports with the manifest in Python.
test flaky traittest lint tsan citus: packages += python3
# The tests read the man page with these.
test flaky tsan citus: packages += groff-base mandoc

# Schemathesis, which tests the contract, is written in Python.
contract: packages += curl python3 python3-venv
# Generators are written in Python and Java. The clients in TypeScript run in Node.
generators: packages += python3 python3-venv default-jre-headless node-typescript

# The start script of the example uses curl; its tests run in a browser.
signup page devstack: packages += curl
page field report: packages += chromium fonts-dejavu-core openssl python3 python3-venv
field: packages += node-typescript

docs: deps ## write the settings into docs/operations.md and Packaging/handles.conf
	$(build) $(traits) --product handles
	.build/debug/handles settings file > Packaging/handles.conf
	.build/debug/handles settings table > .build/settings.md
	awk '/^\| `(DATABASE_URL|HANDLES_)/ { if (!done) system("cat .build/settings.md"); done = 1; next } { print }' \
	    docs/operations.md > .build/operations.md
	cp .build/operations.md docs/operations.md

# The load generator. Their prerequisite `deps` inherits the variable.
bench benchcheck: packages += wrk

fuzz: deps ## fuzz the code that reads names, for a minute
	HANDLES_FUZZ=1 swift build -c release --product FuzzReading --scratch-path .build-fuzz \
	    -Xswiftc -sanitize=fuzzer,address
	@mkdir -p .build-fuzz/corpus
	swiftc -sanitize=fuzzer,address -parse-as-library -o .build-fuzz/release/fuzz \
	    .build-fuzz/release/libFuzzReading.a -licuuc -licui18n
	.build-fuzz/release/fuzz -max_total_time=60 -max_len=64 .build-fuzz/corpus Tests/HandleWordsTests/Corpus

# The modules that other packages may import.
public := AsyncHTTPTransport AuthorizedRequests CookieSessions Debouncing FileSessionStorage HandleClient HandleClientTesting HandleField HandleRules Onboarding OnboardingViews OpenIDSessions Sessions

lint: deps ## check the format of the source, the words and links of its prose, and what modules export and import
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks Examples sql seeds
	HANDLES_BENCH=1 HANDLES_FUZZ=1 swift package dump-package | python3 .ci/imports
	.ci/prose
	.ci/links
	@if grep -rnE '^ *(@[A-Za-z]+ )*(public|open) (var|let|func|static|init|struct|enum|class|actor|final|protocol|typealias|mutating|subscript|extension)' \
	    sql seeds $(filter-out $(public:%=Sources/%),$(wildcard Sources/*)) --include='*.swift'; then \
	    echo "lint: only $(public) are for other packages; use package instead of public" >&2; exit 1; \
	fi
	@if grep -rn unsafelyUnwrapped Sources --include='*.swift'; then \
	    echo "lint: nil would be undefined behaviour; use guard let" >&2; exit 1; \
	fi

format: ## format the source
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks Examples sql seeds

citus: deps ## run the tests on a Citus cluster; needs the Citus extension for the installed PostgreSQL
	$(build) --build-tests
	HANDLES_TEST_CITUS=1 timeout --kill-after=30 3600 swift test --skip-build --no-parallel --filter 'HandleRegistryTests|HandleServerTests|handlesTests'

tsan: export TSAN_OPTIONS = suppressions=$(CURDIR)/Tests/tsan-suppressions.txt
tsan: deps ## run the tests under ThreadSanitizer
	swift build --build-tests --sanitize=thread --scratch-path .build-tsan $(traits)
	Tests/run $(traits) --sanitize=thread --scratch-path .build-tsan

clean: ## remove all build folders; the data in .handles stay
	rm -rf .build .build-signup .build-static .build-tsan .build-bench .build-fuzz

# Installs the packages that are missing.
deps:
	@missing=; for package in $(packages); do \
	    dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q ' installed$$' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	    if [ "$$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi; \
	    echo "Installing from Debian's packages:$$missing$${sudo:+ (with sudo)}"; \
	    if [ -n "$$sudo" ] && ! command -v sudo >/dev/null; then \
	        echo "There is no sudo here. As root: apt-get install$$missing" >&2; exit 1; \
	    fi; \
	    $$sudo apt-get update -q && \
	    $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $$missing; \
	fi
