import { createHash } from 'node:crypto'

/** Returns the source by which a Content-Security-Policy allows exactly this script or style of a page. */
export function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
