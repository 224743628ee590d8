import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Frame, Page } from 'puppeteer-core'
import { expect, test } from 'vitest'
import { readSharedStores } from '../../../../../src/config.ts'
import { createCodeStore } from '../../../../../src/features/access-codes/codes/code-store.ts'
import { openFileRecords } from '../../../../../src/services/guests/file-records.ts'
import { createSignInLimits } from '../../../../../src/sign-in-limits/sign-in-limits.ts'
import { stores } from '../../../../../src/stores.ts'
import { findViolations } from '../../../../browser/find-violations.ts'
import { type BrowserKind, launchBrowser } from '../../../../browser/launch.ts'
import { pressKey, typeText } from '../../../../browser/press-and-type.ts'
import { rowsFor } from '../../../../rows.ts'
import { startMailServer } from '../../../../services/mail/mail-server.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { emulatorOfTest, environmentFor } from '../../../../with-emulator/video-service/client.ts'
import { runHere } from '../../../cli/run-here.ts'
import { mailEnvironment, startWithCommands } from '../../../manager/real-entry-point.ts'
import { codeOf, PASSWORD } from '../../../manager/start-manager.ts'

const MOST_CLICKS = 4
const EVE = 'eve@example.com'
const ENTRY = {
  opensAt: '2090-11-24T20:00:00Z',
  closesAt: '2090-11-24T22:00:00Z',
  accessCodes: 'on',
  accessCodeKey: '7f3e9d1c5b2a48067985a4b3c2d1e0ff',
}
const VIEWS = 600

/** Starts the page with a video service and a mail server. Two people have an invitation whose link has expired. */
async function startEvening() {
  const emulator = await emulatorOfTest(VIEWS)
  const mail = await startMailServer()
  const manager = await startWithCommands(ENTRY, { ...environmentFor(emulator), ...mailEnvironment(mail) })
  // Links begin at the time of the machine.
  manager.clock.seconds = Date.now() / 1000
  for (const username of ['ada@example.com', 'bob@example.com', 'kim@example.com']) {
    await manager.users.add({ username, groups: [], attributes: {} }, null)
  }
  for (const username of ['ada@example.com', 'kim@example.com']) {
    const link = { purpose: 'invitation', digest: username, expiresAtSeconds: 1 } as const
    await manager.users.passwordChanges.createLink(username, link)
  }
  const counts = await stores.counts(readSharedStores(manager.env).limitsStore)
  const { openCounter, close } = await counts.open({
    nowSeconds: () => Date.now() / 1000,
    log: { info() {}, warn() {} } as never,
  })
  const limits = createSignInLimits(openCounter)
  for (const name of ['ada@example.com', 'kim@example.com']) {
    for (let guess = 0; guess < 100; guess += 1) {
      const admission = await limits.admit(name, `198.51.100.${guess}`)
      if (admission.ok) await admission.attempt.failed()
    }
  }
  close()
  manager.store.add({ name: EVE, role: 'event-manager', entryPoints: null }, PASSWORD)
  return {
    manager,
    mail,
    doors: () =>
      manager.entryPoints()[0]?.features.doors as { windows: { opensAtSeconds: number }[]; message: unknown },
    async countOfCodes() {
      const records = openFileRecords(manager.guestsFile, { nowSeconds: () => Date.now() / 1000, isCommand: true })
      const batches = await createCodeStore(records).batches('default')
      await records.close()
      return batches.map(({ label, count }) => [label, count])
    },
    failuresOf: async (name: string) => {
      const shown = await runHere(['viewers', 'show', name, '--json'], { cwd: manager.folder, env: manager.env })
      return JSON.parse(shown.stdout).failedSignIns
    },
  }
}

async function signInAs(page: Page, origin: string, seconds: number): Promise<void> {
  const frame = page.mainFrame()
  await page.goto(`${origin}/sign-in`)
  await typeText(frame, '#name', EVE)
  await typeText(frame, '#password', PASSWORD)
  await go(page, 'form .main')
  const secret = await textOf(frame, '.secret')
  await typeText(frame, '#code', codeOf(secret.replaceAll(' ', ''), seconds))
  await go(page, 'form .main')
  await textOf(frame, '.figures')
}

/** Waits until the page has the element, and returns its text. */
async function textOf(frame: Frame, selector: string): Promise<string> {
  const read = () => frame.$eval(selector, (element) => element.textContent).catch(() => null)
  await expect.poll(read, { message: selector }).not.toBeNull()
  return (await read()) ?? ''
}

