# Counterfoil alone on an empty root: no shell, no package manager, a user without rights. docs/packaging.md.
# `make image` makes the same image without a container engine: its last stage is this file's (deploy/package/image).
ARG SWIFT=6.3-bookworm
FROM swift:${SWIFT} AS build
# The versions are those of the Debian that the tag of the base image names.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends make python3 binutils ca-certificates libsqlite3-dev libcurl4-openssl-dev \
    && rm -rf /var/lib/apt/lists/*
COPY . /source
WORKDIR /source
RUN make static && deploy/package/image-root .build/static/release/counterfoil /image

FROM scratch
COPY --from=build /image /
LABEL org.opencontainers.image.title="counterfoil" \
      org.opencontainers.image.description="A mock bank API, and contract tests for bank clients" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV PATH=/usr/bin HOME=/state COUNTERFOIL_HOME=/state TMPDIR=/tmp
# A `Stubs` or `Contracts` mounted below it comes before those of the image.
WORKDIR /work
USER 65532:65532
EXPOSE 8080 8081 8443
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/usr/bin/counterfoil", "session", "list"]
ENTRYPOINT ["/usr/bin/counterfoil"]
# Other addresses than loopback demand COUNTERFOIL_ADMIN_TOKEN; without it `serve` prints an error and ends.
CMD ["serve", "--host", "0.0.0.0", "--admin-host", "0.0.0.0"]
