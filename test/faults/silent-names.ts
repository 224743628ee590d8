import dns from 'node:dns'
import { existsSync } from 'node:fs'

/** Preloaded by the app under test: look-ups get no answer while the file of SILENT_NAMES_FILE exists. */
const { lookup } = dns
const flag = process.env.SILENT_NAMES_FILE ?? ''

dns.lookup = Object.assign((...args: Parameters<typeof lookup>) => {
  if (!existsSync(flag)) lookup(...args)
}, lookup)
