import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Certificate } from '../../servers/certificate.ts'
import type { ContractViewer } from '../user-store-contract.ts'

/** The misbehaviour of the service. Without a field, it behaves normally. */
export interface Fault {
  /** Status of every answer. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Body of every answer. */
  readonly body?: string
  /** Delay of every answer. */
  readonly delayMs?: number
  /** Resets connections: as they open, after the request was read, or in the middle of the answer. */
  readonly cut?: 'connection' | 'question' | 'answer'
  /** Number of requests or connections that the fault affects. Default: all. */
  readonly times?: number
}

export interface ServiceOptions {
  readonly port: number
  readonly token: string
  readonly viewers: readonly ContractViewer[]
  readonly tls?: Certificate
}

/** A request that the service received. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

export type Order =
  | { readonly kind: 'start'; readonly options: ServiceOptions }
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'seen' }

export interface LoginService {
  /** The sign-in address, or the look-up address `/find`. */
  url(path?: '/sign-in' | '/find'): string
  readonly token: string
  misbehave(fault: Fault): Promise<void>
  /** All requests since the start, in their order. */
  seen(): Promise<readonly Seen[]>
  /** Stops the process with SIGSTOP. The kernel still accepts connections. */
  pause(): void
  resume(): void
  /** Kills the process and its connections. */
  halt(): Promise<void>
  /** Restarts the process on the same port. Forgets the requests seen so far. */
  restart(): Promise<void>
}

const PROGRAM = fileURLToPath(new URL('login-service-program.ts', import.meta.url))
const TOKEN = 'service-credential~0a1b2c3d'

/** Starts a customer's login service as a process of its own, on a free loopback port. */
export async function startLoginService(viewers: readonly ContractViewer[], tls?: Certificate): Promise<LoginService> {
  let options: ServiceOptions = { port: 0, token: TOKEN, viewers, ...(tls ? { tls } : {}) }
  let child = launch()
  options = { ...options, port: Number(await order(child, { kind: 'start', options })) }

  async function halt(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return {
    url: (path = '/sign-in') => `${tls ? 'https' : 'http'}://localhost:${options.port}${path}`,
    token: TOKEN,
    misbehave: async (fault) => {
      await order(child, { kind: 'fault', fault })
    },
    seen: async () => (await order(child, { kind: 'seen' })) as Seen[],
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    halt,
    restart: async () => {
      await halt()
      child = launch()
      await order(child, { kind: 'start', options })
    },
  }
}

function launch(): ChildProcess {
  return fork(PROGRAM, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] })
}

async function order(child: ChildProcess, what: Order): Promise<unknown> {
  const answered = once(child, 'message')
  child.send(what)
  const [answer] = await answered
  return answer
}
