import { type Headers, unframedHeaders } from '../../login/screens/headers.ts'

interface Content {
  /** True for a page with a form, whose post needs its origin. */
  readonly hasForm?: boolean
  readonly hasScript?: boolean
}

/**
 * Builds the headers of the pages in the window of a sign-in. There is no Cross-Origin-Opener-Policy: with it, a window
 * that inherits a sandbox is an error page. `rel="noopener"` gives what the policy would.
 */
export function windowHeaders(publicUrl: URL, { hasForm = false, hasScript = false }: Content = {}): Headers {
  const { 'Strict-Transport-Security': tls } = unframedHeaders(publicUrl)
  const formAction = hasForm ? "'self'" : "'none'"
  const policy = `default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`
  return Object.freeze({
    'Content-Security-Policy': hasScript ? `${policy}; script-src 'self'` : policy,
    'Cache-Control': 'no-store',
    'Referrer-Policy': hasForm ? 'same-origin' : 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...(tls !== undefined && { 'Strict-Transport-Security': tls }),
  })
}
