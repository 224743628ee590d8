import { EventEmitter, once } from 'node:events'
import type { Frame, Page } from 'puppeteer-core'

export interface Look {
  readonly width: number
  readonly height: number
  readonly colorScheme: 'light' | 'dark'
}

export interface OpenPage {
  readonly page: Page
  /**
   * Everything that broke in any frame so far: violations of a Content-Security-Policy, uncaught exceptions, errors on
   * the console, blocked mixed content. Not among them: answers with an error status, which a page may well expect, and
   * cookies that the browser refuses.
   */
  readonly complaints: readonly string[]
  /** Waits until some frame, of whatever process, has an address that begins so. */
  waitForFrame(urlPrefix: string, timeoutMs?: number): Promise<Frame>
  /** Waits until some complaint contains the text, for tests in which the browser must object. */
  waitForComplaint(text: string, timeoutMs?: number): Promise<string>
  /**
   * Shows the page as a viewer with this window and preference sees it, and keeps a PNG of it. Chromium only: Firefox
   * cannot be told the preference from outside.
   */
  photograph(file: `${string}.png`, look: Look): Promise<void>
}

const PATIENCE_MS = 20_000
/** Chromium's issues that tell of a broken policy, frame or address; those about refused cookies are expected here. */
const TELLING_ISSUES = ['ContentSecurityPolicyIssue', 'MixedContentIssue', 'BlockedByResponseIssue']
/** Firefox reports a refused cookie in the same way as an uncaught exception, Chromium an error status as a message. */
const EXPECTED_MESSAGES = /^(Cookie “|Partitioned cookie or storage access|Failed to load resource)/

/** Begins to listen on a new page, which must not have left `about:blank` yet. */
export async function openPage(page: Page): Promise<OpenPage> {
  const complaints: string[] = []
  const arrivals = new EventEmitter()
  const complain = (text: string): void => {
    if (EXPECTED_MESSAGES.test(text)) return
    complaints.push(text)
    arrivals.emit('complaint')
  }
  page.on('pageerror', (error) => complain(error instanceof Error ? error.message : String(error)))
  page.on('issue', ({ code, details }) => {
    if (TELLING_ISSUES.includes(code)) complain(`${code}: ${JSON.stringify(details)}`)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') complain(message.text())
  })
  await page.evaluateOnNewDocument(REPORT_FROM_INSIDE)

  /** What a person needs to see why a wait was in vain. */
  function inVain(wanted: string, cause: unknown): Error {
    const frames = page.frames().map((frame) => frame.url())
    return new Error(`${wanted} did not come. Frames: ${frames.join(' ')}. Complaints: ${complaints.join('; ')}`, {
      cause,
    })
  }

  return {
    page,
    complaints,
    async waitForFrame(urlPrefix, timeoutMs = PATIENCE_MS) {
      try {
        return await page.waitForFrame((frame) => frame.url().startsWith(urlPrefix), { timeout: timeoutMs })
      } catch (cause) {
        throw inVain(`A frame at ${urlPrefix}`, cause)
      }
    },
    async waitForComplaint(text, timeoutMs = PATIENCE_MS) {
      const signal = AbortSignal.timeout(timeoutMs)
      for (;;) {
        const found = complaints.find((complaint) => complaint.includes(text))
        if (found !== undefined) return found
        await once(arrivals, 'complaint', { signal }).catch((cause: unknown) => {
          throw inVain(`A complaint about ${text}`, cause)
        })
      }
    },
    async photograph(file, { width, height, colorScheme }) {
      await page.setViewport({ width, height })
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colorScheme }])
      await page.screenshot({ path: file })
    },
  }
}

/**
 * Runs in every document before its own scripts: no protocol of the two browsers tells all of this of all frames.
 * It is text because the types of a page (`document`, `location`) have no place in a program of the server's.
 */
const REPORT_FROM_INSIDE = `
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, documentURI }) => {
    console.error('Content-Security-Policy ' + effectiveDirective + ' of ' + documentURI + ' blocked ' + blockedURI)
  })
  addEventListener('error', ({ message }) => console.error('uncaught ' + message + ' in ' + location.href))
  addEventListener('unhandledrejection', ({ reason }) => {
    console.error('unhandled rejection ' + reason + ' in ' + location.href)
  })
`
