import type { FindFrameLock } from '../player/content.ts'
import { withParameters } from '../player/entry-address.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { CheckToken } from './check-token.ts'

/** Returns a function that reads the viewer auth of a channel or video. */
export function tokenLockFinder({ database, publicUrl }: ServiceDeps, checkToken: CheckToken): FindFrameLock {
  const find = database.prepare('SELECT * FROM viewer_auth WHERE content_type = ? AND content_id = ?')
  return (type, id, isInherited) => {
    const row = find.get(type, id)
    if (row === undefined) return null
    const url = String(row.auth_url)
    const publicKey = String(row.public_key)
    return {
      kind: 'frame',
      name: 'by viewer tokens',
      url,
      key: `public key ${publicKey}`,
      isInherited,
      async open(req, path, components) {
        const renewUrl = embedAddress(publicUrl, path, req.originalUrl)
        const result = await checkToken(req.query.vt, publicKey, components)
        // Also for a refused token: after a reload, the address still has the used one.
        return result.ok ? { ...result, renewUrl } : { ...result, loginUrl: authAddress(url, renewUrl) }
      },
    }
  }
}

/**
 * The `auth_url` of a channel or video with `ref`, the address that gets the token.
 * @param ref see embedAddress().
 */
function authAddress(url: string, ref: string): string {
  return withParameters(url, `ref=${encodeURIComponent(ref)}`)
}

/**
 * The address of an embed without `vt`: the login app appends a new one. Other parameters stay, byte for byte.
 * @param originalUrl path and query of the request.
 */
function embedAddress(publicUrl: string, path: string, originalUrl: string): string {
  const at = originalUrl.indexOf('?')
  const pairs = at === -1 ? [] : originalUrl.slice(at + 1).split('&')
  const others = pairs.filter((pair) => pair !== '' && !new URLSearchParams(pair).has('vt'))
  return `${publicUrl}${path}${others.length === 0 ? '' : `?${others.join('&')}`}`
}
