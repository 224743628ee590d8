import { z } from 'zod'
import type { Config } from '../../../../config.ts'
import { request } from '../request.ts'

/** The body of `/health/ready`. `away` names the settings of the stores that do not answer. */
const Body = z.object({ status: z.string(), away: z.array(z.string()).default([]) })

export type Readiness = z.infer<typeof Body>

/** True if the app works now without what this setting names, because it does not answer. */
export async function isAway(setting: string, { publicUrl }: Config, signal: AbortSignal): Promise<boolean> {
  const ready = await request(`${publicUrl.origin}/health/ready`, signal)
  if (!(ready instanceof Response) || ready.status !== 200) return false
  return (await readinessIn(ready))?.away.includes(setting) ?? false
}

/** Returns the body of `/health/ready`. Null if another program sent it. */
export async function readinessIn(ready: Response): Promise<Readiness | null> {
  return Body.safeParse(await ready.json().catch(() => null)).data ?? null
}
