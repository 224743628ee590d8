import { isMailSinkInstalled } from '../../../mail-sink/start-mail-sink.ts'
import { channelPage, channelWithLock, type MakeDemoFeature } from '../demo-feature.ts'

const EVENT = { name: 'guests', id: '1400', title: 'Guest lecture' }
const ORDER = 8

/** Guests who sign in with a code by mail, if the emulator has a mail server. */
export const demo: MakeDemoFeature = (loginUrl) => {
  if (!isMailSinkInstalled()) return { order: ORDER }
  return {
    order: ORDER,
    ...channelWithLock(loginUrl, EVENT, (emulator) => ({
      watchUrl: channelPage(emulator, EVENT.id),
      mailSignIn: 'domains',
      mailGuests: ['*@example.com'],
      passwordForm: 'off',
    })),
    hint: (emulator) => ({
      title: 'Code by mail',
      text: 'A guest without an account types an address such as guest@example.com. The code comes to the mails below.',
      page: channelPage(emulator, EVENT.id),
    }),
  }
}