async function untilText(frame: Frame, selector: string, part: string): Promise<void> {
  await expect.poll(() => frame.$eval(selector, (element) => element.textContent).catch(() => '')).toContain(part)
}

/** Presses a link or button, and waits for the page that it leads to: the page before may have the next element too. */
async function go(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation({ waitUntil: 'domcontentloaded' }), pressKey(page.mainFrame(), selector)])
}

const tab = (path: string) => `nav a[href="${path}"]`
const one = (name: string) => `/people/one/${encodeURIComponent(name)}`
/** These pages are in no frame and need no script: no browser treats them differently. */
const KINDS = rowsFor<readonly [BrowserKind, number]>(
  [['chromium-no-scripts', 375]],
  [
    ['chromium', 1280],
    ['firefox', 375],
    ['firefox-no-scripts', 1280],
  ],
)

test.each(KINDS)(
  'the tasks of an evening need at most four clicks each, with keys alone, in %s, %i wide',
  async (kind, width) => {
    const { manager, mail, doors, countOfCodes, failuresOf } = await startEvening()
    const launched = await launchBrowser(kind)
    try {
      const { page, complaints } = await launched.openPage()
      await page.setViewport({ width, height: 800 })
      await signInAs(page, manager.origin, manager.clock.seconds)
      const frame = page.mainFrame()
      const clicks: Record<string, number> = {}
      /** Counts the clicks of a task, which begins on the page of the evening. */
      async function task(
        name: string,
        work: (press: (selector: string) => Promise<void>) => Promise<void>,
      ): Promise<void> {
        await page.goto(`${manager.origin}/account`)
        clicks[name] = 0
        await work(async (selector) => {
          clicks[name] = (clicks[name] ?? 0) + 1
          await go(page, selector)
        })
      }
      const done = (part: string) => untilText(frame, '.notice', part)

      await task('add one guest', async (press) => {
        await press(tab('/people'))
        await press('a[href="/people/add"]')
        await typeText(frame, '#username', 'guest@example.com')
        await pressKey(frame, 'input[name="invite"]', ' ')
        await press('form[action="/people/add"] .main')
        await done('guest@example.com was added')
      })
      await task('add thirty from Excel', async (press) => {
        const sheet = join(temporaryFolder(), 'guests.csv')
        const rows = Array.from({ length: 30 }, (_, index) => `guest${index}@example.com;press`)
        writeFileSync(sheet, Buffer.from(`E-Mail;Gruppe\r\n${rows.join('\r\n')}\r\n`, 'latin1'))
        await press(tab('/people'))
        await press('a[href="/people/import"]')
        await textOf(frame, '#file + label')
        const file = await frame.$('#file')
        await (file as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(sheet)
        await press('form[action="/people/import"] .main')
        await press('form[action="/people/import/confirm"] .main')
        await done('30 people added')
        await mail.received(30)
      })
      await task('find why a person cannot sign in, and let the person try again', async (press) => {
        await press(tab('/people'))
        await textOf(frame, '#text')
        await typeText(frame, '#text', 'ada')
        await press('form[role="search"] button')
        await press(`a[href="${one('ada@example.com')}"]`)
        await untilText(frame, '.reasons', '100 failed logins: new devices must wait')
        await press(`form[action="${one('ada@example.com')}/unlock"] .main`)
        await done('can try again at once')
      })
      await task('put a viewer out', async (press) => {
        await press(tab('/people'))
        await press(`a[href="${one('bob@example.com')}"]`)
        await press(`form[action="${one('bob@example.com')}/put-out"] button`)
        await done('is blocked and logged out')
      })
      await task('see how many are in', async (press) => {
        await press(tab('/evening'))
        await untilText(frame, '.figures', 'Watching now')
      })
      const opensBefore = doors().windows[0]?.opensAtSeconds ?? 0
      await task('move the start by fifteen minutes', async (press) => {
        await press(tab('/doors'))
        await press('button[value="15"]')
        await done('Opens: ')
      })
      expect(doors().windows[0]?.opensAtSeconds).toBe(opensBefore + 900)
      await task('tell those who wait when it starts', async (press) => {
        await press(tab('/doors'))
        await press('a[href="/doors/default/message"]')
        await textOf(frame, 'label[for="message-en"]')
        await typeText(frame, '#message-en', 'We start at 20:15')
        await press('form.stack .main')
        await done('We start at 20:15')
      })
      expect(doors().message).toBe('We start at 20:15')
      await task('invite those who have not come', async (press) => {
        await press(tab('/people'))
        await press('form[action="/people/invite"] button')
        await done('2 invitations are being sent')
        const invited = (await mail.received(32)).map(({ to }) => to[0])
        expect(invited.slice(30).toSorted()).toEqual(['ada@example.com', 'kim@example.com'])
      })
      await task('add a text to the invitations, and look at the mail', async (press) => {
        await press(tab('/mails'))
        await press('a[href="/mails/default/invitation"]')
        await textOf(frame, '#text')
        await typeText(frame, '#text', 'Please bring your badge')
        await press('button[name="mail"]')
        await done('was sent to')
        expect((await mail.received(33)).at(-1)?.to).toEqual([EVE])
        await press('form.stack .main')
        await done('The text is saved')
      })
      await task('plan a reminder, and stop it', async (press) => {
        await press(tab('/mails'))
        await press('a[href="/mails/default/remind"]')
        await press('form.stack .main')
        await done('is planned')
        await press('form[action="/mails/default/remind/stop"] button')
        await done('is stopped')
      })
      await task('print codes for fifty', async (press) => {
        await press(tab('/codes'))
        await textOf(frame, '#label-0 + label')
        await typeText(frame, '#label-0', 'GALA')
        await press('form[action$="/create"] .main')
        await untilText(frame, '.cards', 'GALA-0050')
        expect(await countOfCodes()).toEqual([['GALA', 50]])
      })
      await task('see who was there for 45 minutes', async (press) => {
        await press(tab('/after'))
        await textOf(frame, '#from')
        const from = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 16)
        await frame.$eval('#from', (input, value) => input.setAttribute('value', value), from)
        await press('form[action="/after/attendance"] .main')
        await untilText(frame, '.figures', 'was there')
      })
      await task('forget a person', async (press) => {
        await press(tab('/people'))
        await press(`a[href="${one('kim@example.com')}"]`)
        await press(`a[href="${one('kim@example.com')}/remove"]`)
        await press(`form[action="${one('kim@example.com')}/forget"] button`)
        await done('kim@example.com is forgotten')
        expect((await manager.users.show('kim@example.com')).ok).toBe(false)
        expect((await failuresOf('kim@example.com')).count).toBe(0)
      })
      expect(Math.max(...Object.values(clicks))).toBeLessThanOrEqual(MOST_CLICKS)
      expect(Object.keys(clicks)).toHaveLength(13)
      expect(complaints).toEqual([])
      expect(manager.faults).toEqual([])
    } finally {
      await launched.close()
    }
  },
)

