import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'
import { serviceWithRows } from './report-service.ts'

export const DAY = ['--from', '2026-11-20T00:00:00Z', '--to', '2026-11-21T00:00:00Z']

/** Runs a report over these rows, and returns its HTML page. The default period is 20 November 2026. */
export async function pageOf(
  report: string,
  type: string,
  rows: readonly object[],
  args: readonly string[] = DAY,
): Promise<string> {
  const cwd = temporaryFolder()
  const env = await serviceWithRows(type, rows)
  const ended = await runHere(['report', report, ...args, '--html', join(cwd, 'page.html')], { cwd, env })
  expect(ended).toMatchObject({ status: 0, stdout: '' })
  return readFileSync(join(cwd, 'page.html'), 'utf8')
}

/** Returns the page without its style and its script, which are the same on all pages. */
export function contentOf(html: string): string {
  return html.replace(/<style>.*?<\/style>/s, '').replace(/<script>.*?<\/script>/s, '')
}

/** Returns the text of a page, without its tags. */
export function textOf(html: string): string {
  return contentOf(html)
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
}

/** Returns start and width of the bars of one layer, in percent. */
export function barsOf(html: string, layer: 0 | 1): [from: number, width: number][] {
  const bars = html.matchAll(/<rect class="layer-(\d)" x="([\d.]+)%" width="([\d.]+)%"/g)
  return [...bars].filter(([, of]) => of === String(layer)).map(([, , from, width]) => [Number(from), Number(width)])
}
