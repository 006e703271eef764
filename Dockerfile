# A small image with the command alone: what `make package` builds, on Debian's smallest system.
#   docker build -t optrace . && docker run --rm -v "$PWD:/work" optrace graph run.optrace -o run.svg
# Not built by this project's checks, which run where no Docker is; they install the same package in the same system
# (scripts/check-package), and this only repeats that.
FROM swift:6.3-bookworm AS build
WORKDIR /source
RUN apt-get update && apt-get install -y --no-install-recommends make git
COPY . .
RUN make package

FROM debian:bookworm-slim
COPY --from=build /source/.build-package/*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb && rm -rf /var/lib/apt/lists/* /tmp/*.deb
WORKDIR /work
ENTRYPOINT ["optrace"]
