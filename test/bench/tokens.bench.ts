import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BenchPart, inRounds } from './bench-part.ts'
import { compared } from './bench-row.ts'
import { type Child, startChild } from './child.ts'
import { openConnection } from './connection.ts'
import { basicCredential, type EmulatedService, hasEmulator, startEmulatedService } from './emulated-service.ts'
import { closedLoad } from './load.ts'

const ROUNDS = 5
const WARM_UP_MS = 1_000
const ROUND_MS = 1_000
const CONNECTIONS = 8

/**
 * Measures tokens per second of the emulated service, which writes each token to its file before it answers. The
 * baseline is a server of node:http that sends the same bytes. No row without the emulator.
 */
export const tokens: BenchPart = {
  name: 'tokens',
  expectedSeconds: 15,
  async *rows(run) {
    if (!hasEmulator()) return
    const folder = await mkdtemp(join(tmpdir(), 'token-bench-'))
    const service = await startEmulatedService(folder)
    let bare: Child | undefined
    try {
      const port = Number(new URL(service.url).port)
      const request = tokenRequest(service)
      bare = await startBareServer(folder, port, request)
      const barePort = bare.port
      for (const server of [port, barePort]) await answersPerSecond(server, request, WARM_UP_MS)
      const rounds = await inRounds(ROUNDS, run, 'Tokens', async () => ({
        tokens: await answersPerSecond(port, request, ROUND_MS),
        bare: await answersPerSecond(barePort, request, ROUND_MS),
      }))
      yield {
        name: 'Tokens of the emulated service, against bare node:http',
        unit: 'per second',
        ...compared(
          rounds,
          ({ tokens }) => tokens,
          (round) => round.bare,
        ),
        note: 'the bare server answers the same bytes',
      }
    } finally {
      await bare?.stop()
      await service.stop()
      await rm(folder, { recursive: true })
    }
  },
}

function tokenRequest({ client }: EmulatedService): Buffer {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: client.client_id }).toString()
  const lines = [
    'POST /oauth2/token HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: ${basicCredential(client)}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${form.length}`,
    '',
    form,
  ]
  return Buffer.from(lines.join('\r\n'))
}

async function startBareServer(folder: string, port: number, request: Buffer): Promise<Child> {
  const connection = await openConnection(port)
  const answer = await connection.read(request)
  connection.close()
  if (answer.status !== 200) throw new Error(`The token endpoint answered ${answer.status}`)
  const file = join(folder, 'answer.json')
  writeFileSync(file, JSON.stringify(answer))
  return await startChild({ script: 'serve-bare-http.ts', args: [file], folder })
}

/** @throws Error for any answer without a token. */
async function answersPerSecond(port: number, request: Buffer, durationMs: number): Promise<number> {
  const untilMs = performance.now() + durationMs
  const load = { port, connections: CONNECTIONS, request: () => request, goesOn: () => performance.now() < untilMs }
  const { statuses, elapsedSeconds } = await closedLoad(load)
  const others = [...statuses.keys()].filter((status) => status !== 200)
  if (others.length > 0) throw new Error(`The token endpoint answered ${others.join(', ')}`)
  return (statuses.get(200) ?? 0) / elapsedSeconds
}
