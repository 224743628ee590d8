import type { AuthenticatedViewer } from '../../src/login/route-deps.ts'
import { createPasses } from '../../src/services/pass/passes.ts'
import { openMemoryCounter } from '../../src/sign-in-limits/memory-counters.ts'
import { type Installation, usernameOf } from './installation.ts'

/** Seals the sign-ins of viewers, as the app does after a password. */
export function passPaths({ environment }: Pick<Installation, 'environment'>, count: number): string[] {
  const nowSeconds = () => Date.now() / 1000
  const services = {
    publicUrl: new URL(environment.PUBLIC_URL ?? ''),
    sessionSettings: { secrets: [environment.SESSION_SECRET ?? ''], lifetimeSeconds: 28_800 },
    nowSeconds,
    openCounter: openMemoryCounter,
    // Only for passes of sessions.
    sessionStore: {} as never,
    hasEnded: async () => false,
  }
  const describe = ({ username }: { username: string }) => ({ username, signedInAtSeconds: Math.floor(nowSeconds()) })
  const passes = createPasses(services, 'waiting', 'default', { describe })
  return Array.from({ length: count }, (_, index) => {
    const viewer = { username: usernameOf(index), groups: [], attributes: {} }
    const visit = { viewer, context: { fields: {} }, outcome: 'signed-in' } as unknown as AuthenticatedViewer
    return `/wait?pass=${passes.issue(visit)}`
  })
}
