import { mailEnvironment } from '../../../manager/real-entry-point.ts'
import { GOLD, type RestrictedPart, ZEBRA, ZEBRA_POINT } from '../../../manager/restricted/world.ts'

const PAGE = '/mails/gold/remind'
const REMIND = '/mails/:entryPoint/remind'

export const mailRows: RestrictedPart = {
  env: mailEnvironment({ port: 25 }),
  prepare({ store }) {
    const mail = { kind: 'old', language: 'en', manager: 'boss' }
    store.mails.add({ ...mail, entryPoint: 'gold', usernames: [GOLD] }, 1)
    store.mails.add({ ...mail, entryPoint: ZEBRA_POINT, usernames: [ZEBRA] }, 1)
    store.mails.add({ ...mail, entryPoint: ZEBRA_POINT, usernames: ['before'], manager: ZEBRA, batch: -1 }, 1)
    return Promise.resolve()
  },
  forms: [{ page: PAGE, post: PAGE, typed: { when: 'at', at: '1.1.2090 20:15' }, wrong: { at: '31.02.2026' } }],
  rows: [
    { route: 'get /mails', status: 200, shows: GOLD },
    { route: `get ${REMIND}`, status: 200, shows: 'Remind the people of gold' },
    { route: `post ${REMIND}`, fields: { when: 'now', seen: '' }, status: 303, shows: 'is planned' },
    { route: `post ${REMIND}`, fields: { when: 'now', seen: '7' }, status: 409, shows: 'in the meantime' },
    { route: `post ${REMIND}/stop`, fields: { id: '3' }, status: 303, shows: 'Nothing was stopped' },
    { route: 'get /mails', fields: { state: 'refused' }, status: 200, shows: 'No email' },
  ],
}
