import type { ScreenPart } from '../../../login/screens/screen-part.ts'
import { pathOf } from '../../../login/screens/send.ts'
import type { CodeCookie } from '../../../services/mail-code/code-cookie.ts'
import { PATHS } from '../form/paths.ts'

/**
 * Creates the link to the registration, on the sign-in screen.
 * @param isOnlyWay true if the screen has no password form: then the registration has a screen of its own.
 */
export function registrationPart(isOnlyWay: boolean, cookie: Pick<CodeCookie, 'read'>): ScreenPart {
  return {
    resume: (req) => cookie.read(req) && { path: PATHS.address },
    prompts: [],
    isFirst: false,
    complete: (html) => html,
    show({ texts, basePath, fields }) {
      const address = pathOf(basePath + PATHS.address, fields)
      const text = texts.registration.register
      return {
        template: isOnlyWay ? 'registration/screen-part' : null,
        part: { address, text },
        way: { id: 'register', address, text },
      }
    },
  }
}
