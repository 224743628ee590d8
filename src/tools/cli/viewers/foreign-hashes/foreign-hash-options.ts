import { ConfigError } from '../../../../errors.ts'
import { readNamedFile } from '../../../../settings/named-file.ts'
import { firebaseHash, readFirebaseParameters } from '../../../../users/passwords/foreign-hashes/firebase.ts'
import { knownPasswords, withoutWeakHashes } from '../../../../users/passwords/foreign-hashes/known-hashes.ts'
import type { HashOptions } from '../hash-options.ts'

interface Values {
  readonly acceptWeakHashes?: boolean
  readonly firebase?: string
}

/** Options for the hashes of other systems. */
export const foreignHashOptions: HashOptions = {
  forms: `, bcrypt, scrypt and PBKDF2 (PHC, Django or Werkzeug), ASP.NET Identity, Firebase, SHA-crypt ($5$
and $6$), SSHA, SSHA256, SSHA512, phpass`,
  addTo: (command) =>
    command
      .option('--accept-weak-hashes', 'accept MD5-crypt ($1$ and $apr1$)')
      .option(
        '--firebase <FILE>',
        'read hashes of Firebase; FILE has the project\'s "Password hash parameters", and the column password_salt the salts',
      ),
  passwordsOf: ({ acceptWeakHashes }: Values) =>
    acceptWeakHashes ? knownPasswords : withoutWeakHashes('with --accept-weak-hashes'),
  saltedHashOf({ firebase: path }: Values) {
    if (path === undefined) return undefined
    const file = readNamedFile(path)
    if ('fault' in file) throw new ConfigError(`--firebase ${file.fault}.`)
    const parameters = readFirebaseParameters(file.text)
    if ('fault' in parameters) {
      throw new ConfigError(
        `The file of --firebase ${parameters.fault}. Copy "Password hash parameters" from the Firebase console into it.`,
      )
    }
    return (passwordHash, salt) => firebaseHash(parameters, passwordHash, salt)
  },
}
