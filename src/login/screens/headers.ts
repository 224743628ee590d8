import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'
import type { EntryPoint } from '../../entry-points/entry-point.ts'

export type Headers = Readonly<Record<string, string>>
export type HeadersFor = (returnOrigin: string | null, hasScript?: boolean) => Headers

/** Origins are in the form of `URL.origin`. Without `frameAncestors`, no page may frame the response. */
interface HeaderOptions {
  readonly isTls: boolean
  readonly frameAncestors: readonly string[]
  /** The origins that its forms may redirect to, besides this app. */
  readonly formTargets: readonly string[]
  readonly scriptDirectives: { readonly scriptSrc: string[]; readonly connectSrc?: string[] } | undefined
}

const TWO_YEARS_SECONDS = 63_072_000

/**
 * Builds the security headers of one kind of response with helmet. They depend only on the entry point and the return
 * address, so they are built once and reused.
 */
function screenHeaders({ isTls, frameAncestors, formTargets, scriptDirectives }: HeaderOptions): Headers {
  const headers = new Map([['Cache-Control', 'no-store']])
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  }
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        ...scriptDirectives,
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        fontSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        // Chromium and Safari apply form-action to the redirect that follows the post: the return address must be here.
        formAction: ["'self'", ...formTargets],
        frameAncestors: frameAncestors.length === 0 ? ["'none'"] : [...frameAncestors],
        // Not on plain http, where browsers would then send the form to https.
        ...(isTls ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    xFrameOptions: false, // cannot allow several origins; frame-ancestors does
    referrerPolicy: { policy: 'same-origin' }, // with no-referrer, our own form would post `Origin: null`
    crossOriginOpenerPolicy: false, // a player that opens us in a popup needs window.opener
    // A player with COEP can frame only responses with both headers.
    crossOriginEmbedderPolicy: { policy: 'require-corp' },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    strictTransportSecurity: isTls ? { maxAge: TWO_YEARS_SECONDS, includeSubDomains: true } : false,
  })
  setHeaders(response as unknown as IncomingMessage, response as unknown as ServerResponse, (error?: unknown) => {
    if (error !== undefined) throw error
  })
  return Object.freeze(Object.fromEntries(headers))
}

/**
 * Returns the headers of a response that no page may frame, such as a health check.
 * @param hasScript for a page whose passwords `public/login.js` can show.
 */
export function unframedHeaders(publicUrl: URL, hasScript = false): Headers {
  const scriptDirectives = hasScript ? { scriptSrc: ["'self'"] } : undefined
  const isTls = publicUrl.protocol === 'https:'
  return screenHeaders({ isTls, frameAncestors: [], formTargets: [], scriptDirectives })
}

/** Returns the headers of one entry point by return origin. Null is for a screen without a way to the player. */
export function entryPointHeaders(entryPoint: Pick<EntryPoint, 'playerOrigins'>, isTls: boolean): HeadersFor {
  const cache = new Map<string, Headers>()
  return (returnOrigin, hasScript = false) => {
    const key = `${hasScript} ${returnOrigin}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const scriptDirectives = hasScript ? { scriptSrc: ["'self'"], connectSrc: ["'self'"] } : undefined
    const formTargets = returnOrigin === null ? [] : [returnOrigin]
    const headers = screenHeaders({ isTls, frameAncestors: entryPoint.playerOrigins, formTargets, scriptDirectives })
    cache.set(key, headers)
    return headers
  }
}
