import { writeSync } from 'node:fs'

/** Loaded before a command under measurement: at its end it says on descriptor 3 what was resident at most, in KiB. */
process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)))
