import type { ScreenPart } from '../../../login/screens/screen-part.ts'
import { pathOf } from '../../../login/screens/send.ts'
import type { CodeCookie } from '../../../services/mail-code/code-cookie.ts'
import { PATHS } from '../form/paths.ts'

/** Creates the link to the registration, on the sign-in screen. */
export function registrationPart(cookie: Pick<CodeCookie, 'read'>): ScreenPart {
  return {
    resume: (req) => cookie.read(req) && { path: PATHS.address },
    name: 'registration',
    prompts: [],
    show({ texts, basePath, fields }) {
      const address = pathOf(basePath + PATHS.address, fields)
      const text = texts.registration.register
      return {
        template: 'registration/screen-part',
        part: { address, text },
        id: 'register',
        address,
        text,
      }
    },
  }
}
