import { hash, randomBytes } from 'node:crypto'

/**
 * Joins the frame to its sign-in window. Only the frame knows the secret, and collects the result with it. The window gets
 * its id, a digest of the secret.
 */
export interface FrameSecret {
  readonly frameSecret: string
  readonly windowId: string
}

/** Placeholders for both in a cached screen. */
export const PLACEHOLDERS: FrameSecret = { frameSecret: '\ue001', windowId: '\ue002' }

/** Returns the public half of a frame's secret. */
export function windowIdOf(frameSecret: string): string {
  return hash('sha256', frameSecret, 'base64url')
}

/**
 * Puts a secret and its id into a cached screen.
 * @param frameSecret of the screen before. Default: a new one, of 256 random bits.
 */
export function withFrameSecret(html: string, frameSecret = randomBytes(32).toString('base64url')): string {
  return html.replace(PLACEHOLDERS.frameSecret, frameSecret).replace(PLACEHOLDERS.windowId, windowIdOf(frameSecret))
}
