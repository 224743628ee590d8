import { type Command, InvalidArgumentError } from 'commander'
import { type Config, readEntryPointSettings } from '../../../config.ts'
import { type EntryPoint, type HashEntryPoint, isHashEntryPoint } from '../../../entry-points/entry-point.ts'
import { ConfigError, orUndefined } from '../../../errors.ts'
import { buildAuthenticationResponse } from '../../../hash-lock/authentication-response.ts'
import { parseAuthenticationResponse } from '../../../hash-lock/check-response.ts'
import { describeDiagnosis } from '../../../hash-lock/diagnosis.ts'
import { diagnoseForEntryPoint, type EntryPointDiagnosis, entryPointNamed } from '../settings/chosen-entry-point.ts'
import { addCommand, addNotes, type CommandContext, type Outcome, runCommand } from '../terminal/command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { type Lazy, loadAll } from '../terminal/lazy.ts'
import { readStandardInput } from '../terminal/read-standard-input.ts'
import { printable } from '../terminal/text.ts'

export type Parameters = readonly (readonly [name: string, value: string])[]

/** A kind of response besides the hash, which `response` also builds and checks. */
export interface ResponseKind {
  /** The parameter of an address that contains the response. */
  readonly parameter: string
  readonly buildExample: string
  readonly buildNote: string
  readonly checkNote: string
  /** Builds the response of an entry point. Null if the entry point has another kind. */
  build(io: CommandIo, entryPoint: EntryPoint, parameters: Parameters, hasLifetime: boolean): Promise<Outcome> | null
  /** Returns a note on a response with a hash that may be meant as this kind. */
  noteOnHash(config: Pick<Config, 'entryPoints'>, entryPoint: EntryPoint, parameters: Parameters): string | null
  /** Checks a text of this kind. Null for another text. */
  check(io: CommandIo, entryPoints: readonly EntryPoint[], text: string): Promise<Outcome> | null
}

/** The part of a feature that `response` uses. */
interface HasResponseKind {
  readonly responseKind?: Lazy<ResponseKind>
}

/** In characters of an address. Proxies and web servers refuse addresses of 8 kB. */
export const LONG_ANSWER = 6_000

export function longAnswer(length: number): string {
  return `The response adds ${length} characters to an address. Some proxies refuse 8,000. Send fewer or shorter parameters.`
}

/** Enough for the longest response, percent-encoded in an address. */
const MAX_BYTES = 65_536
const MAX_LIFETIME_SECONDS = 31_536_000

const NOT_AN_ARGUMENT =
  'give it on standard input. All users of this machine can see arguments, and a shell keeps them in its history'

interface BuildOptions {
  readonly json?: boolean
  readonly entryPoint?: string
  readonly lifetime?: number
  readonly strict?: boolean
}

/** Adds `response build` and `response check`, to build and check authentication responses by hand. */
export async function addResponseCommands(group: Command, context: CommandContext<HasResponseKind>): Promise<void> {
  const { io } = context
  const kinds = await loadAll(context.features.map(({ responseKind }) => responseKind))
  const buildCommand = addCommand(
    group,
    'build <NAME=VALUE...>',
    'build a response with these parameters, hashed in this order',
    [
      'viewer-auth response build user=ada@example.com',
      'viewer-auth response build user=ada group=staff --lifetime 60',
      ...kinds.map(({ buildExample }) => buildExample),
    ],
  )
  for (const { buildNote } of kinds) addNotes(buildCommand, buildNote)
  buildCommand
    .option('--entry-point <NAME>', 'the name of an entry point (default: the only one, or default)')
    .option('--lifetime <SECONDS>', 'the lifetime; 0 means no expiry (default: as in the settings)', lifetime)
    .action((pairs: string[], options: BuildOptions, command: Command) => {
      const parameters = pairs.map((pair) => parameterOf(pair, command))
      return runCommand(context, options.json, () => build(io, kinds, parameters, options))
    })
  const checkCommand = addCommand(group, 'check', 'explain why the service accepts or refuses a response', [
    'viewer-auth response check < response.json',
    `printf %s "$ADDRESS" | viewer-auth response check   # the address that received the response`,
  ])
  addNotes(checkCommand, 'Standard input: the response, or an address or query that contains it as hash=.')
  for (const { checkNote } of kinds) addNotes(checkCommand, checkNote)
  checkCommand
    .option('--entry-point <NAME>', 'check with the secret of this entry point only (default: with each secret)')
    .option('--strict', 'refuse an order of the objects that the documents do not have')
    .allowExcessArguments()
    .action((options: BuildOptions, command: Command) => {
      if (command.args.length > 0) command.error(`error: ${NOT_AN_ARGUMENT}`)
      return runCommand(context, options.json, () => check(io, kinds, options))
    })
}

