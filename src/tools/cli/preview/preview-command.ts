import { basename } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { features } from '../../../features.ts'
import { knownLanguage } from '../../../languages/languages.ts'
import { entryPointNamed } from '../settings/chosen-entry-point.ts'
import { addCommand, addNotes, type CommandContext, type Outcome, runCommand } from '../terminal/command.ts'
import { openFileSink } from '../terminal/sink.ts'
import { everyScreen } from './every-screen.ts'
import { loadScenes, startPreviewApp } from './preview-app.ts'
import { renderPreview } from './render-preview.ts'
import type { HasScenes, NamedScenes } from './screen.ts'

const ABOUT = `
Writes one HTML page with every screen and mail of an entry point, with a long user name and a long sentence of an access
policy. It has six sizes and the colors that viewers see, and shows two sizes and one scheme first. Open the page in a browser:
it warns where a text is cut, overlaps or scrolls. The page loads nothing. No server is asked: they may be off.`
const POLICY_TEXT = 'Your season ticket ended on 3 November. Renew your ticket to watch every match until May.'

interface Options {
  readonly json?: boolean
  readonly entryPoint?: string
  readonly language?: string
  readonly policyText: string
  readonly output?: string
}

/** Adds `brand preview`. */
export function addBrandCommands(group: Command, context: CommandContext<HasScenes>): void {
  const command = addCommand(group, 'preview', 'write one HTML page with every screen of an entry point', [
    'viewer-auth brand preview',
    'viewer-auth brand preview --language de --output screens.html',
  ])
  addNotes(command, ABOUT)
    .option('--entry-point <NAME>', 'the name of an entry point (default: the only one, or default)')
    .option('--language <LANGUAGE>', 'a file of views/languages (default: DEFAULT_LANGUAGE)')
    .option('--policy-text <TEXT>', 'the longest sentence of your access policy', POLICY_TEXT)
    .option('--output <FILE>', 'the file (default: screens-, entry point, language, .html)')
    .action((options: Options) => runCommand(context, options.json, () => preview(context, options)))
}

async function preview({ io, features: withScenes }: CommandContext<HasScenes>, options: Options): Promise<Outcome> {
  const config = readConfig(io.env)
  const entryPoint = entryPointNamed(config, options.entryPoint)
  const language = knownLanguage(options.language ?? entryPoint.brand.defaultLanguage)
  if (language === null) {
    return { ok: false, fault: `There is no language ${JSON.stringify(options.language)} in views/languages.` }
  }
  const file = options.output ?? basename(`screens-${entryPoint.name}-${language}.html`)
  await using sink = await openFileSink(file)
  const scenes = await loadScenes(withScenes)
  const app = await startPreviewApp(config, entryPoint, language, scenes)
  try {
    const request = { app, entryPoint, language, fields: fieldsOf(entryPoint, scenes) }
    const screens = await everyScreen(request, options.policyText, scenes)
    const page = { entryPoint, language, screens, leftOut: leftOutAt(entryPoint, scenes), read: app.file }
    await sink.write(await renderPreview(page))
    await sink.finish()
    const text = `Wrote ${file} with ${screens.length} screens. Open it in a browser.`
    return { ok: true, text, data: { file, language, screens: screens.map(({ name }) => name) } }
  } finally {
    await app.stop()
  }
}

function fieldsOf({ features: on }: EntryPoint, all: readonly NamedScenes[]): Readonly<Record<string, string>> {
  const fields = all.filter(({ name }) => name in on).map(({ name, scenes }) => scenes.fieldsOf?.(on[name]))
  return Object.assign({}, ...fields)
}

/** Returns the features that are on at the entry point, and have no preview. */
function leftOutAt({ features: on }: EntryPoint, all: readonly NamedScenes[]): string[] {
  const known = all.map(({ name }) => name)
  return features.map(({ name }) => name).filter((name) => name in on && !known.includes(name))
}
