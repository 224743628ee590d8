import { isMailSinkInstalled } from '../../../mail-sink/start-mail-sink.ts'
import { channelPage, channelWithLock, type MakeDemoFeature } from '../demo-feature.ts'

const EVENT = { name: 'registration', id: '1600', title: 'Annual congress' }
const ORDER = 9
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
