import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Answer } from './connection.ts'
import { sayStarted } from './report-usage.ts'
import { recordedAnswer } from './send-recorded.ts'

/** Sends a fixed answer, so that only HTTP costs time. Argument: a file with the answer of the login app as JSON. */
const [file = ''] = process.argv.slice(2)
const send = recordedAnswer(JSON.parse(readFileSync(file, 'utf8')) as Answer)
const server = createServer({ keepAliveTimeout: 65_000 }, (_req, res) => send(res))
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => sayStarted(server))
