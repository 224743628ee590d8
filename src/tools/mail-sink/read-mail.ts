/** A mail in words. */
export type ReadMail = ReturnType<typeof readMail>

/** Reads a mail as this app sends it: plain text, alone or before the same as HTML. Not for the mails of others. */
export function readMail(raw: string) {
  const { headers, body } = parted(raw)
  const boundary = /boundary="?([^";\r\n]+)/i.exec(headerOf(headers, 'content-type'))?.[1]
  const parts = boundary === undefined ? [{ headers, body }] : body.split(`--${boundary}`).slice(1).map(parted)
  const isText = (one: { readonly headers: string }) => headerOf(one.headers, 'content-type').startsWith('text/plain')
  const plain = parts.find(isText)
  const text = plain ? decoded(plain.body, headerOf(plain.headers, 'content-transfer-encoding')) : ''
  return { subject: words(headerOf(headers, 'subject')), text: text.replaceAll('\r\n', '\n').trim() }
}

function parted(raw: string): { readonly headers: string; readonly body: string } {
  const end = raw.indexOf('\r\n\r\n')
  // A long header continues in a line that begins with a blank.
  const headers = (end === -1 ? raw : raw.slice(0, end)).replace(/\r\n(?=[ \t])/g, '')
  return { headers, body: end === -1 ? '' : raw.slice(end + 4) }
}

function headerOf(headers: string, name: string): string {
  return new RegExp(`^${name}: *(.*)$`, 'im').exec(headers)?.[1]?.trim() ?? ''
}

function decoded(text: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString()
  return encoding === 'quoted-printable' ? quoted(text.replace(/=\r\n/g, '')) : text
}

/** Decodes the bytes that are written as `=C3=A4`. */
function quoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** Decodes the words of RFC 2047 in a header. */
function words(header: string): string {
  return header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_all, kind: string, text: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString() : quoted(text.replaceAll('_', ' ')),
    )
}
