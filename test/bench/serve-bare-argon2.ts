import { createServer } from 'node:http'
import { verify } from '@node-rs/argon2'
import { createQueue } from '../../src/server/work-queue.ts'
import { hashingQueueOptions, threadPoolSize } from '../../src/users/passwords/hashing-queue.ts'
import { sayStarted } from './report-usage.ts'

process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize())

/**
 * Verifies passwords with the concurrency of the login app, and does nothing else for a post. Arguments: a hash with
 * the current costs, its password, and "refusing" to use the queue of the login app.
 */
const [passwordHash = '', password = '', refusing] = process.argv.slice(2)
const options = hashingQueueOptions()
const queue = createQueue(refusing === undefined ? { ...options, queueLength: Number.MAX_SAFE_INTEGER } : options)

const server = createServer({ keepAliveTimeout: 65_000 }, (req, res) => {
  req.resume().once('end', () => {
    const answer = (status: number) => res.writeHead(status, { 'Content-Length': '0' }).end()
    queue
      .run(() => verify(passwordHash, password))
      .then(
        (matches) => answer(matches ? 303 : 401),
        () => answer(503),
      )
  })
})
server.listen(0, '127.0.0.1', () => sayStarted(server))
