import type { Config } from '../../../../config.ts'
import { isTokenEntryPoint, type TokenEntryPoint } from '../../../../features/token/fields.ts'
import type { SeenPlayer } from '../../../cli/doctor/answer-check.ts'
import { request } from '../../../cli/doctor/request.ts'
import type { LockTarget } from '../../../video-service/locks.ts'

/** A player that redirected its frame to an entry point with tokens. */
export interface TokenPlayer extends SeenPlayer {
  readonly entryPoint: TokenEntryPoint
  /** `ref`: the address that gets the token, as the player wrote it. */
  readonly fields: { readonly ref: string }
}

export function seenPlayer(entryPoint: TokenEntryPoint, ref: string): TokenPlayer {
  const shown = URL.canParse(ref) ? new URL(ref).origin + new URL(ref).pathname : 'no address'
  return { entryPoint, fields: { ref }, shown }
}

/** The behavior of the player of a channel or video without a token. */
export type PlayerLook =
  | { readonly kind: 'asks'; readonly player: TokenPlayer }
  | { readonly kind: 'asks-elsewhere'; readonly embed: string; readonly authUrl: string }
  /** It answers with a page. The channel or video then has no viewer auth, or a script of the page asks. */
  | { readonly kind: 'answers'; readonly embed: string }

export function tokenEntryPoints({ entryPoints }: Pick<Config, 'entryPoints'>): readonly TokenEntryPoint[] {
  return entryPoints.filter(isTokenEntryPoint)
}

/** Returns the player that redirects to this address. Null unless the address is an entry point with tokens, with `ref`. */
export function playerBehind(config: Config, { origin, pathname, searchParams }: URL): TokenPlayer | null {
  const ref = searchParams.get('ref')
  const entryPoint = tokenEntryPoints(config).find(({ basePath }) => {
    const paths = basePath === '' ? ['/', '/e/default'] : [basePath]
    return origin === config.publicUrl.origin && paths.includes(pathname)
  })
  return entryPoint === undefined || ref === null ? null : seenPlayer(entryPoint, ref)
}

/**
 * Opens the player of a channel or video without a token, as a browser does. Tries the documented path of the
 * player below each of REF_ADDRESSES, because the service does not publish the address of a player.
 * @returns null if no such address leads to a player.
 */
export async function lookAtPlayer(
  config: Config,
  target: LockTarget,
  signal: AbortSignal,
): Promise<PlayerLook | null> {
  const embeds = new Set(tokenEntryPoints(config).flatMap((entryPoint) => embedsIn(entryPoint, target)))
  let answering: PlayerLook | null = null
  for (const embed of embeds) {
    const answer = await request(embed, signal)
    if (!(answer instanceof Response)) continue
    const login = loginAddressIn(answer, embed)
    const player = login && playerBehind(config, login)
    if (player) return { kind: 'asks', player }
    if (login) return { kind: 'asks-elsewhere', embed, authUrl: login.origin + login.pathname }
    if (answer.status === 200) answering ??= { kind: 'answers', embed }
  }
  return answering
}

/** Returns the address that a player redirects to for a token. Null for an answer that asks for none. */
export function loginAddressIn(answer: Response, embed: string): URL | null {
  const location = answer.headers.get('location') ?? ''
  if (answer.status < 300 || answer.status >= 400 || !URL.canParse(location, embed)) return null
  const login = new URL(location, embed)
  return login.searchParams.has('ref') ? login : null
}

/** Returns the allowed addresses: `…/embed/ID` for a channel, `…/embed/recorded/ID` for a video. */
function embedsIn({ refAddresses }: TokenEntryPoint, { kind, id }: LockTarget): string[] {
  return refAddresses.flatMap(({ origin, path }) => {
    const isOfVideos = /\/recorded\/[^/]*$/.test(path)
    if (isOfVideos && kind === 'channel') return []
    const end = kind === 'video' && !isOfVideos ? `recorded/${id}` : id
    if (path.endsWith('/')) return [origin + path + end]
    return path.endsWith(`/${end}`) ? [origin + path] : []
  })
}
