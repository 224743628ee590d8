import { orUndefined } from '../../../errors.ts'
import type { Refused } from './command.ts'
import type { CommandIo } from './io.ts'

export type ReadText = { readonly ok: true; readonly text: string } | Refused

/**
 * Reads standard input to its end, as text without the last line end, which `echo` adds.
 * Refuses text that is not UTF-8 or longer than the limit.
 */
export async function readStandardInput(stdin: CommandIo['stdin'], maxBytes: number): Promise<ReadText> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk as Buffer | string)
    chunks.push(part)
    bytes += part.length
    if (bytes > maxBytes) return { ok: false, fault: `Standard input is longer than ${maxBytes} bytes.` }
  }
  const text = orUndefined(() => new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)))
  if (text === undefined) return { ok: false, fault: 'Standard input is not UTF-8 text.' }
  return { ok: true, text: text.replace(/\r?\n$/, '') }
}
