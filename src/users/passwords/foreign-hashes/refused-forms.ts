import type { HashForm } from './hash-form.ts'

const REVERSED = 'which attackers reverse in seconds'

/** Forms that no sign-in can use, with the end of a sentence that begins with the hash. The first match counts. */
const REFUSED: readonly (readonly [pattern: RegExp, fault: string])[] = [
  [/^[\da-f]{32}$/i, `looks like MD5 without a salt, or NTLM, ${REVERSED}`],
  [/^[\da-f]{32}:[\da-f]{32}$/i, `looks like LM and NTLM, ${REVERSED}`],
  [/^[\da-f]{40}$/i, `looks like SHA-1 without a salt, ${REVERSED}`],
  [/^[\da-f]{64}$/i, `looks like SHA-256 without a salt, ${REVERSED}`],
  [/^[\da-f]{128}$/i, `looks like SHA-512 without a salt, ${REVERSED}`],
  [/^\*[\da-f]{40}$/i, `looks like PASSWORD() of MySQL, SHA-1 without a salt, ${REVERSED}`],
  [/^[\da-f]{16}$/i, `looks like OLD_PASSWORD() of MySQL, or half an LM hash, ${REVERSED}`],
  [/^\{(?:MD5|SHA|SHA1|SHA256|SHA384|SHA512|NT|LANMAN)\}/i, `looks like a digest without a salt, ${REVERSED}`],
  [/^[./\dA-Za-z]{13}$/i, 'looks like DES crypt, which reads 8 characters only'],
  [/^_[./\dA-Za-z]{19}$/i, 'looks like extended DES crypt, which this app cannot verify'],
  [/^\$g?y\$/i, 'looks like yescrypt, which this app cannot verify'],
  [/^\$7\$/i, 'looks like scrypt of crypt(3), which this app cannot verify'],
  [/^\$(?:sha1|md5|3)[$,]/i, 'looks like a rare form of crypt(3), which this app cannot verify'],
  [/^\{SMD5\}/i, 'looks like MD5 with a salt, which this app cannot verify'],
  [
    /^(?:md5|sha1|sha256|sha512)\$[^$]*\$[\da-f]+$/i,
    'looks like a single digest with a salt, which this app cannot verify',
  ],
  [/^\$S\$/, 'looks like Drupal 7, which this app cannot verify'],
  [/^[A-Za-z\d+/_-]{86}(?:==)?$/, 'looks like scrypt of Firebase, which needs --firebase and its salt'],
  [/^[!*]/, 'looks like the mark of a locked account, not like a hash'],
  [
    /^\{(?:noop|clear|cleartext|plain)\}|^.{0,19}$|\s/is,
    'looks like a plaintext password, which belongs in the column "password"',
  ],
]

/** Refuses a hash by the name of the form that it looks like. */
export const refusedForm: HashForm = (text) => {
  const refused = REFUSED.find(([pattern]) => pattern.test(text))
  return refused ? { ok: false, fault: refused[1] } : null
}
