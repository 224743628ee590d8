import type { Browser, Page } from 'puppeteer-core'

/** Returns the window that a press opens, with an authenticator that checks a fingerprint. Chromium only. */
export async function openPasskeyWindow(browser: Browser, work: () => Promise<void>) {
  const known = new Set(browser.targets())
  await work()
  const target = await browser.waitForTarget((one) => one.type() === 'page' && !known.has(one))
  const window = await target.page()
  if (window === null) throw new Error('The window has no page')
  const added = await addAuthenticator(window)
  await window.bringToFront()
  return { window, ...added }
}

/** Gives a page an authenticator, which says that the fingerprint is right. */
export async function addAuthenticator(page: Page, { isUserVerified = true } = {}) {
  const session = await page.createCDPSession()
  await session.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, hasUserVerification: true, isUserVerified, automaticPresenceSimulation: true },
  })
  return { session, authenticatorId }
}
