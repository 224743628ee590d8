import { MAIL_SINK_MISSING } from '../../../mail-sink/start-mail-sink.ts'
import type { RunningEmulator } from '../../start-emulator.ts'
import type { MakeDemoFeature } from '../demo-feature.ts'

/** The mail server of the emulator: all mails of the demo go there. */
export const demo: MakeDemoFeature = () => ({
  order: 10,
  programSettings: (_folder, emulator) => Promise.resolve(serverOf(emulator) ?? {}),
  sendsMails: (emulator) => serverOf(emulator) !== undefined,
  hint: (emulator) =>
    serverOf(emulator) !== undefined
      ? {
          title: 'Mails',
          text: 'All mails of the demo are below, such as codes, invitations and resets.',
          page: `${emulator.url}/#mails`,
        }
      : { title: 'Mails', text: `The demo runs without mails. ${MAIL_SINK_MISSING}` },
})

function serverOf({ companions }: RunningEmulator) {
  return companions.map(({ settings }) => settings).find(({ SMTP_URL }) => SMTP_URL !== undefined)
}
