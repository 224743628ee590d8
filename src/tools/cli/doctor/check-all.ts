import type { LockTarget } from '../../video-service/locks.ts'
import { entryPointNamed } from '../settings/chosen-entry-point.ts'
import type { CommandIo } from '../terminal/io.ts'
import type { SeenPlayer } from './answer-check.ts'
import { checkApp } from './app/check-app.ts'
import { checkFeatureForms } from './app/feature-forms.ts'
import { trySignIn } from './app/sign-in/sign-in.ts'
import type { TestViewer } from './app/sign-in/test-viewer.ts'
import { answerAt, type DoctorConfig, type Untried, type WayIn } from './feature-check.ts'
import { type Finding, findingOf, type Report, unknown } from './finding.ts'
import { checkPages } from './page/check-page.ts'
import { checkService } from './service/check-service.ts'

/** The options that choose what is checked. */
export interface CheckOptions {
  readonly [trial: string]: unknown
  readonly entryPoint?: string
  readonly channel?: string
  readonly video?: string
  readonly page?: readonly URL[]
  readonly copy?: readonly URL[]
}

interface Run {
  readonly io: CommandIo
  readonly config: DoctorConfig
  readonly options: CheckOptions
  readonly viewers: readonly TestViewer[]
  readonly signal: AbortSignal
  /** Called before each group of checks. */
  waitFor(what: string): void
}

/** Runs all checks, and reports their findings as they come. */
export async function checkAll({ io, config, options, viewers, signal, waitFor }: Run, report: Report): Promise<void> {
  waitFor(`the login app at ${config.publicUrl.origin}`)
  const isAppThere = await reportAll(checkApp(io, config, options.copy ?? [], signal), report)
  waitFor('the features')
  const untried = await reportFeatures({ config, options, signal }, isAppThere, report)
  if (isAppThere) await reportAll(checkFeatureForms(config, options, signal), report)
  waitFor('the video service')
  const lock = await checkService(io, config, { target: targetOf(options), isAppThere }, report)
  signal.throwIfAborted()
  const namedEntryPoint = options.entryPoint ?? lock.entryPoint
  reportUntried(config, untried, namedEntryPoint, report)
  waitFor('the pages of --page, their player, and the login app')
  const onPages = isAppThere
    ? await reportAll(checkPages(config, namedEntryPoint, options.page ?? [], signal, targetOf(options)), report)
    : []
  const players = distinct(lock.player === undefined ? onPages : [lock.player, ...onPages])
  if (lock.unseen && players.length === 0) report(lock.unseen)
  const entryPoint = namedEntryPoint ?? players[0]?.entryPoint.name
  if (isAppThere) reportUnseenPlayers(config, entryPoint, players, report)
  waitFor('the player and the login app')
  const listed = isAppThere ? await reportPlayers(config, players, signal, report) : []
  waitFor('the sign-in of the test viewer')
  for (const viewer of isAppThere ? viewers : []) {
    await reportSignIn({ io, config, viewer, players: listed, signal }, entryPoint, report)
  }
  reportUntriedWays(config, options, entryPoint, report)
}

interface SignInTrial {
  readonly io: CommandIo
  readonly config: DoctorConfig
  readonly viewer: TestViewer
  /** Those whose address is in the settings. */
  readonly players: readonly SeenPlayer[]
  readonly signal: AbortSignal
}

/** Reports the findings of all features. @returns what they did not try. */
async function reportFeatures(
  { config, options, signal }: Pick<Run, 'config' | 'options' | 'signal'>,
  isAppThere: boolean,
  report: Report,
): Promise<readonly Untried[]> {
  const untried: Untried[] = []
  for (const feature of config.featureChecks) {
    const given = feature.option && options[feature.option.name]
    const findings = feature.check?.(config, isAppThere, signal, typeof given === 'string' ? given : undefined)
    if (findings) untried.push(...(await reportAll(findings, report)))
  }
  return untried
}

/**
 * Reports what was not tried at the named entry point. Without a name, reports all entry points. As with passwords, the
 * verdict is about sign-ins at one entry point.
 */
