import { defineFeature } from '../../login/feature.ts'
import { OnOff } from '../../settings/fields.ts'

const settings = () => ({ passwordForm: OnOff.default(true) })

/** Entry points without a password form. The feature is on where the form is off. Another feature must be a way in there. */
export const passwordForm = defineFeature({
  name: 'password-form',
  settings,
  // A wrong value is undefined, and was reported before.
  read: (given) => (given.passwordForm === false ? {} : null),
  passwordReplacedBy: () => 'passwordForm',
  open: () => Promise.resolve(null),
})
