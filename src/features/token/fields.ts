import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { fail, reasonOf } from '../../settings/fields.ts'
import { parseContentKey } from './viewer-token/content-key.ts'

export const DEFAULT_SUBJECT_ATTRIBUTE = 'username'
export const CONTENT_KEY_MISSING =
  'is required: the private key of the content in PEM form; make one with: npm run -s viewer-auth -- secret generate --key-pair FILE'
export const REF_ADDRESSES_MISSING =
  'is required: the addresses of the player that a ref may have, such as https://player.example/embed/1002'
export const KEY_URL_MISSING =
  'is required: the address of the keys that tokens are encrypted with, such as https://api.example/viewer-auth-public-key.json'

export const ViewerAuth = z.enum(['hash', 'token'], 'must be hash or token')

/** The private key of a content. */
export const ContentKey = z.string('must be text').transform((text, context): KeyObject => {
  try {
    return parseContentKey(text)
  } catch (error) {
    return fail(context, reasonOf(error))
  }
})

/** The attribute of the viewer that becomes `sub`. */
export const TokenSubject = z
  .string('must be text')
  .regex(/^[^\s,=\p{Cc}]{1,64}$/u, 'must be the name of one attribute, such as username')

/** Parses the address of the service's keys. @throws RangeError */
export function parseKeyUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || /[\s\p{C}]/u.test(text)) {
    throw new RangeError('must be an https address, such as https://api.example/viewer-auth-public-key.json')
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new RangeError('must contain neither a user name nor a fragment')
  }
  return url.href
}
