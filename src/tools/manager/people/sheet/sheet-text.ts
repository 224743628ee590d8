/** The text of an uploaded file, or why it is not a sheet: a key of `sheet`. */
export type SheetText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly fault: string }

const ZIP = Buffer.from('PK\u0003\u0004')

/**
 * Decodes what Excel and other programs save: UTF-8 and UTF-16 with a byte order mark, UTF-8 without one, and else
 * Windows-1252, in which each byte is a character.
 */
export function decodeSheet(content: Buffer): SheetText {
  if (content.subarray(0, 4).equals(ZIP)) return { ok: false, fault: 'workbook' }
  const text = decoded(content)
  // Only a file of another kind has control characters.
  if (/(?![\t\n\v\f\r\u0085])\p{Cc}/u.test(text)) return { ok: false, fault: 'notText' }
  if (text.trim() === '') return { ok: false, fault: 'empty' }
  if (text.trimStart().startsWith('{')) return { ok: false, fault: 'notSheet' }
  return { ok: true, text: text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n') }
}

function decoded(content: Buffer): string {
  const mark = content.subarray(0, 2).toString('hex')
  if (mark === 'fffe') return new TextDecoder('utf-16le').decode(content)
  if (mark === 'feff') return new TextDecoder('utf-16be').decode(content)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return new TextDecoder('windows-1252').decode(content)
  }
}
