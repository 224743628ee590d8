import { refusedAccountForms } from '../../features/account/refused-form.ts'
import { refusedPasskeyPassword } from '../../features/passkeys/refused-form.ts'
import { refusedSsoCode } from '../../features/sso/refused-form.ts'
import type { RefusedForm } from './screen.ts'

/** A fork that deletes a feature deletes its line. */
const FORMS = {
  refusedAccountForms,
  refusedPasskeyPassword,
  refusedSsoCode,
}

/** The forms that everyScreen() does not have. */
export const REFUSED_FORMS: readonly RefusedForm[] = Object.values(FORMS)
