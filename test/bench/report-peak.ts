import { writeSync } from 'node:fs'

/** Loaded before a measured command. At its end, writes the peak of resident memory in KiB to descriptor 3. */
process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)))
