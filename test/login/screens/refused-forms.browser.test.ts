import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { refusedAccountForms } from '../../features/account/refused-form.ts'
import { refusedPasskeyPassword } from '../../features/passkeys/refused-form.ts'
import { refusedSsoCode } from '../../features/sso/refused-form.ts'
import { screensWith } from './every-screen.ts'
import type { RefusedForm, Screen } from './screen.ts'

/** A fork that deletes a feature deletes its line. */
const FORMS = {
  refusedAccountForms,
  refusedPasskeyPassword,
  refusedSsoCode,
}

/** The forms that everyScreen() does not have. */
const REFUSED_FORMS: readonly RefusedForm[] = Object.values(FORMS)

let browser: LaunchedBrowser
beforeAll(async () => {
  browser = await launchBrowser('chromium')
})
afterAll(() => browser.close())

/** A node of the accessibility tree. */
interface Node {
  readonly role: string
  readonly name?: string
  readonly description?: string
  readonly invalid?: string
  readonly children?: readonly Node[]
}

const FIELDS = ['textbox', 'combobox', 'checkbox']
/** A refusal that no single field caused. */
const NO_FAULT = /too many tries|disabled|expired|overloaded|store down|another page/

/** A description has no line breaks, and the alert no-break spaces. */
const inOneLine = (text: string) => text.trim().replace(/\s+/g, ' ')

function fieldsIn({ children = [], ...node }: Node): Node[] {
  return [...(FIELDS.includes(node.role) ? [node] : []), ...children.flatMap(fieldsIn)]
}

/** Returns the faults of a form after a refusal, as a screen reader meets them. */
async function faultsOn(page: Page, { name, html }: Screen): Promise<string[]> {
  await page.setContent(html)
  const alert = await page.$eval('#alert', ({ textContent }) => textContent ?? '')
  const fields = fieldsIn((await page.accessibility.snapshot({ interestingOnly: false })) as unknown as Node)
  const invalid = fields.filter((field) => field.invalid === 'true')
  const described = fields.filter(({ description = '' }) => inOneLine(description).includes(inOneLine(alert)))
  return [
    ...(described.length === 0 ? [`${name}: no field has the error`] : []),
    ...(invalid.length === 0 && !NO_FAULT.test(name) ? [`${name}: no field is invalid`] : []),
    ...invalid.filter((field) => !described.includes(field)).map((field) => `${name}: ${field.name} has no error`),
  ]
}

test('after a refusal, every form has the error in the description of its field', async () => {
  const { page } = await browser.openPage()
  const own = (await Promise.all(REFUSED_FORMS.map((form) => form()))).flat()
  const isRefusedForm = ({ html }: Screen) => /id="alert"/.test(html) && /<form class="fields"/.test(html)
  const screens = [...(await screensWith('unbranded', 'en')), ...own].filter(isRefusedForm)
  expect(screens.length).toBeGreaterThanOrEqual(10 + own.length)
  const faults: string[] = []
  for (const screen of screens) faults.push(...(await faultsOn(page, screen)))
  expect(faults).toEqual([])
  await page.close()
})
