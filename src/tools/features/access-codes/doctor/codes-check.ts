import { canonicalCode } from '../../../../features/access-codes/codes/code-text.ts'
import { accessCodesOf } from '../../../../features/access-codes/fields.ts'
import { PROMPT } from '../../../../features/access-codes/screen-part.ts'
import type { FeatureCheck, SignInTrial } from '../../../cli/doctor/feature-check.ts'
import { readKnownPassword } from '../../../cli/terminal/read-password.ts'
import causes from './causes.json' with { type: 'json' }

const PATH = '/access-code'

/** Signs in with an access code in place of the test viewer's password. */
const trial: SignInTrial = {
  name: 'code',
  about: 'try a sign-in with an access code, from VIEWER_CODE, a prompt or standard input',
  isAt: (entryPoint) => accessCodesOf(entryPoint) !== null,
  none: 'This entry point has no access codes, so --code has no effect.',
  async read(io) {
    const read = await readKnownPassword(io, 'VIEWER_CODE', 'the test viewer', 'Access code')
    if (!read.ok || canonicalCode(read.text.trim()) !== null) return read
    return { ok: false, fault: 'The access code has characters that no code has.' }
  },
  form: (code, entryPoint) => {
    const asksName = accessCodesOf(entryPoint)?.asksName ?? 'off'
    return { path: PATH, fields: { code: code.trim(), ...(asksName === 'off' ? {} : { name: 'doctor' }) } }
  },
  causes,
}

/** A sign-in with an access code. */
export const codesCheck: FeatureCheck = {
  trial,
  forms: { isAt: trial.isAt, first: { at: `?prompt=${PROMPT}`, path: PATH, fields: ['code'] }, paths: [] },
  wayIn: { name: 'with an access code', option: trial.name, flags: '--code', isAt: trial.isAt },
}
