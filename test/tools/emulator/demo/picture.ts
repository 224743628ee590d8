import { fileURLToPath } from 'node:url'
import { launchBrowser } from '../../../browser/launch.ts'
import { press, typeText } from '../../../browser/press-and-type.ts'
import { startDemo, stopDemo, temporaryFolder } from './demo-program.ts'

/** Photographs the player of the demo with the sign-in screen, for README.md. Needs Chromium. */
const FILE = fileURLToPath(new URL('../../../../.github/login-in-player.png', import.meta.url))

const folder = await temporaryFolder()
const demo = startDemo({ DEMO_DATA_FOLDER: folder.path })
try {
  await demo.running
  const [address = ''] = /http:\/\/page\.localhost:\d+\/channel\/\d+/.exec(demo.printed()) ?? []
  const browser = await launchBrowser('chromium')
  try {
    const { page, waitForFrame, photograph } = await browser.openPage()
    await page.setViewport({ width: 1000, height: 720 })
    await (await page.createCDPSession()).send('Emulation.setScrollbarsHidden', { hidden: true })
    await page.goto(address)
    await press(await waitForFrame('http://127.0.0.1:'), '[data-log-in]')
    const screen = await waitForFrame('http://localhost:')
    await typeText(screen, '#username', 'ada@example.com')
    await photograph(FILE as `${string}.png`, { width: 1000, height: 720, colorScheme: 'light' })
  } finally {
    await browser.close()
  }
} finally {
  await stopDemo(demo)
  await folder.remove()
}
