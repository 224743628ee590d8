import type { ScreenPart } from '../../login/screens/screen-part.ts'
import { pathOf } from '../../login/screens/send.ts'
import { newSecret } from '../../services/mail-code/code.ts'
import type { CodeCookie } from '../../services/mail-code/code-cookie.ts'

/** The prompts: the form for the address, and the form for the code, with or without a word about late mails. */
export const PROMPTS = { address: 'mail', code: 'mail-code', late: 'mail-code-late' } as const
/** Without it, the link to the password leads back to a form for a code. */
const PASSWORD = 'password'
/** Placeholder for the secret of the frame in a cached screen. */
const SECRET = '\ue003'

/** Creates the forms for the address and for the code. @param isOnly true if there is no password form. */
export function mailScreenPart(isOnly: boolean, cookie: Pick<CodeCookie, 'read'>): ScreenPart {
  return {
    resume(req) {
      const left = cookie.read(req)
      return left && { prompt: PROMPTS.code, username: left.address, frameSecret: left.secret }
    },
    prompts: Object.values(PROMPTS).map((value) => ({ value })),
    isFirst: isOnly,
    stylesheet: 'mail-sign-in.css',
    // A new secret too, so that the form of the address has one: sent twice, it is one request.
    complete: (html, secret) => html.replaceAll(SECRET, () => secret ?? newSecret()),
    show({ texts, prompt, hasName, basePath, fields }) {
      const way = { id: 'use-mail', address: pathOf(basePath, { ...fields, prompt: PROMPTS.address }), text: '' }
      const isOwn = Object.values<string | undefined>(PROMPTS).includes(prompt)
      // An address of this screen that is opened without the form before it names no mailbox.
      const isCode = isOwn && prompt !== PROMPTS.address && hasName
      const isAddress = !isCode && (isOwn || isOnly)
      const part = { secret: SECRET, isLate: prompt === PROMPTS.late }
      return {
        template: isCode ? 'mail-sign-in/code-part' : isAddress ? 'mail-sign-in/address-part' : null,
        part: { ...part, passwordAddress: isOnly ? null : pathOf(basePath, { ...fields, prompt: PASSWORD }) },
        link: isCode ? { address: way.address, text: texts['mail-code'].otherAddress } : null,
        way: { ...way, text: texts['mail-sign-in'].use },
      }
    },
  }
}
