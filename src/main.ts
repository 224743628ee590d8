import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { ConfigError } from './errors.ts'
import { threadPoolSize } from './users/passwords/hashing-queue.ts'

// Compiled code of earlier starts: a start takes half the time. Not in /tmp, where another user could plant code.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
const { runLoginApp } = await import('./login-app.ts')

process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize())

const HOST_FAULTS: readonly string[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAFNOSUPPORT']
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const
const exitNow = () => process.exit(0)

// PID 1 of a container ignores a signal without a listener.
for (const signal of STOP_SIGNALS) process.on(signal, exitNow)
try {
  const app = await runLoginApp(process.env)
  for (const signal of STOP_SIGNALS) process.on(signal, () => void app.stop(signal)).off(signal, exitNow)
  // Comes last, because a program that reads this line may send a signal immediately.
  app.sayStarted()
  // V8 takes the objects of each session for long-lived, and collects them late: a returning viewer costs 40 % more CPU.
  // Not a flag of `npm start`, because V8 then refuses the compiled code inside Node: the start takes 100 ms more.
  setFlagsFromString('--no-allocation-site-pretenuring')
} catch (error) {
  process.stderr.write(`${startFault(error)}\n`)
  // Open stores would keep the process running.
  process.exit(1)
}

function startFault(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const { code = '', port, message } = error as NodeJS.ErrnoException & { readonly port?: number }
  if (code === 'EADDRINUSE') return `Port ${port} is used by another program. Stop that program, or set another PORT.`
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} cannot be opened by this user. Set PORT to a port above 1023.`
  if (HOST_FAULTS.includes(code)) {
    return `HOST must be an address of this machine, such as 0.0.0.0 or 127.0.0.1 (${code}).`
  }
  return `The login app cannot start: ${message}`
}
