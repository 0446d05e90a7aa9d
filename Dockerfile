# syntax=docker/dockerfile:1
# The image of the service. docs/deploy.md says how to build and run it.
#
# Nothing of the package depends on the processor, so both builds of an image for amd64 and arm64 make it once, on the machine that builds.

FROM --platform=$BUILDPLATFORM node:24.21.0-trixie-slim AS build
WORKDIR /source
COPY . .
# Compiles the code and the page (prepack). Its dependencies come from the lockfile.
RUN npm pack --pack-destination / \
  && mkdir /app \
  && tar -xzf /wishwell-*.tgz -C /app --strip-components=1 \
  && cp package-lock.json /app/
WORKDIR /app
# The same versions as in the tests. No install script runs.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24.21.0-trixie-slim
# What is not needed to run is not there to be misused.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/yarn* /usr/local/bin/corepack \
  && ln -s /app/bin/wishwell.mjs /usr/local/bin/wishwell \
  && install -d -o 1000 -g 1000 -m 0700 /data
COPY --from=build /app /app
# glibc: two pools of freed memory instead of eight a processor, and free memory is returned (docs/decisions/030).
# DATA_DIR is a folder of the volume, because the service closes it to other users, and the root of a volume is not always its own.
ENV NODE_ENV=production \
  MALLOC_ARENA_MAX=2 \
  MALLOC_TRIM_THRESHOLD_=131072 \
  HOST=0.0.0.0 \
  PORT=4680 \
  DATA_DIR=/data/wishwell
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 4680
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
  CMD ["node", "/app/dist/src/main.js", "admin", "healthcheck"]
# Without the launcher, which would be a second process: this Node is new enough.
ENTRYPOINT ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=4", "--heap-growing-percent=15", "--v8-pool-size=2", "/app/dist/src/main.js"]
CMD ["serve"]
