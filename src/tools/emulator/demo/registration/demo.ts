import { isMailSinkInstalled } from '../../../mail-sink/start-mail-sink.ts'
import { channelPage, channelWithLock, type MakeDemoFeature } from '../demo-feature.ts'
import REGISTRATION from './registration.json' with { type: 'json' }

const EVENT = { name: 'registration', id: '1600', title: 'Annual congress' }
const ORDER = 9
/** Guests who register for an event, if the emulator has a mail server. */
export const demo: MakeDemoFeature = (loginUrl) => {
  if (!isMailSinkInstalled()) return { order: ORDER }
  return {
    order: ORDER,
    ...channelWithLock(loginUrl, EVENT, (emulator) => ({
      watchUrl: channelPage(emulator, EVENT.id),
      registration: REGISTRATION,
      passwordForm: 'off',
    })),
    hint: (emulator) => ({
      title: 'Registration',
      text: 'A guest registers with any mail address. The code comes to the mails below.',
      page: channelPage(emulator, EVENT.id),
      commands: ['# Shows who registered', 'npm run -s viewer-auth -- registrations list'],
    }),
  }
}
