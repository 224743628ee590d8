import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { verify } from '@node-rs/argon2'
import { createQueue } from '../../src/server/work-queue.ts'
import { hashingQueueOptions, threadPoolSize } from '../../src/users/passwords/hashing-queue.ts'
import type { RecordedEvening } from './evening.bench.ts'
import { sayStarted } from './report-usage.ts'
import { recordedAnswer } from './send-recorded.ts'

process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize())

/**
 * Sends the recorded answers of the login app, and verifies the password of each sign-in. Arguments: a file with the
 * answers as JSON, and the hash of all passwords.
 */
const [file = '', passwordHash = ''] = process.argv.slice(2)
const { gets, wrong, right } = JSON.parse(readFileSync(file, 'utf8')) as RecordedEvening
const queue = createQueue({ ...hashingQueueOptions(), queueLength: Number.MAX_SAFE_INTEGER })
const sendWrong = recordedAnswer(wrong)
const sendRight = recordedAnswer(right)
const senders = new Map(gets.map(({ path, answer }) => [path, recordedAnswer(answer)]))

const server = createServer({ keepAliveTimeout: 65_000 }, (req, res) => {
  const send = senders.get(req.url ?? '')
  if (send) return send(res)
  const chunks: Buffer[] = []
  req
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .once('end', () => {
      const password = new URLSearchParams(Buffer.concat(chunks).toString()).get('password') ?? ''
      // On a busy machine the queue refuses, as that of the login app does. The round is then repeated.
      void queue
        .run(() => verify(passwordHash, password))
        .then(
          (matches) => (matches ? sendRight : sendWrong)(res),
          () => res.writeHead(503, { 'Content-Length': '0' }).end(),
        )
    })
})
server.listen(0, '127.0.0.1', () => sayStarted(server))
