import { fileURLToPath } from 'node:url'
import {
  isMailSinkInstalled,
  MAIL_SINK_MISSING,
  type SunkMail,
  startMailSink,
} from '../../mail-sink/start-mail-sink.ts'
import { type Companion, EmulatorStartError } from '../companion.ts'

const SECTION = fileURLToPath(new URL('views/section.ejs', import.meta.url))
const MOST_SHOWN = 50

/** A mail server for the login app. Its mails are on the home page, and nowhere else. */
export const companion: Companion = {
  name: 'mail',
  portSetting: 'EMULATOR_MAIL_PORT',
  demoPort: 0,
  isInstalled: isMailSinkInstalled,
  async start({ port }) {
    if (!isMailSinkInstalled()) throw new EmulatorStartError(MAIL_SINK_MISSING)
    let mails: readonly (SunkMail & { readonly atMs: number })[] = []
    const sink = await startMailSink(port, (mail) => {
      mails = [{ ...mail, atMs: Date.now() }, ...mails].slice(0, MOST_SHOWN)
    }).catch((cause: unknown) => {
      const message = `The mail server cannot listen on port ${port}. Set EMULATOR_MAIL_PORT to another port.`
      throw new EmulatorStartError(message, { cause })
    })
    return {
      introduction: `Its mail server is smtp://127.0.0.1:${sink.port}`,
      settings: {
        SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
        MAIL_FROM: 'Lakeside Media <login@lakeside.example>',
      },
      seed: {},
      get section() {
        return { view: SECTION, data: { mails } }
      },
      close: sink.close,
    }
  },
}
