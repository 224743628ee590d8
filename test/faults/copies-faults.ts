import { startProxy } from '../servers/proxy.ts'
import { type AppProgram, startApp } from './app-program.ts'
import type { Fault, Stage } from './rehearse.ts'
import { remoteStore } from './remote-stores.ts'
import { AWAY } from './store-faults.ts'

/** Faults of two copies behind the proxy of compose.yaml, which share PostgreSQL and Redis. */
export const copiesFaults: readonly Fault[] = [
  {
    id: 'copy-frozen',
    sees: {},
    maySee: { 'right password': ['504'], 'wrong password': ['504'] },
    waitSeconds: 13,
    recoverySeconds: 3,
    prepare: () =>
      prepareCopies(({ pid }) => ({
        begin: () => process.kill(pid, 'SIGSTOP'),
        end: () => process.kill(pid, 'SIGCONT'),
        lastsMs: 12_000,
      })),
  },
  {
    id: 'copy-killed',
    sees: {},
    maySee: { 'right password': ['502'], 'wrong password': ['502'] },
    waitSeconds: 3,
    recoverySeconds: 3,
    prepare: () => prepareCopies((copy, restart) => ({ begin: copy.kill, end: restart })),
  },
  {
    id: 'copies-postgres-stopped',
    sees: AWAY,
    waitSeconds: 2,
    recoverySeconds: 8,
    prepare: async () => {
      const postgres = await remoteStore('postgres')
      return await prepareCopies(() => ({ begin: postgres.stop, end: postgres.restart }))
    },
  },
]

type CopyFault = Pick<Stage, 'begin' | 'end' | 'lastsMs'>

async function prepareCopies(faultOf: (copy: AppProgram, restart: () => Promise<void>) => CopyFault): Promise<Stage> {
  const [postgres, redis] = await Promise.all([remoteStore('postgres'), remoteStore('redis')])
  const { SESSION_STORE_URL = '', LIMITS_STORE_URL = '' } = await redis.settingsAt('127.0.0.1', redis.port)
  const settings = {
    ...(await postgres.settingsAt('127.0.0.1', postgres.port)),
    SESSION_STORE_URL,
    LIMITS_STORE_URL,
    TRUST_PROXY_HOPS: '1',
  }
  const copies: [AppProgram, AppProgram] = await Promise.all([startApp({ settings }), startApp({ settings })])
  const restart = async () => {
    copies[0] = await startApp({ settings, port: copies[0].port })
  }
  const { port } = await startProxy(copies)
  return { port, copies, ...faultOf(copies[0], restart) }
}
