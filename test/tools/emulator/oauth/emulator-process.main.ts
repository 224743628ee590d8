import { startEmulator } from '../../../../src/tools/emulator/start-emulator.ts'

const { url, seed } = await startEmulator({ port: 0, dataFile: process.argv[2] ?? '' })
process.stdout.write(`${JSON.stringify({ url, seed })}\n`)
