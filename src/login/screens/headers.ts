import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'
import type { EntryPoint } from '../../entry-points/entry-point.ts'

export type Headers = Readonly<Record<string, string>>

/** What the headers of one response depend on. Origins only, as `URL.origin` gives them. */
export interface HeaderOptions {
  /** Whether PUBLIC_URL is https. */
  readonly isTls: boolean
  /** Who may frame it; nobody where empty. */
  readonly frameAncestors: readonly string[]
  /** Where its forms may lead, besides to this app. */
  readonly formTargets: readonly string[]
}

const TWO_YEARS_SECONDS = 63_072_000

/**
 * The security headers of one kind of response, made by helmet once and then only sent: they differ by entry point and
 * return address and by nothing else.
 */
export function screenHeaders({ isTls, frameAncestors, formTargets }: HeaderOptions): Headers {
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' }
  const response = {
    setHeader(name: string, value: string) {
      headers[name] = value
    },
    removeHeader(name: string) {
      delete headers[name]
    },
  }
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        fontSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        // Chromium and Safari apply form-action to the redirect that follows the post: the return address must be here.
        formAction: ["'self'", ...formTargets],
        frameAncestors: frameAncestors.length === 0 ? ["'none'"] : [...frameAncestors],
        // Elsewhere than on localhost it would send the post of a plain-http page to https.
        ...(isTls ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    xFrameOptions: false, // the player frames us; frame-ancestors is the guard, and has no older equivalent for a list
    referrerPolicy: { policy: 'same-origin' }, // with no-referrer, our own form's post would say `Origin: null`
    crossOriginOpenerPolicy: false, // a player that opens us in a popup keeps its handle on it
    // A player that isolates itself with COEP can frame only what says both; harmless under any other.
    crossOriginEmbedderPolicy: { policy: 'require-corp' },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    strictTransportSecurity: isTls ? { maxAge: TWO_YEARS_SECONDS, includeSubDomains: true } : false,
  })
  setHeaders(response as unknown as IncomingMessage, response as unknown as ServerResponse, throwIfAny)
  return Object.freeze(headers)
}

/** Headers for one entry point's screens and redirects, by return origin; null for a screen that leads nowhere. */
export function entryPointHeaders(
  entryPoint: Pick<EntryPoint, 'playerOrigins'>,
  isTls: boolean,
): (returnOrigin: string | null) => Headers {
  const made = new Map<string | null, Headers>()
  return (returnOrigin) => {
    const known = made.get(returnOrigin)
    if (known !== undefined) return known
    const formTargets = returnOrigin === null ? [] : [returnOrigin]
    const headers = screenHeaders({ isTls, frameAncestors: entryPoint.playerOrigins, formTargets })
    made.set(returnOrigin, headers)
    return headers
  }
}

function throwIfAny(error?: unknown): void {
  if (error !== undefined) throw error
}
