import { setTimeout as wait } from 'node:timers/promises'
import type { ElementHandle, Frame } from 'puppeteer-core'

/** A click that did not reach its element within this time is lost. */
const ARRIVAL_MS = 3_000
const MOST_ATTEMPTS = 5
const PATIENCE_MS = 20_000

/**
 * Clicks an element, and retries a lost click. A browser chooses the frame of a click from its last painted picture, so
 * a click on a frame that has just appeared or moved can be lost.
 * @throws Error if the element is never shown, or no click reaches it.
 */
export async function press(frame: Frame, selector: string): Promise<void> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const element = await find(frame, selector)
    // If the click leads to another page, the question fails: the click arrived.
    const isReached = element
      .evaluate((target) => {
        return new Promise<boolean>((resolve) => {
          target.addEventListener('click', () => resolve(true), { once: true, capture: true })
        })
      })
      .catch(() => true)
    await element.click()
    if (await Promise.race([isReached, wait(ARRIVAL_MS, false)])) return
  }
  throw new Error(`No press reached ${selector} at ${frame.url()}`)
}

/**
 * Focuses an element and presses a key: Enter for fields, buttons, links and summaries, a space for checkboxes. Returns
 * when the browser confirms the key or the frame shows another page. Chromium never confirms a key that is released
 * while the page goes away.
 */
export async function pressKey(frame: Frame, selector: string, key: 'Enter' | ' ' = 'Enter'): Promise<void> {
  const element = await find(frame, selector)
  await element.focus()
  const page = frame.page()
  const left = Promise.withResolvers<void>()
  const leave = (navigated: Frame): void => {
    if (navigated === frame) left.resolve()
  }
  page.on('framenavigated', leave)
  try {
    await Promise.race([page.keyboard.press(key), left.promise])
  } finally {
    page.off('framenavigated', leave)
  }
}

/** Replaces the text of a field, and retries until the field holds the text. */
export async function typeText(frame: Frame, selector: string, text: string): Promise<void> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const field = await find(frame, selector)
    await field.evaluate((element) => Object.assign(element, { value: '' }))
    await field.type(text)
    if ((await field.evaluate((element) => (element as unknown as { value: string }).value)) === text) return
  }
  throw new Error(`${selector} at ${frame.url()} does not take a text`)
}

/** Polls from outside: a page without scripts cannot wait for an element. */
async function find(frame: Frame, selector: string): Promise<ElementHandle> {
  for (const endMs = performance.now() + PATIENCE_MS; performance.now() < endMs; await wait(20)) {
    const element = await frame.$(selector).catch(() => null)
    if (element !== null && (await element.isVisible().catch(() => false))) return element
  }
  throw new Error(`${selector} is not shown at ${frame.url()}`)
}
