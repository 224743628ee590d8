import { EventEmitter, once } from 'node:events'
import type { Page } from 'puppeteer-core'

export interface Look {
  readonly width: number
  readonly height: number
  readonly colorScheme: 'light' | 'dark'
}

export type OpenPage = Awaited<ReturnType<typeof openPage>>

const PATIENCE_MS = 20_000
/** Issues of Chromium that are complaints. Issues about refused cookies are not, because tests expect them. */
const TELLING_ISSUES = ['ContentSecurityPolicyIssue', 'MixedContentIssue', 'BlockedByResponseIssue']
/** Expected messages: refused cookies in Firefox, which look like exceptions, and error statuses in Chromium. */
const EXPECTED_MESSAGES = /^(Cookie “|Partitioned cookie or storage access|Failed to load resource)/

/** Starts to listen on a new page, which must still be at `about:blank`. */
export async function openPage(page: Page) {
  /**
   * The faults in all frames so far: violations of a Content-Security-Policy, uncaught exceptions, console errors and
   * blocked mixed content. Error statuses and refused cookies are left out, because pages may expect them.
   */
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

  /** Describes the page for the error of a failed wait. */
  function inVain(wanted: string, cause: unknown): Error {
    const frames = page.frames().map((frame) => frame.url())
    return new Error(`${wanted} did not come. Frames: ${frames.join(' ')}. Complaints: ${complaints.join('; ')}`, {
      cause,
    })
  }

  return {
    page,
    complaints: complaints as readonly string[],
    /** Waits until a frame of any process has an address with this prefix. */
    async waitForFrame(urlPrefix: string, timeoutMs = PATIENCE_MS) {
      try {
        return await page.waitForFrame((frame) => frame.url().startsWith(urlPrefix), { timeout: timeoutMs })
      } catch (cause) {
        throw inVain(`A frame at ${urlPrefix}`, cause)
      }
    },
    async waitForComplaint(text: string, timeoutMs = PATIENCE_MS) {
      const signal = AbortSignal.timeout(timeoutMs)
      for (;;) {
        const found = complaints.find((complaint) => complaint.includes(text))
        if (found !== undefined) return found
        await once(arrivals, 'complaint', { signal }).catch((cause: unknown) => {
          throw inVain(`A complaint about ${text}`, cause)
        })
      }
    },
    /** Writes a PNG of the page. Chromium only: the color scheme of Firefox cannot be set from outside. */
    async photograph(file: `${string}.png`, { width, height, colorScheme }: Look) {
      await page.setViewport({ width, height })
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colorScheme }])
      await page.screenshot({ path: file })
    },
  }
}

/**
 * Runs in every document before its own scripts, because the protocols of the two browsers do not report all of this
 * for all frames. It is text, so that the server code needs no types of a page (`document`, `location`).
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
