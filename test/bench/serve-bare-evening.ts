import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { verify } from '@node-rs/argon2'
import { createQueue } from '../../src/server/work-queue.ts'
import { hashingQueueOptions, threadPoolSize } from '../../src/users/passwords/hashing-queue.ts'
import type { Answer } from './connection.ts'
import { sayStarted } from './report-usage.ts'

process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize())

/**
 * Sends the recorded answers of the login app, and verifies the password of each sign-in. Arguments: a file with the
 * answers as JSON, and the hash of all passwords.
 */
const [file = '', passwordHash = ''] = process.argv.slice(2)
const { gets, wrong, right } = JSON.parse(readFileSync(file, 'utf8')) as Readonly<{
  gets: readonly { readonly path: string; readonly answer: Answer }[]
  wrong: Answer
  right: Answer
}>
const queue = createQueue({ ...hashingQueueOptions(), queueLength: Number.MAX_SAFE_INTEGER })
const [sendWrong, sendRight] = [sender(wrong), sender(right)]
const senders = new Map(gets.map(({ path, answer }) => [path, sender(answer)]))

/** Returns a function that sends an answer. */
function sender({ status, headers, body }: Answer): (res: ServerResponse) => void {
  const byNode = ['date', 'connection', 'keep-alive']
  const sent = headers.filter(([name]) => !byNode.includes(name.toLowerCase())).flat()
  const bytes = Buffer.from(body)
  return (res) => void res.writeHead(status, sent).end(bytes)
}

const server = createServer({ keepAliveTimeout: 65_000 }, (req, res) => {
  const send = senders.get(req.url ?? '')
  if (send) return send(res)
  const chunks: Buffer[] = []
  req
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .once('end', () => {
      const password = new URLSearchParams(Buffer.concat(chunks).toString()).get('password') ?? ''
      void queue.run(() => verify(passwordHash, password)).then((matches) => (matches ? sendRight : sendWrong)(res))
    })
})
server.listen(0, '127.0.0.1', () => sayStarted(server))
