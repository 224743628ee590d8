import { createServer } from 'node:http'
import { createTokenIssuer, tokenQueueOptions } from '../../src/features/token/issuer/token-issuers.ts'
import { createQueue } from '../../src/server/work-queue.ts'
import { threadPoolSize } from '../../src/users/passwords/hashing-queue.ts'
import { sayStarted } from './report-usage.ts'
import { readTokenKeys } from './token-keys.ts'

process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize())

/** Redirects each request with a token of the login app's issuer, behind its queue. Argument: the file of keys. */
const [file = ''] = process.argv.slice(2)
const { contentKey, serviceKey } = readTokenKeys(file)
const queue = createQueue(tokenQueueOptions())
const issuer = createTokenIssuer(
  { contentKey },
  { newest: () => serviceKey, refetch: () => {} },
  queue,
  () => Date.now() / 1000,
)

const server = createServer({ keepAliveTimeout: 65_000 }, (_req, res) => {
  issuer.issue('viewer1@example.com').then(
    (token) =>
      res.writeHead(303, { Location: `https://player.example/embed/1?vt=${token}`, 'Content-Length': '0' }).end(),
    () => res.writeHead(503, { 'Content-Length': '0' }).end(),
  )
})
server.listen(0, '127.0.0.1', () => sayStarted(server))
