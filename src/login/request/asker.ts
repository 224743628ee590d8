import type { Request } from 'express'
import type { EntryPoint } from '../../entry-points/entry-point.ts'

/** True for a post of the script `public/login.js`. Other sites could not read the answer. */
export function isAskedByScript(
  { headers }: Pick<Request, 'headers'>,
  { hasScript }: Pick<EntryPoint, 'hasScript'>,
): boolean {
  return hasScript && headers.accept === 'application/json'
}

/** True for a navigation. A script could read the response, but would not lead the viewer to the player. */
export function isNavigation(req: Pick<Request, 'method' | 'headers'>): boolean {
  const destination = req.headers['sec-fetch-dest']
  const isShown = destination === undefined || destination === 'iframe' || destination === 'document'
  return isShown && req.method !== 'HEAD'
}
