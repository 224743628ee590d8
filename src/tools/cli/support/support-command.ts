import { arch, platform, release } from 'node:os'
import type { Command } from 'commander'
import PACKAGE from '../../../../package.json' with { type: 'json' }
import type { HasSettingsCheck } from '../settings/config-command.ts'
import type { HasOtherStore } from '../settings/store-command.ts'
import { addCommand, addNotes, type CommandContext, messageOf, type Outcome, runCommand } from '../terminal/command.ts'
import { ioWithoutTerminal, stopOnInterrupt } from '../terminal/io.ts'
import { loadAll } from '../terminal/lazy.ts'
import { openFileSink } from '../terminal/sink.ts'
import { lastRefusals } from './audit/last-refusals.ts'
import { findings } from './doctor/findings.ts'
import type { BundleSection, HasBundleSection, Source } from './section.ts'
import { shownSettings } from './shown-settings.ts'
import { storeFindings } from './store/store-findings.ts'
import { secretRemover } from './without-secrets.ts'

/** In the order of the file, before those of features. */
// biome-ignore format: one item a line
const SECTIONS: readonly BundleSection[] = [
  shownSettings,
  storeFindings,
  findings,
  lastRefusals,
]

const ABOUT = `
Writes one file that you can read and send. It has the settings and versions, and what the checks and logs of this
installation say. Secrets, passwords, tokens, responses, mail addresses and the queries of addresses are removed; names and addresses of viewers are numbers. Settings that may name a person are "set". Only you can
read the file. Nothing is sent.`

type Parts = HasBundleSection & HasSettingsCheck & HasOtherStore

interface Options {
  readonly json?: boolean
  readonly output?: string
}

/** Adds `support bundle`. */
export async function addSupportCommands(group: Command, context: CommandContext<Parts>): Promise<void> {
  const sections = [...SECTIONS, ...(await loadAll(context.features.map(({ support }) => support)))]
  const command = addCommand(group, 'bundle', 'write what support needs into one file, without secrets', [
    'viewer-auth support bundle',
    'viewer-auth support bundle --output support.json',
  ])
  addNotes(command, ABOUT).option('--output <FILE>', 'the file (default: support-, the time, .json)')
  for (const section of sections) section.addOptions?.(command)
  command.action((options: Options) => runCommand(context, options.json, () => bundle(context, options, sections)))
}

async function bundle(
  { io, features }: CommandContext<Parts>,
  options: Options,
  sections: readonly BundleSection[],
): Promise<Outcome> {
  const made = new Date().toISOString()
  const file = options.output ?? `support-${made.slice(0, 19).replaceAll(':', '-')}.json`
  using stop = stopOnInterrupt(io)
  await using sink = await openFileSink(file)
  const source: Source = {
    env: io.env,
    io: { ...ioWithoutTerminal(io.env), onInterrupt: io.onInterrupt },
    features,
    signal: stop.signal,
    options,
  }
  const collected: [string, unknown][] = []
  for (const { field, collect } of sections) {
    collected.push([field, await collect(source).catch((error: unknown) => ({ error: messageOf(error) }))])
    if (stop.signal.aborted) return { ok: false, fault: 'Stopped. No file was written.' }
  }
  const all = { made, versions: versions(), ...Object.fromEntries(collected) }
  const plain: unknown = JSON.parse(JSON.stringify(all))
  await sink.write(`${JSON.stringify(secretRemover(io.env)(plain), null, 2)}\n`)
  await sink.finish()
  return { ok: true, text: `Wrote ${file}. Read it before you send it.`, data: { file } }
}

function versions() {
  return { app: PACKAGE.version, node: process.version, system: `${platform()} ${release()} ${arch()}` }
}
