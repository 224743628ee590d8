import type { ScreenPart } from '../../login/screens/screen-part.ts'
import { pathOf } from '../../login/screens/send.ts'
import { newSecret } from '../../services/mail-code/code.ts'
import type { CodeCookie } from '../../services/mail-code/code-cookie.ts'

/** The prompts: the form for the address, and the form for the code, with or without a word about late mails. */
export const PROMPTS = { address: 'mail', code: 'mail-code', late: 'mail-code-late' } as const
/** Placeholder for the secret of the frame in a cached screen. */
const SECRET = '\x83'

/** Creates the forms for the address and for the code. */
export function mailScreenPart(cookie: Pick<CodeCookie, 'read'>): ScreenPart {
  return {
    resume(req) {
      const left = cookie.read(req)
      return left && { prompt: PROMPTS.code, username: left.address, frameSecret: left.secret }
    },
    name: 'mail-sign-in',
    prompts: Object.values(PROMPTS).map((value) => ({ value })),
    // A new secret too, so that the form of the address has one: sent twice, it is one request.
    complete: (html, secret) => html.replaceAll(SECRET, () => secret ?? newSecret()),
    show({ texts, prompt, hasName, basePath, fields }) {
      const address = pathOf(basePath, { ...fields, prompt: PROMPTS.address })
      // An address of this screen that is opened without the form before it names no mailbox.
      const isCode = (prompt === PROMPTS.code || prompt === PROMPTS.late) && hasName
      return {
        template: isCode ? 'mail-sign-in/code-part' : 'mail-sign-in/address-part',
        part: { secret: SECRET, isLate: prompt === PROMPTS.late },
        link: isCode ? { address, text: texts['mail-code'].otherAddress } : null,
        id: 'use-mail',
        address,
        text: texts['mail-sign-in'].use,
      }
    },
  }
}
