import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entryPointAt } from '../../login/entry-point.ts'
import { type FeatureScreens, LONG_NAME } from '../../login/screens/screen.ts'

import { mailSettings } from '../../services/mail/mail-server.ts'
import { lateForm, nextAddress } from '../../services/mail-code/late-form.ts'

const PATH = '/e/mail-guests'
const ADDRESS = LONG_NAME

/** The forms of the sign-in by mail, without a password form. No mail server answers. */
export const mailScreens: FeatureScreens = {
  entryPoint: entryPointAt('mail-guests', {
    hasPasswordForm: false,
    features: { 'mail-sign-in': { mode: 'anyone', guests: [], file: null } },
  }),
  deps: {
    featureSettings: {
      mail: { server: mailSettings(9) },
      guests: { store: { kind: 'sqlite', file: join(mkdtempSync(join(tmpdir(), 'guests-')), 'guests.db') } },
      'mail-code': { mailsPerHour: 100 },
    },
  },
  async screens(app, headers) {
    const post = (path: string, fields: Readonly<Record<string, string>>) => app.post(`${PATH}${path}`, fields, headers)
    const frame = 'f'.repeat(43)
    return [
      { name: 'mail address', html: (await app.get(PATH, headers)).text },
      { name: 'wrong mail address', html: (await post('/mail-code', { mail: 'ada' })).text },
      { name: 'mail code', html: (await post('/mail-code', { mail: nextAddress() })).text },
      { name: 'late mail code', html: (await lateForm((mail) => post('/mail-code', { mail }), 'class="late"')).text },
      {
        name: 'wrong mail code',
        html: (await post('/mail-code/check', { mail: ADDRESS, frame, code: 'AAAA2222' })).text,
      },
    ]
  },
}
