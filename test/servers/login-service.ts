import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ContractViewer } from '../users/user-store-contract.ts'
import type { Certificate } from './certificate.ts'

/** How the service misbehaves from now on; it answers as agreed without. */
export interface Fault {
  /** The status of every answer. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The text of every answer. */
  readonly body?: string
  /** Every answer waits so long. */
  readonly delayMs?: number
  /** Connections are cut: as they are made, when a question was read, or in the middle of the answer. */
  readonly cut?: 'connection' | 'question' | 'answer'
  /** Only so many questions are met by it. */
  readonly times?: number
}

export interface ServiceOptions {
  readonly port: number
  readonly token: string
  readonly viewers: readonly ContractViewer[]
  readonly tls?: Certificate
}

/** What the service saw of a question. */
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
  /** Where a sign-in is asked for; `/find` is the address that looks viewers up. */
  url(path?: '/sign-in' | '/find'): string
  readonly token: string
  misbehave(fault: Fault): Promise<void>
  /** Every question since the start, in its order. */
  seen(): Promise<readonly Seen[]>
  /** Stops the process with SIGSTOP: the kernel still takes connections, and nobody answers. */
  pause(): void
  resume(): void
  /** Ends the process, its connections at once. */
  halt(): Promise<void>
  /** Ends and starts it again on the same port; it has forgotten what it saw. */
  restart(): Promise<void>
}

const PROGRAM = fileURLToPath(new URL('login-service-program.ts', import.meta.url))
const TOKEN = 'service-credential~0a1b2c3d'

/** Starts a customer's login service, a process of its own, on a free port of the loopback address. */
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
