import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Certificate } from '../../servers/certificate.ts'
import type { ContractViewer } from '../user-store-contract.ts'

/** The misbehavior of the service. Without a field, it behaves normally. */
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

export type LoginService = Awaited<ReturnType<typeof startLoginService>>

const PROGRAM = fileURLToPath(new URL('login-service-program.ts', import.meta.url))
const TOKEN = 'service-credential~0a1b2c3d'

/** Starts a customer's login service as a process of its own, on a free loopback port. */
export async function startLoginService(viewers: readonly ContractViewer[], tls?: Certificate) {
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
    url: (path: '/sign-in' | '/find' = '/sign-in') => `${tls ? 'https' : 'http'}://localhost:${options.port}${path}`,
    token: TOKEN,
    misbehave: async (fault: Fault) => {
      await order(child, { kind: 'fault', fault })
    },
    seen: async () => (await order(child, { kind: 'seen' })) as Seen[],
    /** The kernel still accepts connections. */
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    halt,
    /** Restarts the process on the same port. Forgets the requests seen so far. */
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
