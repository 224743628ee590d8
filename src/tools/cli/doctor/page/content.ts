import type { LockTarget } from '../../../video-service/locks.ts'
import { type Finding, unknown } from '../finding.ts'
import { shown } from './finding-of-obstacle.ts'
import type { FramedDocument } from './framed-document.ts'

/**
 * Compares the players of a page with the channel or video whose lock was checked: the player decides which lock counts.
 * @returns null if all players have its id, or if there is nothing to compare.
 */
export function otherContent(
  address: URL,
  players: readonly (readonly FramedDocument[])[],
  target: LockTarget | null,
): Finding | null {
  const seen = players.flatMap((path) => path.at(-1)?.addresses[0] ?? [])
  const others = target === null ? [] : seen.filter((url) => !shows(url, target))
  if (target === null || others.length === 0) return null
  const names = others.map((url) => shown(url)).join(', ')
  return unknown(
    'page-other-content',
    `The page ${shown(address)} ${others.length < seen.length ? 'also ' : ''}embeds ${names}, which does not name the ${target.kind} ${target.id}. So the lock that was checked may not be the lock of this page. Use --channel or --video with what the page shows, or correct the page.`,
  )
}

/** True if a part of the address is the id. A recorded video is below the folder `recorded`. */
function shows({ pathname, searchParams }: URL, { kind, id }: LockTarget): boolean {
  const parts = pathname.split('/')
  const at = parts.indexOf(id)
  if (at === -1) return [...searchParams.values()].includes(id)
  return kind === 'video' || parts[at - 1] !== 'recorded'
}
