import type { CommandIo } from './io.ts'

export type ReadText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly fault: string }

/** The whole of standard input as text, without the line end that `echo` adds. */
export async function readStandardInput(stdin: CommandIo['stdin'], mostBytes: number): Promise<ReadText> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk as Buffer | string)
    chunks.push(part)
    bytes += part.length
    if (bytes > mostBytes) return { ok: false, fault: `Standard input holds more than ${mostBytes} bytes.` }
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
    return { ok: true, text: text.replace(/\r?\n$/, '') }
  } catch {
    return { ok: false, fault: 'Standard input is not text in UTF-8.' }
  }
}
