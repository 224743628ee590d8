import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { type Finding, failure, PROXY_OR_SETTINGS } from '../finding.ts'
import type { FramedDocument } from './framed-document.ts'
import type { Obstacle } from './obstacles.ts'

/**
 * Says what browsers do because of an obstacle, and who can remove it.
 * @param path the page, the documents between, and the player; with an entry point, also its sign-in screen.
 * @param entryPoint given if the obstacle is in the player, not on the way to it.
 */
export function findingOfObstacle(
  obstacle: Obstacle,
  path: readonly FramedDocument[],
  entryPoint?: Pick<EntryPoint, 'playerOrigins'>,
): Finding {
  const page = shown(path[0]?.url)
  const isScreen = 'document' in obstacle && entryPoint !== undefined && obstacle.document === path.at(-1)
  switch (obstacle.kind) {
    case 'ancestors':
      return isScreen
        ? refusedByScreen(page, obstacle.origins, entryPoint)
        : failure(
            'page-frame-refused',
            `${page}: ${shown(obstacle.document.url)} does not allow ${obstacle.origins.join(', ')} to frame it (frame-ancestors). Ask the operator of ${obstacle.document.url.host} to allow it.`,
          )
    case 'x-frame-options':
      return failure(
        'page-frame-refused',
        `${page}: ${shown(obstacle.document.url)} sends X-Frame-Options, so browsers do not show it in a frame. Ask the operator of ${obstacle.document.url.host} to remove this header.`,
      )
    case 'frame-src':
      return frameSource(page, obstacle.parent, obstacle.refused, entryPoint !== undefined)
    case 'embedder-policy':
      return failure(
        'page-embedder-policy',
        `${page}: ${shown(obstacle.parent.url)} sends Cross-Origin-Embedder-Policy, so browsers do not show ${shown(obstacle.document.url)} without the header ${obstacle.lacks}. Remove the policy from the page, or add this header.`,
      )
    case 'mixed-content':
      return failure(
        'page-mixed-content',
        `${page} has https, so browsers do not show ${shown(obstacle.refused)} in it. Embed the https address.`,
      )
    case 'frame-csp':
      return failure(
        'page-frame-csp',
        `${page}: the frame of ${shown(obstacle.document.url)} has the attribute csp, so Chromium and Edge do not show it. Remove the attribute.`,
      )
    case 'sandbox':
      return failure(
        'page-sandbox',
        `${page}: ${shown(obstacle.document.url)} is in a sandbox without ${obstacle.lacks.join(', ')}. Add these to the attribute sandbox of its frame, or remove the attribute.`,
      )
  }
}

function refusedByScreen(
  page: string,
  origins: readonly string[],
  { playerOrigins }: Pick<EntryPoint, 'playerOrigins'>,
): Finding {
  const missing = origins.filter((origin) => !playerOrigins.includes(origin))
  return missing.length > 0
    ? failure(
        'page-origin-missing',
        `PLAYER_ORIGINS lacks ${missing.join(', ')}, so browsers do not show the sign-in screen on ${page}. Add it, and restart the app.`,
      )
    : failure(
        'frame-ancestors',
        `The sign-in screen does not allow ${origins.join(', ')} to frame it, but PLAYER_ORIGINS does. ${PROXY_OR_SETTINGS}`,
      )
}

function frameSource(page: string, parent: FramedDocument, refused: URL, isPlayer: boolean): Finding {
  return isPlayer
    ? failure(
        'player-frame-src',
        `${page}: the policy of the player ${shown(parent.url)} does not let ${refused.origin} into a frame. Check that the lock leads to this app.`,
      )
    : failure(
        'page-frame-src',
        `${page}: the Content-Security-Policy of ${shown(parent.url)} does not let ${refused.origin} into a frame. Add it to frame-src of that policy.`,
      )
}

/** The address without its query, which may hold secrets. */
export function shown(url: URL | undefined): string {
  return url === undefined ? '' : url.origin + url.pathname
}
