import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { z } from 'zod'
import type { Fault, Order, Seen, ServiceOptions } from './login-service.ts'

/** A customer's login service, as a process that tests can stop and kill. The tests send it messages. */

const Question = z.object({ username: z.string(), password: z.string().optional() })
const AddressQuestion = z.object({ attribute: z.string(), address: z.string() })
const seen: Seen[] = []
let fault: Fault = {}
let isBroken = (): boolean => false

process.on('message', (order: Order) => {
  if (order.kind === 'start') start(order.options)
  if (order.kind === 'seen') process.send?.(seen)
  if (order.kind !== 'fault') return
  fault = order.fault
  let left = fault.times ?? Number.POSITIVE_INFINITY
  isBroken = () => {
    left -= 1
    return left >= 0
  }
  process.send?.('done')
})

// The test process has ended.
process.on('disconnect', () => process.exit())

function start(options: ServiceOptions): void {
  const onRequest = (req: IncomingMessage, res: ServerResponse) => void handle(options, req, res)
  const { tls } = options
  const server = tls ? createTlsServer({ cert: tls.certificate, key: tls.key }, onRequest) : createServer(onRequest)
  server.on('connection', (socket: Socket) => {
    if (fault.cut === 'connection' && isBroken()) socket.resetAndDestroy()
  })
  server.listen(options.port, 'localhost', () => process.send?.((server.address() as AddressInfo).port))
}

async function handle(options: ServiceOptions, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of req as AsyncIterable<Buffer>) parts.push(part)
  const body = Buffer.concat(parts).toString('utf8')
  seen.push({ method: req.method ?? '', path: req.url ?? '', headers: headersOf(req), body })
  const broken = fault.cut !== 'connection' && isBroken() ? fault : {}
  if (broken.cut === 'question') return void req.socket.resetAndDestroy()
  const { status, json, headers = {} } = answerTo(options, req, body)
  const text = broken.body ?? JSON.stringify(json)
  setTimeout(() => {
    res.writeHead(broken.status ?? status, { 'Content-Type': 'application/json', ...headers, ...broken.headers })
    if (broken.cut === 'answer') res.write(text.slice(0, 5), () => req.socket.destroy())
    else res.end(text)
  }, broken.delayMs ?? 0)
}

interface Answer {
  readonly status: number
  readonly json: unknown
  readonly headers?: Readonly<Record<string, string>>
}

function answerTo({ token, viewers }: ServiceOptions, req: IncomingMessage, body: string): Answer {
  if (req.headers.authorization !== `Bearer ${token}`) {
    return { status: 401, json: {}, headers: { 'WWW-Authenticate': 'Bearer realm="users", error="invalid_token"' } }
  }
  if (req.method !== 'POST') return { status: 405, json: {} }
  const asked = AddressQuestion.safeParse(JSON.parse(body))
  if (req.url === '/find' && asked.success) return answerToAddress(viewers, asked.data)
  const question = Question.safeParse(JSON.parse(body))
  if (!question.success) return { status: 400, json: {} }
  const { username, password } = question.data
  const found = viewers.find((viewer) => viewer.username.toLowerCase() === username.toLowerCase())
  const told = { username: found?.username, groups: found?.groups, attributes: found?.attributes }
  if (req.url === '/find') return found && !found.disabled ? { status: 200, json: told } : { status: 404, json: {} }
  if (found === undefined || found.password !== password) return { status: 401, json: {} }
  return found.disabled ? { status: 403, json: {} } : { status: 200, json: told }
}

function answerToAddress(
  viewers: ServiceOptions['viewers'],
  { attribute, address }: z.output<typeof AddressQuestion>,
): Answer {
  const isOwner = ({ attributes, disabled }: (typeof viewers)[number]) =>
    !disabled && attributes[attribute]?.toLowerCase() === address
  const [found, other] = viewers.filter(isOwner)
  if (other) return { status: 409, json: {} }
  const { username, groups, attributes } = found ?? {}
  return found ? { status: 200, json: { username, groups, attributes } } : { status: 404, json: {} }
}

function headersOf({ headers }: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
