import axe from 'axe-core'
import type { Page } from 'puppeteer-core'

/**
 * Checks the page with axe: all rules in light colors, and the rules for colors again in dark colors. Chromium only,
 * because Firefox cannot be told the color scheme.
 * @param options of axe, such as `{ iframes: false }` to leave out frames.
 * @returns one line for each violation.
 */
export async function findViolations(page: Page, options: axe.RunOptions = {}): Promise<string[]> {
  // A document whose body the test replaces keeps it.
  if (!(await page.evaluate(`typeof axe === 'object'`))) await page.evaluate(axe.source)
  const light = await runAxe(page, 'light', options)
  const dark = await runAxe(page, 'dark', { ...options, runOnly: ['color-contrast', 'link-in-text-block'] })
  return [...light, ...dark]
}

async function runAxe(page: Page, colorScheme: 'light' | 'dark', options: axe.RunOptions): Promise<string[]> {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colorScheme }])
  // The new colors must be painted, and their transitions over.
  await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`)
  await page.evaluate(`Promise.all(document.getAnimations().map(({ finished }) => finished))`)
  const lines =
    await page.evaluate(`axe.run(document, ${JSON.stringify({ ...options, resultTypes: ['violations'] })}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
      '${colorScheme}: ' + id + ' ' + target + ' ' + failureSummary)))`)
  return lines as string[]
}
