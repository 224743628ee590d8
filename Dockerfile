# The login app. Build: docker build -t viewer-auth .
# Run, with the settings of .env.example in a file:
#   docker run --read-only --cap-drop ALL --env-file .env -v viewer-auth-data:/app/data -p 3000:3000 viewer-auth
#
# To pin the base image, append the digest that this command prints to its tag, in both places:
#   docker buildx imagetools inspect node:24.21.0-bookworm-slim --format '{{.Manifest.Digest}}'
#   FROM node:24.21.0-bookworm-slim@sha256:…

FROM node:24.21.0-bookworm-slim AS dependencies
# A file with the certificate of a proxy between the build and the package registry. Optional.
ARG NODE_EXTRA_CA_CERTS
WORKDIR /app
COPY package.json package-lock.json ./
# Do not add --omit=optional: the native code of the password hash is an optional dependency for each platform.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production
# For `npm run -s viewer-auth -- …`: npm must not write outside /tmp, nor look for updates.
ENV NPM_CONFIG_CACHE=/tmp/npm NPM_CONFIG_LOGS_MAX=0 NPM_CONFIG_UPDATE_NOTIFIER=false
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY public ./public
COPY views ./views
COPY src ./src
# Only this folder is writable. All other files belong to root and can be mounted read-only.
RUN mkdir data && chown 1000:1000 data
VOLUME /app/data
# Compiled code for the start, which takes 244 ms in place of 428: of each file that settings may load, then of main.ts,
# which ends without settings. Code of a single file that is missing costs 30 ms, because Node then loads its TypeScript
# parser. Node keeps the code of each user apart, so this runs as the user below, with the flags of CMD. Afterwards it is
# read-only.
RUN mkdir node_modules/.cache && chown 1000:1000 node_modules/.cache \
    && setpriv --reuid=1000 --regid=1000 --clear-groups \
      node --require=./src/require-node.cjs --max-semi-space-size=16 --max-old-space-size=768 --input-type=module -e \
      "for (const file of fs.globSync('src/**/*.ts', { exclude: ['**/main.ts', 'src/tools/cli/**'] })) await import('./' + file)" \
    && (setpriv --reuid=1000 --regid=1000 --clear-groups \
      node --require=./src/require-node.cjs --max-semi-space-size=16 --max-old-space-size=768 src/main.ts 2>/dev/null || true) \
    && chown -R 0:0 node_modules/.cache && chmod -R a=rX node_modules/.cache
# The user "node". By number, so that an orchestrator can verify that it is not root.
USER 1000:1000
EXPOSE 3000
# A file with settings can be mounted at /app/.env. The environment overrides it.
# Checks only that the program lives, because a restart does not repair a store. Load balancers check /health/ready.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["node", "--env-file-if-exists=.env", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without these limits, more garbage stays in memory: three minutes of overload took 325 MiB, with them 121 to 163.
CMD ["node", "--require=./src/require-node.cjs", "--max-semi-space-size=16", "--max-old-space-size=768", "--env-file-if-exists=.env", "src/main.ts"]
# Where the image comes from. Last, so that a new commit does not repeat the steps above.
ARG SOURCE
ARG REVISION
ARG VERSION
LABEL org.opencontainers.image.title="viewer-auth" \
      org.opencontainers.image.description="A login app for viewers of a video streaming service" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="$SOURCE" \
      org.opencontainers.image.revision="$REVISION"