test('axe finds nothing on any page, and no page is wider than a phone', async () => {
  const { manager } = await startEvening()
  const launched = await launchBrowser('chromium')
  try {
    const { page } = await launched.openPage()
    await page.setBypassCSP(true)
    await page.setViewport({ width: 375, height: 800 })
    await page.goto(`${manager.origin}/sign-in`)
    expect(await findViolations(page)).toEqual([])
    await signInAs(page, manager.origin, manager.clock.seconds)
    for (const path of [
      '/evening',
      '/people',
      '/people/add',
      '/people/import',
      one('ada@example.com'),
      `${one('ada@example.com')}/remove`,
      '/people/many?work=remove&name=ada@example.com',
      '/codes',
      '/mails',
      '/mails/default/remind',
      '/mails/default/invitation',
      '/colleagues',
      '/doors',
      '/doors/default/message',
      '/after',
      '/acts',
      '/account',
      '/unknown',
    ]) {
      await page.goto(`${manager.origin}${path}`)
      expect([path, await findViolations(page)]).toEqual([path, []])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
    }
  } finally {
    await launched.close()
  }
})

test('the figures are live, and a part with the focus stays', async () => {
  const { manager } = await startEvening()
  const launched = await launchBrowser('chromium')
  try {
    const { page } = await launched.openPage()
    await signInAs(page, manager.origin, manager.clock.seconds)
    const line = { category: 'security', time: new Date(manager.clock.seconds * 1000).toISOString(), event: 'sign-in' }
    const event = {
      ...line,
      outcome: 'signed-in',
      viewer: 'zoe@example.com',
      address: '192.0.2.1',
      entryPoint: 'default',
    }
    writeFileSync(manager.env.SECURITY_LOG_FILE, `${JSON.stringify(event)}\n`)
    manager.clock.seconds += 5
    await untilText(page.mainFrame(), '#events', 'zoe@example.com')
  } finally {
    await launched.close()
  }
})
