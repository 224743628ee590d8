import { styleText } from 'node:util'
import { isMailSinkInstalled } from '../../../mail-sink/start-mail-sink.ts'
import { randomKey } from '../../seed/default-seed.ts'
import type { MakeDemoFeature } from '../demo-feature.ts'
import { pageOriginOf } from '../entry-points.ts'

const REGISTRATION = {
  fields: [
    { name: 'company', kind: 'text', label: { en: 'Company', de: 'Firma' }, most: 80, required: 'on' },
    { name: 'seat', kind: 'choice', label: { en: 'Seat', de: 'Platz' }, options: ['Hall', 'Balcony'] },
    {
      name: 'terms',
      kind: 'consent',
      label: { en: 'I accept the terms', de: 'Ich akzeptiere die Bedingungen' },
      url: 'https://example.com/terms',
      version: '1',
    },
  ],
  most: 500,
  waitingList: 'on',
}

/** Guests who register for an event, if the emulator has a mail server. */
export const registrationDemo: MakeDemoFeature = (loginUrl) => {
  if (!isMailSinkInstalled()) return { introduction: () => [] }
  const lock = { url: `${loginUrl}/e/registration`, secret: randomKey() }
  const channel = { id: '1600', title: 'Annual congress', lock }
  return {
    channel,
    entryPoint: (emulator, { hash, brand }) => ({
      name: 'registration',
      secret: lock.secret,
      ...hash,
      ...brand,
      watchUrl: `${pageOriginOf(emulator)}/channel/${channel.id}`,
      registration: REGISTRATION,
      passwordForm: 'off',
    }),
    introduction: ({ pageOrigin }) => [
      'To register as a guest, open this page and type any mail address. The code comes to the page of mails below:',
      `  ${styleText(['bold', 'cyan'], `${pageOrigin}/channel/${channel.id}`)}`,
      'To see who registered, with the command line as below:',
      '  npm run -s viewer-auth -- registrations list',
    ],
  }
}
