import { styleText } from 'node:util'
import { isMailSinkInstalled } from '../../../mail-sink/start-mail-sink.ts'
import { randomKey } from '../../seed/default-seed.ts'
import type { MakeDemoFeature } from '../demo-feature.ts'
import { pageOriginOf } from '../entry-points.ts'

/** Guests who sign in with a code by mail, if the emulator has a mail server. */
export const mailSignInDemo: MakeDemoFeature = (loginUrl) => {
  if (!isMailSinkInstalled()) return { introduction: () => [] }
  const lock = { url: `${loginUrl}/e/guests`, secret: randomKey() }
  const channel = { id: '1400', title: 'Guest lecture', lock }
  return {
    channel,
    entryPoint: (emulator, { hash, brand }) => ({
      name: 'guests',
      secret: lock.secret,
      ...hash,
      ...brand,
      watchUrl: `${pageOriginOf(emulator)}/channel/${channel.id}`,
      mailSignIn: 'domains',
      mailGuests: ['*@example.com'],
      passwordForm: 'off',
    }),
    introduction: ({ pageOrigin }) => [
      'For a guest without an account, open this page and type an address such as guest@example.com. The code comes to the page of mails below:',
      `  ${styleText(['bold', 'cyan'], `${pageOrigin}/channel/${channel.id}`)}`,
    ],
  }
}
