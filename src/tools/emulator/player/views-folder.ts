import { fileURLToPath } from 'node:url'
import type { Response } from 'express'

/** Returns the file of a view of this room. */
export function view(name: string): string {
  return fileURLToPath(new URL(`./views/${name}.ejs`, import.meta.url))
}

/** Sends the page for an unknown channel or video. */
export function sendNotFound(res: Response): void {
  const message = 'There is no channel or video with this ID. It may have been deleted, or the emulator was reset.'
  res.status(404).render(view('message'), { heading: 'Page not found', message })
}
