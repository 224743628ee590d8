import { mailSignInRoutes } from '../../../../features/mail-sign-in/routes.ts'
import { mailScreenPart, PROMPTS } from '../../../../features/mail-sign-in/screen-part.ts'
import { createCodeCookie } from '../../../../services/mail-code/code-cookie.ts'
import { codeMail } from '../../../../services/mail-code/code-mail.ts'
import type { CodeUse } from '../../../../services/mail-code/mail-codes.ts'
import type { FeatureScenes } from '../../../cli/preview/screen.ts'

const ADDRESS = 'ada.lovelace@example.com'
/** An address whose mails are late. */
const LATE = 'late@example.com'
/** This address left the list after its code was sent. Any code is right. */
const REMOVED = 'removed@example.com'
const SECRET = 'x'.repeat(43)
const MAIL = { scope: '', requestId: '', address: ADDRESS, code: '23456789', device: [], atMs: 0, endsAtSeconds: 0 }
const ASK = '/mail-code'
const CHECK = '/mail-code/check'

/** The forms of the sign-in with a code by mail. It sends no mail. Only the removed address has a right code. */
export const mailSignInPreview: FeatureScenes = {
  open: (services) => ({
    at: (entryPoint) => ({
      screenPart: mailScreenPart({ read: () => null }),
      routes: (deps) =>
        mailSignInRoutes({
          ...deps,
          cookie: createCodeCookie(services, 'mail-sign-in', entryPoint.name),
          codes: {
            ask: ({ address }) => Promise.resolve({ ok: true, secret: SECRET, isLate: address === LATE }),
            use: ({ address, code }) => Promise.resolve(useOf(address, code)),
          },
          viewers: {
            find: () => Promise.resolve({ viewer: null }),
            isListed: () => false,
            acceptsSession: () => true,
          },
        }),
    }),
  }),
  async screens({ app, fields, entryPoint, language }) {
    const ask = async (mail: string) => (await app.post(ASK, { fields: { ...fields, mail } })).html
    const check = async (mail: string, code: string) =>
      (await app.post(CHECK, { fields: { ...fields, mail, code, frame: SECRET } })).html
    return [
      { name: 'mail', html: (await app.get('', { fields: { ...fields, prompt: PROMPTS.address } })).html },
      { name: 'mail, wrong address', html: await ask('ada') },
      { name: 'mail, code', html: await ask(ADDRESS) },
      { name: 'mail, code, mails are late', html: await ask(LATE) },
      { name: 'mail, wrong code', html: await check(ADDRESS, '9999-9999') },
      { name: 'mail, code is over', html: await check(ADDRESS, '') },
      { name: 'mail, no longer on the list', html: await check(REMOVED, '9999-9999') },
      {
        name: 'mail with a code',
        html: codeMail({ ...MAIL, language }, { entryPoint, host: 'login.example' }).html,
        isTab: true,
      },
    ]
  },
}

function useOf(address: string, code: unknown): CodeUse {
  if (address === REMOVED) return { ok: true }
  return code === '' ? { ok: false, reason: 'over' } : { ok: false, reason: 'wrong', triesLeft: 4 }
}
