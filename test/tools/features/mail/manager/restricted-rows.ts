import { GOLD, type RestrictedPart, ZEBRA, ZEBRA_POINT } from '../../../manager/restricted/world.ts'

export const mailRows: RestrictedPart = {
  prepare({ store }) {
    for (const [entryPoint, username] of [
      ['gold', GOLD],
      [ZEBRA_POINT, ZEBRA],
    ] as const) {
      const mail = { kind: 'old', entryPoint, language: 'en', usernames: [username], manager: `${entryPoint}-boss` }
      store.mails.add(mail, Date.now() / 1000)
    }
    return Promise.resolve()
  },
  rows: [
    { route: 'get /mails', status: 200, shows: GOLD },
    { route: 'get /mails', fields: { state: 'refused' }, status: 200, shows: 'No email' },
  ],
}
