import { fileURLToPath } from 'node:url'
import type { Response } from 'express'

/** Returns the file of a view of this room. */
export function view(name: string): string {
  return fileURLToPath(new URL(`./views/${name}.ejs`, import.meta.url))
}

const UNKNOWN_CONTENT =
  'There is no channel or video with this ID. It may have been deleted, or the emulator was reset.'

/**
 * Sends the page for an unknown channel, video or path.
 * @param publicUrl the emulator's address, without a slash at the end, for the link to its home page.
 */
export function sendNotFound(res: Response, publicUrl: string, message = UNKNOWN_CONTENT): void {
  res.status(404).render(view('message'), { heading: 'Page not found', message, homeUrl: `${publicUrl}/` })
}
