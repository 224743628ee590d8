import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** The emulated service in its own process, with its data in a file. */
export interface EmulatedService {
  readonly url: string
  readonly pid: number
  readonly client: { readonly client_id: string; readonly client_secret: string }
  stop(): Promise<void>
}

const EMULATOR = fileURLToPath(new URL('../../src/tools/emulator/main.ts', import.meta.url))
const Client = z.object({ client_id: z.string(), client_secret: z.string() })
const Seed = z.object({ clients: z.tuple([Client], z.unknown()) })

/** False in a fork that has deleted the emulator. */
export function hasEmulator(): boolean {
  return existsSync(EMULATOR)
}

/** @throws Error if the program ends before it listens. */
export async function startEmulatedService(folder: string, ...args: readonly string[]): Promise<EmulatedService> {
  const child = spawn(process.execPath, [EMULATOR, ...args], {
    env: { PATH: process.env.PATH, EMULATOR_PORT: '0', EMULATOR_DATA_FILE: join(folder, 'emulator.db') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await listeningAt(child)
    const [client] = Seed.parse(await (await fetch(`${url}/emulator/seed`)).json()).clients
    return { url, pid: child.pid ?? 0, client, stop: () => stop(child) }
  } catch (error) {
    await stop(child)
    throw error
  }
}

export function basicCredential({ client_id, client_secret }: EmulatedService['client']): string {
  return `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
}

async function listeningAt({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('The output of the emulated service cannot be read')
  for await (const line of createInterface({ input: stdout })) {
    const url = /(http:\/\/[\w.:[\]]+)\/?$/.exec(line)?.[1]
    if (url !== undefined) {
      stdout.resume()
      return url
    }
  }
  throw new Error('The emulated service did not start')
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
