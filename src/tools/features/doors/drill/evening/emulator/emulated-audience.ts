import { randomUUID } from 'node:crypto'
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { isLoopbackHost } from '../../../../../../settings/fields.ts'
import type { Audience, Watch } from '../evening-viewers.ts'

const HEARTBEAT_MS = 10_000
const TIMEOUT_MS = 30_000
const Opening = z.object({ valid: z.literal(true), playback: z.string() })
const Started = z.object({ segment_id: z.string() })

/** Viewers who watch a channel of the emulated service, as its player does: so its reports have them. */
export const emulatedAudience: Audience = {
  addOptions: (command) =>
    command.option('--watch <ID>', 'with --evening: viewers watch this channel of the emulated service', channelId),
  open: ({ watch }: { readonly watch?: string }) => (watch === undefined ? null : watchChannel(watch)),
}

function channelId(text: string): string {
  if (/^\d{1,15}$/.test(text)) return text
  throw new InvalidArgumentError('Use the id of a channel, such as 1300.')
}

/** @returns a viewer who watches on this machine only: a real service must not get made-up views. */
export function watchChannel(id: string): Watch {
  const content = { content_type: 'live', content_id: id }
  return async ({ origin, hostname }, response, { nowMs, until }, leavesMs) => {
    if (!isLoopbackHost(hostname)) return false
    const opening = Opening.safeParse(await post(`${origin}/embed/hashlock/validate`, { ...content, response }))
    if (!opening.success) return false
    const moment = { ...content, playback: opening.data.playback, position: null }
    const viewer = { view_session_id: randomUUID(), client_id: randomUUID(), view_type: 'offsite' }
    const started = Started.safeParse(await post(`${origin}/embed/views/start`, { ...moment, ...viewer }))
    if (!started.success) return false
    let isRunning = true
    while (isRunning && nowMs() < leavesMs) {
      isRunning = await until(Math.min(leavesMs, nowMs() + HEARTBEAT_MS))
      if (isRunning && nowMs() < leavesMs) await post(`${origin}/embed/views/heartbeat`, { ...moment, ...started.data })
    }
    await post(`${origin}/embed/views/end`, { ...started.data, position: null })
    return true
  }
}

/** @returns the JSON of the answer; null for any other answer. */
async function post(address: string, body: object): Promise<unknown> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => null)
  return await answer?.json().catch(() => null)
}
