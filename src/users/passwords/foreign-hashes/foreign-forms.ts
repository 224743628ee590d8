import { bcryptForm } from './bcrypt.ts'
import { md5CryptForm, phpassForm, shaCryptForm } from './crypt.ts'
import { firebaseForm } from './firebase.ts'
import type { HashForm } from './hash-form.ts'
import {
  aspNetIdentityForm,
  pbkdf2DjangoForm,
  pbkdf2PhcForm,
  pbkdf2WerkzeugForm,
  scryptDjangoForm,
  scryptPhcForm,
  scryptWerkzeugForm,
} from './pbkdf2-scrypt.ts'
import { refusedForm } from './refused-forms.ts'
import { saltedShaForm } from './salted-sha.ts'

/** The forms of other systems. The refusals are the last. */
export const foreignForms: readonly HashForm[] = [
  bcryptForm,
  shaCryptForm,
  md5CryptForm,
  scryptPhcForm,
  scryptDjangoForm,
  scryptWerkzeugForm,
  pbkdf2PhcForm,
  pbkdf2DjangoForm,
  pbkdf2WerkzeugForm,
  aspNetIdentityForm,
  firebaseForm,
  saltedShaForm,
  phpassForm,
  refusedForm,
]