function reportUntried(
  config: DoctorConfig,
  untried: readonly Untried[],
  namedEntryPoint: string | undefined,
  report: Report,
): void {
  for (const { entryPoint, finding } of untried) {
    if (namedEntryPoint !== undefined && entryPoint.name !== namedEntryPoint) continue
    report(findingOf(config, entryPoint, finding))
  }
}

/** Drops players that were seen twice: a page may show the player of the channel with other parameters. */
function distinct(players: readonly SeenPlayer[]): readonly SeenPlayer[] {
  const nameOfPlayer = (player: SeenPlayer) => `${player.entryPoint.name} ${player.shown}`
  return [...new Map(players.toReversed().map((player) => [nameOfPlayer(player), player])).values()].toReversed()
}

/** Reports that no player was seen, for the entry points that need one and that reportUntried() would choose. */
function reportUnseenPlayers(
  config: DoctorConfig,
  namedEntryPoint: string | undefined,
  players: readonly SeenPlayer[],
  report: Report,
): void {
  for (const entryPoint of config.entryPoints) {
    const finding = answerAt(config, entryPoint)?.unseenPlayer
    const isSeen = players.some((player) => player.entryPoint === entryPoint)
    if (!finding || isSeen || (namedEntryPoint ?? entryPoint.name) !== entryPoint.name) continue
    report(findingOf(config, entryPoint, finding))
  }
}

/** @returns the players whose address is in the settings. */
async function reportPlayers(
  config: DoctorConfig,
  players: readonly SeenPlayer[],
  signal: AbortSignal,
  report: Report,
): Promise<readonly SeenPlayer[]> {
  const listed: SeenPlayer[] = []
  for (const player of players) {
    const check = answerAt(config, player.entryPoint)?.checkPlayer(config, player, signal)
    if (check && (await reportAll(check, report))) listed.push(player)
  }
  return listed
}

/** Tries the sign-in of the test viewer, where the entry point has the form. */
async function reportSignIn(
  { io, config, viewer, players, signal }: SignInTrial,
  namedEntryPoint: string | undefined,
  report: Report,
): Promise<void> {
  const entryPoint = entryPointNamed(config, namedEntryPoint)
  const unused = viewer.unusedAt(entryPoint)
  if (unused !== null) return report(findingOf(config, entryPoint, unused))
  const player = players.find((one) => one.entryPoint === entryPoint) ?? null
  const signIn = trySignIn(io, { config, entryPoint, player, signal }, viewer)
  await reportAll(signIn, (finding) => report(findingOf(config, entryPoint, finding)))
}

const PASSWORD_WAY: WayIn = {
  name: 'with a password',
  option: 'viewer',
  flags: '--viewer USERNAME',
  isAt: ({ hasPasswordForm }) => hasPasswordForm,
}

/** Reports the ways in that no option tried. As in reportUntried(), the verdict is about the named entry point. */
function reportUntriedWays(
  config: DoctorConfig,
  options: CheckOptions,
  namedEntryPoint: string | undefined,
  report: Report,
): void {
  const possible = config.entryPoints.filter(({ name }) => (namedEntryPoint ?? name) === name)
  const ways = [PASSWORD_WAY, ...config.featureChecks.flatMap(({ wayIn }) => wayIn ?? [])]
  const untried = ways.filter(({ isAt, option }) => options[option] === undefined && possible.some(isAt))
  if (untried.length === 0) return
  const text = untried.map(({ name, flags }) => `${name} (use ${flags})`).join(', ')
  report(unknown('no-sign-in', `No sign-in was tried ${text}. Try each way with its option, or once in the player.`))
}

/** Reports the findings as they come. @returns what the checks return. */
async function reportAll<Result>(
  checks: AsyncGenerator<Finding, Result> | Generator<Finding, Result>,
  report: Report,
): Promise<Result> {
  for (;;) {
    const next = await checks.next()
    if (next.done) return next.value
    report(next.value)
  }
}

/** Returns the channel or video of the options. */
export function targetOf({ channel, video }: CheckOptions): LockTarget | null {
  if (channel !== undefined) return { kind: 'channel', id: channel }
  return video === undefined ? null : { kind: 'video', id: video }
}
