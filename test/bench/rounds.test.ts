import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { inRounds, MOST_REPEATS, unlessFailed } from './bench-part.ts'
import type { BenchRow, FailedRow } from './bench-row.ts'
import type { Child } from './child.ts'
import { answerOf } from './connection.ts'
import { cpuRace } from './cpu-race.ts'
import { closedLoad, openLoad } from './load.ts'
import { getRequest } from './requests.ts'
import { expectOnly, UnexpectedAnswers } from './unexpected-answers.ts'

const REQUEST = getRequest(0, null)

/** Starts a server in this process until the test ends. Its figures are the number of its requests. */
async function startServer(answer: RequestListener): Promise<Child> {
  let asked = 0
  const server = createServer((req, res) => {
    asked += 1
    answer(req, res)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const usage = async () => ({ cpuMicros: asked, mainThreadMicros: 0, mainThreadWaitedMicros: 0, rssBytes: 0 })
  return { pid: undefined, port, usage, stop: async () => {} }
}

/** Answers 503 to so many requests, then 200. */
function busyFor(requests: number): RequestListener {
  let left = requests
  return (_req, res) => {
    left -= 1
    res.writeHead(left < 0 ? 200 : 503, { 'content-length': 0 }).end()
  }
}

/** Closes so many connections without an answer, then answers 200. */
function closingFor(connections: number): RequestListener {
  let left = connections
  return (req, res) => {
    left -= 1
    if (left < 0) res.writeHead(200, { 'content-length': 0 }).end()
    else req.socket.destroy()
  }
}

const chunked: RequestListener = (_req, res) => {
  res.write('chunked')
  res.end()
}

function recorder() {
  const warnings: string[] = []
  const progress = Object.assign(() => {}, { warn: (line: string) => void warnings.push(line) })
  return { warnings, run: { progress, startMeter: () => () => 0 } }
}

const askOnce = async ({ port }: Child) => {
  const { statuses } = await closedLoad({ port, connections: 1, request: () => REQUEST, goesOn: (sent) => sent < 1 })
  expectOnly([200], statuses)
}

test.each([
  ['that answers 503', busyFor, 'Expected only 200, got 1 × 503'],
  ['that closes its connections', closingFor, 'Expected only 200, got 1 × closed'],
])('a server %s for a while costs repeated rounds, each with a line', async (_name, faulty, reason) => {
  const server = await startServer(faulty(2))
  const { warnings, run } = recorder()
  const calls: number[] = []
  const rounds = await inRounds(3, run, 'Pages', async (call) => {
    calls.push(call)
    await askOnce(server)
    return call
  })
  expect(rounds).toEqual([2, 3, 4])
  expect(calls).toEqual([0, 1, 2, 3, 4])
  expect(warnings).toEqual(Array(2).fill(`Pages, round 1 of 3: ${reason}. Repeating the round.`))
})

test.each([
  ['that always answers 503', busyFor, '503'],
  ['that always closes its connections', closingFor, 'closed'],
])('a server %s fails its row, and the next rows are measured', async (_name, faulty, status) => {
  const server = await startServer(faulty(Number.POSITIVE_INFINITY))
  const { warnings, run } = recorder()
  const row: BenchRow = { name: 'next', value: 1, unit: 's' }
  const rows: (BenchRow | FailedRow)[] = []
  async function* part() {
    yield* unlessFailed('Pages', async () => {
      await inRounds(3, run, 'Pages', () => askOnce(server))
      return []
    })
    yield row
  }
  for await (const one of unlessFailed('part', part)) rows.push(one)
  expect(rows).toEqual([{ name: 'Pages', failure: `Expected only 200, got 1 × ${status}` }, row])
  expect(warnings.length).toBe(MOST_REPEATS)
})

test('a round beside a busy program is repeated, until the program proves to stay', async () => {
  const { warnings, run } = recorder()
  const shares = [0.5, 0, 0.5, 0.5, 0.5]
  const startMeter = () => () => shares.shift() ?? 0
  expect(await inRounds(3, { ...run, startMeter }, 'Pages', async (call) => call)).toEqual([1, 3, 4])
  expect(warnings.length).toBe(2)
})

test('another error is not repeated, and fails the row', async () => {
  const { warnings, run } = recorder()
  const rows: (BenchRow | FailedRow)[] = []
  const fails = () => Promise.reject(new RangeError('There is no session 7'))
  for await (const one of unlessFailed('Pages', async () => (await inRounds(3, run, 'Pages', fails)).flat())) {
    rows.push(one)
  }
  expect([rows, warnings]).toEqual([[{ name: 'Pages', failure: 'There is no session 7' }], []])
})

test('a race warms up and repeats its rounds while a contestant answers 503', async () => {
  const busy = await startServer(busyFor(20 + 1_500))
  const { warnings, run } = recorder()
  const used = new Set<number>()
  const request = (index: number) => {
    if (index >= 20) expect(used.has(index)).toBe(false)
    used.add(index)
    return REQUEST
  }
  const rounds = await cpuRace(run, 'Pages', { busy: { child: busy, request, status: 200 } }, 20)
  expect(rounds).toEqual(Array(7).fill({ busy: 1 }))
  expect(warnings).toEqual([
    'Pages, round 1 of 7: Expected only 200, got 1000 × 503. Repeating the round.',
    'Pages, round 1 of 7: Expected only 200, got 500 × 503, 500 × 200. Repeating the round.',
  ])
})

test('a load at a fixed rate counts closed connections, and goes on', async () => {
  const { port } = await startServer(closingFor(3))
  const answers = await openLoad({ port, perSecond: 100, durationMs: 100, request: () => REQUEST })
  expect(answers.filter(({ status }) => status === 0).length).toBe(3)
  expect(answers.filter(({ status }) => status === 200).length).toBe(7)
  expect(() => expectOnly([200], answers)).toThrow('Expected only 200, got')
})

test.each([
  ['has another status', busyFor(1), 'Expected 200: '],
  ['does not come', closingFor(1), 'The server closed the connection'],
  ['has no length', chunked, 'without Content-Length'],
])('an answer that %s is an unexpected answer', async (_name, answer, message) => {
  const { port } = await startServer(answer)
  const error = await answerOf(port, REQUEST, 200).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UnexpectedAnswers)
  expect((error as Error).message).toContain(message)
})
