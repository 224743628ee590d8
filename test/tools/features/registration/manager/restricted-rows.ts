import { createRegistrations } from '../../../../../src/features/registration/book/registrations.ts'
import { openFileRecords } from '../../../../../src/services/guests/file-records.ts'
import { readSettings } from '../../../../features/registration/registration-settings.ts'
import { type RestrictedPart, ZEBRA, ZEBRA_POINT } from '../../../manager/restricted/world.ts'

const GIVEN = { approval: 'by-hand', fields: [{ name: 'company', kind: 'text', label: 'Company' }] }
const GUEST = 'bob@gold.example'
const LIST = '/registrations/:entryPoint'
const nowSeconds = () => Date.now() / 1000

export const registrationRows: RestrictedPart = {
  settings: { registration: GIVEN },
  async prepare({ guestsFile }) {
    const records = openFileRecords(guestsFile, { nowSeconds })
    for (const [entryPoint, address] of [
      ['gold', GUEST],
      [ZEBRA_POINT, ZEBRA],
    ] as const) {
      const settings = readSettings(GIVEN)
      const registrations = createRegistrations({ records, entryPoint, settings, nowSeconds, mailOf: () => [] })
      await registrations.register({ address, attributes: { company: address }, consents: [], language: 'en' })
    }
    await records.close()
  },
  rows: [
    { route: 'get /registrations', status: 303, shows: GUEST },
    { route: `get ${LIST}`, status: 200, shows: GUEST },
    { route: `get ${LIST}/sheet`, status: 200, shows: GUEST },
    { route: `post ${LIST}`, fields: { step: 'approve', address: GUEST }, status: 303, shows: '1 person is approved' },
    { route: `post ${LIST}`, fields: { step: 'cancel', address: ZEBRA }, status: 303, shows: 'Nothing was changed' },
    { route: `post ${LIST}/ask`, fields: { step: 'forget', address: GUEST }, status: 200, shows: GUEST },
  ],
}
