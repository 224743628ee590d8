import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { PlayerContext } from '../../login/request/player-context.ts'

/** 256 bits. */
const RANDOM_BYTES = 32

export function randomText(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url')
}

/** Digests a random text, so that a reader of the store cannot use its content. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** Digests a form of a page: only the page that was sent twice has the same. Undefined for a form without the text of its page. */
export function formDigest(page: string | undefined, { fields }: Pick<PlayerContext, 'fields'>): string | undefined {
  return page ? digestOf(JSON.stringify([page, fields])) : undefined
}

/** True for a text with this digest. */
export function hasDigest(text: string | null, digest: string): boolean {
  if (text === null) return false
  const left = Buffer.from(digestOf(text))
  const right = Buffer.from(digest)
  return left.length === right.length && timingSafeEqual(left, right)
}
