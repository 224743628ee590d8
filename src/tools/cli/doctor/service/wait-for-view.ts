import { setTimeout } from 'node:timers/promises'
import { pages } from '../../../video-service/analytics/analytics.ts'
import type { LockTarget } from '../../../video-service/locks.ts'
import { nameOf } from '../../service/lock-target.ts'
import { withService } from '../../service/service.ts'
import type { Refused } from '../../terminal/command.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { type Finding, ok, unknown } from '../finding.ts'

const LIMIT_MS = 300_000
const ASK_EVERY_MS = 3_000

interface Watched {
  readonly target: LockTarget
  /** The viewer's identifier in the analytics of the service. */
  readonly viewer: string
  /** How long a player may use an earlier response. */
  readonly rememberedSeconds: number
}

/**
 * Waits until the viewer watches, for five minutes at most. The player then accepted a response, so the lock has the secret
 * of the app. If the viewer watched shortly before, a player may still have an earlier response (spec, States and
 * transitions 3), and nothing is proven.
 */
export async function waitForView(
  io: CommandIo,
  { target, viewer, rememberedSeconds }: Watched,
  { limitMs = LIMIT_MS, everyMs = ASK_EVERY_MS } = {},
): Promise<Finding | Refused> {
  return await withService(io, async ({ settings, send, analyticsToken, signal }) => {
    const startMs = Date.now()
    const from = new Date(startMs - rememberedSeconds * 1000).toISOString().replace(/\.\d+Z$/, '+00:00')
    const deps = { settings, send, token: analyticsToken }
    const hasWatched = async () => {
      const contentType = target.kind === 'channel' ? ('live' as const) : ('recorded' as const)
      const scope = { contentType, contentIds: [target.id], viewerIdentifier: viewer, period: { from } }
      for await (const { rows } of pages(deps, { report: 'viewers', ...scope }, signal)) {
        if (rows.some((row) => row.viewer_identifier === viewer && row.segments.length > 0)) return true
      }
      return false
    }
    const who = `${viewer} on ${nameOf(target)}`
    if (await hasWatched()) {
      return unknown(
        'watched-before',
        `The analytics have a view by ${who} of the last ${Math.round(rememberedSeconds / 60)} minutes, so the player may still have an earlier response. Use --watch with another viewer.`,
      )
    }
    io.stderr.write(`Watch ${nameOf(target)} as ${viewer} now. Waiting for up to ${limitMs / 60_000} minutes …\n`)
    while (Date.now() - startMs < limitMs) {
      await setTimeout(everyMs, undefined, { signal })
      if (await hasWatched()) {
        return ok('lock-secret-watched', `The service reports a view by ${who}: the player accepted a response.`)
      }
    }
    return unknown(
      'not-watched',
      `The service reported no view by ${who} in ${limitMs / 60_000} minutes. If the viewer watched, give --watch the name that the analytics of the service show.`,
    )
  })
}
