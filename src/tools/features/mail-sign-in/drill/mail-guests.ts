import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ConfigError } from '../../../../errors.ts'
import type { MailSignInSettings } from '../../../../features/mail-sign-in/fields.ts'
import { readGuestFile } from '../../../../features/mail-sign-in/guest-file.ts'
import { mailServerSettingsOf } from '../../../../services/mail/settings.ts'
import type { MailCodeSettings } from '../../../../services/mail-code/settings.ts'
import { isLoopbackHost } from '../../../../settings/fields.ts'
import type { SignInForm } from '../../../cli/drill/crowd/sign-in-form.ts'
import type { WayIn } from '../../../cli/drill/drill-part.ts'
import { endMadeUpSessions } from '../../../cli/drill/drill-viewers.ts'
import { isMailSinkInstalled, MAIL_SINK_MISSING, startMailSink } from '../../../mail-sink/start-mail-sink.ts'

const CODE = /^[0-9A-Z]{4}-[0-9A-Z]{4}$/m
const FRAME = /\bname="frame" value="([\w-]+)"/
/** No mail leaves this machine, so any domain will do with MAIL_SIGN_IN=anyone. */
const ANY_DOMAIN = 'drill.example.com'
const SINK_NEEDED =
  'A drill with codes by mail is the mail server of the app. Set SMTP_URL=smtp://127.0.0.1:2525 in the settings of the app and of the drill, and start the app again.'

/** Guests with a code by mail, whom MAIL_SIGN_IN lets in. The drill is their mail server. */
export const mailWay: WayIn = {
  name: 'mail',
  takesFields: false,
  async withCrowd(io, { entryPoint, features, count, maxWaitMs }, work) {
    const domain = await domainOf(entryPoint.features['mail-sign-in'] as MailSignInSettings | undefined)
    const server = mailServerSettingsOf({ features })
    const isSink = server !== null && isLoopbackHost(server.host) && server.tls === 'none' && server.auth === null
    if (!isSink) throw new ConfigError(SINK_NEEDED)
    if (!isMailSinkInstalled()) throw new ConfigError(MAIL_SINK_MISSING)
    const { mailsPerHour } = features['mail-code'] as MailCodeSettings
    if (count > mailsPerHour / 4) {
      io.stderr.write(
        `Warning: MAIL_CODES_PER_HOUR is ${mailsPerHour}, and one address may ask for a quarter. Raise it for this drill.\n`,
      )
    }
    const prefix = `drill-${randomBytes(4).toString('hex')}-`
    const guests = Array.from({ length: count }, (_, at) => ({
      username: `${prefix}${at + 1}@${domain}`,
      password: '',
    }))
    /** The newest code of each address. */
    const codes = new Map<string, string>()
    const opening = startMailSink(server.port, ({ to: [address = ''], text }) => {
      const code = CODE.exec(text)?.[0]
      if (code !== undefined) codes.set(address, code)
    })
    const sink = await opening.catch((cause: unknown) => {
      throw new ConfigError(`Cannot be the mail server at port ${server.port} of SMTP_URL: another one runs there.`, {
        cause,
      })
    })
    try {
      return await work(guests, mailForm(codes, maxWaitMs))
    } finally {
      await sink.close()
      await endMadeUpSessions(io, guests, true)
    }
  },
}

/** Returns a domain. Every address there is a guest. */
async function domainOf(settings: MailSignInSettings | undefined): Promise<string> {
  if (settings === undefined) throw new ConfigError('This entry point has no sign-in by mail. Set MAIL_SIGN_IN.')
  const { mode, guests, file } = settings
  if (mode === 'anyone') return ANY_DOMAIN
  const listed = guests.flatMap((one) => ('domain' in one ? [one.domain] : []))
  const read =
    file === null
      ? null
      : await readFile(file)
          .then(readGuestFile)
          .catch(() => null)
  const [domain] = [...listed, ...(read?.guests.keys() ?? [])].flatMap(
    (pattern) => /^(?:\*@)?([^@]+)$/.exec(pattern)?.[1] ?? [],
  )
  if (mode !== 'store' && domain !== undefined) return domain
  throw new ConfigError(
    `MAIL_SIGN_IN=${mode} lets no made-up guest in. On staging, set MAIL_SIGN_IN=list with MAIL_GUESTS=*@drill.example.com.`,
  )
}

function mailForm(codes: Map<string, string>, patienceMs: number): SignInForm {
  return {
    words: 'with a code by mail',
    typed: 'code',
    ask: {
      post({ username: mail }) {
        codes.delete(mail)
        return { path: '/mail-code', fields: { mail } }
      },
      hasCome: ({ username }) => codes.has(username),
      patienceMs,
      missing: 'no-mail',
    },
    post({ username: mail }, mistyped, asked) {
      const frame = FRAME.exec(asked?.page ?? '')?.[1] ?? ''
      return { path: '/mail-code/check', fields: { mail, frame, code: mistyped ?? codes.get(mail) ?? '' } }
    },
    causes: {
      'no-mail':
        'no mail with a code came within --max-wait. If the log says mail-code-limited, raise MAIL_CODES_PER_HOUR; else see whether the app sends to this machine',
      'too-many-tries':
        'a network may type SIGN_IN_LIMIT_PER_ADDRESS wrong codes in ten minutes, and ask for a quarter of MAIL_CODES_PER_HOUR. All guests share the address of this machine: raise both, or list this address in LIMITS_TRUSTED_NETWORKS',
    },
  }
}
