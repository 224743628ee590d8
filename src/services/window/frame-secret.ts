import { digestOf, randomText } from './random-text.ts'

/**
 * Joins the frame to its sign-in window. Only the frame knows the secret, and collects the result with it. The window gets
 * its id, a digest of the secret.
 */
export interface FrameSecret {
  readonly frameSecret: string
  readonly windowId: string
}

/** Placeholders for both in a cached screen. */
export const PLACEHOLDERS: FrameSecret = { frameSecret: '\x81', windowId: '\x82' }

/**
 * Puts a secret and its id into a cached screen.
 * @param frameSecret of the screen before. Default: a new one, of 256 random bits.
 */
export function withFrameSecret(html: string, frameSecret = randomText()): string {
  return html.replace(PLACEHOLDERS.frameSecret, frameSecret).replace(PLACEHOLDERS.windowId, digestOf(frameSecret))
}