async function build(
  io: CommandIo,
  kinds: readonly ResponseKind[],
  parameters: [string, string][],
  { entryPoint: name, lifetime }: BuildOptions,
): Promise<Outcome> {
  const config = readEntryPointSettings(io.env)
  const entryPoint = entryPointNamed(config, name)
  for (const kind of kinds) {
    const built = kind.build(io, entryPoint, parameters, lifetime !== undefined)
    if (built !== null) return await built
  }
  if (!isHashEntryPoint(entryPoint)) throw new ConfigError(`Entry point ${entryPoint.name} has no hash.`)
  const { secret, lifetimeSeconds } = entryPoint
  const seconds = lifetime ?? lifetimeSeconds
  for (const kind of kinds) io.stderr.write(kind.noteOnHash(config, entryPoint, parameters) ?? '')
  const expiresAtSeconds = seconds === 0 ? null : nowSeconds() + seconds
  try {
    const response = buildAuthenticationResponse(parameters, expiresAtSeconds, secret)
    return { ok: true, text: response, data: { response, expiresAtSeconds } }
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, fault: `${error.message}.` }
    throw error
  }
}

async function check(
  io: CommandIo,
  kinds: readonly ResponseKind[],
  { entryPoint: name, strict = false }: BuildOptions,
): Promise<Outcome> {
  const config = readEntryPointSettings(io.env)
  const entryPoints = name === undefined ? config.entryPoints : [entryPointNamed(config, name)]
  if (io.stdin.isTTY)
    io.stderr.write('Paste the response, or the address that contains it. Then press Enter and Ctrl-D.\n')
  const read = await readStandardInput(io.stdin, MAX_BYTES)
  if (!read.ok) return read
  for (const kind of kinds) {
    const checked = kind.check(io, entryPoints, read.text.trim())
    if (checked !== null) return await checked
  }
  const response = responseIn(read.text.trim())
  if (response === null) {
    const names = ['hash', ...kinds.map(({ parameter }) => parameter)]
    return { ok: false, fault: `This address has no ${names.join('= and no ')}=, so nothing was checked.` }
  }
  if (response === '') return { ok: false, fault: 'No response. Give it on standard input. See response check --help.' }
  if (response === 'false') {
    return { ok: false, fault: 'The response is false: the viewer canceled the sign-in or may not watch.' }
  }
  const now = nowSeconds()
  const diagnoses = entryPoints.filter(isHashEntryPoint).map((entryPoint) => ({
    entryPoint,
    ...diagnoseForEntryPoint(response, entryPoint, now),
  }))
  // With several entry points, the diagnosis with the matching secret is the useful one.
  const best = diagnoses.find(({ diagnosis }) => diagnosis.kind !== 'wrong-secret-or-altered') ?? diagnoses[0]
  if (best === undefined) {
    const which = name === undefined ? 'no entry point has a hash' : `entry point ${name} has none`
    throw new ConfigError(`This may be a response with a hash, but ${which}.`)
  }
  return describe(config, best, response, strict)
}

function describe(
  config: Pick<Config, 'entryPoints'>,
  { entryPoint, diagnosis, secret }: EntryPointDiagnosis & { readonly entryPoint: HashEntryPoint },
  response: string,
  isStrict: boolean,
): Outcome {
  const isInOrder = diagnosis.kind === 'good' && (diagnosis.isInOrder || !isStrict)
  const isAccepted = isInOrder || diagnosis.kind === 'expiry-stripped'
  const names = parseAuthenticationResponse(response)?.parameters.map(([parameter]) => parameter) ?? []
  const expected = entryPoint.parameters.map((parameter) => parameter.name)
  const lines = [describeDiagnosis(diagnosis)]
  if (config.entryPoints.length > 1 && diagnosis.kind !== 'wrong-secret-or-altered' && diagnosis.kind !== 'malformed') {
    lines.push(`Checked with the secret of the entry point ${entryPoint.name}.`)
  }
  if (secret === 'previous') {
    lines.push('It was built with the previous secret. A lock that has the current secret refuses it.')
  }
  const length = encodeURIComponent(response).length
  if (length > LONG_ANSWER) lines.push(longAnswer(length))
  if (names.length > 0 && names.join('\n') !== expected.join('\n')) {
    lines.push(`The parameters are ${names.map(printable).join(', ')}, but the settings name ${expected.join(', ')}.`)
  }
  return {
    ok: true,
    text: lines.join('\n'),
    data: { accepted: isAccepted, entryPoint: entryPoint.name, secret, ...diagnosis, parameters: names },
    isPartial: !isAccepted,
  }
}

/**
 * Finds the response in the text: the text itself, or the parameter `hash` of an address or query. Null for an address
 * without a response.
 */
function responseIn(text: string): string | null {
  if (/^[[{]/.test(text)) return text
  const isAddress = /^https?:/i.test(text) && URL.canParse(text)
  const hash = new URLSearchParams(isAddress ? new URL(text).search : text).get('hash')
  if (hash !== null || isAddress) return hash
  return (/^%5B/i.test(text) && orUndefined(() => decodeURIComponent(text))) || text
}

function parameterOf(pair: string, command: Command): [string, string] {
  const at = pair.indexOf('=')
  if (at < 1) return command.error('error: give each parameter as NAME=VALUE')
  return [pair.slice(0, at), pair.slice(at + 1)]
}

function lifetime(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) <= MAX_LIFETIME_SECONDS) return Number(text)
  throw new InvalidArgumentError(`Use a whole number of seconds from 0 to ${MAX_LIFETIME_SECONDS}.`)
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
