import { createServer } from 'node:http'
import { verify } from '@node-rs/argon2'
import { createQueue, hashingQueueOptions, threadPoolSize } from '../../src/users/passwords/hashing-queue.ts'
import { sayStarted } from './report-usage.ts'

process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize())

/**
 * Arguments: a hash of today's costs and its password, and "refusing" for one that has the queue of the login app. What
 * the machine can verify, behind the same width as in the login app, with nothing else done for a post.
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
