import { isMailSinkInstalled } from '../../../mail-sink/start-mail-sink.ts'
import { channelWithLock, type MakeDemoFeature, pageLine, pageOriginOf } from '../demo-feature.ts'

const EVENT = { name: 'guests', id: '1400', title: 'Guest lecture' }
const ORDER = 8

/** Guests who sign in with a code by mail, if the emulator has a mail server. */
export const demo: MakeDemoFeature = (loginUrl) => {
  if (!isMailSinkInstalled()) return { order: ORDER }
  return {
    order: ORDER,
    ...channelWithLock(loginUrl, EVENT, (emulator) => ({
      watchUrl: `${pageOriginOf(emulator)}/channel/${EVENT.id}`,
      mailSignIn: 'domains',
      mailGuests: ['*@example.com'],
      passwordForm: 'off',
    })),
    introduction: (started) => [
      'For a guest without an account, open this page and type an address such as guest@example.com. The code comes to the page of mails below:',
      pageLine(started, EVENT.id),
    ],
  }
}
