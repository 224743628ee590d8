import { GOLD, type RestrictedPart, ZEBRA, ZEBRA_POINT } from '../../../manager/restricted/world.ts'

export const mailRows: RestrictedPart = {
  prepare({ store }) {
    const mail = { kind: 'old', language: 'en', manager: 'boss' }
    store.mails.add({ ...mail, entryPoint: 'gold', usernames: [GOLD] }, 1)
    store.mails.add({ ...mail, entryPoint: ZEBRA_POINT, usernames: [ZEBRA] }, 1)
    return Promise.resolve()
  },
  rows: [
    { route: 'get /mails', status: 200, shows: GOLD },
    { route: 'get /mails', fields: { state: 'refused' }, status: 200, shows: 'No email' },
  ],
}
