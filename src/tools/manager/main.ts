import { ConfigError } from '../../errors.ts'
import { threadPoolSize } from '../../users/passwords/hashing-queue.ts'
import { features } from '../features.ts'
import { runManager } from './run-manager.ts'

// libuv reads this at the first use of its thread pool.
process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize())

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const
const exitNow = () => process.exit(0)
for (const signal of STOP_SIGNALS) process.on(signal, exitNow)
try {
  const program = await runManager(process.env, features)
  const stop = () => void program.stop().then(exitNow)
  for (const signal of STOP_SIGNALS) process.on(signal, stop).off(signal, exitNow)
} catch (error) {
  process.stderr.write(`${startFault(error)}\n`)
  process.exit(1)
}

function startFault(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const { code = '', port, message } = error as NodeJS.ErrnoException & { readonly port?: number }
  if (code === 'EADDRINUSE') return `Port ${port} is used by another program. Set another MANAGER_PORT.`
  return `The page for managers cannot start: ${message}`
}
